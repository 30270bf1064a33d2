//! In: phases, a vector of them at a time. Out: where in a lattice cell that is, and the hashes and gradients of its corners.
//! Never knows: octaves, blocks, amplitudes.
//!
//! The vector form of [`crate::phase`] and [`terrane_base::hash`], and what all gradient noise in the plane shares: after Perlin 2002
//! (quintic fade), with eight gradients at odd multiples of 22.5 degrees so that none lies along the axes or diagonals.

use super::columns::Row;
use crate::phase::{Frequency, Phase};
use terrane_simd::Simd;

/// tan(22.5 degrees): the gradients are (+-1, +-K) and (+-K, +-1).
pub(super) const K: f32 = 0.414_213_56;
/// Brings the extremes of one octave close to +-1.
pub const SCALE: f32 = 1.306_563;

/// The gradients by three bits: two signs and which axis is the long one. Twice, as [`Simd::lookup8`] wants.
const GRADIENTS: [[f32; 16]; 2] =
    [[1.0, -1.0, 1.0, -1.0, K, K, -K, -K, 1.0, -1.0, 1.0, -1.0, K, K, -K, -K], [K, K, -K, -K, 1.0, -1.0, 1.0, -1.0, K, K, -K, -K, 1.0, -1.0, 1.0, -1.0]];

/// Where samples are along one axis.
#[derive(Clone, Copy)]
pub(super) struct Along<S: Simd> {
    pub cell: S::U32,
    pub fraction: S::F32,
    pub fade: S::F32,
}

impl<S: Simd> Along<S> {
    #[inline(always)]
    pub fn new(s: S, phase: S::U64) -> Self {
        let fraction = fraction(s, phase);
        Along { cell: s.high(phase), fraction, fade: fade(s, fraction) }
    }
}

/// The vector form of [`Phase::fraction`].
#[inline(always)]
pub(super) fn fraction<S: Simd>(s: S, phase: S::U64) -> S::F32 {
    s.to_f32(s.shr(s.low(phase), 8)) * s.f32(1.0 / 16_777_216.0)
}

/// Perlin's quintic: no kink in the second derivative.
#[inline(always)]
pub(super) fn fade<S: Simd>(s: S, t: S::F32) -> S::F32 {
    t * t * t * (t * (t * s.f32(6.0) - s.f32(15.0)) + s.f32(10.0))
}

#[inline(always)]
fn fade_slope<S: Simd>(s: S, t: S::F32) -> S::F32 {
    s.f32(30.0) * t * t * (t * (t - s.f32(2.0)) + s.f32(1.0))
}

/// The vector form of [`terrane_base::hash::pcg`].
#[inline(always)]
pub(crate) fn pcg<S: Simd>(s: S, value: S::U32) -> S::U32 {
    let state = value * s.u32(747_796_405) + s.u32(2_891_336_453);
    let word = (s.shr_each(state, s.shr(state, 28) + s.u32(4)) ^ state) * s.u32(277_803_737);
    s.shr(word, 22) ^ word
}

/// The vector form of [`Frequency::shift`].
#[inline(always)]
pub(super) fn shift<S: Simd>(s: S, frequency: Frequency, units: S::U32) -> S::U64 {
    let frequency = frequency.0 as i64;
    match i32::try_from(frequency) {
        Ok(frequency) => s.sar64(s.mul_wide(units, s.u32(frequency as u32)), 16),
        Err(_) => s.mul_wide(units, s.u32((frequency >> 16) as u32)) + s.sar64(s.mul_wide(units, s.u32(frequency as u32 & 0xffff)), 16),
    }
}

/// How samples side by side go on along a lattice axis: made once for an octave and many pieces of rows.
#[derive(Clone, Copy)]
pub(super) struct Walk<S: Simd> {
    lanes: S::U64,
    /// From vector to vector.
    pub stride: S::U64,
}

impl<S: Simd> Walk<S> {
    /// `step` is what a sample adds to the phase.
    #[inline(always)]
    pub fn new(s: S, step: u64) -> Self {
        Walk { lanes: s.ramp64(0, step), stride: s.u64(step.wrapping_mul(S::LANES as u64)) }
    }

    /// The phases of the first vector from a place on.
    #[inline(always)]
    pub fn from(&self, s: S, start: Phase) -> S::U64 {
        s.u64(start.0) + self.lanes
    }
}

/// One hash that all corners of a lattice row share.
#[inline(always)]
pub(super) fn row_hash<S: Simd>(s: S, mask: u32, z_cell: S::U32) -> S::U32 {
    pcg(s, z_cell & s.u32(mask))
}

/// What gradients are looked up with.
#[derive(Clone, Copy)]
pub(super) struct Gradients<S: Simd>([S::Table; 2]);

/// A row of corners along x.
pub(super) struct PlaneRow<S: Simd> {
    pub gradients: Gradients<S>,
    pub seed: u32,
    pub mask: u32,
    pub row_hash: S::U32,
}

impl<S: Simd> Row<S, 2> for PlaneRow<S> {
    #[inline(always)]
    fn gradient(&self, s: S, x_cell: S::U32) -> [S::F32; 2] {
        self.gradients.at(s, self.seed, self.mask, x_cell, self.row_hash)
    }
}

impl<S: Simd> Gradients<S> {
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Gradients([s.table(&GRADIENTS[0]), s.table(&GRADIENTS[1])])
    }

    /// The gradient of a lattice corner.
    #[inline(always)]
    pub fn at(&self, s: S, seed: u32, mask: u32, x_cell: S::U32, row_hash: S::U32) -> [S::F32; 2] {
        self.lookup(s, s.shr(pcg(s, s.u32(seed) ^ pcg(s, x_cell & s.u32(mask) ^ row_hash)), 29))
    }

    /// The gradient of a number below 8.
    #[inline(always)]
    pub fn lookup(&self, s: S, bits: S::U32) -> [S::F32; 2] {
        [s.lookup8(self.0[0], bits), s.lookup8(self.0[1], bits)]
    }
}

/// Along a lattice row between two corners: the part of the noise that does not depend on the place across, and the parts that are linear
/// in it.
#[inline(always)]
pub(super) fn edge<S: Simd, const PARTS: usize>(s: S, x: &Along<S>, west: [S::F32; PARTS], east: [S::F32; PARTS]) -> [S::F32; PARTS] {
    let mut parts = west;
    let l = west[0] * x.fraction;
    let r = east[0] * (x.fraction - s.f32(1.0));
    parts[0] = l + (r - l) * x.fade;
    for part in 1..PARTS {
        parts[part] = west[part] + (east[part] - west[part]) * x.fade;
    }
    parts
}

/// What [`edge`] changes by along x.
#[inline(always)]
fn edge_slope<S: Simd>(s: S, x: &Along<S>, left: [S::F32; 2], right: [S::F32; 2]) -> [S::F32; 2] {
    let l = left[0] * x.fraction;
    let r = right[0] * (x.fraction - s.f32(1.0));
    let slope = fade_slope(s, x.fraction);
    [left[0] + (right[0] - left[0]) * x.fade + (r - l) * slope, (right[1] - left[1]) * slope]
}

/// Between two lattice rows.
#[inline(always)]
pub(super) fn between<S: Simd>(s: S, low: [S::F32; 2], high: [S::F32; 2], fraction: S::F32, fade: S::F32) -> S::F32 {
    let a = low[0] + low[1] * fraction;
    let b = high[0] + high[1] * (fraction - s.f32(1.0));
    a + (b - a) * fade
}

/// Noise in a cell of the plane and its slopes along both axes, per cell (Quilez, "gradient noise derivatives"), from the gradients at the
/// corners (0, 0), (1, 0), (0, 1), (1, 1).
#[inline(always)]
pub(super) fn value_and_slope<S: Simd>(s: S, x: &Along<S>, z: &Along<S>, [a, b, c, d]: [[S::F32; 2]; 4]) -> [S::F32; 3] {
    let (low, high) = (edge(s, x, a, b), edge(s, x, c, d));
    let below = low[0] + low[1] * z.fraction;
    let above = high[0] + high[1] * (z.fraction - s.f32(1.0));
    let dx = between(s, edge_slope(s, x, a, b), edge_slope(s, x, c, d), z.fraction, z.fade);
    let dz = low[1] + (high[1] - low[1]) * z.fade + (above - below) * fade_slope(s, z.fraction);
    [below + (above - below) * z.fade, dx, dz]
}
