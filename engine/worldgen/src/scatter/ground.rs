//! In: samples and what a kind likes. Out: the chance of a candidate to grow, by the cell it stands in.
//! Never knows: candidates, ranks, luck.
//!
//! The ground is read at the corners of the cell of the coarsest level that keeps a candidate, so all in one cell have the same chance. Where
//! candidates are many, the chances of a row of cells are made together, a vector at a time, and kept while the lattice passes over them.

use super::{SCATTER_LEVELS, ScatterKind, UNITS_PER_M};
use crate::{APRON, CHUNK_QUADS, HEIGHT_UNITS_PER_M, Samples};
use terrane_simd::Isa;

/// Rows of cells that are kept of a level. Candidates come row by row of a lattice that is at most twice as wide as these cells.
const ROWS: usize = 4;
/// Cells in a row are many enough for a row of chances when there is at least one candidate for so many.
const CELLS_FOR_EACH: f32 = 4.0;

pub(super) struct Ground<'a> {
    isa: Isa,
    samples: &'a Samples,
    lod: u32,
    kind: &'a ScatterKind,
    /// Whether a level's chances are made in rows.
    dense: [bool; SCATTER_LEVELS],
    /// Which row of cells each of the kept rows is; all ones for none.
    z: [u32; SLOTS],
    /// Chances of the kept rows.
    chances: [[f32; CHUNK_QUADS]; SLOTS],
}

/// Rows that are kept, of all levels: slot `level * ROWS + z % ROWS`. Two levels more than there are make it a power of two.
const SLOTS: usize = 8 * ROWS;

/// A cell of a level, and where its chance may be.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    /// The slot's index and x below it.
    at: u32,
    z: u32,
}

impl Cell {
    /// The cell of level 0 to 5 at a position in the chunk.
    #[inline(always)]
    pub(super) fn of(level: u32, x: u32, z: u32) -> Cell {
        let to_cell = level + UNITS_PER_M.trailing_zeros();
        let z = z >> to_cell;
        Cell { at: (level * ROWS as u32 + z % ROWS as u32) * CHUNK_QUADS as u32 + (x >> to_cell), z }
    }
}

impl<'a> Ground<'a> {
    #[inline(always)]
    pub(super) fn new(isa: Isa, samples: &'a Samples, lod: u8, kind: &'a ScatterKind) -> Ground<'a> {
        let mut dense = [false; SCATTER_LEVELS];
        for (level, dense) in dense.iter_mut().enumerate() {
            let keep = |level: usize| kind.keep.get(level).copied().unwrap_or(0.0);
            let cell_m = (1 << level) as f32;
            let candidates = (keep(level) - keep(level + 1)) * (cell_m / kind.spacing_m) * (cell_m / kind.spacing_m);
            *dense = candidates * CELLS_FOR_EACH >= 1.0 && kind.spacing_m <= 2.0 * cell_m;
        }
        Ground { isa, samples, lod: u32::from(lod), kind, dense, z: [u32::MAX; SLOTS], chances: [[0.0; CHUNK_QUADS]; SLOTS] }
    }

    /// The chance in a cell, for a candidate that its level is the coarsest to keep.
    #[inline(always)]
    pub(super) fn chance(&mut self, cell: Cell) -> f32 {
        let (slot, x) = (cell.at as usize / CHUNK_QUADS % SLOTS, cell.at as usize % CHUNK_QUADS);
        if self.z[slot] != cell.z {
            return self.chance_of_new_row(slot, x, cell.z);
        }
        self.chances[slot][x]
    }

    /// Makes the row of a cell, or the cell's chance alone where candidates are few. Not inlined: the loop that asks stays small.
    #[inline(never)]
    fn chance_of_new_row(&mut self, slot: usize, x: usize, z: u32) -> f32 {
        let level = slot / ROWS;
        if !self.dense[level] {
            return self.cell(level, x, z as usize);
        }
        self.z[slot] = z;
        let isa = self.isa;
        isa.run_plain(
            #[inline(always)]
            || self.fill(level, z as usize),
        );
        self.chances[slot][x]
    }

    /// The chance in a cell.
    #[inline(always)]
    fn cell(&self, level: usize, x: usize, z: usize) -> f32 {
        let Samples { edge, height_q, cover } = self.samples;
        let stride = 1 << (level as u32 - self.lod);
        let first = (z * stride + APRON) * edge + x * stride + APRON;
        let corners = [first, first + stride, first + stride * edge, first + stride * edge + stride];
        let covers = corners.iter().map(|at| i32::from(cover[*at])).sum();
        Likes::new(self.kind).chance(corners.map(|at| height_q[at]), covers, SLOPE_SCALE[level])
    }

    /// The chances of a row of cells. Plain loops, which the compiler makes vectors of.
    #[inline(always)]
    fn fill(&mut self, level: usize, z: usize) {
        let Samples { edge, height_q, cover } = self.samples;
        let stride = 1 << (level as u32 - self.lod);
        let (mut heights, mut covers) = ([[0i32; CHUNK_QUADS + 1]; 2], [[0i32; CHUNK_QUADS + 1]; 2]);
        for (side, (heights, covers)) in heights.iter_mut().zip(&mut covers).enumerate() {
            let from = ((z + side) * stride + APRON) * edge + APRON;
            let (from_heights, from_covers) = (&height_q[from..][..CHUNK_QUADS + 1], &cover[from..][..CHUNK_QUADS + 1]);
            // Each stride by itself, so that the compiler knows it.
            match stride {
                1 => pick::<1>(from_heights, from_covers, heights, covers),
                2 => pick::<2>(from_heights, from_covers, heights, covers),
                4 => pick::<4>(from_heights, from_covers, heights, covers),
                8 => pick::<8>(from_heights, from_covers, heights, covers),
                16 => pick::<16>(from_heights, from_covers, heights, covers),
                _ => pick::<32>(from_heights, from_covers, heights, covers),
            }
        }
        row_chances(self.kind, [&heights[0], &heights[1]], [&covers[0], &covers[1]], SLOPE_SCALE[level], &mut self.chances[level * ROWS + z % ROWS]);
    }
}

/// Always a whole row, so that the loop needs no end of its own; what lies behind the level's cells is not read.
#[inline(always)]
fn row_chances(
    kind: &ScatterKind,
    heights: [&[i32; CHUNK_QUADS + 1]; 2],
    covers: [&[i32; CHUNK_QUADS + 1]; 2],
    slope_scale: f32,
    out: &mut [f32; CHUNK_QUADS],
) {
    // A copy: what is written cannot be part of it, so it stays in registers.
    let likes = Likes::new(kind);
    for x in 0..CHUNK_QUADS {
        let corners = [heights[0][x], heights[0][x + 1], heights[1][x], heights[1][x + 1]];
        let covers = covers[0][x] + covers[0][x + 1] + covers[1][x] + covers[1][x + 1];
        out[x] = likes.chance(corners, covers, slope_scale);
    }
}

/// Every `STRIDE`-th sample, the last one included.
#[inline(always)]
fn pick<const STRIDE: usize>(from_heights: &[i32], from_covers: &[u8], heights: &mut [i32], covers: &mut [i32]) {
    let (chunks, last) = (CHUNK_QUADS / STRIDE, CHUNK_QUADS);
    for (to, from) in heights[..chunks].iter_mut().zip(from_heights.as_chunks::<STRIDE>().0) {
        *to = from[0];
    }
    for (to, from) in covers[..chunks].iter_mut().zip(from_covers.as_chunks::<STRIDE>().0) {
        *to = i32::from(from[0]);
    }
    (heights[chunks], covers[chunks]) = (from_heights[last], i32::from(from_covers[last]));
}

/// 1 over the square of twice the height units in a cell's edge, for each level: a power of two.
const SLOPE_SCALE: [f32; SCATTER_LEVELS] = {
    let (mut scale, mut level) = ([0.0; SCATTER_LEVELS], 0);
    while level < SCATTER_LEVELS {
        let unit = (2 * HEIGHT_UNITS_PER_M as i64) << level;
        scale[level] = 1.0 / (unit * unit) as f32;
        level += 1;
    }
    scale
};

/// What a kind asks of the ground.
#[derive(Clone, Copy)]
struct Likes {
    slope_squared: [f32; 2],
    height_m: [f32; 2],
    height_fade_m: f32,
    cover: [f32; 2],
    density: f32,
}

impl Likes {
    #[inline(always)]
    fn new(kind: &ScatterKind) -> Likes {
        let ScatterKind { slope, height_m, height_fade_m, cover, density, .. } = *kind;
        Likes { slope_squared: [slope[0] * slope[0], slope[1] * slope[1]], height_m, height_fade_m, cover, density }
    }

    /// The chance where the corners have these heights (first, next in x, next in z, both) and this sum of covers.
    #[inline(always)]
    fn chance(&self, [a, b, c, d]: [i32; 4], covers: i32, slope_scale: f32) -> f32 {
        // Heights of a chunk are below 2^24 (`HEIGHT_LIMIT_M`): no sum of four overflows, and squares and their sum are below 2^53, so they
        // are exact and rounded once, to f32.
        let (x, z) = (f64::from(b - a + d - c), f64::from(c - a + d - b));
        let slope_squared = (x * x + z * z) as f32 * slope_scale;
        let suits = (self.slope_squared[0] <= slope_squared) & (slope_squared <= self.slope_squared[1]);
        let height_m = (a + b + c + d) as f32 / (4 * HEIGHT_UNITS_PER_M) as f32;
        let chance = self.density * self.height_chance(height_m) * self.cover_chance(covers as f32 / 1020.0);
        if suits { chance } else { -1.0 }
    }

    #[inline(always)]
    fn height_chance(&self, height_m: f32) -> f32 {
        let inside = (height_m - self.height_m[0]).min(self.height_m[1] - height_m);
        if self.height_fade_m > 0.0 { (inside / self.height_fade_m).clamp(0.0, 1.0) } else { f32::from(inside >= 0.0) }
    }

    #[inline(always)]
    fn cover_chance(&self, cover: f32) -> f32 {
        let [from, to] = self.cover;
        if from == to { 1.0 } else { ((cover - from) / (to - from)).clamp(0.0, 1.0) }
    }
}
