//! In: squares of the global lattice of metres, warp offsets. Out: blocks of gradient noise and what is stacked from it.
//! Never knows: chunks, levels, or what the numbers become.
//!
//! Only integers, +, -, * and selects in one fixed order (Rust never contracts them into fused operations), so every instruction set and
//! the GPU can give the same bits. Grids and warped positions go through the same functions: where they meet, they agree bit for bit.
//!
//! On a grid one row of lattice cells shares its corners: each lattice row becomes two arrays along x, and a sample-octave costs four
//! multiply-adds. Warped positions go row by row, octave by octave, and hash corners only where a sample leaves the cell of the one before.

mod lattice;
#[cfg(test)]
mod tests;

pub use lattice::{Corners, SCALE};

use crate::{
    GridArea,
    phase::{Frequency, Phase},
};
use lattice::{Along, between, edge, gradient, row_hash};
use std::ops::Range;
use terrane_base::hash::pcg;

/// Octaves of a stack. Sixteen doublings go from 65 km to 1 m.
pub const OCTAVES_MAX: u32 = 16;
/// Warped samples that go through all octaves together: their sums and weights stay in the first-level cache.
const BATCH: usize = 64;

/// What makes a stack of octaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StackDesc {
    /// Octaves, 1 to [`OCTAVES_MAX`].
    pub octaves: u32,
    /// Wavelength of the first, metres. Where the stack is warped, that of the last octave is at least 1 m.
    pub wavelength_m: f64,
    /// Frequency from octave to octave.
    pub lacunarity: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// Repeats after so many cells of the first octave; 0 never. For tests of precision: a power of two, with a lacunarity of 2 and a
    /// wavelength that is a power of two, so that no phase is rounded. The period is `period_cells * wavelength_m` metres.
    pub period_cells: u32,
}

/// Octaves with their own random offsets and gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    octaves: Vec<Octave>,
}

/// One octave of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Octave {
    seed: u32,
    /// Lattice cells wrap with it; all ones never do.
    mask: u32,
    frequency: Frequency,
    offset: [Phase; 2],
    amplitude: f32,
}

/// Buffers that a caller keeps between calls.
#[derive(Debug, Default)]
pub struct NoiseScratch {
    columns: Vec<Along>,
    low: Vec<[f32; 2]>,
    high: Vec<[f32; 2]>,
    row: Vec<f32>,
}

impl Stack {
    /// A stack for a seed: each octave has its own offset on its lattice and its own gradients.
    pub fn new(seed: u32, desc: &StackDesc) -> Stack {
        debug_assert!((1..=OCTAVES_MAX).contains(&desc.octaves) && (desc.period_cells == 0 || desc.period_cells.is_power_of_two()));
        // Products one by one: the precision of `powi` is the platform's affair.
        let (mut frequency, mut amplitude) = (1.0f64, SCALE);
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index));
            let random = |salt: u32| u64::from(pcg(seed ^ salt)) << 32 | u64::from(pcg(seed ^ !salt));
            let octave = Octave {
                seed,
                // Without a period, and with one past 2^32 cells, this is all ones.
                mask: (desc.period_cells << index).wrapping_sub(1),
                frequency: Frequency::from_wavelength(desc.wavelength_m).times(frequency),
                offset: [Phase(random(0x5f35_6495)), Phase(random(0x2c1b_3c6d))],
                amplitude,
            };
            frequency *= desc.lacunarity;
            amplitude *= desc.persistence;
            octave
        });
        Stack { octaves: octaves.collect() }
    }

    /// Largest sum that the amplitudes allow.
    pub fn amplitude_sum(&self) -> f32 {
        self.octaves.iter().map(|octave| octave.amplitude).sum::<f32>() / SCALE
    }

    /// Signed sum of all octaves over a grid. `out` has `area.edge` squared values, row by row.
    pub fn fbm_grid(&self, area: &GridArea, scratch: &mut NoiseScratch, out: &mut [f32]) {
        out.fill(0.0);
        for octave in &self.octaves {
            octave.grid(area, scratch, |row, values| {
                for (sum, value) in out[row * area.edge..][..area.edge].iter_mut().zip(values) {
                    *sum += octave.amplitude * *value;
                }
            });
        }
    }

    /// Signed sum of all octaves over a grid whose samples are moved by `warp` (2^-16 m, x and z, less than 2^15 m).
    pub fn fbm_warped(&self, area: &GridArea, warp: [&[i32]; 2], out: &mut [f32]) {
        batches(area, |at, x_m, z_m| {
            let warp = warp.map(|axis| &axis[at.clone()]);
            let sums = &mut out[at];
            sums.fill(0.0);
            for octave in &self.octaves {
                octave.warped([x_m, z_m], area.step_m, warp, |i, value| sums[i] += octave.amplitude * value);
            }
        });
    }

    /// Ridged sum over a grid whose samples are moved by `warp`: Musgrave's ridged multifractal ("Texturing and Modeling", chapter 16),
    /// where an octave counts as much as the one before it stands out. Values in [0, 1] for a persistence up to 0.5.
    pub fn ridged_warped(&self, area: &GridArea, warp: [&[i32]; 2], sharpness: f32, out: &mut [f32]) {
        batches(area, |at, x_m, z_m| {
            let warp = warp.map(|axis| &axis[at.clone()]);
            let sums = &mut out[at];
            sums.fill(0.0);
            let mut weights = [1.0f32; BATCH];
            for octave in &self.octaves {
                octave.warped([x_m, z_m], area.step_m, warp, |i, value| {
                    let value = value * SCALE;
                    let fold = if value < 0.0 { 1.0 + value } else { 1.0 - value };
                    let ridge = fold * fold;
                    sums[i] += ridge * weights[i] * octave.amplitude;
                    weights[i] = unit(ridge * sharpness);
                });
            }
            sums.iter_mut().for_each(|sum| *sum *= 0.5 / SCALE);
        });
    }
}

/// Cuts an area into pieces of rows: the range of samples, and the metres of the first.
fn batches(area: &GridArea, mut take: impl FnMut(Range<usize>, i64, i64)) {
    let step = i64::from(area.step_m);
    for row in 0..area.edge {
        for column in (0..area.edge).step_by(BATCH) {
            let first = row * area.edge + column;
            let count = (area.edge - column).min(BATCH);
            take(first..first + count, area.x_m + column as i64 * step, area.z_m + row as i64 * step);
        }
    }
}

impl Octave {
    fn phase(&self, axis: usize, metre: i64, warp: i32) -> Phase {
        let straight = self.frequency.phase(metre, self.offset[axis]);
        Phase(straight.0.wrapping_add(self.frequency.shift(warp)))
    }

    /// Noise at a piece of a row that begins at `metres`, each sample moved by its warp.
    fn warped(&self, metres: [i64; 2], step_m: u32, warp: [&[i32]; 2], mut take: impl FnMut(usize, f32)) {
        let mut corners = Corners::new(self.seed, self.mask);
        let mut x_m = metres[0];
        for (i, (x_warp, z_warp)) in warp[0].iter().zip(warp[1]).enumerate() {
            take(i, corners.value(self.phase(0, x_m, *x_warp), self.phase(1, metres[1], *z_warp)));
            x_m += i64::from(step_m);
        }
    }

    /// Noise over a grid, a row at a time.
    fn grid(&self, area: &GridArea, scratch: &mut NoiseScratch, mut take: impl FnMut(usize, &[f32])) {
        let step = i64::from(area.step_m);
        let NoiseScratch { columns, low, high, row } = scratch;
        columns.clear();
        columns.extend((0..area.edge as i64).map(|i| Along::new(self.phase(0, area.x_m + i * step, 0))));
        row.resize(area.edge, 0.0);
        let mut cell_before = None;
        for index in 0..area.edge {
            let at = Along::new(self.phase(1, area.z_m + index as i64 * step, 0));
            if cell_before != Some(at.cell) {
                // The upper edge of the row of cells before is often the lower edge of this one.
                if cell_before.is_some_and(|before: i32| before.wrapping_add(1) == at.cell) {
                    std::mem::swap(low, high);
                } else {
                    self.edges(columns, at.cell, low);
                }
                self.edges(columns, at.cell.wrapping_add(1), high);
                cell_before = Some(at.cell);
            }
            for ((value, low), high) in row.iter_mut().zip(low.iter()).zip(high.iter()) {
                *value = between(*low, *high, at.fraction, at.fade);
            }
            take(index, row);
        }
    }

    /// The lattice row `z_cell` at every column. Columns in one cell share their corners, and neighbouring cells share one.
    fn edges(&self, columns: &[Along], z_cell: i32, out: &mut Vec<[f32; 2]>) {
        let row = row_hash(z_cell, self.mask);
        let corner = |x_cell| gradient(self.seed, self.mask, x_cell, row);
        let mut cell = columns.first().map_or(0, |column| column.cell);
        let (mut left, mut right) = (corner(cell), corner(cell.wrapping_add(1)));
        out.clear();
        out.extend(columns.iter().map(|column| {
            if column.cell != cell {
                left = if column.cell == cell.wrapping_add(1) { right } else { corner(column.cell) };
                right = corner(column.cell.wrapping_add(1));
                cell = column.cell;
            }
            edge(column, left, right)
        }));
    }
}

/// Clamped to [0, 1] by comparing and selecting: minimum and maximum instructions differ in their zeros and NaNs.
#[expect(clippy::manual_clamp, reason = "see above")]
fn unit(t: f32) -> f32 {
    if t > 1.0 {
        1.0
    } else if t < 0.0 {
        0.0
    } else {
        t
    }
}

/// A smooth step from 0 to 1 as t goes from 0 to 1, without division or clamping instructions.
pub fn smooth(t: f32) -> f32 {
    let t = unit(t);
    t * t * (3.0 - 2.0 * t)
}
