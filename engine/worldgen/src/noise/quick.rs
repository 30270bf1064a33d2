//! In: lattice cells in the plane. Out: gradient noise with a cheaper hash than `near` has.
//! Never knows: octaves, blocks, amplitudes.
//!
//! The plane's own hash mixes twice for each corner, which pays where neighbours share corners. Here a corner costs one product, as in space
//! (`space`), so that places far apart are as fast as those in one cell.

use super::{
    columns::Row,
    lattice::{Along, Gradients, between, edge},
    points::PointNoise,
    space,
};
use terrane_simd::Simd;

/// At places.
#[derive(Clone, Copy)]
pub(super) struct Quick<S: Simd>(pub Gradients<S>);

impl<S: Simd> PointNoise<S, 2> for Quick<S> {
    const IS_SKEWED: bool = false;

    #[inline(always)]
    fn value(&mut self, s: S, seed: u32, mask: Option<u32>, phases: [S::U64; 2]) -> S::F32 {
        let (x, z) = (Along::new(s, phases[0]), Along::new(s, phases[1]));
        let [west, east] = space::shares(s, mask, 0, x.cell);
        let ([low, high], seed) = (space::shares(s, mask, 1, z.cell), s.u32(seed));
        let below = edge(s, &x, gradient(s, &self.0, west ^ low ^ seed), gradient(s, &self.0, east ^ low ^ seed));
        let above = edge(s, &x, gradient(s, &self.0, west ^ high ^ seed), gradient(s, &self.0, east ^ high ^ seed));
        between(s, below, above, z.fraction, z.fade)
    }
}

/// A row of corners along x.
pub(super) struct QuickRow<S: Simd> {
    pub gradients: Gradients<S>,
    pub mask: u32,
    /// Seed and the share of z.
    pub row: S::U32,
}

impl<S: Simd> Row<S, 2> for QuickRow<S> {
    #[inline(always)]
    fn gradient(&self, s: S, x_cell: S::U32) -> [S::F32; 2] {
        gradient(s, &self.gradients, self.row ^ space::share(s, self.mask, 0, x_cell))
    }
}

/// One product, of which the three highest bits are the good ones.
#[inline(always)]
fn gradient<S: Simd>(s: S, gradients: &Gradients<S>, shares: S::U32) -> [S::F32; 2] {
    gradients.lookup(s, s.shr(shares * s.u32(space::MIX), 29))
}
