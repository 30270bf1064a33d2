//! In: octaves, a block, how far each sample is moved. Out: sums of octaves at the moved places.
//! Never knows: where offsets come from; which noise it is.
//!
//! Samples go in pieces of rows: octave by octave, so that the vectors of a piece are independent of each other and the processor can
//! overlap them, and their sums stay in the first-level cache.

use super::{
    Basis, OCTAVES_MAX, Octave, StackOf,
    block::{BATCH, Batch, Block, Piece},
    fractal::Fractal,
    lattice::{self, Along, Walk, between, edge, shift},
    near::Near,
    quick::Quick,
    simplex::{Simplex2, Simplex3},
    space,
    worley::Nearest,
};
use crate::phase::Phase;
use terrane_simd::{Kernel, Simd};

/// One octave of a noise at places on its lattice.
pub(super) trait PointNoise<S: Simd, const D: usize>: Copy {
    /// Whether the lattice is skewed along the diagonal.
    const IS_SKEWED: bool;
    /// Noise, before its scale. Seed and mask are the same each time, for each copy.
    fn value(&mut self, s: S, seed: u32, mask: u32, phases: [S::U64; D]) -> S::F32;
}

impl<S: Simd> PointNoise<S, 2> for Near<S> {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: u32, phases: [S::U64; 2]) -> S::F32 {
        let (x, z) = (Along::new(s, phases[0]), Along::new(s, phases[1]));
        let [a, b, c, d] = self.corners(seed, mask, x.cell, z.cell);
        between(s, edge(s, &x, a, b), edge(s, &x, c, d), z.fraction, z.fade)
    }
}

impl<S: Simd> PointNoise<S, 3> for space::Gradients<S> {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: u32, phases: [S::U64; 3]) -> S::F32 {
        space::value(s, self, seed, mask, &[Along::new(s, phases[0]), Along::new(s, phases[1]), Along::new(s, phases[2])])
    }
}

/// See [`StackOf::points`].
pub(super) struct Points<'a, const D: usize> {
    pub stack: &'a StackOf<D>,
    pub fractal: Fractal,
    pub block: &'a Block<D>,
    pub offsets: Option<[&'a [i32]; D]>,
    pub out: &'a mut [f32],
}

impl Kernel for Points<'_, 2> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.stack.basis {
            Basis::Gradient => self.sum(s, Near::new(s)),
            Basis::QuickGradient => self.sum(s, Quick(lattice::Gradients::new(s))),
            Basis::Simplex => self.sum(s, Simplex2(lattice::Gradients::new(s))),
            Basis::Worley(which) => self.sum(s, Nearest(which)),
        }
    }
}

impl Kernel for Points<'_, 3> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.stack.basis {
            Basis::Gradient | Basis::QuickGradient => self.sum(s, space::Gradients::new(s)),
            Basis::Simplex => self.sum(s, Simplex3(space::Gradients::new(s))),
            Basis::Worley(which) => self.sum(s, Nearest(which)),
        }
    }
}

impl<const D: usize> Points<'_, D> {
    #[inline(always)]
    fn sum<S: Simd>(self, s: S, basis: impl PointNoise<S, D>) {
        let Points { stack, fractal, block, offsets, out } = self;
        let mut states = [State { basis, walk: Walk::new(s, 0), diagonal: Walk::new(s, 0) }; OCTAVES_MAX as usize];
        for (octave, state) in stack.octaves.iter().zip(&mut states) {
            state.walk = Walk::new(s, octave.frequency.over(block.step_m));
            state.diagonal = Walk::new(s, octave.skew.over(block.step_m));
        }
        for samples in block.pieces() {
            let piece = Piece::new(block, &samples, offsets);
            let (mut values, mut sums, mut weights) = (Batch([0.0; BATCH]), Batch([0.0; BATCH]), Batch([1.0; BATCH]));
            let len = piece.len.next_multiple_of(S::LANES);
            for (octave, state) in stack.octaves.iter().zip(&mut states) {
                state.noise(s, octave, &piece, &mut values);
                fractal.add(s, octave.amplitude, stack.scale, &values.0[..len], &mut sums.0[..len], &mut weights.0);
            }
            if let Some(factor) = fractal.last_factor(stack.scale) {
                for sum in &mut sums.0 {
                    *sum *= factor;
                }
            }
            out[samples].copy_from_slice(&sums.0[..piece.len]);
        }
    }
}

/// What one octave keeps from piece to piece.
#[derive(Clone, Copy)]
struct State<S: Simd, B> {
    basis: B,
    walk: Walk<S>,
    /// How the sum of the coordinates goes on, in cells of the skew.
    diagonal: Walk<S>,
}

impl<S: Simd, B> State<S, B> {
    /// The octave at a piece.
    #[inline(always)]
    fn noise<const D: usize>(&mut self, s: S, octave: &Octave<D>, piece: &Piece<D>, values: &mut Batch<f32>)
    where
        B: PointNoise<S, D>,
    {
        let Octave { seed, mask, frequency, skew, offset, .. } = *octave;
        let mut along = [s.u64(0); D];
        for axis in 0..D {
            along[axis] = s.u64(frequency.phase(piece.metres[axis], offset[axis]).0);
        }
        along[0] = self.walk.from(s, frequency.phase(piece.metres[0], offset[0]));
        let mut diagonal = self.diagonal.from(s, piece.metres.iter().fold(Phase(0), |sum, metre| skew.phase(*metre, sum)));
        for at in (0..piece.len).step_by(S::LANES) {
            let (mut phases, mut skewed) = (along, diagonal);
            for (axis, phase) in phases.iter_mut().enumerate() {
                let units = piece.offset(s, axis, at);
                *phase = *phase + shift(s, frequency, units);
                if B::IS_SKEWED {
                    skewed = skewed + shift(s, skew, units);
                }
            }
            if B::IS_SKEWED {
                for phase in &mut phases {
                    *phase = *phase + skewed;
                }
                diagonal = diagonal + self.diagonal.stride;
            }
            s.store(self.basis.value(s, seed, mask, phases), &mut values.0[at..]);
            along[0] = along[0] + self.walk.stride;
        }
    }
}
