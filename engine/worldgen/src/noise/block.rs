//! In: where samples are. Out: pieces of rows of them, in the order that serves caches.
//! Never knows: noise.

use crate::GridArea;
use std::ops::Range;
use terrane_simd::{LANES_MAX, Simd};

/// Samples that go through all octaves together, at most.
pub(super) const BATCH: usize = 256;
/// The same where there are rows: pieces one below the other are narrow, so that each lattice cell serves many of them.
const COLUMNS: usize = 64;

/// Samples on the global lattice of metres, in the plane (x, z) or in space (x, y, z): row after row along x, the first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<const D: usize> {
    /// The first sample.
    pub metres: [i64; D],
    /// Metres between samples, along each axis.
    pub step_m: u32,
    /// Samples along each axis.
    pub counts: [usize; D],
}

impl<const D: usize> Block<D> {
    /// `count` places that only their offsets tell apart: offsets are from `metres`, which is any place within 32 km of all.
    pub fn places(metres: [i64; D], count: usize) -> Block<D> {
        let mut counts = [1; D];
        counts[0] = count;
        Block { metres, step_m: 0, counts }
    }

    /// Samples in it.
    pub fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// Where a sample is. Wraps, as phases do.
    pub fn metres(&self, mut index: usize) -> [i64; D] {
        let mut metres = self.metres;
        for (metre, count) in metres.iter_mut().zip(self.counts) {
            *metre = metre.wrapping_add(((index % count) as i64).wrapping_mul(i64::from(self.step_m)));
            index /= count;
        }
        metres
    }

    /// Pieces of rows, one below the other.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let width = self.counts[0];
        let rows = self.counts[1..].iter().product::<usize>();
        let len = if rows == 1 { BATCH } else { COLUMNS };
        let columns = (0..width).step_by(len).map(move |first| first..width.min(first + len));
        columns.flat_map(move |columns| (0..rows).map(move |row| row * width + columns.start..row * width + columns.end))
    }
}

impl From<&GridArea> for Block<2> {
    fn from(area: &GridArea) -> Block<2> {
        Block { metres: [area.x_m, area.z_m], step_m: area.step_m, counts: [area.edge; 2] }
    }
}

/// Values of a piece, on a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Batch<T>(pub [T; BATCH]);

/// A piece of a row of samples.
pub(super) struct Piece<const D: usize> {
    /// The first sample.
    pub metres: [i64; D],
    pub len: usize,
    /// How far each is moved, 2^-16 m along each axis. Behind the last sample it repeats, so that a whole vector stays in its cells.
    pub offsets: [Batch<i32>; D],
}

impl<const D: usize> Piece<D> {
    /// No samples, not moved.
    #[inline(always)]
    pub fn new() -> Piece<D> {
        Piece { metres: [0; D], len: 0, offsets: [Batch([0; BATCH]); D] }
    }

    /// Goes on to a piece of the same block; without offsets nothing is moved.
    #[inline(always)]
    pub fn enter(&mut self, block: &Block<D>, samples: &Range<usize>, offsets: Option<[&[i32]; D]>) {
        let len = samples.len();
        (self.metres, self.len) = (block.metres(samples.start), len);
        if let Some(offsets) = offsets {
            for (batch, offsets) in self.offsets.iter_mut().zip(offsets) {
                let offsets = &offsets[samples.clone()];
                batch.0[..len].copy_from_slice(offsets);
                batch.0[len..len.next_multiple_of(LANES_MAX)].fill(offsets.last().copied().unwrap_or(0));
            }
        }
    }

    /// The offsets of a vector along an axis.
    #[inline(always)]
    pub fn offset<S: Simd>(&self, s: S, axis: usize, at: usize) -> S::U32 {
        s.load_i32(&self.offsets[axis].0[at..])
    }
}
