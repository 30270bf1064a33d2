//! In: octaves, an area, how far each sample is moved. Out: sums of octaves at the moved places.
//! Never knows: where the warp comes from.
//!
//! Samples go in pieces of rows: octave by octave, so that the vectors of a piece are independent of each other and the processor can
//! overlap them, and their sums stay in the first-level cache.

use super::{
    Octave,
    lattice::{Along, between, edge, ramp, shift},
    near::Near,
};
use crate::GridArea;
use terrane_simd::{Kernel, Simd};

/// Samples that go through all octaves together.
pub(super) const BATCH: usize = 64;

/// Values of a piece, on a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Batch<T>(pub [T; BATCH]);

/// At most [`BATCH`] values; the last one repeats.
#[inline(always)]
fn padded(values: &[i32]) -> Batch<i32> {
    let mut batch = Batch([values.last().copied().unwrap_or(0); BATCH]);
    batch.0[..values.len()].copy_from_slice(values);
    batch
}

/// A piece of a row: at most [`BATCH`] samples from a place on.
pub(super) struct Piece {
    /// The first sample.
    pub metres: [i64; 2],
    pub step_m: u32,
    /// Samples.
    pub len: usize,
    /// How far each is moved, 2^-16 m along x and z. Behind the last sample it repeats, so that a whole vector stays in its cells.
    pub warp: [Batch<i32>; 2],
}

impl Piece {
    #[inline(always)]
    pub fn new(metres: [i64; 2], step_m: u32, warp: [&[i32]; 2]) -> Piece {
        let len = warp[0].len();
        Piece { metres, step_m, len, warp: [padded(warp[0]), padded(warp[1])] }
    }

    /// Calls with each vector's first index, and what an octave's noise is there.
    #[inline(always)]
    fn octave<S: Simd>(&self, s: S, octave: &Octave, mut take: impl FnMut(usize, S::F32)) {
        let mut near = Near::new(s, octave.seed, octave.mask);
        let step = octave.frequency.over(self.step_m);
        let mut x = ramp(s, octave.frequency.phase(self.metres[0], octave.offset[0]), step);
        let z = s.u64(octave.frequency.phase(self.metres[1], octave.offset[1]).0);
        let stride = s.u64(step.wrapping_mul(S::LANES as u64));
        for at in (0..self.len).step_by(S::LANES) {
            let along_x = Along::new(s, x + shift(s, octave.frequency, s.load_i32(&self.warp[0].0[at..])));
            let along_z = Along::new(s, z + shift(s, octave.frequency, s.load_i32(&self.warp[1].0[at..])));
            let [a, b, c, d] = near.corners(along_x.cell, along_z.cell);
            take(at, between(s, edge(s, &along_x, a, b), edge(s, &along_x, c, d), along_z.fraction, along_z.fade));
            x = x + stride;
        }
    }
}

/// See [`super::Stack::fbm_warped`].
pub(super) struct FbmWarped<'a> {
    pub octaves: &'a [Octave],
    pub area: &'a GridArea,
    pub warp: [&'a [i32]; 2],
    pub out: &'a mut [f32],
}

impl Kernel for FbmWarped<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        pieces(
            self.area,
            self.warp,
            self.out,
            #[inline(always)]
            |piece, out| {
                let mut sums = Batch([0.0; BATCH]);
                for octave in self.octaves {
                    let amplitude = s.f32(octave.amplitude);
                    piece.octave(
                        s,
                        octave,
                        #[inline(always)]
                        |at, value| {
                            let sum = &mut sums.0[at..];
                            s.store(s.load(sum) + amplitude * value, sum);
                        },
                    );
                }
                out.copy_from_slice(&sums.0[..out.len()]);
            },
        );
    }
}

/// See [`super::Stack::ridged_warped`].
pub(super) struct RidgedWarped<'a> {
    pub octaves: &'a [Octave],
    pub area: &'a GridArea,
    pub warp: [&'a [i32]; 2],
    pub sharpness: f32,
    pub out: &'a mut [f32],
}

impl Kernel for RidgedWarped<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (zero, one, scale, sharpness) = (s.f32(0.0), s.f32(1.0), s.f32(super::SCALE), s.f32(self.sharpness));
        let half = s.f32(0.5 / super::SCALE);
        pieces(
            self.area,
            self.warp,
            self.out,
            #[inline(always)]
            |piece, out| {
                let (mut sums, mut weights) = (Batch([0.0; BATCH]), Batch([1.0; BATCH]));
                for octave in self.octaves {
                    let amplitude = s.f32(octave.amplitude);
                    piece.octave(
                        s,
                        octave,
                        #[inline(always)]
                        |at, value| {
                            let value = value * scale;
                            let fold = s.select(s.less(value, zero), one + value, one - value);
                            let ridge = fold * fold;
                            let weight = s.load(&weights.0[at..]);
                            s.store(s.load(&sums.0[at..]) + ridge * weight * amplitude, &mut sums.0[at..]);
                            s.store(unit(s, ridge * sharpness), &mut weights.0[at..]);
                        },
                    );
                }
                for (sums, out) in sums.0.chunks_exact(S::LANES).zip(out.chunks_mut(S::LANES)) {
                    s.store_part(s.load(sums) * half, out);
                }
            },
        );
    }
}

/// The vector form of [`super::unit`].
#[inline(always)]
fn unit<S: Simd>(s: S, t: S::F32) -> S::F32 {
    let (zero, one) = (s.f32(0.0), s.f32(1.0));
    s.select(s.less(one, t), one, s.select(s.less(t, zero), zero, t))
}

/// Cuts an area into pieces of rows.
#[inline(always)]
fn pieces(area: &GridArea, warp: [&[i32]; 2], out: &mut [f32], mut take: impl FnMut(&Piece, &mut [f32])) {
    for row in 0..area.edge {
        for column in (0..area.edge).step_by(BATCH) {
            let first = row * area.edge + column;
            let samples = first..first + (area.edge - column).min(BATCH);
            let warp = [&warp[0][samples.clone()], &warp[1][samples.clone()]];
            let piece = Piece::new(area.metres(column, row), area.step_m, warp);
            take(&piece, &mut out[samples]);
        }
    }
}
