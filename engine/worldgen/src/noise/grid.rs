//! In: a stack and a block of a grid. Out: sums of octaves of gradient noise over it, a few multiplications a sample and octave.
//! Never knows: offsets, other noises than gradient noise.
//!
//! In the plane, two expanded rows of corners (`columns`) hold all that a row of lattice cells needs; they are remade when z enters the
//! next row. In space, the rows of two lattice planes are kept, and folded into rows of the plane for each slice of samples.

use super::{
    Basis, Octave, StackOf,
    block::Block,
    columns::{Columns, is_close},
    fractal::Fractal,
    lattice::{Along, Gradients, PlaneRow, between, row_hash},
    quick::QuickRow,
    space::{self, SpaceRow},
};
use crate::phase::Phase;
use terrane_simd::{Aligned, Kernel, LANES_MAX, Simd};

/// Buffers that a caller keeps between calls.
#[derive(Debug, Default)]
pub struct NoiseScratch {
    plane: Vec<PlaneGrid>,
    space: Vec<SpaceGrid>,
    values: Aligned<f32>,
    sums: Aligned<f32>,
    weights: Aligned<f32>,
}

/// An expanded row of corners: the part that does not depend on the place across, and what is linear in it.
type Edge = [Aligned<f32>; 2];

/// See [`StackOf::grid`].
pub(super) struct Grid<'a, const D: usize> {
    pub stack: &'a StackOf<D>,
    pub fractal: Fractal,
    pub block: &'a Block<D>,
    pub scratch: &'a mut NoiseScratch,
    pub out: &'a mut [f32],
}

impl Kernel for Grid<'_, 2> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Grid { stack, fractal, block, scratch, out } = self;
        let NoiseScratch { plane, values, sums, weights, .. } = scratch;
        let width = block.counts[0];
        grow(plane, stack.octaves.len());
        [&mut *values, &mut *sums, &mut *weights].into_iter().for_each(|row| row.resize(width));
        for (octave, grid) in stack.octaves.iter().zip(plane.iter_mut()) {
            grid.columns.begin(s, octave.frequency, octave.start(block), block.step_m, width);
            grid.edges.as_flattened_mut().iter_mut().for_each(|part| part.resize(width));
            grid.row_cell = None;
        }
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            let metres = block.metres(row * width);
            sums.fill(0.0);
            weights.fill(1.0);
            for (octave, grid) in stack.octaves.iter().zip(plane.iter_mut()) {
                let z = octave.frequency.phase(metres[1], octave.offset[1]);
                grid.enter(s, octave, stack.basis, z);
                add_row(s, stack, octave, fractal, z, [&grid.edges[0], &grid.edges[1]], [values, sums, weights]);
            }
            finish(fractal, stack.scale, sums, out);
        }
    }
}

impl Kernel for Grid<'_, 3> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Grid { stack, fractal, block, scratch, out } = self;
        let NoiseScratch { space, values, sums, weights, .. } = scratch;
        let [width, height, _] = block.counts;
        grow(space, stack.octaves.len());
        [&mut *values, &mut *sums, &mut *weights].into_iter().for_each(|row| row.resize(width));
        for (octave, grid) in stack.octaves.iter().zip(space.iter_mut()) {
            grid.begin(s, octave, block);
        }
        for (slice, out) in out.chunks_exact_mut(width * height).enumerate() {
            let z_m = block.metres(slice * width * height)[2];
            for (octave, grid) in stack.octaves.iter().zip(space.iter_mut()) {
                grid.enter(s, octave, octave.frequency.phase(z_m, octave.offset[2]));
            }
            for (row, out) in out.chunks_exact_mut(width).enumerate() {
                let y_m = block.metres(row * width)[1];
                sums.fill(0.0);
                weights.fill(1.0);
                for (octave, grid) in stack.octaves.iter().zip(space.iter()) {
                    let y = octave.frequency.phase(y_m, octave.offset[1]);
                    let low = grid.row_of(row, y);
                    add_row(s, stack, octave, fractal, y, [&grid.folded[low], &grid.folded[low + 1]], [values, sums, weights]);
                }
                finish(fractal, stack.scale, sums, out);
            }
        }
    }
}

fn grow<T: Default>(list: &mut Vec<T>, len: usize) {
    if list.len() < len {
        list.resize_with(len, T::default);
    }
}

/// Adds a row of samples between two edges, at a phase across.
#[inline(always)]
fn add_row<S: Simd, const D: usize>(
    s: S,
    stack: &StackOf<D>,
    octave: &Octave<D>,
    fractal: Fractal,
    across: Phase,
    [low, high]: [&Edge; 2],
    [values, sums, weights]: [&mut Aligned<f32>; 3],
) {
    let across = Along::new(s, s.u64(across.0));
    let width = sums.len();
    let (low_parts, high_parts) =
        (low[0][..width].chunks_exact(S::LANES).zip(low[1].chunks_exact(S::LANES)), high[0].chunks_exact(S::LANES).zip(high[1].chunks_exact(S::LANES)));
    let edges = low_parts.zip(high_parts);
    if fractal == Fractal::Fbm {
        // The usual case, without the way through memory.
        let amplitude = s.f32(octave.amplitude);
        for (sum, ((a, b), (c, d))) in sums.chunks_exact_mut(S::LANES).zip(edges) {
            let value = between(s, [s.load(a), s.load(b)], [s.load(c), s.load(d)], across.fraction, across.fade);
            s.store(s.load(sum) + amplitude * value, sum);
        }
        return;
    }
    for (out, ((a, b), (c, d))) in values.chunks_exact_mut(S::LANES).zip(edges) {
        s.store(between(s, [s.load(a), s.load(b)], [s.load(c), s.load(d)], across.fraction, across.fade), out);
    }
    fractal.add(s, octave.amplitude, stack.scale, values, sums, weights);
}

#[inline(always)]
fn finish(fractal: Fractal, scale: f32, sums: &mut Aligned<f32>, out: &mut [f32]) {
    if let Some(factor) = fractal.last_factor(scale) {
        for sum in sums.iter_mut() {
            *sum *= factor;
        }
    }
    out.copy_from_slice(&sums[..out.len()]);
}

/// What one octave keeps over a grid in the plane.
#[derive(Debug, Default)]
struct PlaneGrid {
    columns: Columns,
    /// The lower and upper edge of the row of cells.
    edges: [Edge; 2],
    /// The row of cells that the edges are of.
    row_cell: Option<i32>,
}

impl PlaneGrid {
    /// Makes the edges those of the row of cells at `z`.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, s: S, octave: &Octave<2>, basis: Basis, z: Phase) {
        if self.row_cell == Some(z.cell()) {
            return;
        }
        // The upper edge of the row of cells before is often the lower edge of this one.
        let is_next = self.row_cell.is_some_and(|before| before.wrapping_add(1) == z.cell());
        if is_next {
            self.edges.swap(0, 1);
        }
        for upper in usize::from(is_next)..2 {
            let Octave { seed, mask, .. } = *octave;
            let (cell, gradients) = (s.u32((z.cell() as u32).wrapping_add(upper as u32)), Gradients::new(s));
            let [value, slope] = &mut self.edges[upper];
            if basis == Basis::QuickGradient {
                let row = space::share(s, mask, 1, cell) ^ s.u32(seed);
                self.columns.expand(s, &QuickRow { gradients, mask, row }, [value, slope]);
            } else {
                let row_hash = row_hash(s, mask, cell);
                self.columns.expand(s, &PlaneRow { gradients, seed, mask, row_hash }, [value, slope]);
            }
        }
        self.row_cell = Some(z.cell());
    }
}

/// What one octave keeps over a grid in space.
#[derive(Debug, Default)]
struct SpaceGrid {
    columns: Columns,
    /// Lattice rows that the samples need: one after the other if `is_close`, else two for each row of samples.
    rows: Vec<u32>,
    is_close: bool,
    /// Those rows, expanded, of the lattice planes before and behind a slice: part of x and y, of z.
    planes: [Vec<[Aligned<f32>; 3]>; 2],
    /// The rows at a slice.
    folded: Vec<Edge>,
    /// The cell along z that the planes are of.
    plane_cell: Option<i32>,
}

impl SpaceGrid {
    #[inline(always)]
    fn begin<S: Simd>(&mut self, s: S, octave: &Octave<3>, block: &Block<3>) {
        let [width, height, _] = block.counts;
        self.columns.begin(s, octave.frequency, octave.start(block), block.step_m, width);
        self.plane_cell = None;
        self.is_close = is_close(octave.frequency, block.step_m);
        let cell = |row: usize| octave.frequency.phase(block.metres(row * width)[1], octave.offset[1]).cell() as u32;
        let first = cell(0);
        self.rows.clear();
        if self.is_close {
            let last = cell(height - 1).wrapping_sub(first) + 1;
            self.rows.extend((0..=last).map(|row| first.wrapping_add(row)));
        } else {
            self.rows.extend((0..height).flat_map(|row| [cell(row), cell(row).wrapping_add(1)]));
        }
        let padded = width.next_multiple_of(LANES_MAX);
        let count = self.rows.len();
        for plane in &mut self.planes {
            grow(plane, count);
            plane.as_flattened_mut().iter_mut().for_each(|part| part.resize(padded));
        }
        grow(&mut self.folded, count);
        self.folded.as_flattened_mut().iter_mut().for_each(|part| part.resize(padded));
    }

    /// Which row is below a row of samples.
    #[inline(always)]
    fn row_of(&self, row: usize, y: Phase) -> usize {
        if self.is_close { (y.cell() as u32).wrapping_sub(self.rows[0]) as usize } else { 2 * row }
    }

    /// Makes the folded rows those of the slice at `z`.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, s: S, octave: &Octave<3>, z: Phase) {
        if self.plane_cell != Some(z.cell()) {
            let is_next = self.plane_cell.is_some_and(|before| before.wrapping_add(1) == z.cell());
            if is_next {
                self.planes.swap(0, 1);
            }
            for behind in usize::from(is_next)..2 {
                let plane = space::share(s, octave.mask, 2, s.u32((z.cell() as u32).wrapping_add(behind as u32))) ^ s.u32(octave.seed);
                for (cell, [a, b, c]) in self.rows.iter().zip(&mut self.planes[behind]) {
                    let row = SpaceRow { gradients: space::Gradients::new(s), mask: octave.mask, row: plane ^ space::share(s, octave.mask, 1, s.u32(*cell)) };
                    self.columns.expand(s, &row, [a, b, c]);
                }
            }
            self.plane_cell = Some(z.cell());
        }
        let z = Along::new(s, s.u64(z.0));
        let [near, far] = &self.planes;
        for ((near, far), [value, slope]) in near.iter().zip(far).zip(&mut self.folded).take(self.rows.len()) {
            for at in (0..value.len()).step_by(S::LANES) {
                let near = [s.load(&near[0][at..]), s.load(&near[1][at..]), s.load(&near[2][at..])];
                let far = [s.load(&far[0][at..]), s.load(&far[1][at..]), s.load(&far[2][at..])];
                let parts = space::fold(s, near, far, z.fraction, z.fade);
                s.store(parts[0], &mut value[at..]);
                s.store(parts[1], &mut slope[at..]);
            }
        }
    }
}
