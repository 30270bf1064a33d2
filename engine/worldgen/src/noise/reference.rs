//! In: places. Out: gradient noise one sample at a time, as its definition reads. Kernels are compared with it bit for bit.
//! Never knows: vectors, blocks, what is kept from sample to sample.

use super::{Octave, SCALE, Stack, Worn, lattice::K, unit};
use crate::{GridArea, phase::Phase};
use terrane_base::hash::pcg;

/// Noise at a place and its derivatives along the two lattice axes, per cell, before [`SCALE`].
pub fn value_and_slope(seed: u32, mask: u32, x: Phase, z: Phase) -> [f32; 3] {
    let cell = [x.cell() as u32, z.cell() as u32];
    let [u, v] = [x.fraction(), z.fraction()];
    let corner = |dx: u32, dz: u32| {
        let row = pcg(cell[1].wrapping_add(dz) & mask);
        let bits = pcg(seed ^ pcg(cell[0].wrapping_add(dx) & mask ^ row)) >> 29;
        let (long, short) = (if bits & 1 == 0 { 1.0 } else { -1.0 }, if bits & 2 == 0 { K } else { -K });
        if bits & 4 == 0 { [long, short] } else { [short, long] }
    };
    // Along a row: the part that does not depend on z, the part that is linear in it, and the slopes of both.
    let edge = |[left, right]: [[f32; 2]; 2]| {
        let (l, r) = (left[0] * u, right[0] * (u - 1.0));
        let values = [l + (r - l) * fade(u), left[1] + (right[1] - left[1]) * fade(u)];
        (values, [left[0] + (right[0] - left[0]) * fade(u) + (r - l) * fade_slope(u), (right[1] - left[1]) * fade_slope(u)])
    };
    let (low, low_slope) = edge([corner(0, 0), corner(1, 0)]);
    let (high, high_slope) = edge([corner(0, 1), corner(1, 1)]);
    let between = |low: [f32; 2], high: [f32; 2]| {
        let (a, b) = (low[0] + low[1] * v, high[0] + high[1] * (v - 1.0));
        a + (b - a) * fade(v)
    };
    let (below, above) = (low[0] + low[1] * v, high[0] + high[1] * (v - 1.0));
    let dz = low[1] + (high[1] - low[1]) * fade(v) + (above - below) * fade_slope(v);
    [between(low, high), between(low_slope, high_slope), dz]
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn fade_slope(t: f32) -> f32 {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}

fn value(octave: &Octave<2>, area: &GridArea, warp: [&[i32]; 2], i: usize) -> f32 {
    let metre = |start: i64, steps: usize| start.wrapping_add(steps as i64 * i64::from(area.step_m));
    let metres = [metre(area.x_m, i % area.edge), metre(area.z_m, i / area.edge)];
    let [x, z] = [0, 1].map(|axis| octave.frequency.phase(metres[axis], octave.offset[axis]).moved(octave.frequency.shift(warp[axis][i])));
    value_and_slope(octave.seed, octave.mask, x, z)[0]
}

/// What [`Stack::fbm_warped`] gives, and with a warp of 0 [`Stack::fbm_grid`].
pub fn fbm(stack: &Stack, area: &GridArea, warp: [&[i32]; 2]) -> Vec<f32> {
    let sum = |i| stack.octaves.iter().fold(0.0, |sum, octave| sum + octave.amplitude * value(octave, area, warp, i));
    (0..area.edge * area.edge).map(sum).collect()
}

/// What [`Stack::ridged_warped`] gives.
pub fn ridged(stack: &Stack, area: &GridArea, warp: [&[i32]; 2], sharpness: f32) -> Vec<f32> {
    let sum = |i| {
        let (mut sum, mut weight) = (0.0, 1.0);
        for octave in &stack.octaves {
            let value = value(octave, area, warp, i) * SCALE;
            let fold = if value < 0.0 { 1.0 + value } else { 1.0 - value };
            let ridge = fold * fold;
            sum += ridge * weight * octave.amplitude;
            weight = unit(ridge * sharpness);
        }
        sum * (0.5 / SCALE)
    };
    (0..area.edge * area.edge).map(sum).collect()
}

/// What [`Worn::row`] gives for one sample.
pub fn worn(worn: &Worn, metres: [i64; 2], warp: [i32; 2]) -> f32 {
    let (mut sum, mut amplitude, mut slope, mut wear_units) = (0.0f32, 1.0f32, [0.0f32; 2], worn.wear_units);
    for octave in &worn.octaves {
        let moved = [0, 1].map(|axis| warp[axis].wrapping_add((slope[axis] * wear_units) as i32));
        let [x, z] = [0, 1].map(|axis| {
            let steps = octave.steps[axis];
            octave.phase(axis, metres).moved(steps[0].shift(moved[0])).moved(steps[1].shift(moved[1]))
        });
        let [value, dx, dz] = value_and_slope(octave.seed, u32::MAX, x, z);
        let [cos, sin] = octave.turn;
        let (value, dx, dz) = (value * SCALE, (dx * cos - dz * sin) * SCALE, (dx * sin + dz * cos) * SCALE);
        sum += amplitude * if value < 0.0 { 1.0 + value } else { 1.0 - value };
        slope[0] -= amplitude * dx * value;
        slope[1] -= amplitude * dz * value;
        let above = sum * 0.8;
        amplitude = amplitude * worn.persistence * if above > 1.0 { 1.0 } else { above };
        wear_units *= super::worn::WARP_FALL;
    }
    sum * 0.5
}
