//! Rows 8, 9, 10, 11, 15: what becomes of a chunk of terrain.

use crate::{
    harness::{Goal, Row, Session, Times},
    plain, scenes,
};
use fast_poisson::Poisson2D;
use fastnoise_lite::{FastNoiseLite, FractalType, NoiseType};
use std::{hint::black_box, time::Instant};
use terrane_base::ChunkKey;
use terrane_simd::{Isa, Kernel, LANES_MAX, Simd};
use terrane_worldgen::{
    CHUNK_VERTICES, GridArea, GridMesh, HeightField, Samples, Scratch, heightmap, mesh_grid_with,
    noise::{Stack, StackDesc},
    scatter::{Instance, ScatterKind, scatter_with},
};

/// Of heights, vertices and instances.
const CHUNK_HASH: u64 = 0x1afc_5159_36de_15ec;
/// Six octaves, as the peers have them.
const OCTAVES: u32 = 6;
const WAVELENGTH_M: f32 = 200.0;
const HEIGHT_M: f32 = 40.0;

/// Hills for each instruction set.
struct Hills {
    isa: Isa,
    noise: Stack,
}

impl Hills {
    fn new(isa: Isa) -> Hills {
        let desc = StackDesc { octaves: OCTAVES, wavelength_m: f64::from(WAVELENGTH_M), lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
        Hills { isa, noise: Stack::new(7, &desc).with_isa(isa) }
    }
}

impl HeightField for Hills {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let count = area.edge * area.edge;
        scratch.reserve(1, 0, count);
        let Scratch { noise, layers, .. } = scratch;
        let layer = &mut layers[0][..count];
        self.noise.fbm_grid(area, noise, layer);
        out.edge = area.edge;
        out.height_q.resize(count, 0);
        out.cover.resize(count, 0);
        self.isa.run(Quantize { values: layer, heights: &mut out.height_q, covers: &mut out.cover });
    }
}

/// Noise as heights in 1/1024 m and as cover.
struct Quantize<'a> {
    values: &'a [f32],
    heights: &'a mut [i32],
    covers: &'a mut [u8],
}

impl Kernel for Quantize<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let chunks = self.values.chunks(LANES_MAX).zip(self.heights.chunks_mut(LANES_MAX)).zip(self.covers.chunks_mut(LANES_MAX));
        for ((values, heights), covers) in chunks {
            let mut cover = [0; LANES_MAX];
            for at in (0..values.len()).step_by(S::LANES) {
                let value = s.load_part(&values[at..]);
                let end = heights.len().min(at + S::LANES);
                s.store_part_i32(s.to_i32(value * s.f32(HEIGHT_M * 1024.0)), &mut heights[at..end]);
                s.store_i32(s.to_i32(value * s.f32(127.0) + s.f32(128.0)), &mut cover[at..]);
            }
            covers.iter_mut().zip(cover).for_each(|(to, cover)| *to = cover.clamp(0, 255) as u8);
        }
    }
}

/// One kind, 1.25 m apart: 10,609 candidates a chunk. The ground takes two of three, by height and slope, as with the peer.
fn plants() -> [ScatterKind; 1] {
    let keep = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let (height_m, slope) = ([-100.0, 100.0], [0.0, 0.78]);
    let (cover, scale) = ([0.0, 0.0], [0.7, 1.3]);
    [ScatterKind { name: "plant", spacing_m: 1.25, density: 1.0, slope, height_m, height_fade_m: 95.0, cover, keep, scale, props: [0, 4] }]
}

/// The same with all that a kind can ask for: cover, and ranks that five levels keep ever fewer of.
fn choosy_plants() -> [ScatterKind; 1] {
    let [plant] = plants();
    [ScatterKind { cover: [0.2, 0.5], keep: [1.0, 0.5, 0.25, 0.1, 0.05, 0.02], slope: [0.0, 1.5], ..plant }]
}

/// What a worker keeps.
#[derive(Default)]
struct Chunk {
    scratch: Scratch,
    samples: Samples,
    mesh: GridMesh,
    instances: Vec<Instance>,
}

impl Chunk {
    fn make(&mut self, field: &Hills, key: ChunkKey, kinds: &[ScatterKind]) {
        heightmap(field, key, &mut self.scratch, &mut self.samples);
        mesh_grid_with(field.isa, &self.samples, key.lod, &mut self.mesh);
        scatter_with(field.isa, &self.samples, key, 99, kinds, &mut self.instances);
    }

    fn hash(&self) -> u64 {
        let words = |words: &[u32; 2]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let heights = self.samples.height_q.iter().map(|height| *height as u64);
        scenes::hash(heights.chain(self.mesh.vertices.iter().map(words)).chain(self.instances.iter().map(|instance| words(&instance.words))))
    }
}

/// The same of the usual code.
struct PlainChunk {
    noise: FastNoiseLite,
    heights: Vec<f32>,
    vertices: Vec<plain::Vertex>,
    plants: Vec<plain::Plant>,
}

impl PlainChunk {
    fn new() -> PlainChunk {
        let mut noise = FastNoiseLite::with_seed(7);
        noise.set_noise_type(Some(NoiseType::Perlin));
        noise.set_fractal_type(Some(FractalType::FBm));
        noise.set_fractal_octaves(Some(OCTAVES as i32));
        noise.set_frequency(Some(1.0 / WAVELENGTH_M));
        PlainChunk { noise, heights: vec![0.0; plain::EDGE * plain::EDGE], vertices: Vec::new(), plants: Vec::new() }
    }

    fn fill(&mut self) {
        for (i, height) in self.heights.iter_mut().enumerate() {
            let [x, z] = [i % plain::EDGE, i / plain::EDGE].map(|at| at as f32 - 1.0);
            *height = self.noise.get_noise_2d(x, z) * HEIGHT_M;
        }
    }

    fn make(&mut self) {
        self.fill();
        plain::mesh(&self.heights, 1.0, &mut self.vertices);
        plain::scatter(&self.heights, 99, &mut self.plants);
    }
}

pub fn chunks(session: &mut Session) {
    if !["8", "9", "10", "11", "15"].iter().any(|row| session.wants_row(row)) {
        return;
    }
    let fields: Vec<_> = Isa::ALL.into_iter().map(Hills::new).collect();
    let field = |isa: Isa| &fields[isa as usize];
    let (key, kinds) = (ChunkKey::plane(0, 2, -3), plants());
    let (mut ours, mut peer) = (Chunk::default(), PlainChunk::new());
    ours.make(field(session.isa), key, &kinds);
    peer.make();

    let (samples, heights) = (ours.samples.clone(), peer.heights.clone());
    let (mut mesh, mut instances) = (GridMesh::default(), Vec::new());
    session.race(
        "8 grid mesh 129^2, 8 B a vertex: glam loop, 24 B",
        Goal::times(3.0, 5.0),
        "",
        |isa| mesh_grid_with(isa, black_box(&samples), 0, &mut mesh),
        || {
            plain::mesh(black_box(&heights), 1.0, &mut peer.vertices);
        },
    );
    let note = format!("{} of 10,609 candidates grow, {} of the peer's 10,000", ours.instances.len(), peer.plants.len());
    session.race(
        "9 scatter 10,000 candidates: plain loop",
        Goal::times(2.5, 4.0),
        &note,
        |isa| scatter_with(isa, black_box(&samples), key, 99, &kinds, &mut instances),
        || {
            plain::scatter(black_box(&heights), 99, &mut peer.plants);
        },
    );
    let choosy = choosy_plants();
    session.race(
        "9 scatter with cover and six levels: plain loop",
        Goal::NONE,
        "the peer has neither",
        |isa| scatter_with(isa, black_box(&samples), key, 99, &choosy, &mut instances),
        || plain::scatter(black_box(&heights), 99, &mut peer.plants),
    );
    // A disc of this radius around each: about 10,000 points.
    let poisson = Poisson2D::new().with_dimensions([128.0, 128.0], 1.06).with_seed(99);
    let note = format!("{} points of the peer, no ground read", poisson.iter().count());
    session.race(
        "9 scatter 10,000 candidates: fast_poisson",
        Goal::times(500.0, 1000.0),
        &note,
        |isa| scatter_with(isa, black_box(&samples), key, 99, &kinds, &mut instances),
        || {
            black_box(poisson.iter().count());
        },
    );
    session.race(
        "10 chunk end to end: fastnoise-lite and plain loops",
        Goal::times(8.0, 15.0),
        "heights, mesh, 10,000 candidates",
        |isa| ours.make(field(isa), key, &kinds),
        || peer.make(),
    );
    for isa in Isa::supported() {
        ours.make(field(isa), key, &kinds);
        session.check_hash(&format!("chunk, {isa}"), ours.hash(), CHUNK_HASH);
    }
    two_workers(session, field(session.isa), &kinds);
    memory(session);
}

/// Row 11: the same chunks by one thread and by two.
fn two_workers(session: &mut Session, field: &Hills, kinds: &[ScatterKind]) {
    let name = "11 two workers: one worker";
    if !session.wants(name) {
        return;
    }
    const CHUNKS: i32 = 200;
    let mut workers = [Chunk::default(), Chunk::default()];
    let mut make = |threads: i32| {
        std::thread::scope(|scope| {
            for (index, chunk) in workers.iter_mut().enumerate().take(threads as usize) {
                scope.spawn(move || {
                    for x in (index as i32..CHUNKS).step_by(threads as usize) {
                        chunk.make(field, ChunkKey::plane(0, x, 1), kinds);
                    }
                });
            }
        });
    };
    make(2);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..21 {
        for threads in [1, 2] {
            let start = Instant::now();
            make(threads);
            times[threads as usize - 1].push(start.elapsed().as_nanos() as f64 / f64::from(CHUNKS));
        }
    }
    let [one, two] = times.map(|mut ns| {
        ns.sort_by(f64::total_cmp);
        Times { median_ns: ns[ns.len() / 2], min_ns: ns[0] }
    });
    session.add(Row {
        name: name.to_owned(),
        must: Some(1.7),
        goal: Some(1.9),
        lower_is_better: false,
        ratio: one.median_ns / two.median_ns,
        ours: two,
        peer: one,
        note: "a chunk's share of the time; on a machine with other work the ratio of minima says more".to_owned(),
    });
}

/// Row 15: bytes, not times.
fn memory(session: &mut Session) {
    let name = "15 memory of a 129^2 chunk (bytes): 24 B, own indices";
    if !session.wants(name) {
        return;
    }
    let vertices = CHUNK_VERTICES * CHUNK_VERTICES;
    let ours = (vertices * size_of::<[u32; 2]>()) as f64;
    let peer = (vertices * size_of::<plain::Vertex>() + (CHUNK_VERTICES - 1) * (CHUNK_VERTICES - 1) * 6 * size_of::<u32>()) as f64;
    let bytes = |bytes| Times { median_ns: bytes, min_ns: bytes };
    session.add(Row {
        name: name.to_owned(),
        must: Some(4.0),
        goal: Some(7.0),
        lower_is_better: false,
        ratio: peer / ours,
        ours: bytes(ours),
        peer: bytes(peer),
        note: "bytes; ours share one index buffer. 8 B hold two gradients: its own and the next coarser level's".to_owned(),
    });
}
