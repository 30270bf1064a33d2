//! In: positions in metres with a warp. Out: mountains that look worn by water: sharp crests, branching spurs, gullies down the slopes.
//! Never knows: how high they become, or where valleys lie.
//!
//! Swiss turbulence after G. de Carpentier ("Scape: 2. Procedural extensions", 2012): octaves of ridged gradient noise, where each is
//! moved downhill by the slopes of those before it and counts as much as they stand out. The result is local: no
//! water flows, so a chunk needs no neighbour. Octaves turn by atan(3/4) each, so that no lattice direction adds up.

use terrane_base::hash::pcg;
use terrane_worldgen::phase::{Frequency, Phase, WARP_UNITS_PER_M};

/// tan(22.5 degrees): the eight gradients are (+-1, +-K) and (+-K, +-1), as in worldgen's noise.
const K: f32 = 0.414_213_56;
/// Brings the extremes of one octave close to +-1.
const SCALE: f32 = 1.306_563;
/// Octaves: from kilometres to metres.
const OCTAVES_MAX: usize = 10;

/// What makes worn mountains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WornDesc {
    /// Octaves, 1 to 10.
    pub octaves: usize,
    /// Distance of the largest crests, metres.
    pub wavelength_m: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// How far slopes move the next octaves, share of the first wavelength.
    pub warp: f32,
}

/// Worn mountains for a seed.
#[derive(Clone, Debug)]
pub struct Worn {
    octaves: Vec<Octave>,
    persistence: f32,
    /// Warp offset in 2^-16 m for a slope sum of 1.
    warp_units: f32,
}

/// One octave: a lattice turned by its own angle.
#[derive(Clone, Copy, Debug)]
struct Octave {
    seed: u32,
    /// Steps of the two lattice coordinates for a metre along x and z, Q32.32.
    x: [Frequency; 2],
    z: [Frequency; 2],
    /// Sine is negative: the step of lattice z along world x is subtracted.
    offset: [Phase; 2],
    turn: [f32; 2],
}

impl Worn {
    /// Octaves with their own offsets, gradients and angles.
    pub fn new(seed: u32, desc: &WornDesc) -> Worn {
        let (mut cos, mut sin) = (1.0f64, 0.0f64);
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index as u32));
            let random = |salt: u32| u64::from(pcg(seed ^ salt)) << 32 | u64::from(pcg(seed ^ !salt));
            let base = 4_294_967_296.0 / desc.wavelength_m * 2f64.powi(index as i32);
            // Two's complement carries the sign of a step through the wrapping products.
            let step = |factor: f64| Frequency((base * factor).round() as i64 as u64);
            let octave = Octave {
                seed,
                x: [step(cos), step(sin)],
                z: [step(-sin), step(cos)],
                offset: [Phase(random(0x5f35_6495)), Phase(random(0x2c1b_3c6d))],
                turn: [cos as f32, sin as f32],
            };
            (cos, sin) = (cos * 0.8 - sin * 0.6, sin * 0.8 + cos * 0.6);
            octave
        });
        Worn { octaves: octaves.collect(), persistence: desc.persistence, warp_units: desc.warp * desc.wavelength_m as f32 * WARP_UNITS_PER_M }
    }

    /// Height at a place moved by `warp` (2^-16 m): about 0 in the hollows to 1 on the crests.
    pub fn value(&self, metres: [i64; 2], warp: [i32; 2]) -> f32 {
        let (mut sum, mut amplitude) = (0.0f32, 1.0f32);
        let mut slope = [0.0f32; 2];
        for octave in &self.octaves {
            let moved = [
                warp[0].wrapping_add((slope[0] * self.warp_units) as i32),
                warp[1].wrapping_add((slope[1] * self.warp_units) as i32),
            ];
            let [value, dx, dz] = octave.noise(metres, moved);
            let (height, sign) = if value < 0.0 { (1.0 + value, value) } else { (1.0 - value, value) };
            sum += amplitude * height;
            slope[0] -= amplitude * dx * sign;
            slope[1] -= amplitude * dz * sign;
            let above = sum * 0.8;
            let stands_out = if above > 1.0 { 1.0 } else { above };
            amplitude = amplitude * self.persistence * stands_out;
        }
        sum * 0.5
    }
}

impl Octave {
    /// Noise at a place, and its slopes along world x and z in units of its own lattice.
    fn noise(&self, metres: [i64; 2], warp: [i32; 2]) -> [f32; 3] {
        let along = |steps: &[Frequency; 2], offset: Phase| {
            let straight = steps[0].phase(metres[0], offset).0.wrapping_add(steps[1].phase(metres[1], Phase(0)).0);
            Phase(straight.wrapping_add(steps[0].shift(warp[0])).wrapping_add(steps[1].shift(warp[1])))
        };
        let (x, z) = (along(&self.x, self.offset[0]), along(&self.z, self.offset[1]));
        let [value, dx, dz] = noise_with_slope(self.seed, x, z);
        // Back from the turned lattice: the transpose of its rotation.
        let [cos, sin] = self.turn;
        [value, dx * cos - dz * sin, dx * sin + dz * cos]
    }
}

/// Gradient noise and its derivatives along the lattice, after Quilez ("gradient noise derivatives").
fn noise_with_slope(seed: u32, x: Phase, z: Phase) -> [f32; 3] {
    let (fx, fz) = (x.fraction(), z.fraction());
    let low = pcg(z.cell() as u32);
    let high = pcg(z.cell().wrapping_add(1) as u32);
    let (left, right) = (x.cell() as u32, x.cell().wrapping_add(1) as u32);
    let (ga, gb, gc, gd) = (gradient(seed, left, low), gradient(seed, right, low), gradient(seed, left, high), gradient(seed, right, high));
    let a = ga[0] * fx + ga[1] * fz;
    let b = gb[0] * (fx - 1.0) + gb[1] * fz;
    let c = gc[0] * fx + gc[1] * (fz - 1.0);
    let d = gd[0] * (fx - 1.0) + gd[1] * (fz - 1.0);
    let (ux, uz) = (fade(fx), fade(fz));
    let (dux, duz) = (fade_slope(fx), fade_slope(fz));
    let k = a - b - c + d;
    let mix = |axis: usize| ga[axis] + ux * (gb[axis] - ga[axis]) + uz * (gc[axis] - ga[axis]) + ux * uz * (ga[axis] - gb[axis] - gc[axis] + gd[axis]);
    let value = a + ux * (b - a) + uz * (c - a) + ux * uz * k;
    let dx = mix(0) + dux * (uz * k + (b - a));
    let dz = mix(1) + duz * (ux * k + (c - a));
    [value * SCALE, dx * SCALE, dz * SCALE]
}

fn gradient(seed: u32, x_cell: u32, z_hash: u32) -> [f32; 2] {
    let bits = pcg(seed ^ pcg(x_cell ^ z_hash)) >> 29;
    let (long, short) = (if bits & 1 == 0 { 1.0 } else { -1.0 }, if bits & 2 == 0 { K } else { -K });
    if bits & 4 == 0 { [long, short] } else { [short, long] }
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn fade_slope(t: f32) -> f32 {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}
