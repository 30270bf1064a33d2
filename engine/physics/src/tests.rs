//! Walks through small worlds of one formula.

mod edges;

use crate::{Center, Hull, Patch, Rules, Solid, SolidShape, Space, TICK_S, TILE_M, Tile, Walker, Wish};
use glam::Vec3;
use std::{collections::HashMap, f32::consts::FRAC_PI_2};
use terrane_base::Place;

/// Edge of the test worlds' patches.
const PATCH_M: i64 = 32;

/// A world: a patch from its corner, whole metres.
struct World {
    patch: Box<dyn Fn([i64; 2]) -> Patch>,
    water_m: Option<f32>,
    tiles: HashMap<[i64; 2], Tile>,
    space: Option<Space>,
}

impl World {
    fn new(patch: impl Fn([i64; 2]) -> Patch + 'static) -> World {
        World { patch: Box::new(patch), water_m: None, tiles: HashMap::new(), space: None }
    }

    /// A world of heights alone.
    fn ground(height_m: impl Fn(i64, i64) -> f32 + 'static) -> World {
        World::new(move |corner| ground(corner, &height_m))
    }

    fn space(&mut self, place: Place) -> &Space {
        let center = Center::of(place);
        if self.space.as_ref().is_none_or(|space| space.center() != center) {
            let per_patch = PATCH_M / TILE_M as i64;
            for [x, z] in center.tiles(1) {
                if !self.tiles.contains_key(&[x, z]) {
                    let first = [x, z].map(|index| index.div_euclid(per_patch) * per_patch);
                    let patch = (self.patch)(first.map(|index| index * TILE_M as i64));
                    for (index, tile) in Tile::cut(&patch).into_iter().enumerate() {
                        self.tiles.insert([first[0] + index as i64 % per_patch, first[1] + index as i64 / per_patch], tile);
                    }
                }
            }
            self.space = Some(Space::new(center, center.tiles(1).map(|index| (index, &self.tiles[&index]))));
        }
        self.space.as_ref().expect("just made")
    }

    fn walk(&mut self, walker: &mut Walker, seconds: f32, wish: Wish) {
        for _ in 0..(seconds / TICK_S) as u32 {
            let water_m = self.water_m;
            walker.tick(self.space(walker.feet()), &Rules::default(), &wish, water_m);
        }
    }
}

fn ground(corner: [i64; 2], height_m: &dyn Fn(i64, i64) -> f32) -> Patch {
    let row = 0..=PATCH_M;
    let heights_m = row.clone().flat_map(|z| row.clone().map(move |x| [x, z])).map(|[x, z]| height_m(corner[0] + x, corner[1] + z)).collect();
    Patch { edge_m: PATCH_M as usize, heights_m, ..Patch::default() }
}

/// The flat, with boxes: where their middles are, and half their edges.
fn boxes(boxes: &'static [([f64; 3], [f32; 3])]) -> World {
    World::new(move |corner| {
        let mut patch = ground(corner, &|_, _| 0.0);
        for (at, half) in boxes {
            let local = [at[0] - corner[0] as f64, at[2] - corner[1] as f64];
            if local.iter().all(|metres| (0.0..PATCH_M as f64).contains(metres)) {
                let shape = SolidShape::Box { center: Vec3::ZERO, half: Vec3::from_array(*half) };
                patch.solids.push(Solid { at: Vec3::new(local[0] as f32, at[1] as f32, local[1] as f32), turn_rad: 0.0, shape });
            }
        }
        patch
    })
}

fn walker(x: f64, y: f64, z: f64) -> Walker {
    Walker::new(Place::from_f64([x, y, z]))
}

const EAST: Wish = Wish { forward: 1.0, right: 0.0, yaw_rad: FRAC_PI_2, run: false, jump: false, dive: false };
const STAY: Wish = Wish { forward: 0.0, ..EAST };
const JUMP: Wish = Wish { jump: true, ..EAST };

fn at(walker: &Walker) -> [f64; 3] {
    walker.feet().to_f64()
}

#[test]
fn it_walks_at_its_speed_and_stands_on_the_ground() {
    let mut world = World::ground(|_, _| 0.0);
    let mut w = walker(0.5, 0.0, 0.5);
    world.walk(&mut w, 1.0, STAY);
    assert!(w.grounded() && (0.0..0.02).contains(&at(&w)[1]), "{w:?}");
    world.walk(&mut w, 10.0, EAST);
    let [x, y, z] = at(&w);
    assert!((44.0..45.6).contains(&x) && (0.0..0.02).contains(&y) && (z - 0.5).abs() < 0.01, "{x} {y} {z}");
    world.walk(&mut w, 1.0, STAY);
    let there = w.feet();
    world.walk(&mut w, 5.0, STAY);
    assert_eq!(w.feet(), there, "who stands does not drift");
}

#[test]
fn it_falls_to_the_ground_and_not_through_it_however_high() {
    let mut world = World::ground(|x, z| ((x * 7 + z * 3).rem_euclid(5)) as f32 * 0.2 + 1000.0);
    let mut w = walker(3.3, 1400.0, -8.8);
    world.walk(&mut w, 20.0, STAY);
    assert!(w.grounded() && (1000.0..1001.0).contains(&at(&w)[1]), "{w:?}");
}

#[test]
fn walls_stop_it_and_it_slides_along_them() {
    let mut world = boxes(&[([10.0, 2.0, 10.0], [0.5, 2.0, 8.0])]);
    let mut w = walker(8.0, 0.1, 8.0);
    world.walk(&mut w, 3.0, EAST);
    let [x, ..] = at(&w);
    assert!((9.15..9.21).contains(&x), "its skin is 0.3 m before the wall at 9.5: {x}");
    world.walk(&mut w, 1.0, Wish { right: 1.0, ..EAST });
    let [x2, _, z] = at(&w);
    assert!((x2 - x).abs() < 0.02 && z > 10.5, "{x2} {z}");
}

#[test]
fn steps_of_half_a_metre_are_taken_and_higher_ones_are_jumped() {
    let mut world = boxes(&[([12.0, 0.2, 8.0], [2.0, 0.2, 4.0]), ([20.0, 0.4, 8.0], [2.0, 0.4, 4.0])]);
    let mut w = walker(8.0, 0.1, 8.0);
    world.walk(&mut w, 0.9, EAST);
    assert!((0.4..0.43).contains(&at(&w)[1]) && w.grounded(), "on the step of 0.4 m: {w:?}");
    world.walk(&mut w, 4.0, EAST);
    let [x, y, _] = at(&w);
    assert!(y < 0.02 && (17.6..17.71).contains(&x), "before the step of 0.8 m: {x} {y}");
    world.walk(&mut w, 1.0, JUMP);
    assert!(at(&w)[0] > 18.5 && at(&w)[1] >= 0.8, "{w:?}");
}

#[test]
fn a_jump_is_as_high_as_the_rules_say() {
    let mut world = World::ground(|_, _| 0.0);
    let mut w = walker(4.0, 0.0, 4.0);
    world.walk(&mut w, 0.5, STAY);
    let floor = at(&w)[1];
    let mut high = 0.0f64;
    world.walk(&mut w, TICK_S * 1.5, Wish { jump: true, ..STAY });
    for _ in 0..60 {
        world.walk(&mut w, TICK_S * 1.5, STAY);
        high = high.max(at(&w)[1] - floor);
    }
    assert!((high - f64::from(Rules::default().jump_m)).abs() < 0.03, "{high}");
    assert!(w.grounded());
}

#[test]
fn gentle_slopes_are_climbed_steep_ones_are_not_and_carry_it_down() {
    for (slope, climbs) in [(0.5, true), (1.0, true), (1.7, false)] {
        let mut world = World::ground(move |x, _| if x < 10 { 0.0 } else { (x - 10) as f32 * slope });
        let mut w = walker(8.0, 0.1, 8.0);
        world.walk(&mut w, 6.0, EAST);
        let [x, y, _] = at(&w);
        assert_eq!(x > 14.0, climbs, "slope {slope}: {x} {y}");
        // From above one comes down by oneself, or stays.
        let mut w = walker(20.0, f64::from(10.0 * slope) + 0.5, 8.0);
        world.walk(&mut w, 6.0, STAY);
        let [x, ..] = at(&w);
        assert_eq!(x < 11.0, !climbs, "slope {slope}: {x}");
        assert!(w.grounded());
    }
}

#[test]
fn going_down_it_stays_on_the_ground() {
    let mut world = World::ground(|x, _| -(x as f32) * 0.6);
    let mut w = walker(0.5, 0.2, 8.0);
    world.walk(&mut w, 1.0, STAY);
    for _ in 0..300 {
        world.walk(&mut w, TICK_S * 1.5, Wish { run: true, ..EAST });
        let [x, y, _] = at(&w);
        assert!(w.grounded(), "{w:?}");
        assert!((y + x * 0.6).abs() < 0.1, "{x} {y}");
    }
    assert!(at(&w)[0] > 30.0);
}

#[test]
fn a_cleft_is_no_trap() {
    let mut world = World::ground(|x, _| ((x - 10).abs() as f32) * 2.0);
    let mut w = walker(10.0, 3.0, 8.0);
    world.walk(&mut w, 2.0, STAY);
    assert!(w.grounded(), "{w:?}");
    let before = at(&w);
    world.walk(&mut w, 2.0, Wish { yaw_rad: 0.0, ..EAST });
    assert!(at(&w)[2] < before[2] - 5.0, "it walks along the cleft: {before:?} {:?}", at(&w));
    let floor = at(&w)[1];
    world.walk(&mut w, 0.2, Wish { jump: true, ..STAY });
    assert!(at(&w)[1] > floor + 0.4);
}

#[test]
fn water_slows_it_down_and_carries_it_and_a_shore_can_be_left() {
    // A beach that falls to 6 m under the water, and a quay of 0.4 m over it.
    let mut world = boxes(&[([60.0, -2.8, 0.0], [3.0, 3.2, 15.0])]);
    world.patch = Box::new(|corner| {
        let mut patch = ground(corner, &|x, _| (4.0 - x as f32 * 0.25).clamp(-6.0, 4.0));
        if corner[0] == 64 {
            let shape = SolidShape::Box { center: Vec3::ZERO, half: Vec3::new(4.0, 3.2, 15.9) };
            patch.solids.push(Solid { at: Vec3::new(6.0, -2.8, 16.0), turn_rad: 0.0, shape });
        }
        patch
    });
    world.water_m = Some(0.0);
    let mut w = walker(12.0, 1.0, 16.0);
    world.walk(&mut w, 1.2, EAST);
    let speed = |w: &Walker| w.velocity_m_s().x;
    assert!(speed(&w) > 4.0, "on land: {w:?}");
    world.walk(&mut w, 1.0, EAST);
    assert!(w.grounded() && w.under_water_m() > 0.5 && speed(&w) < 3.6, "it wades: {w:?}");
    world.walk(&mut w, 8.0, EAST);
    assert!(!w.grounded() && (1.2..1.6).contains(&w.under_water_m()), "it floats with its eyes over the water: {w:?}");
    world.walk(&mut w, 2.0, Wish { dive: true, ..STAY });
    assert!(w.under_water_m() > 3.0, "it dives: {w:?}");
    world.walk(&mut w, 4.0, STAY);
    assert!((1.2..1.6).contains(&w.under_water_m()), "and comes up: {w:?}");
    world.walk(&mut w, 14.0, EAST);
    assert!(at(&w)[0] < 66.0 && at(&w)[1] < -1.0, "the quay is in the way: {w:?}");
    world.walk(&mut w, 1.5, JUMP);
    assert!(at(&w)[1] >= 0.4 && at(&w)[0] > 66.0, "{w:?}");
}

#[test]
fn columns_bars_and_hulls_are_solid_and_not_larger_than_they_are() {
    let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new([-1.0, 1.0][i & 1], [0.0, 2.0][i >> 1 & 1], [-1.0, 1.0][i >> 2])).collect();
    let hull = Hull::around(&corners).expect("a body");
    assert!(Hull::around(&corners[..2]).is_none());
    for (shape, front) in [
        (SolidShape::Column { radius_m: 0.4, height_m: 3.0 }, 0.4),
        (SolidShape::Bar { ends: [Vec3::new(0.0, 1.0, -2.0), Vec3::new(0.0, 1.0, 2.0)], radius_m: 0.5 }, 0.5),
        (SolidShape::Hull { hull, scale: 1.5 }, 1.5),
        (SolidShape::Box { center: Vec3::Y, half: Vec3::new(0.7, 1.0, 0.7) }, 0.7),
    ] {
        let mut world = World::new(move |corner| {
            let mut patch = ground(corner, &|_, _| 5.0);
            patch.solids = vec![Solid { at: Vec3::new(20.0, 5.0, 10.0), turn_rad: 0.0, shape: shape.clone() }];
            patch
        });
        let mut w = walker(14.0, 5.1, 10.0);
        world.walk(&mut w, 1.5, EAST);
        let [x, y, _] = at(&w);
        assert!((x - (20.0 - front - 0.31)).abs() < 0.03 && y < 5.05, "{front}: {x} {y}");
    }
}

#[test]
fn who_is_put_into_something_comes_out() {
    for depth in [0.2, 1.0, 3.0] {
        let mut world = boxes(&[([10.0, 4.0, 10.0], [4.0, 4.0, 4.0])]);
        let mut w = walker(6.0 + depth, 1.0, 10.0);
        world.walk(&mut w, 4.0, STAY);
        let [x, y, _] = at(&w);
        let outside = x < 5.71 || y > 7.99;
        assert!(outside && w.grounded(), "{depth}: {x} {y}");
    }
    let mut world = World::ground(|_, _| 0.0);
    let mut w = walker(3.0, -40.0, 3.0);
    world.walk(&mut w, 1.0, STAY);
    assert!((0.0..0.02).contains(&at(&w)[1]), "and who is put below the ground comes up: {w:?}");
}

/// A zig-zag with jumps over hills, steps and a wall.
fn trace(far_m: i64) -> Vec<[u32; 6]> {
    let mut world = World::new(move |corner| {
        let local = |x: i64| (x.rem_euclid(PATCH_M)) as f32;
        let mut patch = ground(corner, &move |x, z| (local(x) * 0.3).min(4.8 - local(x) * 0.15).max(0.0) + local(z) * (32.0 - local(z)) * 0.004);
        let shape = SolidShape::Box { center: Vec3::ZERO, half: Vec3::new(0.4, 4.0, 3.0) };
        patch.solids = vec![Solid { at: Vec3::new(20.0, 1.0, 11.0), turn_rad: 0.7, shape }];
        patch
    });
    let mut w = Walker::new(Place { cell_m: [far_m + 3, 9, -far_m - 3], offset_m: Vec3::new(0.25, 0.0, 0.75) });
    let mut out = Vec::new();
    for (seconds, wish) in [(1.0, STAY), (4.0, EAST), (2.0, JUMP), (3.0, Wish { right: -1.0, run: true, ..EAST }), (5.0, Wish { yaw_rad: 2.6, ..JUMP })] {
        for _ in 0..(seconds / TICK_S) as u32 {
            world.walk(&mut w, TICK_S * 1.5, wish);
            let relative = w.feet().relative_to([far_m, 0, -far_m]);
            out.push([relative.to_array(), w.velocity_m_s().to_array()].concat().iter().map(|f| f.to_bits()).collect::<Vec<_>>().try_into().expect("six"));
        }
    }
    out
}

#[test]
fn a_walk_has_the_same_bits_every_time_and_ten_thousand_kilometres_away() {
    let here = trace(0);
    assert!(here.len() > 800 && here[0] != here[800]);
    for far_m in [0, 10_000_000, -10_000_000] {
        assert!(trace(far_m) == here, "{far_m}");
    }
}

#[test]
fn what_it_sees_follows_from_its_tile_not_from_its_way() {
    let hills = |x: i64, z: i64| ((x * 13 + z * 7).rem_euclid(11)) as f32 * 0.1;
    let mut there_and_back = World::ground(hills);
    let mut w = walker(100.0, 3.0, 8.0);
    there_and_back.walk(&mut w, 12.0, Wish { yaw_rad: -FRAC_PI_2, ..EAST });
    let mut straight = World::ground(hills);
    let mut again = w;
    there_and_back.walk(&mut w, 5.0, EAST);
    straight.walk(&mut again, 5.0, EAST);
    assert_eq!(w, again);
}

#[test]
fn open_quads_have_no_ground() {
    let mut world = World::ground(|x, _| if (8..12).contains(&x) { f32::NAN } else { 0.0 });
    let mut w = walker(5.0, 0.1, 8.0);
    world.walk(&mut w, 3.0, EAST);
    assert!(at(&w)[1] < -5.0, "{w:?}");
}
