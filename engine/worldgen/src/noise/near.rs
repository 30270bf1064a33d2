//! In: lattice cells of samples near each other. Out: the gradients at their corners.
//! Never knows: fractions, octaves.
//!
//! Hashing four corners costs more than the rest of the noise, and neighbouring samples share most of them. So the gradients of a block
//! of 4 x 4 corners stay in two registers, and each sample picks its own by a permute. Only where a vector's samples lie in more
//! than 3 x 3 cells does each hash its corners for itself.

use super::lattice::{Gradients, row_hash};
use terrane_simd::{LANES_MAX, Simd};

/// Corners along the edge of the block.
const EDGE: u32 = 4;

/// The gradients of a block of corners of one octave's lattice.
#[derive(Clone, Copy)]
pub(super) struct Near<S: Simd> {
    s: S,
    gradients: Gradients<S>,
    /// Lowest corner of the block, once there is one.
    base: Option<[u32; 2]>,
    /// Gradients of the block, x and z.
    block: [S::Table; 2],
}

impl<S: Simd> Near<S> {
    /// Nothing yet.
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Near { s, gradients: Gradients::new(s), base: None, block: [s.table(&[0.0; 16]); 2] }
    }

    /// Gradients at the corners (0, 0), (1, 0), (0, 1), (1, 1) of each sample's cell, of an octave with this seed: the same one each time.
    /// Cells wrap with `mask`, a power of two less one; all ones never wrap.
    #[inline(always)]
    pub fn corners(&mut self, seed: u32, mask: u32, x: S::U32, z: S::U32) -> [[S::F32; 2]; 4] {
        let s = self.s;
        let index = match self.base {
            Some(base) => self.index(base, x, z),
            None => None,
        };
        let index = match index {
            Some(index) => Some(index),
            None => self.move_to(seed, mask, x, z),
        };
        match index {
            Some(index) => [self.at(index), self.at(index + s.u32(1)), self.at(index + s.u32(EDGE)), self.at(index + s.u32(EDGE + 1))],
            None => self.hashed(seed, mask, x, z),
        }
    }

    /// Where in a block each cell is, if all are inside.
    #[inline(always)]
    fn index(&self, base: [u32; 2], x: S::U32, z: S::U32) -> Option<S::U32> {
        let s = self.s;
        let (x, z) = (x - s.u32(base[0]), z - s.u32(base[1]));
        // Both it and the next corner are 0 to 3: no higher bit is set.
        let reach = x | z | (x + s.u32(1)) | (z + s.u32(1));
        s.all_zero(s.shr(reach, 2)).then_some(x + s.shl(z, 2))
    }

    /// Fills a block that all cells are in, if there is one.
    #[inline(always)]
    fn move_to(&mut self, seed: u32, mask: u32, x: S::U32, z: S::U32) -> Option<S::U32> {
        let s = self.s;
        // Samples of a row go east: mostly the first one's cell is the westernmost.
        let (first, z_low) = (s.first(x), s.first(z).wrapping_sub(1));
        let (base, index) = match self.index([first, z_low], x, z) {
            Some(index) => ([first, z_low], index),
            None => {
                let base = [first.wrapping_sub(1), z_low];
                (base, self.index(base, x, z)?)
            }
        };
        let mut block = [[0.0; LANES_MAX]; 2];
        for at in (0..LANES_MAX).step_by(S::LANES) {
            let corner = s.ramp(at as u32, 1);
            let row = row_hash(s, mask, s.u32(base[1]) + s.shr(corner, 2));
            let gradient = self.gradients.at(s, seed, mask, s.u32(base[0]) + (corner & s.u32(EDGE - 1)), row);
            s.store(gradient[0], &mut block[0][at..]);
            s.store(gradient[1], &mut block[1][at..]);
        }
        (self.base, self.block) = (Some(base), [s.table(&block[0]), s.table(&block[1])]);
        Some(index)
    }

    #[inline(always)]
    fn at(&self, index: S::U32) -> [S::F32; 2] {
        [self.s.lookup(self.block[0], index), self.s.lookup(self.block[1], index)]
    }

    #[inline(always)]
    fn hashed(&self, seed: u32, mask: u32, x: S::U32, z: S::U32) -> [[S::F32; 2]; 4] {
        let (s, one) = (self.s, self.s.u32(1));
        let (near, far) = (row_hash(s, mask, z), row_hash(s, mask, z + one));
        let gradients = &self.gradients;
        [
            gradients.at(s, seed, mask, x, near),
            gradients.at(s, seed, mask, x + one, near),
            gradients.at(s, seed, mask, x, far),
            gradients.at(s, seed, mask, x + one, far),
        ]
    }
}
