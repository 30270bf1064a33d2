//! In: an octave and an area. Out: its noise over the rows of the area, a few multiplications a sample.
//! Never knows: amplitudes, what rows are summed into.
//!
//! Within one row of lattice cells, noise at a column is a polynomial of z that two corners to the west and two to the east decide. What
//! depends on the column only is kept in four arrays along x, remade when the rows enter the next lattice row.

use super::{
    Octave,
    lattice::{Along, Gradients, between, edge, ramp, row_hash},
};
use crate::GridArea;
use terrane_simd::{Aligned, LANES_MAX, Simd};

/// What one octave keeps over a grid.
#[derive(Debug, Default)]
pub(super) struct Columns {
    fraction: Aligned<f32>,
    fade: Aligned<f32>,
    /// Lattice column, from the first of its vector if `is_close`.
    cell: Aligned<u32>,
    /// Lattice column of the first sample of each vector, from the first of all.
    vector_cell: Vec<u32>,
    /// The lower and upper edge of the row of cells: what [`edge`] gives.
    edges: [[Aligned<f32>; 2]; 2],
    /// Gradients along a lattice row.
    gradients: [Aligned<f32>; 2],
    /// Whether samples are at most a cell apart. Else each has corners of its own.
    is_close: bool,
    first_cell: u32,
    /// Lattice columns that the samples need, if `is_close`.
    cells: usize,
    /// The row of cells that the edges are of.
    row_cell: Option<i32>,
}

impl Columns {
    /// For an octave's columns at an area.
    #[inline(always)]
    pub fn begin<S: Simd>(&mut self, s: S, octave: &Octave, area: &GridArea) {
        let width = area.edge.next_multiple_of(LANES_MAX);
        let step = octave.frequency.over(area.step_m);
        let start = octave.frequency.phase(area.x_m, octave.offset[0]);
        [&mut self.fraction, &mut self.fade].into_iter().chain(self.edges.as_flattened_mut()).for_each(|array| array.resize(width));
        self.cell.resize(width);
        self.row_cell = None;
        self.first_cell = start.cell() as u32;
        self.is_close = octave.frequency.0.checked_mul(u64::from(area.step_m)).is_some_and(|step| step <= 1 << 32);
        self.vector_cell.clear();
        let (mut phase, stride) = (ramp(s, start, step), s.u64(step.wrapping_mul(S::LANES as u64)));
        for at in (0..width).step_by(S::LANES) {
            let x = Along::new(s, phase);
            s.store(x.fraction, &mut self.fraction[at..]);
            s.store(x.fade, &mut self.fade[at..]);
            let first = if self.is_close { s.first(x.cell) } else { 0 };
            self.vector_cell.push(first.wrapping_sub(self.first_cell));
            s.store_u32(x.cell - s.u32(first), &mut self.cell[at..]);
            phase = phase + stride;
        }
        if self.is_close {
            // To one past the last sample's; a vector may read, and not use, more.
            let last = octave.frequency.phase(area.metres(width - 1, 0)[0], octave.offset[0]);
            self.cells = (last.cell() as u32).wrapping_sub(self.first_cell) as usize + 2;
            self.gradients[0].resize(self.cells + S::LANES);
            self.gradients[1].resize(self.cells + S::LANES);
        }
    }

    /// Adds a row, from z of that lattice cell, fraction and fade on.
    #[inline(always)]
    pub fn add_row<S: Simd>(&mut self, s: S, octave: &Octave, z_m: i64, sums: &mut Aligned<f32>) {
        let z = octave.frequency.phase(z_m, octave.offset[1]);
        if self.row_cell != Some(z.cell()) {
            // The upper edge of the row of cells before is often the lower edge of this one.
            if self.row_cell.is_some_and(|before| before.wrapping_add(1) == z.cell()) {
                self.edges.swap(0, 1);
            } else {
                self.fill_edge(s, octave, z.cell(), 0);
            }
            self.fill_edge(s, octave, z.cell(), 1);
            self.row_cell = Some(z.cell());
        }
        let z = Along::new(s, s.u64(z.0));
        let amplitude = s.f32(octave.amplitude);
        let [low, high] = &self.edges;
        let edges = low[0].chunks_exact(S::LANES).zip(low[1].chunks_exact(S::LANES)).zip(high[0].chunks_exact(S::LANES).zip(high[1].chunks_exact(S::LANES)));
        for (sum, ((a, b), (c, d))) in sums.chunks_exact_mut(S::LANES).zip(edges) {
            let value = between(s, [s.load(a), s.load(b)], [s.load(c), s.load(d)], z.fraction, z.fade);
            s.store(s.load(sum) + amplitude * value, sum);
        }
    }

    /// The lower (0) or upper (1) edge of the row of cells `z_cell`, at every column.
    #[inline(always)]
    fn fill_edge<S: Simd>(&mut self, s: S, octave: &Octave, z_cell: i32, upper: usize) {
        let (seed, mask, gradients) = (octave.seed, octave.mask, Gradients::new(s));
        let row = row_hash(s, mask, s.u32((z_cell as u32).wrapping_add(upper as u32)));
        let Columns { fraction, fade, cell, vector_cell, edges, gradients: along_row, is_close, first_cell, cells, .. } = self;
        let [out, out_slope] = &mut edges[upper];
        if *is_close {
            for at in (0..*cells).step_by(S::LANES) {
                let [x, z] = gradients.at(s, seed, mask, s.ramp(first_cell.wrapping_add(at as u32), 1), row);
                s.store(x, &mut along_row[0][at..]);
                s.store(z, &mut along_row[1][at..]);
            }
        }
        for (vector, vector_cell) in vector_cell.iter().enumerate() {
            let at = vector * S::LANES;
            let x = Along { cell: s.load_u32(&cell[at..]), fraction: s.load(&fraction[at..]), fade: s.load(&fade[at..]) };
            let (west, east) = if *is_close {
                // Within a vector, cells are fewer than lanes: one load has them all.
                let (x_west, z_west) = (&along_row[0][*vector_cell as usize..], &along_row[1][*vector_cell as usize..]);
                let west = [s.window(x_west, x.cell), s.window(z_west, x.cell)];
                (west, [s.window(&x_west[1..], x.cell), s.window(&z_west[1..], x.cell)])
            } else {
                (gradients.at(s, seed, mask, x.cell, row), gradients.at(s, seed, mask, x.cell + s.u32(1), row))
            };
            let [value, slope] = edge(s, &x, west, east);
            s.store(value, &mut out[at..]);
            s.store(slope, &mut out_slope[at..]);
        }
    }
}
