//! In: voxels, or a rule for them. Out: one bit a voxel.
//! Never knows: what a bit stands for.

use super::{BLOCK_EDGE, BLOCK_ROWS, Block};
use terrane_simd::{Isa, Kernel, Simd};

/// One bit for each voxel of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Row `y * 64 + z`, bit x.
    pub rows: Box<[u64; BLOCK_ROWS]>,
}

impl Default for Mask {
    fn default() -> Mask {
        Mask { rows: Box::new([0; BLOCK_ROWS]) }
    }
}

/// The arguments of [`Mask::set_solid`].
struct Solid<'a, V> {
    rows: &'a mut [u64; BLOCK_ROWS],
    voxels: &'a Block<V>,
}

impl<V: Voxel> Kernel for Solid<'_, V> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (bits, row) in self.rows.iter_mut().zip(self.voxels) {
            *bits = V::solid(s, row);
        }
    }
}

impl Mask {
    /// Marks the voxels that are not 0, which is air.
    pub fn set_solid<V: Voxel>(&mut self, isa: Isa, voxels: &Block<V>) {
        isa.run(Solid { rows: &mut self.rows, voxels });
    }

    /// Marks what `rule` says, for rules that no kernel knows. About 1 ns a voxel.
    pub fn set_where<V: Copy>(&mut self, voxels: &Block<V>, rule: impl Fn(V) -> bool) {
        for (bits, row) in self.rows.iter_mut().zip(voxels) {
            *bits = row.iter().enumerate().fold(0, |bits, (x, voxel)| bits | u64::from(rule(*voxel)) << x);
        }
    }

    /// Whether the voxel is marked. Coordinates from 0 to 63, apron included.
    pub fn get(&self, x: usize, y: usize, z: usize) -> bool {
        self.rows[y * BLOCK_EDGE + z] >> x & 1 != 0
    }
}

/// What a voxel can be: a material, 0 for air.
pub trait Voxel: Copy + Eq + Into<u16> {
    /// Lanes that are not 0.
    fn solid<S: Simd>(s: S, row: &[Self; BLOCK_EDGE]) -> u64;
    /// Lanes that are equal.
    fn same<S: Simd>(s: S, a: &[Self; BLOCK_EDGE], b: &[Self; BLOCK_EDGE]) -> u64;
}

impl Voxel for u8 {
    #[inline(always)]
    fn solid<S: Simd>(s: S, row: &[u8; BLOCK_EDGE]) -> u64 {
        !s.same_u8(row, &[0; BLOCK_EDGE])
    }

    #[inline(always)]
    fn same<S: Simd>(s: S, a: &[u8; BLOCK_EDGE], b: &[u8; BLOCK_EDGE]) -> u64 {
        s.same_u8(a, b)
    }
}

impl Voxel for u16 {
    #[inline(always)]
    fn solid<S: Simd>(s: S, row: &[u16; BLOCK_EDGE]) -> u64 {
        !s.same_u16(row, &[0; BLOCK_EDGE])
    }

    #[inline(always)]
    fn same<S: Simd>(s: S, a: &[u16; BLOCK_EDGE], b: &[u16; BLOCK_EDGE]) -> u64 {
        s.same_u16(a, b)
    }
}
