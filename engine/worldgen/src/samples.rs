//! In: a field and the key of a chunk. Out: its samples with an apron, so that no later stage reads a neighbour.
//! Never knows: meshes, plants, or who asks.

use crate::{APRON, CHUNK_EDGE_M, SAMPLES_EDGE, noise::NoiseScratch};
use terrane_base::ChunkKey;

/// A square of samples on the global lattice of metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridArea {
    /// First sample, metres.
    pub x_m: i64,
    /// First sample, metres.
    pub z_m: i64,
    /// Metres between samples.
    pub step_m: u32,
    /// Samples along the edge.
    pub edge: usize,
}

/// What a field knows of a square: row by row, `z * edge + x`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Samples along the edge.
    pub edge: usize,
    /// Heights in 1/1024 m.
    pub height_q: Vec<i32>,
    /// How densely plants cover the ground, 0 to 255.
    pub cover: Vec<u8>,
}

/// Buffers that a field may use between calls; they grow once and stay.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For noise.
    pub noise: NoiseScratch,
    /// Layers of f32 samples.
    pub layers: Vec<Vec<f32>>,
    /// Layers of warp offsets.
    pub warps: Vec<Vec<i32>>,
}

impl Scratch {
    /// Makes `layers` and `warps` layers of `samples` values each, keeping what is there.
    pub fn reserve(&mut self, layers: usize, warps: usize, samples: usize) {
        if self.layers.len() < layers {
            self.layers.resize_with(layers, Vec::new);
        }
        if self.warps.len() < warps {
            self.warps.resize_with(warps, Vec::new);
        }
        self.layers.iter_mut().for_each(|layer| layer.resize(samples, 0.0));
        self.warps.iter_mut().for_each(|warp| warp.resize(samples, 0));
    }
}

/// A world's ground as a function of global coordinates. Equal coordinates give equal bits, whatever area and step asks.
pub trait HeightField: Send + Sync {
    /// Fills `out` with the samples of an area. Called once a chunk, never once a point.
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples);
}

/// The samples of a chunk: 133 x 133, from two steps before its corner.
pub fn heightmap(field: &dyn HeightField, key: ChunkKey, scratch: &mut Scratch, out: &mut Samples) {
    let step = 1i64 << key.lod;
    let edge = CHUNK_EDGE_M * step;
    let apron = APRON as i64 * step;
    let area = GridArea {
        x_m: i64::from(key.x) * edge - apron,
        z_m: i64::from(key.z) * edge - apron,
        step_m: step as u32,
        edge: SAMPLES_EDGE,
    };
    field.fill(&area, scratch, out);
    debug_assert_eq!((out.edge, out.height_q.len(), out.cover.len()), (SAMPLES_EDGE, SAMPLES_EDGE * SAMPLES_EDGE, SAMPLES_EDGE * SAMPLES_EDGE));
}

impl Samples {
    /// Height of vertex (x, z) of the chunk, from -2 to 130, in 1/1024 m.
    pub fn height(&self, x: i32, z: i32) -> i32 {
        self.height_q[self.index(x, z)]
    }

    /// Index of vertex (x, z) of the chunk.
    pub fn index(&self, x: i32, z: i32) -> usize {
        (z + APRON as i32) as usize * self.edge + (x + APRON as i32) as usize
    }

    /// Quantised gradient at a vertex: the difference over +-`reach` samples along x and z, in 1/1024 m.
    pub fn rise(&self, x: i32, z: i32, reach: i32) -> [i32; 2] {
        [self.height(x + reach, z) - self.height(x - reach, z), self.height(x, z + reach) - self.height(x, z - reach)]
    }
}
