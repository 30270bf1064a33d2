//! Scatter, a candidate at a time: what the vectors must give.

use super::*;
use crate::{CHUNK_EDGE_M, HEIGHT_UNITS_PER_M};
use terrane_base::hash::hash2;

pub fn scatter(samples: &Samples, key: ChunkKey, seed: u32, kinds: &[ScatterKind], out: &mut Vec<Instance>) {
    out.clear();
    for (index, kind) in kinds.iter().enumerate() {
        if kind.keep[usize::from(key.lod)] > 0.0 {
            scatter_kind(samples, key, pcg(seed ^ pcg(index as u32)), kind, out);
        }
    }
    if out.len() > INSTANCES_PER_CHUNK_MAX {
        keep_lowest_ranks(out);
    }
}

fn scatter_kind(samples: &Samples, key: ChunkKey, seed: u32, kind: &ScatterKind, out: &mut Vec<Instance>) {
    let spacing = (f64::from(kind.spacing_m.max(0.25)) * UNITS_PER_M as f64) as i64;
    let edge = (CHUNK_EDGE_M << key.lod) * UNITS_PER_M;
    let corner = [i64::from(key.x) * edge, i64::from(key.z) * edge];
    // A candidate is moved within its own lattice cell, so the cells that touch the chunk are all.
    let first = corner.map(|c| c.div_euclid(spacing));
    let last = corner.map(|c| (c + edge - 1).div_euclid(spacing));
    let chosen = Chosen::new(kind);
    for z in first[1]..=last[1] {
        for x in first[0]..=last[0] {
            let place = hash2(seed, x as i32, z as i32);
            let traits = pcg(place ^ 0x68bc_21eb);
            let rank = pcg(traits ^ 0x02e5_be93);
            let Some(coarsest) = chosen.coarsest_level(rank) else { continue };
            if coarsest < key.lod {
                continue;
            }
            let local =
                [x * spacing + ((i64::from(place & 0xffff) * spacing) >> 16) - corner[0], z * spacing + ((i64::from(place >> 16) * spacing) >> 16) - corner[1]];
            if local.iter().any(|c| !(0..edge).contains(c)) {
                continue;
            }
            if grows(samples, key.lod, coarsest, local, kind, pcg(traits)) {
                out.push(instance(local, traits, rank, kind));
            }
        }
    }
}

/// Rank thresholds as integers, so that the comparison is exact.
struct Chosen {
    below: [u64; SCATTER_LEVELS],
}

impl Chosen {
    fn new(kind: &ScatterKind) -> Chosen {
        Chosen { below: kind.keep.map(|keep| (f64::from(keep.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64) }
    }

    /// The coarsest level that keeps a rank.
    fn coarsest_level(&self, rank: u32) -> Option<u8> {
        self.below.iter().rposition(|below| u64::from(rank) < *below).map(|level| level as u8)
    }
}

/// Whether the ground around the candidate suits it, read at the corners of its cell of level `coarsest`.
fn grows(samples: &Samples, lod: u8, coarsest: u8, local: [i64; 2], kind: &ScatterKind, luck: u32) -> bool {
    let cell_m = 1i64 << coarsest;
    let stride = 1i32 << (coarsest - lod);
    let [x, z] = local.map(|units| (units / (cell_m * UNITS_PER_M)) as i32 * stride);
    let corners = [(x, z), (x + stride, z), (x, z + stride), (x + stride, z + stride)];
    let [a, b, c, d] = corners.map(|(x, z)| i64::from(samples.height(x, z)));
    // Twice the slope along x and z, in 1/1024 m over the cell.
    let (dx, dz) = (b - a + d - c, c - a + d - b);
    let unit = 2 * i64::from(HEIGHT_UNITS_PER_M) * cell_m;
    let slope_squared = (dx * dx + dz * dz) as f32 / (unit * unit) as f32;
    if !(kind.slope[0] * kind.slope[0]..=kind.slope[1] * kind.slope[1]).contains(&slope_squared) {
        return false;
    }
    let height_m = (a + b + c + d) as f32 / (4 * HEIGHT_UNITS_PER_M) as f32;
    let cover = corners.map(|(x, z)| u32::from(samples.cover[samples.index(x, z)])).iter().sum::<u32>() as f32 / 1020.0;
    let chance = kind.density * height_chance(kind, height_m) * cover_chance(kind, cover);
    ((luck >> 8) as f32) < chance * 16_777_216.0
}

fn height_chance(kind: &ScatterKind, height_m: f32) -> f32 {
    let inside = (height_m - kind.height_m[0]).min(kind.height_m[1] - height_m);
    if kind.height_fade_m > 0.0 { (inside / kind.height_fade_m).clamp(0.0, 1.0) } else { f32::from(inside >= 0.0) }
}

fn cover_chance(kind: &ScatterKind, cover: f32) -> f32 {
    let [from, to] = kind.cover;
    if from == to { 1.0 } else { ((cover - from) / (to - from)).clamp(0.0, 1.0) }
}

fn instance(local: [i64; 2], traits: u32, rank: u32, kind: &ScatterKind) -> Instance {
    let share = (traits >> 8 & 0xff) as f32 / 255.0;
    let scale = kind.scale[0] + (kind.scale[1] - kind.scale[0]) * share;
    let prop = u32::from(kind.props[0]) + (traits >> 16) % u32::from(kind.props[1].max(1));
    let w1 = traits & 0xff | ((scale * 64.0) as u32).clamp(1, 255) << 8 | (prop & 0xff) << 16 | rank & 0xff00_0000;
    Instance { words: [local[0] as u32 | (local[1] as u32) << 16, w1] }
}
