//! In: phases. Out: one octave of gradient noise, from the gradients at the corners of a lattice cell.
//! Never knows: octaves, blocks, amplitudes.
//!
//! Gradient noise after Perlin 2002 (quintic fade), in two dimensions, with eight gradients at odd multiples of 22.5 degrees so that
//! none lies along the axes or diagonals.

use crate::phase::Phase;
use terrane_base::hash::pcg;

/// tan(22.5 degrees): the gradients are (+-1, +-K) and (+-K, +-1).
const K: f32 = 0.414_213_56;
/// Brings the extremes of one octave close to +-1.
pub const SCALE: f32 = 1.306_563;

/// Where a sample is along one axis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Along {
    pub cell: i32,
    pub fraction: f32,
    pub fade: f32,
}

impl Along {
    pub fn new(phase: Phase) -> Along {
        let fraction = phase.fraction();
        Along { cell: phase.cell(), fraction, fade: fade(fraction) }
    }
}

/// The gradients at the corners of one lattice cell. Kept from sample to sample: most neighbours lie in the same cell, and
/// hashing four corners costs more than the rest of the noise.
#[derive(Clone, Copy, Debug)]
pub struct Corners {
    seed: u32,
    mask: u32,
    cell: [i32; 2],
    /// (0, 0), (1, 0), (0, 1), (1, 1).
    gradients: [[f32; 2]; 4],
}

impl Corners {
    /// For an octave with this seed. Cells wrap with `mask`, a power of two less one; all ones never wrap.
    pub fn new(seed: u32, mask: u32) -> Corners {
        Corners { seed, mask, cell: [0; 2], gradients: corner_gradients(seed, mask, [0; 2]) }
    }

    /// Noise at a place, before [`SCALE`].
    pub fn value(&mut self, x: Phase, z: Phase) -> f32 {
        let (x, z) = (Along::new(x), Along::new(z));
        self.move_to([x.cell, z.cell]);
        let [a, b, c, d] = self.gradients;
        between(edge(&x, a, b), edge(&x, c, d), z.fraction, z.fade)
    }

    /// Noise at a place and its derivatives along the two lattice axes, per cell, before [`SCALE`] (Quilez, "gradient noise derivatives").
    pub fn value_and_slope(&mut self, x: Phase, z: Phase) -> [f32; 3] {
        let (x, z) = (Along::new(x), Along::new(z));
        self.move_to([x.cell, z.cell]);
        let [a, b, c, d] = self.gradients;
        let (low, high) = (edge(&x, a, b), edge(&x, c, d));
        let (low_slope, high_slope) = (edge_slope(&x, a, b), edge_slope(&x, c, d));
        let below = low[0] + low[1] * z.fraction;
        let above = high[0] + high[1] * (z.fraction - 1.0);
        let dx = between(low_slope, high_slope, z.fraction, z.fade);
        let dz = low[1] + (high[1] - low[1]) * z.fade + (above - below) * fade_slope(z.fraction);
        [below + (above - below) * z.fade, dx, dz]
    }

    fn move_to(&mut self, cell: [i32; 2]) {
        if self.cell != cell {
            (self.cell, self.gradients) = (cell, corner_gradients(self.seed, self.mask, cell));
        }
    }
}

fn corner_gradients(seed: u32, mask: u32, [x, z]: [i32; 2]) -> [[f32; 2]; 4] {
    let (near, far) = (row_hash(z, mask), row_hash(z.wrapping_add(1), mask));
    let right = x.wrapping_add(1);
    [gradient(seed, mask, x, near), gradient(seed, mask, right, near), gradient(seed, mask, x, far), gradient(seed, mask, right, far)]
}

/// One hash that all corners of a lattice row share.
pub(super) fn row_hash(z_cell: i32, mask: u32) -> u32 {
    pcg(z_cell as u32 & mask)
}

/// The gradient of a lattice corner: two signs and which axis is the long one, from three bits.
pub(super) fn gradient(seed: u32, mask: u32, x_cell: i32, row_hash: u32) -> [f32; 2] {
    let bits = pcg(seed ^ pcg(x_cell as u32 & mask ^ row_hash)) >> 29;
    let (long, short) = (if bits & 1 == 0 { 1.0 } else { -1.0 }, if bits & 2 == 0 { K } else { -K });
    if bits & 4 == 0 { [long, short] } else { [short, long] }
}

/// Along a lattice row between two corners: the part of the noise that does not depend on z, and the part that is linear in it.
pub(super) fn edge(x: &Along, left: [f32; 2], right: [f32; 2]) -> [f32; 2] {
    let l = left[0] * x.fraction;
    let r = right[0] * (x.fraction - 1.0);
    [l + (r - l) * x.fade, left[1] + (right[1] - left[1]) * x.fade]
}

/// What [`edge`] changes by along x.
fn edge_slope(x: &Along, left: [f32; 2], right: [f32; 2]) -> [f32; 2] {
    let l = left[0] * x.fraction;
    let r = right[0] * (x.fraction - 1.0);
    let fade_slope = fade_slope(x.fraction);
    [left[0] + (right[0] - left[0]) * x.fade + (r - l) * fade_slope, (right[1] - left[1]) * fade_slope]
}

/// Between two lattice rows.
pub(super) fn between(low: [f32; 2], high: [f32; 2], fraction: f32, fade: f32) -> f32 {
    let a = low[0] + low[1] * fraction;
    let b = high[0] + high[1] * (fraction - 1.0);
    a + (b - a) * fade
}

/// Perlin's quintic: no kink in the second derivative.
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn fade_slope(t: f32) -> f32 {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}
