//! In: a chunk's samples, a seed, kinds of plants and stones. Out: instances, in an order that never varies.
//! Never knows: meshes, cameras, or which of them are drawn.
//!
//! Candidates stand on one global lattice per kind, each with a hashed rank. Level L keeps the ranks below `keep[L]`, so what stands in a
//! coarse chunk also stands in the finer ones below it. To make that exact, whether a candidate grows is asked of the ground at
//! the corners of the cell of the coarsest level that keeps it: those samples exist, with equal bits, at every level that asks.

use crate::{CHUNK_EDGE_M, HEIGHT_UNITS_PER_M, Samples};
use terrane_base::{
    ChunkKey,
    hash::{hash2, pcg},
};

/// Levels that carry instances: 16 bits of 1/16 m span the 4,096 m of level 5.
pub const SCATTER_LEVELS: usize = 6;
/// Instances of a chunk: 64 KiB of 8 bytes. More are cut off by rank: the highest go, whole ranks at a time, so the order of work cannot
/// matter. A chunk cut below its parent's `keep` would lack what the parent shows; a world's densities keep it from that.
pub const INSTANCES_PER_CHUNK_MAX: usize = 8192;
/// Position units in a metre.
pub const UNITS_PER_M: i64 = 16;

/// A kind of plant or stone.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterKind {
    /// Its name.
    pub name: &'static str,
    /// Distance of its lattice points, metres; at least 1/4.
    pub spacing_m: f32,
    /// Share of lattice points that bear one where everything suits it, 0 to 1.
    pub density: f32,
    /// Slopes that it stands on, dh/dl, from and to.
    pub slope: [f32; 2],
    /// Heights that it stands at, metres, from and to.
    pub height_m: [f32; 2],
    /// Over this many metres within those heights it thins out towards their ends.
    pub height_fade_m: f32,
    /// Cover that it needs: none at the first, all at the second; the first above the second for what shuns cover. 0 to 1.
    pub cover: [f32; 2],
    /// Share of ranks that level 0 to 5 keeps; never rising.
    pub keep: [f32; SCATTER_LEVELS],
    /// Sizes, from and to, up to 3.98.
    pub scale: [f32; 2],
    /// Meshes to choose from: the first and how many.
    pub props: [u8; 2],
}

/// An instance: word 0 is x and z in 1/16 m from the chunk's corner, 16 bits each; word 1 is rotation, scale in 1/64, prop, rank, 8 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instance {
    /// The two words.
    pub words: [u32; 2],
}

impl Instance {
    /// Metres from the chunk's corner.
    pub fn local_m(&self) -> [f32; 2] {
        [self.words[0] & 0xffff, self.words[0] >> 16].map(|units| units as f32 / UNITS_PER_M as f32)
    }

    /// Which mesh.
    pub fn prop(&self) -> u8 {
        (self.words[1] >> 16) as u8
    }

    /// Its rank, 0 to 255: low ranks are seen from farther.
    pub fn rank(&self) -> u8 {
        (self.words[1] >> 24) as u8
    }

    /// Its size.
    pub fn scale(&self) -> f32 {
        (self.words[1] >> 8 & 255) as f32 / 64.0
    }
}

/// Scatters all kinds over a chunk: kind by kind, lattice row by row. `seed` is the stream of the world for scatter.
pub fn scatter(samples: &Samples, key: ChunkKey, seed: u32, kinds: &[ScatterKind], out: &mut Vec<Instance>) {
    out.clear();
    if usize::from(key.lod) >= SCATTER_LEVELS {
        return;
    }
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

/// Keeps the instances of lowest rank, whole ranks at a time, in their order.
fn keep_lowest_ranks(out: &mut Vec<Instance>) {
    let mut counts = [0usize; 256];
    out.iter().for_each(|instance| counts[usize::from(instance.rank())] += 1);
    let mut sum = 0;
    let cut = counts.iter().position(|count| {
        sum += count;
        sum > INSTANCES_PER_CHUNK_MAX
    });
    if let Some(cut) = cut {
        out.retain(|instance| usize::from(instance.rank()) < cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridArea, HeightField, Scratch, heightmap, noise::*};
    use std::collections::HashSet;

    struct Hills(Stack);

    impl HeightField for Hills {
        fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
            let mut values = vec![0.0; area.edge * area.edge];
            self.0.fbm_grid(area, &mut scratch.noise, &mut values);
            out.edge = area.edge;
            out.height_q = values.iter().map(|v| (v * 60.0 * 1024.0) as i32).collect();
            out.cover = values.iter().map(|v| ((v * 0.5 + 0.5) * 255.0).clamp(0.0, 255.0) as u8).collect();
        }
    }

    fn kind(keep: [f32; SCATTER_LEVELS]) -> ScatterKind {
        ScatterKind {
            name: "tree",
            spacing_m: 5.3,
            density: 0.9,
            slope: [0.0, 0.5],
            height_m: [-40.0, 40.0],
            height_fade_m: 10.0,
            cover: [0.2, 0.6],
            keep,
            scale: [0.5, 1.5],
            props: [3, 2],
        }
    }

    fn instances(key: ChunkKey, kind: &ScatterKind) -> Vec<Instance> {
        let field = Hills(Stack::new(5, &StackDesc { octaves: 6, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }));
        let (mut samples, mut out) = (Samples::default(), Vec::new());
        heightmap(&field, key, &mut Scratch::default(), &mut samples);
        scatter(&samples, key, 99, std::slice::from_ref(kind), &mut out);
        out
    }

    #[test]
    fn a_coarse_chunk_is_an_exact_subset_of_the_fine_ones_below_it() {
        let kind = kind([1.0, 0.6, 0.3, 0.1, 0.0, 0.0]);
        for (x, z) in [(0, 0), (-1, -1), (9765, -9766)] {
            for lod in 1..4u8 {
                let parent = ChunkKey::plane(lod, x, z);
                let mut fine = HashSet::new();
                for child in parent.quad_children() {
                    let shift = [(child.x & 1) as u32, (child.z & 1) as u32].map(|half| half * ((CHUNK_EDGE_M << (lod - 1)) * UNITS_PER_M) as u32);
                    for instance in instances(child, &kind) {
                        let x = (instance.words[0] & 0xffff) + shift[0];
                        let z = (instance.words[0] >> 16) + shift[1];
                        fine.insert([x | z << 16, instance.words[1]]);
                    }
                }
                let coarse = instances(parent, &kind);
                assert!(!coarse.is_empty() && coarse.len() < fine.len());
                assert!(coarse.iter().all(|instance| fine.contains(&instance.words)));
                // And nothing below the threshold is missing.
                let below = (f64::from(kind.keep[usize::from(lod)]) * 256.0) as u32;
                let expected = fine.iter().filter(|words| words[1] >> 24 < below).count();
                assert!(coarse.len() >= expected, "{} {expected}", coarse.len());
            }
        }
    }

    #[test]
    fn neighbours_together_hold_every_candidate_once() {
        let mut free = kind([1.0; SCATTER_LEVELS]);
        (free.density, free.slope, free.height_m, free.cover) = (1.0, [0.0, 1e3], [-1e6, 1e6], [0.0, 0.0]);
        let count: usize = (0..4).map(|i| instances(ChunkKey::plane(0, i % 2, i / 2), &free).len()).sum();
        assert_eq!(count, instances(ChunkKey::plane(1, 0, 0), &free).len());
        let expected = (256.0f64 / (f64::from(5.3f32 * 16.0).floor() / 16.0)).powi(2);
        assert!((count as f64 - expected).abs() < expected * 0.05, "{count} {expected}");
    }

    #[test]
    fn too_many_are_cut_by_rank() {
        let mut dense = kind([1.0; SCATTER_LEVELS]);
        (dense.density, dense.slope, dense.height_m, dense.cover, dense.spacing_m) = (1.0, [0.0, 1e3], [-1e6, 1e6], [0.0, 0.0], 1.0);
        let all = instances(ChunkKey::plane(0, 0, 0), &dense);
        assert!(all.len() <= INSTANCES_PER_CHUNK_MAX && all.len() > INSTANCES_PER_CHUNK_MAX - 200);
        let highest = all.iter().map(Instance::rank).max().expect("some");
        assert!((124..130).contains(&highest), "16,384 candidates: half of the ranks stay, {highest}");
    }

    #[test]
    fn fields_of_the_words_are_within_their_ranges() {
        for instance in instances(ChunkKey::plane(2, -3, 4), &kind([1.0; SCATTER_LEVELS])) {
            assert!(instance.local_m().iter().all(|m| (0.0..512.0).contains(m)));
            assert!((3..5).contains(&instance.prop()));
            assert!((0.48..=1.5).contains(&instance.scale()));
        }
    }
}
