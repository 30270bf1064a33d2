//! In: blocks of lattice phases. Out: blocks of gradient noise and what is stacked from it.
//! Never knows: chunks, levels, or what the numbers become.
//!
//! Gradient noise after Perlin 2002 (quintic fade), in two dimensions, with eight gradients at odd multiples of 22.5 degrees so that
//! none lies along the axes or diagonals. Only integers, +, - and * in one fixed order (Rust never contracts them), so every
//! instruction set and the GPU can give the same bits.
//!
//! On a grid one row of lattice cells shares its corners: each lattice row becomes two arrays along x, and a sample-octave costs
//! four multiply-adds. Scattered positions go through the same functions, so both agree bit for bit.

use crate::{
    GridArea,
    phase::{Frequency, Phase},
};
use terrane_base::hash::pcg;

/// tan(22.5 degrees): the gradients are (+-1, +-K) and (+-K, +-1).
const K: f32 = 0.414_213_56;
/// Brings the extremes of one octave close to +-1.
const SCALE: f32 = 1.306_563;

/// One octave of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Octave {
    seed: u32,
    frequency: Frequency,
    offset: [Phase; 2],
    amplitude: f32,
}

/// What makes a stack of octaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StackDesc {
    /// Octaves, 1 to 16.
    pub octaves: u32,
    /// Wavelength of the first, metres.
    pub wavelength_m: f64,
    /// Frequency from octave to octave.
    pub lacunarity: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// Repeats after so many cells of the first octave, a power of two; 0 never. For tests of precision.
    pub period_cells: u32,
}

/// Octaves with their own random offsets.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    octaves: Vec<Octave>,
    period_cells: u32,
}

impl Stack {
    /// A stack for a seed: each octave has its own offset on its lattice and its own gradients.
    pub fn new(seed: u32, desc: &StackDesc) -> Stack {
        let base = Frequency::from_wavelength(desc.wavelength_m);
        let octaves = (0..desc.octaves).map(|index| {
            let seed = pcg(seed ^ pcg(index));
            let random = |salt: u32| u64::from(pcg(seed ^ salt)) << 32 | u64::from(pcg(seed ^ !salt));
            Octave {
                seed,
                frequency: base.times(desc.lacunarity.powi(index as i32)),
                offset: [Phase(random(0x5f35_6495)), Phase(random(0x2c1b_3c6d))],
                amplitude: desc.persistence.powi(index as i32) * SCALE,
            }
        });
        Stack { octaves: octaves.collect(), period_cells: desc.period_cells }
    }

    /// Largest sum that the amplitudes allow.
    pub fn amplitude_sum(&self) -> f32 {
        self.octaves.iter().map(|octave| octave.amplitude).sum::<f32>() / SCALE
    }

    /// Signed sum of all octaves over a grid. `out` has `area.edge` squared values, row by row.
    pub fn fbm_grid(&self, area: &GridArea, scratch: &mut NoiseScratch, out: &mut [f32]) {
        out.fill(0.0);
        for (index, octave) in self.octaves.iter().enumerate() {
            octave.grid(area, self.mask(index), scratch, |row, values| {
                for (sum, value) in out[row * area.edge..][..area.edge].iter_mut().zip(values) {
                    *sum += octave.amplitude * *value;
                }
            });
        }
    }

    /// Ridged sum over a grid whose samples are moved by `warp` (2^-16 m, x and z): Musgrave's ridged multifractal, where an octave
    /// counts as much as the ones before it stand out. Values in about [0, 1].
    pub fn ridged_warped(&self, area: &GridArea, warp: [&[i32]; 2], sharpness: f32, out: &mut [f32]) {
        for row in 0..area.edge {
            let z_m = area.z_m + row as i64 * i64::from(area.step_m);
            for column in 0..area.edge {
                let x_m = area.x_m + column as i64 * i64::from(area.step_m);
                let at = row * area.edge + column;
                out[at] = self.ridged_at([x_m, z_m], [warp[0][at], warp[1][at]], sharpness);
            }
        }
    }

    fn ridged_at(&self, metres: [i64; 2], warp: [i32; 2], sharpness: f32) -> f32 {
        let mut sum = 0.0;
        let mut weight = 1.0f32;
        for (index, octave) in self.octaves.iter().enumerate() {
            let mask = self.mask(index);
            let x = octave.phase(0, metres[0], warp[0]);
            let z = octave.phase(1, metres[1], warp[1]);
            let value = octave.value(x, z, mask) * SCALE;
            let fold = if value < 0.0 { 1.0 + value } else { 1.0 - value };
            let ridge = fold * fold;
            sum += ridge * weight * octave.amplitude;
            let next = ridge * sharpness;
            weight = unit(next);
        }
        sum * (0.5 / SCALE)
    }

    /// Cells wrap with this mask; all ones do not.
    fn mask(&self, octave: usize) -> u32 {
        if self.period_cells == 0 { u32::MAX } else { (self.period_cells << octave) - 1 }
    }
}

/// Buffers that a caller keeps between calls.
#[derive(Debug, Default)]
pub struct NoiseScratch {
    columns: Vec<Column>,
    low: Vec<[f32; 2]>,
    high: Vec<[f32; 2]>,
    row: Vec<f32>,
}

/// What a column of samples needs of its phase.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    cell: i32,
    fraction: f32,
    fade: f32,
}

impl Octave {
    fn phase(&self, axis: usize, metre: i64, warp: i32) -> Phase {
        let straight = self.frequency.phase(metre, self.offset[axis]);
        Phase(straight.0.wrapping_add(self.frequency.shift(warp)))
    }

    /// Noise at one position.
    fn value(&self, x: Phase, z: Phase, mask: u32) -> f32 {
        let column = Column::new(x);
        let row = Column::new(z);
        let low = self.edge(&column, row.cell, mask);
        let high = self.edge(&column, row.cell.wrapping_add(1), mask);
        between(low, high, row.fraction, row.fade)
    }

    /// Noise over a grid, a row at a time.
    fn grid(&self, area: &GridArea, mask: u32, scratch: &mut NoiseScratch, mut take: impl FnMut(usize, &[f32])) {
        let step = i64::from(area.step_m);
        let NoiseScratch { columns, low, high, row } = scratch;
        columns.clear();
        columns.extend((0..area.edge as i64).map(|i| Column::new(self.phase(0, area.x_m + i * step, 0))));
        row.resize(area.edge, 0.0);
        let mut cell_before = None;
        for index in 0..area.edge {
            let at = Column::new(self.phase(1, area.z_m + index as i64 * step, 0));
            if cell_before != Some(at.cell) {
                // The upper edge of the row of cells before is often the lower edge of this one.
                if cell_before.is_some_and(|before: i32| before.wrapping_add(1) == at.cell) {
                    std::mem::swap(low, high);
                } else {
                    self.edges(columns, at.cell, mask, low);
                }
                self.edges(columns, at.cell.wrapping_add(1), mask, high);
                cell_before = Some(at.cell);
            }
            for ((value, low), high) in row.iter_mut().zip(low.iter()).zip(high.iter()) {
                *value = between(*low, *high, at.fraction, at.fade);
            }
            take(index, row);
        }
    }

    fn edges(&self, columns: &[Column], z_cell: i32, mask: u32, out: &mut Vec<[f32; 2]>) {
        out.clear();
        out.extend(columns.iter().map(|column| self.edge(column, z_cell, mask)));
    }

    /// Along a lattice row: the part of the noise that does not depend on the row coordinate, and the part that is linear in it.
    fn edge(&self, column: &Column, z_cell: i32, mask: u32) -> [f32; 2] {
        let z_hash = pcg(z_cell as u32 & mask);
        let left = gradient(self.seed, column.cell as u32 & mask, z_hash);
        let right = gradient(self.seed, column.cell.wrapping_add(1) as u32 & mask, z_hash);
        let l = left[0] * column.fraction;
        let r = right[0] * (column.fraction - 1.0);
        [l + (r - l) * column.fade, left[1] + (right[1] - left[1]) * column.fade]
    }
}

impl Column {
    fn new(phase: Phase) -> Column {
        let fraction = phase.fraction();
        Column { cell: phase.cell(), fraction, fade: fade(fraction) }
    }
}

/// Perlin's quintic: no kink in the second derivative.
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn between(low: [f32; 2], high: [f32; 2], fraction: f32, fade: f32) -> f32 {
    let a = low[0] + low[1] * fraction;
    let b = high[0] + high[1] * (fraction - 1.0);
    a + (b - a) * fade
}

/// The gradient of a lattice corner: two signs and which axis is the long one, from three bits.
fn gradient(seed: u32, x_cell: u32, z_hash: u32) -> [f32; 2] {
    let bits = pcg(seed ^ pcg(x_cell ^ z_hash)) >> 29;
    let (long, short) = (if bits & 1 == 0 { 1.0 } else { -1.0 }, if bits & 2 == 0 { K } else { -K });
    if bits & 4 == 0 { [long, short] } else { [short, long] }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(octaves: u32) -> Stack {
        Stack::new(7, &StackDesc { octaves, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 })
    }

    fn grid(stack: &Stack, x_m: i64, z_m: i64, step_m: u32, edge: usize) -> Vec<f32> {
        let mut out = vec![0.0; edge * edge];
        stack.fbm_grid(&GridArea { x_m, z_m, step_m, edge }, &mut NoiseScratch::default(), &mut out);
        out
    }

    #[test]
    fn grids_agree_bit_for_bit_wherever_they_share_a_sample() {
        let stack = stack(8);
        for origin in [-10_000_000i64, -64, -1, 0, 10_000_000] {
            let fine = grid(&stack, origin, -origin, 1, 65);
            let coarse = grid(&stack, origin - 64, -origin - 64, 8, 33);
            for z in 0..9 {
                for x in 0..9 {
                    let (a, b) = (fine[z * 8 * 65 + x * 8], coarse[(z + 8) * 33 + x + 8]);
                    assert_eq!(a.to_bits(), b.to_bits(), "at {origin}: {x} {z}");
                }
            }
        }
    }

    #[test]
    fn positions_and_grid_are_the_same_function() {
        let stack = stack(1);
        let octave = stack.octaves[0];
        let values = grid(&stack, 5_000_000, -77, 3, 40);
        for (i, value) in values.iter().enumerate() {
            let x = octave.phase(0, 5_000_000 + (i % 40) as i64 * 3, 0);
            let z = octave.phase(1, -77 + (i / 40) as i64 * 3, 0);
            assert_eq!((octave.amplitude * octave.value(x, z, u32::MAX)).to_bits(), value.to_bits());
        }
    }

    #[test]
    fn statistics_far_out_are_those_of_the_origin() {
        let stack = stack(4);
        let describe = |origin: i64| {
            let values = grid(&stack, origin, origin, 37, 257);
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / values.len() as f32).sqrt();
            let mut bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
            bits.sort_unstable();
            bits.dedup();
            (mean, deviation, bits.len())
        };
        let (near, far) = (describe(0), describe(10_000_000));
        assert!(near.0.abs() < 0.05 && far.0.abs() < 0.05, "{near:?} {far:?}");
        assert!((near.1 - far.1).abs() < 0.05 * near.1, "{near:?} {far:?}");
        assert!(near.2 > 60_000 && far.2 > 60_000, "{near:?} {far:?}");
    }

    #[test]
    fn one_octave_stays_within_one_and_reaches_far() {
        let values = grid(&stack(1), 0, 0, 7, 512);
        let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!((-1.001..-0.75).contains(&low) && (0.75..1.001).contains(&high), "{low} {high}");
    }

    #[test]
    fn a_periodic_stack_repeats() {
        let desc = StackDesc { octaves: 4, wavelength_m: 256.0, lacunarity: 2.0, persistence: 0.5, period_cells: 16 };
        let stack = Stack::new(3, &desc);
        assert_eq!(grid(&stack, 12, 34, 1, 64), grid(&stack, 12 + 4096 * 2441, 34 - 4096 * 2441, 1, 64));
        assert_ne!(grid(&stack, 12, 34, 1, 64), grid(&stack, 12 + 1024, 34, 1, 64));
    }

    #[test]
    fn ridges_stay_in_their_range() {
        let stack = stack(6);
        let area = GridArea { x_m: 0, z_m: 0, step_m: 11, edge: 128 };
        let zero = vec![0; 128 * 128];
        let mut out = vec![0.0; 128 * 128];
        stack.ridged_warped(&area, [&zero, &zero], 2.0, &mut out);
        let (low, high) = out.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!(low >= 0.0 && high <= 1.0 && high - low > 0.5, "{low} {high}");
    }
}
