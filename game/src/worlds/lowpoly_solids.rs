//! In: the tiles of the low-poly world and the boxes on them. Out: what is solid there: land, walls, beds, trees and rocks. Water is not.
//! Never knows: who walks.

use super::{Solids, TileGround, tile_solids::tile_ground};
use glam::Vec3;
use std::{f32::consts::TAU, sync::Arc};
use terrane_base::ChunkKey;
use terrane_physics::{Patch, Solid, SolidShape};
use terrane_worldgen::{
    GridArea, Scratch,
    boxes::ModelBox,
    tiles::{TileCorners, WATER_Y_M, drawn_corner_m, scatter_tiles},
};

/// Tiles along the edge of a patch, whatever chunks are drawn with: a patch is asked for by place.
const EDGE: u32 = 64;

/// The solids of a world of tiles.
pub struct LowpolySolids {
    ground: Arc<TileGround>,
    /// Boxes by prop.
    boxes: Vec<Vec<ModelBox>>,
}

impl LowpolySolids {
    pub fn new(ground: Arc<TileGround>, boxes: &[Vec<ModelBox>]) -> LowpolySolids {
        LowpolySolids { ground, boxes: boxes.to_vec() }
    }
}

impl Solids for LowpolySolids {
    fn edge_m(&self) -> i64 {
        i64::from(EDGE)
    }

    fn patch(&self, index: [i64; 2], scratch: &mut Scratch) -> Patch {
        // Tiles are asked for from one before the patch to one after it.
        let mut corners = TileCorners::default();
        let first = index.map(|index| index * i64::from(EDGE) - 1);
        self.ground.field.corners(&GridArea { x_m: first[0], z_m: first[1], step_m: 1, edge: EDGE as usize + 2 }, scratch, &mut corners);
        let at = |x: i32, z: i32| [(x + 1) as usize, (z + 1) as usize];
        let is_water = |x: i32, z: i32| corners.is_water(at(x, z)[0], at(x, z)[1]);
        let height_m = |x: i32, z: i32, water: bool| corners.height_m(at(x, z)[0], at(x, z)[1], water);
        let mut patch = tile_ground(EDGE as usize, is_water, height_m);
        let (mut things, key) = (Vec::new(), ChunkKey::plane(0, index[0] as i32, index[1] as i32));
        scatter_tiles(&self.ground.field, &self.ground.kinds, key, EDGE, scratch, &mut things);
        for thing in things {
            let [x, z] = thing.local_m();
            let tile = [x.floor(), z.floor()];
            let corner = |dx: i32, dz: i32| height_m(tile[0] as i32 + dx, tile[1] as i32 + dz, false);
            let y = drawn_corner_m([corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)], [x - tile[0], z - tile[1]]);
            let turn_rad = (thing.words[1] & 0xff) as f32 * (TAU / 256.0);
            let boxes = self.boxes.get(usize::from(thing.prop())).map_or(&[][..], Vec::as_slice);
            patch.solids.extend(boxes.iter().map(|model| Solid {
                at: Vec3::new(x, y, z),
                turn_rad,
                shape: SolidShape::Box { center: (model.low + model.high) * 0.5, half: model.size() * 0.5 },
            }));
        }
        patch
    }

    fn water_m(&self) -> Option<f32> {
        Some(WATER_Y_M)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        settings::Values,
        worlds::{Ground, WORLDS, make},
    };
    use terrane_base::{ChunkKey, Seed};
    use terrane_worldgen::{
        GridArea, GridMesh, Scratch,
        tiles::{TileCorners, drawn_tile_height_m, mesh_tiles, scatter_tiles},
    };

    #[test]
    fn what_is_solid_has_the_heights_of_the_drawn_tiles_and_things_stand_where_they_are_shown() {
        let world = WORLDS.iter().find(|world| world.name == "lowpoly").expect("a world");
        for (seed, index) in [(1, [0i64, 0]), (42, [-3, 5]), (-9, [156_250, -156_250])] {
            let made = make(world, Seed(seed), &Values::defaults(world.settings)).expect("a world");
            let Ground::Tiles(ground) = &made.ground else { panic!("a ground of tiles") };
            let tiles = ground.tiles as usize;
            let mut scratch = Scratch::default();
            let patch = made.solids.patch(index, &mut scratch);
            let (mut corners, mut mesh) = (TileCorners::default(), GridMesh::default());
            let area = GridArea { x_m: index[0] * tiles as i64, z_m: index[1] * tiles as i64, step_m: 1, edge: tiles + 1 };
            ground.field.corners(&area, &mut scratch, &mut corners);
            mesh_tiles(&corners, &ground.field.desc().colors, &mut mesh);
            let drawn = |at: [f32; 2]| drawn_tile_height_m(&mesh, tiles, at, |_, _| 0.0);
            let mut checked = 0;
            for (at, height) in patch.heights_m.iter().enumerate() {
                let [x, z] = [at % (tiles + 1), at / (tiles + 1)];
                if height.is_finite() && x < tiles && z < tiles {
                    assert!((drawn([x as f32, z as f32]) - height).abs() < 1e-4, "{x} {z}");
                    checked += 1;
                }
            }
            assert!(checked > 1000);
            for [a, b, c] in &patch.triangles {
                let middle = (*a + *b + *c) / 3.0;
                // Walls have no middle that is drawn from above.
                if (*b - *a).cross(*c - *a).y.abs() > 0.1 {
                    assert!((drawn([middle.x, middle.z]) - middle.y).abs() < 1e-3, "{middle}");
                }
            }
            let mut instances = Vec::new();
            scatter_tiles(&ground.field, &ground.kinds, ChunkKey::plane(0, index[0] as i32, index[1] as i32), ground.tiles, &mut scratch, &mut instances);
            for solid in &patch.solids {
                assert!(instances.iter().any(|instance| instance.local_m() == [solid.at.x, solid.at.z]));
                assert!((drawn([solid.at.x, solid.at.z]) - solid.at.y).abs() < 1e-3, "{solid:?}");
            }
            // A tree is a trunk and a crown, a rock one box, grass is soft.
            let boxes: usize = instances.iter().map(|instance| [2, 1, 0][usize::from(instance.prop() >= 6) + usize::from(instance.prop() >= 14)]).sum();
            assert_eq!(patch.solids.len(), boxes);
        }
    }
}
