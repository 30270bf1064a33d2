//! In: octaves of gradient noise in the plane, a block, offsets. Out: their sum, and its exact slopes along x and z.
//! Never knows: what slopes are for.

use super::{
    OCTAVES_MAX, Stack,
    block::{BATCH, Batch, Block, Piece},
    lattice::{Along, Walk, shift, value_and_slope},
    near::Near,
};
use terrane_simd::{Kernel, Simd};

/// See [`Stack::fbm_slopes`].
pub(super) struct Slopes<'a> {
    pub stack: &'a Stack,
    pub block: &'a Block<2>,
    pub offsets: Option<[&'a [i32]; 2]>,
    pub out: [&'a mut [f32]; 3],
}

impl Kernel for Slopes<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Slopes { stack, block, offsets, out } = self;
        let mut kept = [(Near::new(s), Walk::new(s, 0)); OCTAVES_MAX as usize];
        for (octave, (_, walk)) in stack.octaves.iter().zip(&mut kept) {
            *walk = Walk::new(s, octave.frequency.over(block.step_m));
        }
        let mut piece = Piece::new();
        for samples in block.pieces() {
            piece.enter(block, &samples, offsets);
            let mut sums = [Batch([0.0; BATCH]); 3];
            for (octave, (near, walk)) in stack.octaves.iter().zip(&mut kept) {
                let frequency = octave.frequency;
                let amplitude = s.f32(octave.amplitude);
                let slope_amplitude = s.f32(octave.slope_amplitude());
                let mut x = walk.from(s, frequency.phase(piece.metres[0], octave.offset[0]));
                let z = s.u64(frequency.phase(piece.metres[1], octave.offset[1]).0);
                for at in (0..piece.len).step_by(S::LANES) {
                    let along_x = Along::new(s, x + shift(s, frequency, piece.offset(s, 0, at)));
                    let along_z = Along::new(s, z + shift(s, frequency, piece.offset(s, 1, at)));
                    let corners = near.corners(octave.seed, octave.mask, along_x.cell, along_z.cell);
                    let [value, dx, dz] = value_and_slope(s, &along_x, &along_z, corners);
                    let terms = [amplitude * value, slope_amplitude * dx, slope_amplitude * dz];
                    for (sum, term) in sums.iter_mut().zip(terms) {
                        s.store(s.load(&sum.0[at..]) + term, &mut sum.0[at..]);
                    }
                    x = x + walk.stride;
                }
            }
            for part in 0..3 {
                out[part][samples.clone()].copy_from_slice(&sums[part].0[..piece.len]);
            }
        }
    }
}
