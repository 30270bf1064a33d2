//! In: places on a lattice. Out: squared distances to the nearest points of a random set, one point a cell.
//! Never knows: octaves, metres.
//!
//! Worley 1996 ("A cellular texture basis function"), over the 3 x 3 (x 3) cells around. Distances stay squared, in cells: a square root is not
//! the same on every processor. Its cells are those of a Voronoi diagram; F2 - F1 is 0 along their borders.

use super::{lattice, points::PointNoise, space};
use terrane_simd::Simd;

/// Which distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worley {
    /// To the nearest point, squared.
    F1,
    /// To the second nearest, squared.
    F2,
    /// Their difference.
    F2MinusF1,
}

/// Bits of the hash that place a point along an axis.
const BITS: u32 = 10;

#[derive(Clone, Copy)]
pub(super) struct Nearest(pub Worley);

/// The two smallest so far.
#[derive(Clone, Copy)]
struct Two<S: Simd>(S::F32, S::F32);

impl<S: Simd> Two<S> {
    #[inline(always)]
    fn new(s: S) -> Self {
        // More than any distance within the cells around.
        Two(s.f32(32.0), s.f32(32.0))
    }

    #[inline(always)]
    fn take(self, s: S, distance_2: S::F32) -> Self {
        let is_first = s.less(distance_2, self.0);
        let second = s.select(s.less(distance_2, self.1), distance_2, self.1);
        Two(s.select(is_first, distance_2, self.0), s.select(is_first, self.0, second))
    }
}

impl Nearest {
    #[inline(always)]
    fn choose<S: Simd>(self, Two(first, second): Two<S>) -> S::F32 {
        match self.0 {
            Worley::F1 => first,
            Worley::F2 => second,
            Worley::F2MinusF1 => second - first,
        }
    }
}

/// All bits of it place a point.
#[inline(always)]
fn hash<S: Simd>(s: S, shares: S::U32) -> S::U32 {
    let mixed = space::mix(s, shares);
    mixed ^ s.shr(mixed, 16)
}

/// How far the point of a cell lies from `to`, along an axis.
#[inline(always)]
fn along<S: Simd>(s: S, hash: S::U32, axis: u32, to: S::F32) -> S::F32 {
    let place = s.to_f32(s.shr(s.shl(hash, axis * BITS), 32 - BITS)) * s.f32(1.0 / (1 << BITS) as f32);
    place - to
}

impl<S: Simd> PointNoise<S, 2> for Nearest {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 2]) -> S::F32 {
        let [x, y] = [lattice::fraction(s, phases[0]), lattice::fraction(s, phases[1])];
        let cells = [s.high(phases[0]), s.high(phases[1])];
        let (mask, mut two) = (mask.unwrap_or(u32::MAX), Two::new(s));
        for dy in 0..3u32 {
            let row = space::share(s, mask, 1, cells[1] + s.u32(dy.wrapping_sub(1))) ^ s.u32(seed);
            let y = y - s.f32(dy as f32 - 1.0);
            for dx in 0..3u32 {
                let hash = hash(s, row ^ space::share(s, mask, 0, cells[0] + s.u32(dx.wrapping_sub(1))));
                let x = along(s, hash, 0, x - s.f32(dx as f32 - 1.0));
                let y = along(s, hash, 1, y);
                two = two.take(s, x * x + y * y);
            }
        }
        self.choose(two)
    }
}

impl<S: Simd> PointNoise<S, 3> for Nearest {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 3]) -> S::F32 {
        let [x, y, z] = [lattice::fraction(s, phases[0]), lattice::fraction(s, phases[1]), lattice::fraction(s, phases[2])];
        let cells = [s.high(phases[0]), s.high(phases[1]), s.high(phases[2])];
        let (mask, mut two) = (mask.unwrap_or(u32::MAX), Two::new(s));
        for dz in 0..3u32 {
            let plane = space::share(s, mask, 2, cells[2] + s.u32(dz.wrapping_sub(1))) ^ s.u32(seed);
            let z = z - s.f32(dz as f32 - 1.0);
            for dy in 0..3u32 {
                let row = plane ^ space::share(s, mask, 1, cells[1] + s.u32(dy.wrapping_sub(1)));
                let y = y - s.f32(dy as f32 - 1.0);
                for dx in 0..3u32 {
                    let hash = hash(s, row ^ space::share(s, mask, 0, cells[0] + s.u32(dx.wrapping_sub(1))));
                    let x = along(s, hash, 0, x - s.f32(dx as f32 - 1.0));
                    let (y, z) = (along(s, hash, 1, y), along(s, hash, 2, z));
                    two = two.take(s, x * x + y * y + z * z);
                }
            }
        }
        self.choose(two)
    }
}
