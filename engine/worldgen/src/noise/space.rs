//! In: lattice cells in space. Out: hashes and gradients of their corners.
//! Never knows: octaves, blocks, amplitudes.
//!
//! Gradients are Perlin's of 2002: from the centre of a cube to its edges, four of them twice. The hash is cheaper than the plane's, whose
//! bits older worlds depend on: a product for each axis, and one round that mixes (the high bits are read).

use super::{
    columns::Row,
    lattice::{Along, between, edge},
};
use terrane_simd::Simd;

/// Odd, without pattern: multiples differ in all bits.
const PRIMES: [u32; 3] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];
pub(super) const MIX: u32 = 0x2c1b_3c6d;
/// Brings the extremes of one octave close to +-1.
pub(super) const SCALE: f32 = 0.966;

const GRADIENTS: [[f32; 16]; 3] = [
    [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0],
    [1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 1.0, -1.0],
];

/// An axis' share of a corner's hash. Cells wrap with `mask`.
#[inline(always)]
pub(super) fn share<S: Simd>(s: S, mask: u32, axis: usize, cell: S::U32) -> S::U32 {
    (cell & s.u32(mask)) * s.u32(PRIMES[axis])
}

/// The shares of a cell's corner and of the next one, which without a mask is one product away.
#[inline(always)]
pub(super) fn shares<S: Simd>(s: S, mask: Option<u32>, axis: usize, cell: S::U32) -> [S::U32; 2] {
    match mask {
        Some(mask) => [share(s, mask, axis, cell), share(s, mask, axis, cell + s.u32(1))],
        None => {
            let near = cell * s.u32(PRIMES[axis]);
            [near, near + s.u32(PRIMES[axis])]
        }
    }
}

/// The hash of a corner from the exclusive or of its shares and the seed. Its high bits are the good ones.
#[inline(always)]
pub(super) fn mix<S: Simd>(s: S, shares: S::U32) -> S::U32 {
    (shares ^ s.shr(shares, 15)) * s.u32(MIX)
}

/// What gradients are looked up with.
#[derive(Clone, Copy)]
pub(super) struct Gradients<S: Simd>([S::Table; 3]);

impl<S: Simd> Gradients<S> {
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Gradients([s.table(&GRADIENTS[0]), s.table(&GRADIENTS[1]), s.table(&GRADIENTS[2])])
    }

    /// The gradient of a corner from its shares.
    #[inline(always)]
    pub fn at(&self, s: S, shares: S::U32) -> [S::F32; 3] {
        let bits = s.shr(mix(s, shares), 28);
        [s.lookup(self.0[0], bits), s.lookup(self.0[1], bits), s.lookup(self.0[2], bits)]
    }
}

/// A row of corners along x.
pub(super) struct SpaceRow<S: Simd> {
    pub gradients: Gradients<S>,
    pub mask: u32,
    /// Seed and the shares of y and z.
    pub row: S::U32,
}

impl<S: Simd> Row<S, 3> for SpaceRow<S> {
    #[inline(always)]
    fn gradient(&self, s: S, x_cell: S::U32) -> [S::F32; 3] {
        self.gradients.at(s, self.row ^ share(s, self.mask, 0, x_cell))
    }
}

/// Between a row of corners and the next one along z: the part that does not depend on y, and what is linear in it.
#[inline(always)]
pub(super) fn fold<S: Simd>(s: S, near: [S::F32; 3], far: [S::F32; 3], fraction: S::F32, fade: S::F32) -> [S::F32; 2] {
    let a = near[0] + near[2] * fraction;
    let b = far[0] + far[2] * (fraction - s.f32(1.0));
    [a + (b - a) * fade, near[1] + (far[1] - near[1]) * fade]
}

/// Gradient noise in a cell: the corners' gradients along x, then z, then y.
#[inline(always)]
pub(super) fn value<S: Simd>(s: S, gradients: &Gradients<S>, seed: u32, mask: Option<u32>, [x, y, z]: &[Along<S>; 3]) -> S::F32 {
    let ([west, east], [low, high]) = (shares(s, mask, 0, x.cell), shares(s, mask, 1, y.cell));
    let [near, far] = shares(s, mask, 2, z.cell);
    let (near, far) = (near ^ s.u32(seed), far ^ s.u32(seed));
    let low_near = edge(s, x, gradients.at(s, west ^ low ^ near), gradients.at(s, east ^ low ^ near));
    let low_far = edge(s, x, gradients.at(s, west ^ low ^ far), gradients.at(s, east ^ low ^ far));
    let high_near = edge(s, x, gradients.at(s, west ^ high ^ near), gradients.at(s, east ^ high ^ near));
    let high_far = edge(s, x, gradients.at(s, west ^ high ^ far), gradients.at(s, east ^ high ^ far));
    let (below, above) = (fold(s, low_near, low_far, z.fraction, z.fade), fold(s, high_near, high_far, z.fraction, z.fade));
    between(s, below, above, y.fraction, y.fade)
}
