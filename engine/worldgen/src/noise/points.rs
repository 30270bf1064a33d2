//! In: octaves, a block, how far each sample is moved. Out: sums of octaves at the moved places.
//! Never knows: where offsets come from; which noise it is.
//!
//! Samples go in pieces of rows: octave by octave, so that the vectors of a piece are independent of each other and the processor can
//! overlap them, and their sums stay in the first-level cache.
#![expect(clippy::needless_range_loop, reason = "closures over arrays of vectors are not inlined here: up to ten times slower")]

use super::{
    Basis, OCTAVES_MAX, Octave, StackOf,
    block::{BATCH, Batch, Block, Piece},
    fractal::Fractal,
    lattice::{self, Along, Walk, between, edge},
    moved::Moved,
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
    /// Noise, before its scale. Seed and mask are the same each time, for each copy. Without a mask cells never wrap.
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; D]) -> S::F32;
}

impl<S: Simd> PointNoise<S, 2> for Near<S> {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 2]) -> S::F32 {
        let (x, z) = (Along::new(s, phases[0]), Along::new(s, phases[1]));
        let [a, b, c, d] = self.corners(seed, mask.unwrap_or(u32::MAX), x.cell, z.cell);
        between(s, edge(s, &x, a, b), edge(s, &x, c, d), z.fraction, z.fade)
    }
}

impl<S: Simd> PointNoise<S, 3> for space::Gradients<S> {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 3]) -> S::F32 {
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
    fn sum<S: Simd, B: PointNoise<S, D>>(self, s: S, basis: B) {
        if B::IS_SKEWED { self.sum_on::<S, B, true>(s, basis) } else { self.sum_on::<S, B, false>(s, basis) }
    }

    #[inline(always)]
    fn sum_on<S: Simd, B: PointNoise<S, D>, const IS_SKEWED: bool>(self, s: S, basis: B) {
        let Points { stack, fractal, block, offsets, out } = self;
        let mut states = [State { basis, walks: [Walk::new(s, 0); 2] }; OCTAVES_MAX as usize];
        for (octave, state) in stack.octaves.iter().zip(&mut states) {
            let skew = if IS_SKEWED { octave.skew.over(block.step_m) } else { 0 };
            state.walks = [Walk::new(s, octave.frequency.over(block.step_m).wrapping_add(skew)), Walk::new(s, skew)];
        }
        let (mut moved, mut piece) = (Moved::new(s), Piece::new());
        let (mut values, mut sums, mut weights) = (Batch([0.0; BATCH]), Batch([0.0; BATCH]), Batch([0.0; BATCH]));
        for samples in block.pieces() {
            piece.enter(block, &samples, offsets);
            moved.clear();
            let len = piece.len.next_multiple_of(S::LANES);
            sums.0[..len].fill(0.0);
            weights.0[..len].fill(1.0);
            for (octave, state) in stack.octaves.iter().zip(&mut states) {
                moved.enter(s, &piece, octave.frequency, octave.skew);
                // Nearly all lattices are without end, and their corners cheaper.
                let mask = (octave.mask != u32::MAX).then_some(octave.mask);
                // The usual sum does not take the way through memory.
                let to = if fractal == Fractal::Fbm { To::Sums(&mut sums) } else { To::Values(&mut values) };
                match mask {
                    None => state.noise::<D, IS_SKEWED>(s, octave, None, &piece, &moved, to),
                    mask => state.noise::<D, IS_SKEWED>(s, octave, mask, &piece, &moved, to),
                }
                if fractal != Fractal::Fbm {
                    fractal.add(s, octave.amplitude, stack.scale, &values.0[..len], &mut sums.0[..len], &mut weights.0[..len]);
                }
            }
            if let Some(factor) = fractal.last_factor(stack.scale) {
                for sum in &mut sums.0[..len] {
                    *sum *= factor;
                }
            }
            out[samples].copy_from_slice(&sums.0[..piece.len]);
        }
    }
}

/// Where an octave's values go.
enum To<'a> {
    /// As they are.
    Values(&'a mut Batch<f32>),
    /// Times the octave's amplitude, added.
    Sums(&'a mut Batch<f32>),
}

/// What one octave keeps from piece to piece.
#[derive(Clone, Copy)]
struct State<S: Simd, B> {
    basis: B,
    /// How samples go on along the first axis, and along the others, which move only where the lattice is skewed.
    walks: [Walk<S>; 2],
}

impl<S: Simd, B> State<S, B> {
    /// The octave at a piece.
    #[inline(always)]
    fn noise<const D: usize, const IS_SKEWED: bool>(
        &mut self,
        s: S,
        octave: &Octave<D>,
        mask: Option<u32>,
        piece: &Piece<D>,
        moved: &Moved<S, D, IS_SKEWED>,
        mut to: To<'_>,
    ) where
        B: PointNoise<S, D>,
    {
        let mut diagonal = Phase(0);
        if IS_SKEWED {
            for metre in piece.metres {
                diagonal = octave.skew.phase(metre, diagonal);
            }
        }
        let mut along = [s.u64(0); D];
        for axis in 0..D {
            let start = moved.down(octave.frequency.phase(piece.metres[axis], octave.offset[axis]).moved(diagonal.0));
            along[axis] = if IS_SKEWED || axis == 0 { self.walks[axis.min(1)].from(s, start) } else { s.u64(start.0) };
        }
        let (count, amplitude) = (moved.count(s), s.f32(octave.amplitude));
        for at in (0..piece.len).step_by(S::LANES) {
            let mut phases = along;
            for axis in 0..D {
                phases[axis] = moved.add(s, count, axis, at, along[axis]);
            }
            let value = self.basis.value(s, octave.seed, mask, phases);
            match &mut to {
                To::Values(values) => s.store(value, &mut values.0[at..]),
                To::Sums(sums) => s.store(s.load(&sums.0[at..]) + amplitude * value, &mut sums.0[at..]),
            }
            for axis in 0..if IS_SKEWED { D } else { 1 } {
                along[axis] = along[axis] + self.walks[axis.min(1)].stride;
            }
        }
    }
}
