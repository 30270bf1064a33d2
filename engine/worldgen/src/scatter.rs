//! In: a chunk's samples, a seed, kinds of plants and stones. Out: instances, in an order that never varies.
//! Never knows: meshes, cameras, or which of them are drawn.
//!
//! Candidates stand on one global lattice per kind, each with a hashed rank. Level L keeps the ranks below `keep[L]`, so what stands in a
//! coarse chunk also stands in the finer ones below it. To make that exact, whether a candidate grows is asked of the ground at
//! the corners of the cell of the coarsest level that keeps it: those samples exist, with equal bits, at every level that asks.

mod candidates;
mod ground;
#[cfg(test)]
mod plain;

use crate::Samples;
use candidates::Candidates;
use terrane_base::{ChunkKey, hash::pcg};
use terrane_simd::Isa;

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

/// Scatters all kinds over a chunk: kind by kind, lattice row by row. `seed` is the stream of the world for scatter. `out` is emptied first;
/// its buffer is kept.
pub fn scatter(samples: &Samples, key: ChunkKey, seed: u32, kinds: &[ScatterKind], out: &mut Vec<Instance>) {
    scatter_with(Isa::chosen(), samples, key, seed, kinds, out);
}

/// The same with a given instruction set: the same instances.
pub fn scatter_with(isa: Isa, samples: &Samples, key: ChunkKey, seed: u32, kinds: &[ScatterKind], out: &mut Vec<Instance>) {
    out.clear();
    if usize::from(key.lod) >= SCATTER_LEVELS {
        return;
    }
    for (index, kind) in kinds.iter().enumerate() {
        if kind.keep[usize::from(key.lod)] > 0.0 {
            isa.run(Candidates { samples, key, seed: pcg(seed ^ pcg(index as u32)), kind, out });
        }
    }
    if out.len() > INSTANCES_PER_CHUNK_MAX {
        keep_lowest_ranks(out);
    }
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
    use crate::{CHUNK_EDGE_M, GridArea, HeightField, Scratch, heightmap, noise::*};
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
    fn every_instruction_set_scatters_what_one_candidate_at_a_time_gives() {
        let field = Hills(Stack::new(5, &StackDesc { octaves: 6, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }));
        let sparse = kind([1.0, 0.6, 0.3, 0.1, 0.0, 0.0]);
        let shy = ScatterKind { cover: [0.6, 0.2], height_fade_m: 0.0, spacing_m: 3.07, props: [0, 0], ..kind([0.9, 0.9, 0.5, 0.5, 0.5, 0.01]) };
        let steep = ScatterKind { slope: [0.2, 9.0], cover: [0.0, 0.0], spacing_m: 17.0, keep: [0.2, 0.5, 1.0, 0.0, 1.0, 0.3], ..shy.clone() };
        let far = ScatterKind { spacing_m: 9000.0, density: 1.0, slope: [0.0, 1e3], height_m: [-1e6, 1e6], cover: [0.0, 0.0], ..kind([1.0; 6]) };
        let kinds = [sparse, shy, steep, far];
        let (mut samples, mut out, mut expected, mut count) = (Samples::default(), Vec::new(), Vec::new(), 0);
        for (x, z) in [(0, 0), (-1, -1), (9765, -9766), (i32::MAX >> 3, i32::MIN >> 3)] {
            for lod in 0..SCATTER_LEVELS as u8 {
                let key = ChunkKey::plane(lod, x, z);
                heightmap(&field, key, &mut Scratch::default(), &mut samples);
                plain::scatter(&samples, key, 99, &kinds, &mut expected);
                for isa in Isa::supported() {
                    scatter_with(isa, &samples, key, 99, &kinds, &mut out);
                    assert!(out == expected, "{isa} {key:?}: {} and {}", out.len(), expected.len());
                }
                count += out.len();
            }
        }
        assert!(count > 10_000);
    }

    #[test]
    fn a_remainder_by_way_of_f32_is_exact() {
        for props in 1..=255i32 {
            let share = 1.0 / props as f32;
            assert!((0..1 << 16).all(|dice| dice - ((dice as f32 + 0.5) * share) as i32 * props == dice % props), "{props}");
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
