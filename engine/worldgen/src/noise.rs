//! In: squares of the global lattice of metres, warp offsets. Out: blocks of gradient noise and what is stacked from it.
//! Never knows: chunks, levels, or what the numbers become.
//!
//! Only integers, +, -, * and selects in one fixed order (Rust never contracts them into fused operations), so every instruction set and
//! the GPU can give the same bits. Grids (`grid`) and moved places (`points`) are two ways to the same function: where they meet, they
//! agree bit for bit. `reference` has it in its plainest form, for tests.

mod block;
mod columns;
mod desc;
mod fractal;
mod grid;
mod lattice;
mod moved;
mod near;
mod points;
mod quick;
#[cfg(test)]
mod reference;
mod simplex;
mod slopes;
mod space;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_kinds;
mod worley;
mod worn;

pub use block::Block;
pub use desc::{DescError, OCTAVES_MAX, StackDesc};
pub use fractal::Fractal;
pub use grid::NoiseScratch;
pub use lattice::SCALE;
pub(crate) use lattice::pcg as pcg_lanes;
pub use worley::Worley;
pub use worn::{OCTAVES_MAX as WORN_OCTAVES_MAX, Octave as WornOctave, Worn, WornDesc};

use crate::{
    GridArea,
    phase::{Frequency, Phase},
};
use grid::Grid;
use points::Points;
use slopes::Slopes;
use terrane_base::hash::pcg;
use terrane_simd::Isa;

/// Which noise an octave is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Basis {
    /// Gradient noise (Perlin 2002), within +-1.
    #[default]
    Gradient,
    /// The same with a cheaper hash in the plane: faster where neighbouring samples lie in different cells. In space it is the same noise.
    QuickGradient,
    /// Simplex noise (Perlin 2001), within +-1: rounder, without an axis to it.
    Simplex,
    /// Distances to random points (Worley 1996), squared, in cells; from 0 on.
    Worley(Worley),
}

/// Octaves in the plane: x and z.
pub type Stack = StackOf<2>;
/// Octaves in space: x, y, z.
pub type Stack3 = StackOf<3>;

/// Octaves with their own random offsets and lattices.
#[derive(Clone, Debug, PartialEq)]
pub struct StackOf<const D: usize> {
    octaves: Vec<Octave<D>>,
    basis: Basis,
    /// Brings a value of the basis to +-1.
    scale: f32,
    isa: Isa,
}

/// One octave of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Octave<const D: usize> {
    /// Of its gradients or points.
    pub seed: u32,
    /// Lattice cells wrap with it; all ones never do.
    pub mask: u32,
    /// How fast lattice axes move.
    pub frequency: Frequency,
    /// How fast they move along with the sum of all, where the lattice is skewed.
    pub skew: Frequency,
    /// The phases at metre 0.
    pub offset: [Phase; D],
    /// What its values are multiplied by; the scale of the noise is in it.
    pub amplitude: f32,
}

impl<const D: usize> StackOf<D> {
    /// Gradient noise for a seed: each octave has its own offset on its lattice and its own gradients.
    pub fn new(seed: u32, desc: &StackDesc) -> Self {
        Self::with_basis(seed, desc, Basis::Gradient)
    }

    /// Octaves of any noise, from a description that passes its check. Only gradient noise and Worley's repeat with a period.
    pub fn with_basis(seed: u32, desc: &StackDesc, basis: Basis) -> Self {
        const { assert!(D == 2 || D == 3, "noise is of the plane or of space") };
        debug_assert_eq!(desc.check(), Ok(()));
        let scale = match basis {
            Basis::Gradient | Basis::QuickGradient => [SCALE, space::SCALE][D - 2],
            Basis::Simplex => simplex::SCALE[D - 2],
            Basis::Worley(_) => 1.0,
        };
        // Products one by one: the precision of `powi` is the platform's affair.
        let (mut factor, mut amplitude) = (1.0f64, scale);
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index));
            let frequency = Frequency::from_wavelength(desc.wavelength_m).times(factor);
            let octave = Octave {
                seed,
                // Without a period, and with one past 2^32 cells, this is all ones.
                mask: (desc.period_cells << index).wrapping_sub(1),
                frequency,
                skew: frequency.times(simplex::SKEW[D - 2]),
                offset: std::array::from_fn(|axis| Phase::random(seed, axis)),
                amplitude,
            };
            factor *= desc.lacunarity;
            amplitude *= desc.persistence;
            octave
        });
        StackOf { octaves: octaves.collect(), basis, scale, isa: Isa::chosen() }
    }

    /// The same stack, computed with another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Self {
        StackOf { isa, ..self }
    }

    /// What it is made of, for whoever computes the same elsewhere.
    pub fn octaves(&self) -> &[Octave<D>] {
        &self.octaves
    }

    /// Which noise the octaves are.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Brings a value of the noise to +-1.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Largest sum that the amplitudes allow.
    pub fn amplitude_sum(&self) -> f32 {
        self.octaves.iter().map(|octave| octave.amplitude).sum::<f32>() / self.scale
    }
}

/// What depends on the number of axes.
macro_rules! sums {
    ($($axes:literal)+) => {$(
        impl StackOf<$axes> {
            /// Sums over a block, each sample moved by offsets: 2^-16 m along each axis, less than 2^15 m. `out` and offsets have a value
            /// for each sample.
            pub fn points(&self, fractal: Fractal, block: &Block<$axes>, offsets: [&[i32]; $axes], out: &mut [f32]) {
                self.isa.run(Points { stack: self, fractal, block, offsets: Some(offsets), out });
            }

            /// Sums over a block. `out` has a value for each sample.
            pub fn grid(&self, fractal: Fractal, block: &Block<$axes>, scratch: &mut NoiseScratch, out: &mut [f32]) {
                match self.basis {
                    Basis::Gradient | Basis::QuickGradient => self.isa.run(Grid { stack: self, fractal, block, scratch, out }),
                    _ => self.isa.run(Points { stack: self, fractal, block, offsets: None, out }),
                }
            }
        }
    )+};
}

sums!(2 3);

impl Stack {
    /// Signed sum of all octaves over a grid. `out` has `area.edge` squared values, row by row.
    pub fn fbm_grid(&self, area: &GridArea, scratch: &mut NoiseScratch, out: &mut [f32]) {
        self.grid(Fractal::Fbm, &area.into(), scratch, out);
    }

    /// Signed sum of all octaves over a grid whose samples are moved by `warp` (2^-16 m, x and z, less than 2^15 m).
    pub fn fbm_warped(&self, area: &GridArea, warp: [&[i32]; 2], out: &mut [f32]) {
        self.points(Fractal::Fbm, &area.into(), warp, out);
    }

    /// Ridged sum over a grid whose samples are moved by `warp`.
    pub fn ridged_warped(&self, area: &GridArea, warp: [&[i32]; 2], sharpness: f32, out: &mut [f32]) {
        self.points(Fractal::Ridged { sharpness }, &area.into(), warp, out);
    }
}

impl Stack {
    /// Signed sum of all octaves, and its slopes along x and z in 1/m, where samples are or moved by offsets (see [`Stack::points`]). For
    /// gradient noise with the plane's own hash, whatever the basis is.
    pub fn fbm_slopes(&self, block: &Block<2>, offsets: Option<[&[i32]; 2]>, out: [&mut [f32]; 3]) {
        self.isa.run(Slopes { stack: self, block, offsets, out });
    }
}

impl<const D: usize> Octave<D> {
    /// What its slopes are multiplied by, which are for a cell, to be for a metre.
    pub fn slope_amplitude(&self) -> f32 {
        self.amplitude * (self.frequency.0 as f32 * (1.0 / 4_294_967_296.0))
    }

    /// Where a block begins along x.
    fn start(&self, block: &Block<D>) -> Phase {
        self.frequency.phase(block.metres[0], self.offset[0])
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
