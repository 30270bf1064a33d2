//! In: an octave's lattice along x, gradients along one of its rows. Out: what noise at each column of a grid owes to that row.
//! Never knows: z, y, octaves.
//!
//! A grid's columns have the same place in the lattice in every row, so it is computed once. And a lattice row's share of the noise is linear
//! in the place across the row: once a row of corners is expanded to columns, a sample costs a few multiplications.

use super::lattice::{Along, Walk, edge};
use crate::phase::{Frequency, Phase};
use terrane_simd::{Aligned, LANES_MAX, Simd};

/// The gradients along a lattice row, by its corners.
pub(super) trait Row<S: Simd, const PARTS: usize> {
    /// The gradient at a corner; its first part is along the row.
    fn gradient(&self, s: S, x_cell: S::U32) -> [S::F32; PARTS];
}

/// Where the columns of a grid are on a lattice axis.
#[derive(Debug, Default)]
pub(super) struct Columns {
    fraction: Aligned<f32>,
    fade: Aligned<f32>,
    /// Lattice column: from the first of its vector if `is_close`.
    cell: Aligned<u32>,
    /// Lattice column of the first sample of each vector, from the first of all.
    vector_cell: Vec<u32>,
    /// Whether samples are at most a cell apart. Else each has corners of its own.
    is_close: bool,
    first_cell: u32,
    /// Lattice columns that the samples need, if `is_close`.
    cells: usize,
    /// Gradients along a lattice row.
    along: [Aligned<f32>; 3],
}

impl Columns {
    /// For `count` columns from `start` on.
    #[inline(always)]
    pub fn begin<S: Simd>(&mut self, s: S, frequency: Frequency, start: Phase, step_m: u32, count: usize) {
        let width = count.next_multiple_of(LANES_MAX);
        let step = frequency.over(step_m);
        self.fraction.resize(width);
        self.fade.resize(width);
        self.cell.resize(width);
        self.vector_cell.clear();
        self.first_cell = start.cell() as u32;
        self.is_close = is_close(frequency, step_m);
        let walk = Walk::new(s, step);
        let mut phase = walk.from(s, start);
        for at in (0..width).step_by(S::LANES) {
            let x = Along::new(s, phase);
            s.store(x.fraction, &mut self.fraction[at..]);
            s.store(x.fade, &mut self.fade[at..]);
            let first = if self.is_close { s.first(x.cell) } else { 0 };
            self.vector_cell.push(first.wrapping_sub(self.first_cell));
            s.store_u32(x.cell - s.u32(first), &mut self.cell[at..]);
            phase = phase + walk.stride;
        }
        if self.is_close {
            // To one past the last sample's; a vector may read, and not use, more.
            let last = start.moved(step.wrapping_mul(width as u64 - 1));
            self.cells = (last.cell() as u32).wrapping_sub(self.first_cell) as usize + 2;
            for along in &mut self.along {
                along.resize(self.cells + S::LANES);
            }
        }
    }

    /// A row's share at every column: the part that does not depend on the place across the row, then what is linear in it.
    #[inline(always)]
    pub fn expand<S: Simd, const PARTS: usize>(&mut self, s: S, row: &impl Row<S, PARTS>, out: [&mut [f32]; PARTS]) {
        let Columns { fraction, fade, cell, vector_cell, is_close, first_cell, cells, along } = self;
        if *is_close {
            for at in (0..*cells).step_by(S::LANES) {
                let gradient = row.gradient(s, s.ramp(first_cell.wrapping_add(at as u32), 1));
                for part in 0..PARTS {
                    s.store(gradient[part], &mut along[part][at..]);
                }
            }
        }
        for (vector, vector_cell) in vector_cell.iter().enumerate() {
            let at = vector * S::LANES;
            let x = Along { cell: s.load_u32(&cell[at..]), fraction: s.load(&fraction[at..]), fade: s.load(&fade[at..]) };
            let (west, east) = if *is_close {
                // Within a vector, cells are fewer than lanes: one load has them all.
                let (mut west, mut east) = ([s.f32(0.0); PARTS], [s.f32(0.0); PARTS]);
                for part in 0..PARTS {
                    let from = &along[part][*vector_cell as usize..];
                    (west[part], east[part]) = (s.window(from, x.cell), s.window(&from[1..], x.cell));
                }
                (west, east)
            } else {
                (row.gradient(s, x.cell), row.gradient(s, x.cell + s.u32(1)))
            };
            let parts = edge(s, &x, west, east);
            for part in 0..PARTS {
                s.store(parts[part], &mut out[part][at..]);
            }
        }
    }
}

/// Whether samples are at most a cell apart.
pub(super) fn is_close(frequency: Frequency, step_m: u32) -> bool {
    frequency.0.checked_mul(u64::from(step_m)).is_some_and(|step| step <= 1 << 32)
}
