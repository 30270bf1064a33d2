//! In: pieces of rows of samples, moved by a warp. Out: mountains that look worn by water: sharp crests, branching spurs, gullies.
//! Never knows: how high they become, or where valleys lie.
//!
//! Swiss turbulence after G. de Carpentier ("Scape: 2. Procedural extensions", 2012): octaves of ridged gradient noise, where each is
//! moved downhill by the slopes of those before it and counts as much as they stand out. The result is local: no
//! water flows, so a chunk needs no neighbour. Octaves turn by atan(3/4) each, so that no lattice direction adds up.

use terrane_base::hash::pcg;
use terrane_worldgen::{
    noise::{Corners, SCALE},
    phase::{Frequency, Phase, WARP_UNITS_PER_M},
};

/// Samples that go through all octaves together.
pub const BATCH: usize = 64;
/// Octaves at most: nine steps of 1.93 go from the least wavelength of 500 m to 2.6 m, and no frequency passes one cell a metre.
pub const OCTAVES_MAX: usize = 9;
/// Frequency from octave to octave; not 2, so that no two octaves have a common lattice point but by chance.
const LACUNARITY: f64 = 1.93;
/// Warp from octave to octave: moved as far as the large ones, small crests would be drawn out into hair.
const WARP_FALL: f32 = 0.62;

/// What makes worn mountains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WornDesc {
    /// Octaves, 1 to [`OCTAVES_MAX`].
    pub octaves: usize,
    /// Distance of the largest crests, metres.
    pub wavelength_m: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// How far slopes move the next octaves, share of the first wavelength.
    pub wear: f32,
}

/// Worn mountains for a seed.
#[derive(Clone, Debug)]
pub struct Worn {
    octaves: Vec<Octave>,
    persistence: f32,
    /// Warp in 2^-16 m for a slope sum of 1.
    wear_units: f32,
}

/// One octave: a lattice turned by its own angle.
#[derive(Clone, Copy, Debug)]
struct Octave {
    seed: u32,
    /// What a metre along world x and z adds to lattice x, and to lattice z. Two's complement carries the signs.
    steps: [[Frequency; 2]; 2],
    offset: [Phase; 2],
    /// Cosine and sine of the angle.
    turn: [f32; 2],
}

impl Worn {
    /// Octaves with their own offsets, gradients and angles.
    pub fn new(seed: u32, desc: &WornDesc) -> Worn {
        let (mut cos, mut sin) = (1.0f64, 0.0f64);
        let mut cells_per_m = 1.0 / desc.wavelength_m;
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index as u32));
            let random = |salt: u32| u64::from(pcg(seed ^ salt)) << 32 | u64::from(pcg(seed ^ !salt));
            let step = |factor: f64| Frequency((4_294_967_296.0 * cells_per_m * factor).round() as i64 as u64);
            let octave = Octave {
                seed,
                steps: [[step(cos), step(sin)], [step(-sin), step(cos)]],
                offset: [Phase(random(0x5f35_6495)), Phase(random(0x2c1b_3c6d))],
                turn: [cos as f32, sin as f32],
            };
            (cos, sin) = (cos * 0.8 - sin * 0.6, sin * 0.8 + cos * 0.6);
            cells_per_m *= LACUNARITY;
            octave
        });
        Worn { octaves: octaves.collect(), persistence: desc.persistence, wear_units: desc.wear * desc.wavelength_m as f32 * WARP_UNITS_PER_M }
    }

    /// At most [`BATCH`] samples of a row from `metres` on, each moved by `warp` (2^-16 m along x and z): about 0 in hollows, 1 on crests.
    pub fn row(&self, metres: [i64; 2], step_m: u32, warp: [&[i32]; 2], out: &mut [f32]) {
        out.fill(0.0);
        let mut amplitudes = [1.0f32; BATCH];
        let mut slopes = [[0.0f32; 2]; BATCH];
        let mut wear_units = self.wear_units;
        for octave in &self.octaves {
            let mut corners = Corners::new(octave.seed, u32::MAX);
            for (i, sum) in out.iter_mut().enumerate() {
                let (amplitude, slope) = (&mut amplitudes[i], &mut slopes[i]);
                let x_m = metres[0] + i as i64 * i64::from(step_m);
                let moved = [0, 1].map(|axis| warp[axis][i].wrapping_add((slope[axis] * wear_units) as i32));
                let [value, dx, dz] = octave.noise(&mut corners, [x_m, metres[1]], moved);
                *sum += *amplitude * if value < 0.0 { 1.0 + value } else { 1.0 - value };
                slope[0] -= *amplitude * dx * value;
                slope[1] -= *amplitude * dz * value;
                let above = *sum * 0.8;
                *amplitude = *amplitude * self.persistence * if above > 1.0 { 1.0 } else { above };
            }
            wear_units *= WARP_FALL;
        }
        out.iter_mut().for_each(|sum| *sum *= 0.5);
    }
}

impl Octave {
    /// Noise at a place, and its slopes along world x and z for a cell of its own lattice.
    fn noise(&self, corners: &mut Corners, metres: [i64; 2], warp: [i32; 2]) -> [f32; 3] {
        let along = |steps: [Frequency; 2], offset: Phase| {
            let straight = steps[0].phase(metres[0], offset).0.wrapping_add(steps[1].phase(metres[1], Phase(0)).0);
            Phase(straight.wrapping_add(steps[0].shift(warp[0])).wrapping_add(steps[1].shift(warp[1])))
        };
        let [value, dx, dz] = corners.value_and_slope(along(self.steps[0], self.offset[0]), along(self.steps[1], self.offset[1]));
        // Back from the turned lattice: the transpose of its rotation.
        let [cos, sin] = self.turn;
        [value * SCALE, (dx * cos - dz * sin) * SCALE, (dx * sin + dz * cos) * SCALE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worn() -> Worn {
        Worn::new(5, &WornDesc { octaves: 8, wavelength_m: 2700.0, persistence: 0.6, wear: 0.16 })
    }

    fn row(worn: &Worn, x_m: i64, step_m: u32) -> [f32; BATCH] {
        let mut out = [0.0; BATCH];
        worn.row([x_m, 77], step_m, [&[3000; BATCH], &[-9_000_000; BATCH]], &mut out);
        out
    }

    #[test]
    fn rows_agree_bit_for_bit_whatever_step_and_start_they_have() {
        let worn = worn();
        for x_m in [-10_000_000, -33, 0, 10_000_000] {
            let (fine, coarse) = (row(&worn, x_m, 2), row(&worn, x_m - 32, 16));
            (0..8).for_each(|i| assert_eq!(fine[i * 8].to_bits(), coarse[i + 2].to_bits(), "{x_m} {i}"));
        }
    }

    #[test]
    fn values_stay_near_their_range_also_far_out() {
        let worn = worn();
        for x_m in [0, 10_000_000] {
            let values: Vec<f32> = (0..64).flat_map(|i| row(&worn, x_m + i * 64_000, 1000)).collect();
            let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
            assert!((-0.05..0.3).contains(&low) && (0.7..1.3).contains(&high), "{low} {high}");
        }
    }
}
