//! In: a field and the key of a chunk. Out: its samples with an apron, so that no later stage reads a neighbour.
//! Never knows: meshes, plants, or who asks.

use crate::{
    APRON, CHUNK_EDGE_M, HEIGHT_UNITS_PER_M, SAMPLES_EDGE,
    field::{Field, FieldScratch},
    noise::NoiseScratch,
    tiles::TileCorners,
};
use terrane_base::ChunkKey;
use terrane_simd::Isa;

/// Heights beyond are cut off, so that mesh, plants and digests agree: what the 22 bits of a packed vertex hold (2^21 / 128 m), less a
/// metre. In 1/1024 m that is under 2^24, so no difference or sum of a few heights overflows.
pub const HEIGHT_LIMIT_M: i32 = 16_383;

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
    /// For a composed field.
    pub field: FieldScratch,
    /// Corners that scatter over tiles asks for.
    pub tiles: TileCorners,
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
///
/// ```
/// use terrane_base::ChunkKey;
/// use terrane_worldgen::{GridArea, HeightField, Samples, Scratch, heightmap};
///
/// /// Every step east climbs by 1/1024 m.
/// struct Ramp;
///
/// impl HeightField for Ramp {
///     fn fill(&self, area: &GridArea, _: &mut Scratch, out: &mut Samples) {
///         out.edge = area.edge;
///         out.height_q = (0..area.edge * area.edge).map(|i| (area.x_m + (i % area.edge) as i64 * i64::from(area.step_m)) as i32).collect();
///         out.cover = vec![0; area.edge * area.edge];
///     }
/// }
///
/// let mut samples = Samples::default();
/// heightmap(&Ramp, ChunkKey::plane(1, -1, 0), &mut Scratch::default(), &mut samples);
/// assert_eq!((samples.height(0, 5), samples.height(128, 5)), (-256, 0));
/// ```
pub trait HeightField: Send + Sync {
    /// Fills `out` with the samples of an area. Called once a chunk, never once a point.
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples);

    /// The same as data, where it is a composed field: for whoever evaluates it elsewhere.
    fn layers(&self) -> Option<GroundLayers<'_>> {
        None
    }
}

/// A ground that is a composed field.
#[derive(Clone, Copy, Debug)]
pub struct GroundLayers<'a> {
    /// Its outputs: height in metres, cover from 0 to 1.
    pub field: &'a Field,
    /// Added to where one asks, metres along x and z.
    pub offset_m: [i64; 2],
}

/// The samples of a chunk: 133 x 133, from two steps before its corner.
pub fn heightmap(field: &dyn HeightField, key: ChunkKey, scratch: &mut Scratch, out: &mut Samples) {
    let step = 1i64 << key.lod;
    let edge = CHUNK_EDGE_M * step;
    let apron = APRON as i64 * step;
    let area = GridArea { x_m: i64::from(key.x) * edge - apron, z_m: i64::from(key.z) * edge - apron, step_m: step as u32, edge: SAMPLES_EDGE };
    field.fill(&area, scratch, out);
    let limit = HEIGHT_LIMIT_M * HEIGHT_UNITS_PER_M;
    Isa::chosen().run_plain(
        #[inline(always)]
        || out.height_q.iter_mut().for_each(|height| *height = (*height).clamp(-limit, limit)),
    );
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
