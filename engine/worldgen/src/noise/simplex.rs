//! In: places on a skewed lattice. Out: simplex noise.
//! Never knows: octaves, metres.
//!
//! Perlin 2001, as Gustavson explains it ("Simplex noise demystified", 2005), with a kernel radius^2 of 1/2, where it has no jumps. The
//! skewed coordinates come as fixed-point phases (`points`), so cells are exact however far out; what is left is within one cell.

use super::{lattice, points::PointNoise, space};
use terrane_simd::Simd;

/// Skewed = straight + sum x this: (sqrt(3) - 1) / 2 in the plane, 1/3 in space.
pub(super) const SKEW: [f64; 2] = [0.366_025_403_784_438_6, 1.0 / 3.0];
/// Straight = skewed - sum x this: (3 - sqrt(3)) / 6.
const UNSKEW_2: f32 = 0.211_324_87;
const UNSKEW_3: f32 = 1.0 / 6.0;
/// Bring the extremes of one octave close to +-1.
pub(super) const SCALE: [f32; 2] = [91.0, 76.0];

/// In the plane.
#[derive(Clone, Copy)]
pub(super) struct Simplex2<S: Simd>(pub lattice::Gradients<S>);

/// In space.
#[derive(Clone, Copy)]
pub(super) struct Simplex3<S: Simd>(pub space::Gradients<S>);

impl<S: Simd> PointNoise<S, 2> for Simplex2<S> {
    const IS_SKEWED: bool = true;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 2]) -> S::F32 {
        let (one, zero) = (s.f32(1.0), s.f32(0.0));
        let [u, v] = [lattice::fraction(s, phases[0]), lattice::fraction(s, phases[1])];
        let back = (u + v) * s.f32(UNSKEW_2);
        let (x, y) = (u - back, v - back);
        // The middle corner lies along the larger coordinate.
        let east = s.less(y, x);
        let (x_1, y_1) = (x - s.select(east, one, zero) + s.f32(UNSKEW_2), y - s.select(east, zero, one) + s.f32(UNSKEW_2));
        let (x_2, y_2) = (x - s.f32(1.0 - 2.0 * UNSKEW_2), y - s.f32(1.0 - 2.0 * UNSKEW_2));
        let shares_i = space::shares(s, mask, 0, s.high(phases[0]));
        let [near, next] = space::shares(s, mask, 1, s.high(phases[1]));
        let shares_j = [near ^ s.u32(seed), next ^ s.u32(seed)];
        let middle = s.select_u32(east, shares_i[1], shares_i[0]) ^ s.select_u32(east, shares_j[0], shares_j[1]);
        self.corner(s, shares_i[0] ^ shares_j[0], x, y) + self.corner(s, middle, x_1, y_1) + self.corner(s, shares_i[1] ^ shares_j[1], x_2, y_2)
    }
}

impl<S: Simd> Simplex2<S> {
    #[inline(always)]
    fn corner(&self, s: S, shares: S::U32, x: S::F32, y: S::F32) -> S::F32 {
        let [g_x, g_y] = self.0.lookup(s, s.shr(space::mix(s, shares), 29));
        falloff(s, x * x + y * y) * (g_x * x + g_y * y)
    }
}

impl<S: Simd> PointNoise<S, 3> for Simplex3<S> {
    const IS_SKEWED: bool = true;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 3]) -> S::F32 {
        let (one, zero) = (s.f32(1.0), s.f32(0.0));
        let [u, v, w] = [lattice::fraction(s, phases[0]), lattice::fraction(s, phases[1]), lattice::fraction(s, phases[2])];
        let back = (u + v + w) * s.f32(UNSKEW_3);
        let (x, y, z) = (u - back, v - back, w - back);
        // Corners are reached along the largest coordinate first, the smallest last.
        let (x_y, y_z, x_z) = (!s.less(x, y), !s.less(y, z), !s.less(x, z));
        let first = [x_y & x_z, !x_y & y_z, !(x_z | y_z)];
        let second = [x_y | x_z, !x_y | y_z, !(x_z & y_z)];
        let [i, i_next] = space::shares(s, mask, 0, s.high(phases[0]));
        let [j, j_next] = space::shares(s, mask, 1, s.high(phases[1]));
        let [k, k_next] = space::shares(s, mask, 2, s.high(phases[2]));
        let (low, high) = ([i, j, k ^ s.u32(seed)], [i_next, j_next, k_next ^ s.u32(seed)]);
        let mut sum = self.corner(s, low[0] ^ low[1] ^ low[2], x, y, z);
        for (index, steps) in [first, second].into_iter().enumerate() {
            let moved = s.f32(UNSKEW_3 * (index + 1) as f32);
            let shares = s.select_u32(steps[0], high[0], low[0]) ^ s.select_u32(steps[1], high[1], low[1]) ^ s.select_u32(steps[2], high[2], low[2]);
            let x = x - s.select(steps[0], one, zero) + moved;
            let y = y - s.select(steps[1], one, zero) + moved;
            let z = z - s.select(steps[2], one, zero) + moved;
            sum = sum + self.corner(s, shares, x, y, z);
        }
        let far = s.f32(1.0 - 3.0 * UNSKEW_3);
        sum + self.corner(s, high[0] ^ high[1] ^ high[2], x - far, y - far, z - far)
    }
}

impl<S: Simd> Simplex3<S> {
    #[inline(always)]
    fn corner(&self, s: S, shares: S::U32, x: S::F32, y: S::F32, z: S::F32) -> S::F32 {
        let [g_x, g_y, g_z] = self.0.at(s, shares);
        falloff(s, x * x + y * y + z * z) * (g_x * x + g_y * y + g_z * z)
    }
}

/// (1/2 - distance^2)^4, and 0 beyond.
#[inline(always)]
fn falloff<S: Simd>(s: S, distance_2: S::F32) -> S::F32 {
    let t = s.f32(0.5) - distance_2;
    let t = s.not_below_0(t);
    t * t * (t * t)
}
