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
    let drift = noise(seed ^ 3, wx, wy, 3, 4) + 0.45 * noise(seed ^ 4, wx, wy, 7, 10);
    let ripple = ripples(seed, wx, wy);
    // Ripples form on the open backs of drifts and are filled in between them.
    let open = smoothstep(-0.7, 0.7, drift + 0.6 * noise(seed ^ 9, x, y, 4, 4));
    let grain = fbm(seed ^ 5, x, y, 110, 2);
    let hash = hash2(seed ^ 6, column as i32, row as i32);
    let hollow = smoothstep(0.7, -1.0, drift + ripple * open * 0.45);
    Texel {
        height: drift * 6.5 + ripple * mix(0.6, 2.8, open) + grain * 0.14,
        color: MEAN * (1.0 + 0.010 * grain) * Vec3::ONE.lerp(Vec3::new(0.86, 0.925, 1.0), hollow),
        smoothness: if hash.is_multiple_of(181) { mix(0.75, 0.95, unit(hash)) } else { mix(0.42, 0.30, hollow) + 0.04 * grain },
    }
}

/// Short wind ripples: long lenses across the wind that begin and end, each with a slow back and a steep lee.
fn ripples(seed: u32, x: f32, y: f32) -> f32 {
    let lens = |seed: u32, x: f32, cells_x: i32, cells_y: i32| noise(seed, x, y, cells_x, cells_y);
    let broad = lens(seed ^ 7, x, 16, 9);
    // Sampling a little downwind where it is high leans the crest over.
    let leaning = lens(seed ^ 7, x - 0.010 * broad, 16, 9);
    leaning + 0.45 * lens(seed ^ 8, x - 0.006 * leaning, 34, 20)
}
