//! In: a seed. Out: wind-packed snow: low drifts, ripples across the wind, grains that sparkle.
//! Never knows: where snow lies.

use super::tile::{Texel, even_out, fbm, mix, noise, pack, smoothstep, texel_places, unit};
use super::{MaterialLayer, TEXTURE_EDGE};
use glam::Vec3;
use terrane_base::hash::hash2;

/// Linear albedo of the whole tile: old snow, a little bluer than white paper.
const MEAN: Vec3 = Vec3::new(0.800, 0.822, 0.850);

/// Snow; one tile is meant to cover 8 m, so a texel is 16 mm.
pub fn snow(seed: u32) -> MaterialLayer {
    let mut texels: Vec<Texel> = texel_places().map(|(x, y)| texel(seed, x, y)).collect();
    even_out(&mut texels, 64, 0.6);
    pack(&texels, MEAN)
}

fn texel(seed: u32, column: usize, row: usize) -> Texel {
    let (x, y) = ((column as f32 + 0.5) / TEXTURE_EDGE as f32, (row as f32 + 0.5) / TEXTURE_EDGE as f32);
    // The wind blows along x and wavers; everything is sampled in its frame, so that drifts and ripples bend together.
    let waver = 0.035 * noise(seed ^ 1, x, y, 3, 3) + 0.012 * noise(seed ^ 2, x, y, 8, 8);
    let (wx, wy) = (x + waver, y + waver * 0.6);
    let drift = noise(seed ^ 3, wx, wy, 3, 5) + 0.5 * noise(seed ^ 4, wx, wy, 7, 11);
    let ripple = ripples(seed, wx, wy);
    // Ripples form on the open backs of drifts and are filled in between them.
    let open = smoothstep(-0.5, 0.6, drift + 0.5 * noise(seed ^ 9, x, y, 4, 4));
    let grain = fbm(seed ^ 5, x, y, 96, 2);
    let hash = hash2(seed ^ 6, column as i32, row as i32);
    let hollow = smoothstep(0.5, -0.9, drift + ripple * open * 0.5);
    let color = MEAN * (1.0 + 0.012 * grain + 0.02 * ripple * open).min(1.1);
    Texel {
        height: drift * 5.0 + ripple * mix(0.25, 1.3, open) + grain * 0.18,
        color: color * Vec3::ONE.lerp(Vec3::new(0.93, 0.965, 1.0), hollow),
        smoothness: if hash.is_multiple_of(181) { mix(0.75, 0.95, unit(hash)) } else { mix(0.42, 0.30, hollow) + 0.05 * grain },
    }
}

/// Ripples stand across the wind with a steep lee side; they fork where the noise that shifts them does.
fn ripples(seed: u32, x: f32, y: f32) -> f32 {
    let shift = 0.55 * noise(seed ^ 7, x, y, 6, 9) + 0.22 * noise(seed ^ 8, x, y, 13, 21);
    let phase = (x * 26.0 + shift * 1.9).rem_euclid(1.0);
    // A slow rise over three quarters of the length, then the fall.
    let wave = if phase < 0.72 { smoothstep(0.0, 0.72, phase) } else { 1.0 - smoothstep(0.72, 1.0, phase) };
    wave * 2.0 - 1.0
}
