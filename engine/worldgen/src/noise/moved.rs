//! In: how far samples are moved, frequencies of octaves. Out: by how much that moves their phases.
//! Never knows: where samples are, which noise it is.
//!
//! Octaves whose frequencies are that of one times a power of two, as is usual, share a product of 32 by 32 bits for each sample and axis:
//! the products stay, and each octave shifts them by its own count. That is exact: floor(units x frequency x 2^k / 2^16) is the product
//! shifted right by 16 - k.
#![expect(clippy::needless_range_loop, reason = "closures over arrays of vectors are not inlined here: up to ten times slower")]

use super::block::{BATCH, Piece};
use crate::phase::{Frequency, Phase};
use terrane_simd::Simd;

/// Vectors of a piece, where a vector has at least four lanes.
const VECTORS: usize = BATCH / 4;
/// Fraction bits of [`Piece::offsets`].
const UNIT_BITS: u32 = 16;
/// Products are moved up by it, so that all are positive and shift without a sign, for which AVX2 has no instruction.
const UP: u64 = 1 << 63;

/// How far the samples of a piece are moved along the axes of a lattice, for one octave after the other.
pub(super) struct Moved<S: Simd, const D: usize, const IS_SKEWED: bool> {
    products: [[S::U64; VECTORS]; D],
    /// What the products are of, if they serve others: along the axis, and along the sum of all.
    of: Option<[Frequency; 2]>,
    /// How many more fraction bits the products have than this octave's phases.
    bits: u32,
}

impl<S: Simd, const D: usize, const IS_SKEWED: bool> Moved<S, D, IS_SKEWED> {
    /// Nothing yet.
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Moved { products: [[s.u64(0); VECTORS]; D], of: None, bits: 0 }
    }

    /// Goes on to another piece.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.of = None;
    }

    /// Goes on to an octave of a piece.
    #[inline(always)]
    pub fn enter(&mut self, s: S, piece: &Piece<D>, frequency: Frequency, skew: Frequency) {
        let skew = if IS_SKEWED { skew } else { Frequency(0) };
        if let Some(bits) = self.of.and_then(|of| bits_between(of, [frequency, skew])) {
            self.bits = bits;
            return;
        }
        // Below 2^31, products and their sum have all of their bits. Others have them in two parts, and are shifted at once.
        let is_small = frequency.0 < 1 << 31;
        (self.of, self.bits) = (is_small.then_some([frequency, skew]), if is_small { UNIT_BITS } else { 0 });
        for (vector, at) in (0..piece.len).step_by(S::LANES).enumerate() {
            let mut units = [s.u32(0); D];
            for axis in 0..D {
                units[axis] = piece.offset(s, axis, at);
            }
            let whole = if is_small { [frequency.0, skew.0] } else { [frequency.0 >> UNIT_BITS, skew.0 >> UNIT_BITS] };
            let moved = products::<S, D, IS_SKEWED>(s, units, whole, UP);
            for axis in 0..D {
                self.products[axis][vector] = moved[axis];
            }
            if !is_small {
                let rest = products::<S, D, IS_SKEWED>(s, units, [frequency.0 & 0xffff, skew.0 & 0xffff], 0);
                for axis in 0..D {
                    self.products[axis][vector] = moved[axis] + s.sar64(rest[axis], UNIT_BITS);
                }
            }
        }
    }

    /// By how much [`Self::add`] shifts.
    #[inline(always)]
    pub fn count(&self, s: S) -> S::U64 {
        s.u64(u64::from(self.bits))
    }

    /// What [`Self::add`] adds to for this phase: without what the products are moved up by.
    #[inline(always)]
    pub fn down(&self, phase: Phase) -> Phase {
        phase.moved((UP >> self.bits).wrapping_neg())
    }

    /// The phases of a vector along an axis, moved.
    #[inline(always)]
    pub fn add(&self, s: S, count: S::U64, axis: usize, at: usize, phases: S::U64) -> S::U64 {
        phases + s.shr64_each(self.products[axis][at / S::LANES], count)
    }
}

/// By how much the products of some frequencies are to be shifted to be those of others, if that is all.
fn bits_between(of: [Frequency; 2], frequencies: [Frequency; 2]) -> Option<u32> {
    (0..UNIT_BITS).find(|doublings| of.map(|of| Frequency(of.0 << doublings)) == frequencies).map(|doublings| UNIT_BITS - doublings)
}

/// Each unit by a frequency; on a skewed lattice their sum by another, too.
#[inline(always)]
fn products<S: Simd, const D: usize, const IS_SKEWED: bool>(s: S, units: [S::U32; D], [along, skew]: [u64; 2], start: u64) -> [S::U64; D] {
    let mut all = s.u64(start);
    if IS_SKEWED {
        for units in units {
            all = all + s.mul_wide(units, s.u32(skew as u32));
        }
    }
    let mut products = [all; D];
    for axis in 0..D {
        products[axis] = all + s.mul_wide(units[axis], s.u32(along as u32));
    }
    products
}
