//! In: squares of the global lattice of metres, warp offsets. Out: blocks of gradient noise and what is stacked from it.
//! Never knows: chunks, levels, or what the numbers become.
//!
//! Only integers, +, -, * and selects in one fixed order (Rust never contracts them into fused operations), so every instruction set and
//! the GPU can give the same bits. Grids (`grid`) and warped positions (`warped`) are two ways to the same function: where they meet, they
//! agree bit for bit. `reference` has it in its plainest form, for tests.

mod grid;
mod lattice;
mod near;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod warped;
mod worn;

pub use lattice::SCALE;
pub(crate) use lattice::pcg as pcg_lanes;
pub use worn::{Worn, WornDesc};

use crate::{
    GridArea,
    phase::{Frequency, Phase},
};
use grid::Columns;
use terrane_base::hash::pcg;
use terrane_simd::{Aligned, Isa, Kernel, Simd};
use warped::{FbmWarped, RidgedWarped};

/// Octaves of a stack. Sixteen doublings go from 65 km to 1 m.
pub const OCTAVES_MAX: u32 = 16;

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
    isa: Isa,
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
    columns: Vec<Columns>,
    row: Aligned<f32>,
}

impl Stack {
    /// A stack for a seed: each octave has its own offset on its lattice and its own gradients.
    pub fn new(seed: u32, desc: &StackDesc) -> Stack {
        debug_assert!((1..=OCTAVES_MAX).contains(&desc.octaves) && (desc.period_cells == 0 || desc.period_cells.is_power_of_two()));
        // Products one by one: the precision of `powi` is the platform's affair.
        let (mut frequency, mut amplitude) = (1.0f64, SCALE);
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index));
            let octave = Octave {
                seed,
                // Without a period, and with one past 2^32 cells, this is all ones.
                mask: (desc.period_cells << index).wrapping_sub(1),
                frequency: Frequency::from_wavelength(desc.wavelength_m).times(frequency),
                offset: [Phase::random(seed, 0), Phase::random(seed, 1)],
                amplitude,
            };
            frequency *= desc.lacunarity;
            amplitude *= desc.persistence;
            octave
        });
        Stack { octaves: octaves.collect(), isa: Isa::chosen() }
    }

    /// The same stack, computed with another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Stack {
        Stack { isa, ..self }
    }

    /// Largest sum that the amplitudes allow.
    pub fn amplitude_sum(&self) -> f32 {
        self.octaves.iter().map(|octave| octave.amplitude).sum::<f32>() / SCALE
    }

    /// Signed sum of all octaves over a grid. `out` has `area.edge` squared values, row by row.
    pub fn fbm_grid(&self, area: &GridArea, scratch: &mut NoiseScratch, out: &mut [f32]) {
        self.isa.run(FbmGrid { octaves: &self.octaves, area, scratch, out });
    }

    /// Signed sum of all octaves over a grid whose samples are moved by `warp` (2^-16 m, x and z, less than 2^15 m).
    pub fn fbm_warped(&self, area: &GridArea, warp: [&[i32]; 2], out: &mut [f32]) {
        self.isa.run(FbmWarped { octaves: &self.octaves, area, warp, out });
    }

    /// Ridged sum over a grid whose samples are moved by `warp`: Musgrave's ridged multifractal ("Texturing and Modeling", chapter 16),
    /// where an octave counts as much as the one before it stands out. Values in [0, 1] for a persistence up to 0.5.
    pub fn ridged_warped(&self, area: &GridArea, warp: [&[i32]; 2], sharpness: f32, out: &mut [f32]) {
        self.isa.run(RidgedWarped { octaves: &self.octaves, area, warp, sharpness, out });
    }
}

/// See [`Stack::fbm_grid`].
struct FbmGrid<'a> {
    octaves: &'a [Octave],
    area: &'a GridArea,
    scratch: &'a mut NoiseScratch,
    out: &'a mut [f32],
}

impl Kernel for FbmGrid<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let FbmGrid { octaves, area, scratch: NoiseScratch { columns, row }, out } = self;
        if columns.len() < octaves.len() {
            columns.resize_with(octaves.len(), Columns::default);
        }
        row.resize(area.edge);
        for (octave, columns) in octaves.iter().zip(columns.iter_mut()) {
            columns.begin(s, octave, area);
        }
        for (index, out) in out.chunks_exact_mut(area.edge).enumerate() {
            let [_, z_m] = area.metres(0, index);
            row.fill(0.0);
            for (octave, columns) in octaves.iter().zip(columns.iter_mut()) {
                columns.add_row(s, octave, z_m, row);
            }
            out.copy_from_slice(&row[..area.edge]);
        }
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
