//! In: level and indices. Out: the name of a chunk, its parent and children, and its packing into one integer.
//! Never knows: how large a chunk is, or what is in it. One key serves plane, cube sphere and volume.

use thiserror::Error;

/// The name of a chunk. Its edge doubles with `lod`; (x, z) or (x, y, z) count edges from the origin of the world or of the face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// Face of the cube sphere, 0 to 5; 0 elsewhere.
    pub face: u8,
    /// Level of detail, 0 the finest.
    pub lod: u8,
    /// Index along x.
    pub x: i32,
    /// Index along y; 0 on plane and sphere.
    pub y: i32,
    /// Index along z.
    pub z: i32,
}

/// A key that cannot be packed, or bits that are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A field is too large.
    #[error("chunk key: {field} is {value}, allowed is {low} to {high}")]
    Range {
        /// Which field.
        field: &'static str,
        /// Its value.
        value: i64,
        /// Smallest allowed.
        low: i64,
        /// Largest allowed.
        high: i64,
    },
    /// Bits beyond the packing are set.
    #[error("chunk key: {bits:#034x} has bits set beyond the 105 of a packed key; the data is damaged or from another version")]
    Bits {
        /// The packed key.
        bits: u128,
    },
}

/// Levels that a key can have: 5 bits.
pub const LOD_MAX: u8 = 31;
/// Faces of a cube sphere.
pub const FACES: u8 = 6;

impl ChunkKey {
    /// A chunk of a plane.
    pub const fn plane(lod: u8, x: i32, z: i32) -> ChunkKey {
        ChunkKey { face: 0, lod, x, y: 0, z }
    }

    /// A chunk of a face of the cube sphere.
    pub const fn sphere(face: u8, lod: u8, x: i32, z: i32) -> ChunkKey {
        ChunkKey { face, lod, x, y: 0, z }
    }

    /// A chunk of a volume.
    pub const fn volume(lod: u8, x: i32, y: i32, z: i32) -> ChunkKey {
        ChunkKey { face: 0, lod, x, y, z }
    }

    /// The chunk of the next coarser level that holds it.
    pub const fn parent(self) -> ChunkKey {
        ChunkKey { lod: self.lod + 1, x: self.x.div_euclid(2), y: self.y.div_euclid(2), z: self.z.div_euclid(2), ..self }
    }

    /// The four chunks of the next finer level on plane and sphere, row by row. Level 0 has none: the caller asks only above it.
    pub fn quad_children(self) -> [ChunkKey; 4] {
        std::array::from_fn(|i| ChunkKey { lod: self.lod - 1, x: self.x * 2 + (i & 1) as i32, z: self.z * 2 + (i >> 1) as i32, ..self })
    }

    /// The eight chunks of the next finer level in a volume: x fastest, then y, then z.
    pub fn octo_children(self) -> [ChunkKey; 8] {
        std::array::from_fn(|i| ChunkKey {
            lod: self.lod - 1,
            x: self.x * 2 + (i & 1) as i32,
            y: self.y * 2 + (i >> 1 & 1) as i32,
            z: self.z * 2 + (i >> 2) as i32,
            ..self
        })
    }

    /// The ancestor at level `lod`, or itself.
    pub const fn ancestor(self, lod: u8) -> ChunkKey {
        let up = (lod - self.lod) as u32;
        ChunkKey { lod, x: self.x >> up, y: self.y >> up, z: self.z >> up, ..self }
    }

    /// 105 bits: face 4, level 5, then x, y, z as 32-bit two's complement. Equal order by (face, level) only.
    pub fn pack(self) -> Result<u128, KeyError> {
        let check = |field, value: u8, high: u8| match value <= high {
            true => Ok(u128::from(value)),
            false => Err(KeyError::Range { field, value: i64::from(value), low: 0, high: i64::from(high) }),
        };
        let face = check("face", self.face, FACES - 1)?;
        let lod = check("lod", self.lod, LOD_MAX)?;
        let word = |value: i32| u128::from(value as u32);
        Ok(face << 101 | lod << 96 | word(self.x) << 64 | word(self.y) << 32 | word(self.z))
    }

    /// The key that `pack` made.
    pub fn unpack(bits: u128) -> Result<ChunkKey, KeyError> {
        if bits >> 105 != 0 {
            return Err(KeyError::Bits { bits });
        }
        let key = ChunkKey {
            face: (bits >> 101 & 15) as u8,
            lod: (bits >> 96 & 31) as u8,
            x: (bits >> 64) as u32 as i32,
            y: (bits >> 32) as u32 as i32,
            z: bits as u32 as i32,
        };
        key.pack().map(|_| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packing_is_a_bijection_at_its_edges() {
        for face in [0, 5] {
            for lod in [0, LOD_MAX] {
                for i in [i32::MIN, -65, -1, 0, 1, 64, 65, i32::MAX] {
                    let key = ChunkKey { face, lod, x: i, y: -(i / 2), z: !i };
                    assert_eq!(ChunkKey::unpack(key.pack().expect("in range")), Ok(key));
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let message = ChunkKey::sphere(6, 0, 0, 0).pack().expect_err("six faces").to_string();
        assert_eq!(message, "chunk key: face is 6, allowed is 0 to 5");
        assert!(ChunkKey::plane(32, 0, 0).pack().is_err());
        assert!(ChunkKey::unpack(1 << 105).is_err());
        assert!(ChunkKey::unpack(7 << 101).is_err());
    }

    #[test]
    fn children_name_their_parent_also_below_zero() {
        for x in -65..=65 {
            for z in -65..=65 {
                let key = ChunkKey::sphere(4, 3, x, z);
                assert!(key.quad_children().iter().all(|child| child.parent() == key));
                assert_eq!(key.ancestor(5), key.parent().parent());
                assert_eq!(key.ancestor(3), key);
                let key = ChunkKey::volume(3, x, z, -x);
                assert!(key.octo_children().iter().all(|child| child.parent() == key));
                // Every index has one parent, and is one of its children.
                assert_eq!(ChunkKey::plane(3, x, z).parent().quad_children().iter().filter(|child| (child.x, child.z) == (x, z)).count(), 1);
            }
        }
    }

    proptest! {
        #[test]
        fn packing_round_trip(face in 0u8..6, lod in 0u8..32, x: i32, y: i32, z: i32) {
            let key = ChunkKey { face, lod, x, y, z };
            prop_assert_eq!(ChunkKey::unpack(key.pack().expect("in range")), Ok(key));
        }
    }
}
