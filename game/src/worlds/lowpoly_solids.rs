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
