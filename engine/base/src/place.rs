//! In: metres. Out: positions that are as precise at 10,000 km as at the origin: whole metres plus an offset.
//! Never knows: chunks' contents, cameras.

use crate::ChunkKey;
use glam::{DVec3, Vec3};

/// Positions beyond this are refused where they enter: 2^28 m = 268,000 km, so that a chunk key of the finest level
/// (2^28 / 2^7 = 2^21) and every sum of metres stay far within i32.
pub const WORLD_LIMIT_M: i64 = 1 << 28;

/// A position in a world, metres, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Whole metres.
    pub cell_m: [i64; 3],
    /// The rest, each in [0, 1).
    pub offset_m: Vec3,
}

impl Place {
    /// The place at these coordinates. Precise to the f64 that they come in; finite and within [`WORLD_LIMIT_M`] by the caller's check.
    pub fn from_f64(metres: [f64; 3]) -> Place {
        Place { cell_m: [0; 3], offset_m: Vec3::ZERO }.moved_by(DVec3::from_array(metres))
    }

    /// Coordinates as f64: exact to 2^-24 m up to the world's limit.
    pub fn to_f64(self) -> [f64; 3] {
        std::array::from_fn(|axis| self.cell_m[axis] as f64 + f64::from(self.offset_m[axis]))
    }

    /// The place moved by `way_m`, with the offset brought back into [0, 1).
    pub fn moved_by(self, way_m: DVec3) -> Place {
        let mut place = self;
        for axis in 0..3 {
            let offset = f64::from(self.offset_m[axis]) + way_m[axis];
            let whole = offset.floor();
            let mut rest = (offset - whole) as f32;
            let mut cell = whole as i64;
            if rest >= 1.0 {
                // The f64 below 1 rounded up to 1.
                (rest, cell) = (0.0, cell + 1);
            }
            place.cell_m[axis] = self.cell_m[axis] + cell;
            place.offset_m[axis] = rest;
        }
        place
    }

    /// Metres from the corner of a cell to here. The integers are subtracted first, so nothing is lost near the cell.
    pub fn relative_to(self, cell_m: [i64; 3]) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|axis| ((self.cell_m[axis] - cell_m[axis]) as f64 + f64::from(self.offset_m[axis])) as f32))
    }

    /// The plane chunk of level `lod` that it is in, for chunks of `edge_m` metres at level 0.
    pub fn chunk(self, lod: u8, edge_m: i64) -> ChunkKey {
        let edge = edge_m << lod;
        ChunkKey::plane(lod, self.cell_m[0].div_euclid(edge) as i32, self.cell_m[2].div_euclid(edge) as i32)
    }

    /// Metres from the corner of its chunk of level `lod`, on the plane: whole metres in [0, edge) and the offset.
    pub fn local(self, lod: u8, edge_m: i64) -> ([i64; 2], [f32; 2]) {
        let edge = edge_m << lod;
        let whole = [self.cell_m[0].rem_euclid(edge), self.cell_m[2].rem_euclid(edge)];
        (whole, [self.offset_m.x, self.offset_m.z])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn world_chunk_local_is_a_bijection_around_zero() {
        for cell in -65..=65i64 {
            for edge in [1i64, 2, 16, 128] {
                for lod in [0u8, 1, 3] {
                    let place = Place { cell_m: [cell, 0, -cell], offset_m: Vec3::new(0.25, 0.0, 0.75) };
                    let key = place.chunk(lod, edge);
                    let (local, offset) = place.local(lod, edge);
                    let size = edge << lod;
                    assert!(local.iter().all(|metre| (0..size).contains(metre)));
                    assert_eq!(i64::from(key.x) * size + local[0], cell);
                    assert_eq!(i64::from(key.z) * size + local[1], -cell);
                    assert_eq!(offset, [0.25, 0.75]);
                }
            }
        }
    }

    #[test]
    fn chunks_are_named_up_to_the_limit_of_the_world() {
        for metre in [-WORLD_LIMIT_M, -WORLD_LIMIT_M + 1, -10_000_000, 10_000_000, WORLD_LIMIT_M - 1, WORLD_LIMIT_M] {
            for lod in [0, 5, 20] {
                let place = Place::from_f64([metre as f64 + 0.5, 0.0, -(metre as f64)]);
                let (key, (local, offset)) = (place.chunk(lod, 128), place.local(lod, 128));
                assert_eq!([i64::from(key.x), i64::from(key.z)].map(|index| index * (128 << lod)), [metre - local[0], -metre - local[1]]);
                assert_eq!(offset, [0.5, 0.0]);
                assert_eq!(ChunkKey::unpack(key.pack().expect("in range")), Ok(key));
            }
        }
    }

    #[test]
    fn a_hair_below_a_metre_does_not_become_an_offset_of_one() {
        let place = Place::from_f64([-1e-12, 1.0 - 1e-12, 0.0]);
        assert_eq!(place.cell_m, [0, 1, 0]);
        assert_eq!(place.offset_m, Vec3::ZERO);
    }

    #[test]
    fn a_step_of_a_millimetre_counts_far_away() {
        let mut place = Place::from_f64([1e7, 0.0, -1e7]);
        for _ in 0..1000 {
            place = place.moved_by(DVec3::new(0.001, 0.0, 0.0));
        }
        assert!((place.relative_to([10_000_000, 0, -10_000_000]).x - 1.0).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn f64_round_trip(x in -2.0e8..2.0e8f64, y in -1.0e4..1.0e4f64, z in -2.0e8..2.0e8f64) {
            let back = Place::from_f64([x, y, z]).to_f64();
            prop_assert!((back[0] - x).abs() < 1e-6 && (back[1] - y).abs() < 1e-6 && (back[2] - z).abs() < 1e-6);
        }

        #[test]
        fn offsets_stay_in_their_cell(x in -1.0e6..1.0e6f64, way in -3.0..3.0f64) {
            let place = Place::from_f64([x, x, x]).moved_by(DVec3::splat(way));
            prop_assert!(place.offset_m.to_array().iter().all(|offset| (0.0..1.0).contains(offset)));
        }
    }
}
