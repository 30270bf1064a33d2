//! In: square tiles of two classes, land and water, each with its own heights at its corners. Out: their ground as solids, walls included.
//! Never knows: noise, colours, what stands on the tiles.
//!
//! Where all four tiles around a corner are of one class, the ground is a grid of heights. Tiles with another corner are two triangles each, and
//! between two tiles of different classes stands a wall, from the one's edge to the other's: the drawn mesh, in other words.

use glam::Vec3;
use terrane_physics::Patch;

/// The ground of a patch of `edge_m` tiles of a metre. Tiles are asked for from -1 to `edge_m`, by their lowest corner, corners from 0 to `edge_m`.
pub fn tile_ground(edge_m: usize, is_water: impl Fn(i32, i32) -> bool, height_m: impl Fn(i32, i32, bool) -> f32) -> Patch {
    let edge = edge_m as i32;
    // The class around a corner, if it is one.
    let class = |x: i32, z: i32| {
        let water = is_water(x, z);
        [(x - 1, z), (x, z - 1), (x - 1, z - 1)].into_iter().all(|(x, z)| is_water(x, z) == water).then_some(water)
    };
    let corners = (0..=edge).flat_map(|z| (0..=edge).map(move |x| (x, z)));
    let heights_m: Vec<f32> = corners.map(|(x, z)| class(x, z).map_or(f32::NAN, |water| height_m(x, z, water))).collect();
    let mut triangles = Vec::new();
    for (z, x) in (0..edge).flat_map(|z| (0..edge).map(move |x| (z, x))) {
        let water = is_water(x, z);
        let corner = |dx: i32, dz: i32, water: bool| Vec3::new((x + dx) as f32, height_m(x + dx, z + dz, water), (z + dz) as f32);
        if [(0, 0), (1, 0), (0, 1), (1, 1)].iter().any(|(dx, dz)| class(x + dx, z + dz).is_none()) {
            let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dz)| corner(dx, dz, water));
            triangles.extend([[a, c, b], [b, c, d]]);
        }
        // Each seam once: with the tile before it along x and along z.
        for (before, end) in [((x - 1, z), (0, 1)), ((x, z - 1), (1, 0))] {
            if is_water(before.0, before.1) != water {
                let [a, b] = [corner(0, 0, water), corner(end.0, end.1, water)];
                let [c, d] = [corner(0, 0, !water), corner(end.0, end.1, !water)];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    Patch { edge_m, heights_m, triangles, solids: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrane_base::Place;
    use terrane_physics::{Center, Rules, Space, TICK_S, TILE_M, Tile, Walker, Wish};

    const EDGE_M: i64 = 32;

    /// Land that rises to the north out of a lake; its shore is a beach in the west and a cliff of 3 m in the east.
    fn is_water(_: i64, z: i64) -> bool {
        z >= 0
    }

    fn height_m(x: i64, z: i64, water: bool) -> f32 {
        match water {
            true => -0.75 - z.clamp(0, 20) as f32 * 0.25,
            false => (-z).max(0) as f32 * 0.125 + if x >= 40 { 3.0 } else { 0.0 },
        }
    }

    fn ground([x, z]: [i64; 2]) -> Patch {
        let global = |local: i32, corner: i64| i64::from(local) + corner;
        tile_ground(EDGE_M as usize, |dx, dz| is_water(global(dx, x), global(dz, z)), |dx, dz, water| height_m(global(dx, x), global(dz, z), water))
    }

    fn walk(walker: &mut Walker, seconds: f32, wish: Wish) {
        for _ in 0..(seconds / TICK_S) as u32 {
            let center = Center::of(walker.feet());
            let tiles: Vec<_> = center
                .tiles(1)
                .map(|index| {
                    let first = index.map(|index| index.div_euclid(2) * 2);
                    let part = [index[0] - first[0], index[1] - first[1]];
                    (index, Tile::cut(&ground(first.map(|index| index * TILE_M as i64))).swap_remove((part[1] * 2 + part[0]) as usize))
                })
                .collect();
            let space = Space::new(center, tiles.iter().map(|(index, tile)| (*index, tile)));
            walker.tick(&space, &Rules::default(), &wish, Some(-0.5));
        }
    }

    const SOUTH: Wish = Wish { forward: 1.0, right: 0.0, yaw_rad: std::f32::consts::PI, run: false, jump: false, dive: false };
    const NORTH: Wish = Wish { yaw_rad: 0.0, ..SOUTH };

    #[test]
    fn land_is_walked_on_water_is_walked_into_and_a_cliff_is_not_climbed() {
        let mut w = Walker::new(Place::from_f64([10.3, 2.0, -6.0]));
        walk(&mut w, 0.8, SOUTH);
        let [_, y, z] = w.feet().to_f64();
        assert!(w.grounded() && z < -1.0 && (y + z * 0.125).abs() < 0.05, "on land: {w:?}");
        walk(&mut w, 2.0, SOUTH);
        assert!(w.feet().to_f64()[2] > 1.5 && w.under_water_m() > 0.4, "into the water: {w:?}");
        // Back onto the beach; the bed is 0.75 m below it there, so one jumps or swims.
        walk(&mut w, 3.0, Wish { jump: true, ..NORTH });
        assert!(w.feet().to_f64()[2] < -1.0 && w.under_water_m() == 0.0, "out of the water: {w:?}");
        // Along the lake, under the cliff: it blocks, jumping or not.
        let mut w = Walker::new(Place::from_f64([60.5, -0.9, 2.0]));
        walk(&mut w, 3.0, NORTH);
        let [_, y, z] = w.feet().to_f64();
        assert!(z > 0.3 && y < 0.0, "blocked: {w:?}");
        walk(&mut w, 3.0, Wish { jump: true, ..NORTH });
        assert!(w.feet().to_f64()[2] > 0.3, "and too high to jump: {w:?}");
        // From above one falls into the water.
        let mut w = Walker::new(Place::from_f64([60.5, 4.0, -2.0]));
        walk(&mut w, 3.0, SOUTH);
        assert!(w.feet().to_f64()[2] > 1.0 && w.under_water_m() > 0.0, "{w:?}");
    }

    #[test]
    fn every_seam_of_land_and_water_has_one_wall_and_nothing_else_has() {
        // A checkerboard: every seam is one.
        let patch = tile_ground(16, |x, z| (x + z).rem_euclid(2) == 1, |_, _, water| if water { -1.0 } else { 2.0 });
        assert_eq!(patch.triangles.len(), 16 * 16 * (2 + 4));
        assert!(patch.heights_m.iter().all(|height| height.is_nan()));
        // Land alone: only heights.
        let patch = tile_ground(16, |_, _| false, |x, z, _| (x + z) as f32);
        assert!(patch.triangles.is_empty() && patch.heights_m.iter().all(|height| height.is_finite()));
    }
}
