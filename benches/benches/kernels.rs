//! In: blocks and chunks that need no world. Out: time of each kernel on each instruction set, one thread.
//! Never knows: peers; `cargo run --release -p peers` has them.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use terrane_base::{
    ChunkKey,
    cull::{Spheres, cull_spheres_with},
    hash::{hash2, pcg},
};
use terrane_simd::Isa;
use terrane_worldgen::{
    GridMesh, SAMPLES_EDGE, Samples, mesh_grid_with,
    scatter::{ScatterKind, scatter_with},
    voxel::{Block, GreedyMesher, MarchingCubes, Mask, Quads, Surface, SurfaceNets, new_block},
};

/// -1 to 1.
fn dice(seed: u32) -> f32 {
    (pcg(seed) >> 8) as f32 / 8_388_608.0 - 1.0
}

/// Signed values of hills, and the voxels below them.
fn blocks() -> (Box<Block<f32>>, Box<Block<u16>>) {
    let (mut values, mut voxels) = (new_block(0.0), new_block(0));
    for (row, (values, voxels)) in values.iter_mut().zip(voxels.iter_mut()).enumerate() {
        let (y, z) = ((row / 64) as f32, (row % 64) as f32);
        for (x, (value, voxel)) in values.iter_mut().zip(voxels).enumerate() {
            let x = x as f32;
            *value = y - 31.0 - 9.0 * (x * 0.11).sin() - 11.0 * (z * 0.07 + x * 0.03).cos() - 3.0 * (x * 0.4 + z * 0.31).sin();
            *voxel = u16::from(*value < 0.0) + u16::from(*value < -1.0) + u16::from(*value < -4.0);
        }
    }
    (values, voxels)
}

fn voxels(criterion: &mut Criterion) {
    let (values, voxels) = blocks();
    let (mut solid, mut greedy, mut quads) = (Mask::default(), GreedyMesher::default(), Quads::default());
    let (mut nets, mut cubes, mut surface) = (SurfaceNets::default(), MarchingCubes::default(), Surface::default());
    for isa in Isa::supported() {
        let mut group = criterion.benchmark_group(format!("voxels {isa}"));
        group.bench_function("mask", |bench| bench.iter(|| solid.set_solid(isa, black_box(&*voxels))));
        group.bench_function("greedy", |bench| bench.iter(|| greedy.mesh(isa, black_box(&*voxels), &solid, &solid, &mut quads)));
        group.bench_function("surface nets", |bench| bench.iter(|| nets.mesh(isa, black_box(&*values), &mut surface)));
        group.bench_function("marching cubes", |bench| bench.iter(|| cubes.mesh(isa, black_box(&*values), &mut surface)));
        group.finish();
    }
}

fn chunks(criterion: &mut Criterion) {
    let count = SAMPLES_EDGE * SAMPLES_EDGE;
    let bump = |i: usize| ((i % SAMPLES_EDGE) as f32 * 0.1).sin() * 4000.0 + (i / SAMPLES_EDGE) as f32 * 200.0 + dice(i as u32) * 50.0;
    let height_q = (0..count).map(|i| bump(i) as i32).collect();
    let samples = Samples { edge: SAMPLES_EDGE, height_q, cover: (0..count).map(|i| (hash2(1, i as i32, 0) & 0xff) as u8).collect() };
    let kinds = [ScatterKind {
        name: "plant",
        spacing_m: 1.25,
        density: 0.5,
        slope: [0.0, 0.6],
        height_m: [-100.0, 100.0],
        height_fade_m: 10.0,
        cover: [0.2, 0.6],
        keep: [1.0, 0.5, 0.25, 0.1, 0.05, 0.02],
        scale: [0.7, 1.3],
        props: [0, 4],
    }];
    let (mut mesh, mut instances) = (GridMesh::default(), Vec::new());
    for isa in Isa::supported() {
        let mut group = criterion.benchmark_group(format!("chunk {isa}"));
        group.bench_function("grid mesh", |bench| bench.iter(|| mesh_grid_with(isa, black_box(&samples), 0, &mut mesh)));
        let key = ChunkKey::plane(0, 2, -3);
        group.bench_function("scatter", |bench| bench.iter(|| scatter_with(isa, black_box(&samples), key, 99, &kinds, &mut instances)));
        group.finish();
    }
}

fn culling(criterion: &mut Criterion) {
    let array = |salt: u32, size: f32| (0..100_000).map(|i| dice(i ^ salt << 20) * size).collect::<Vec<f32>>();
    let (x, y, z, radius) = (array(1, 1000.0), array(2, 1000.0), array(3, 1000.0), array(4, 3.0));
    let planes = [[0.7, 0.0, -0.7, 0.0], [-0.7, 0.0, -0.7, 0.0], [0.0, 0.8, -0.6, 0.0], [0.0, -0.8, -0.6, 0.0], [0.0, 0.0, -1.0, -0.1], [0.0, 0.0, 1.0, 900.0]];
    let mut seen = Vec::new();
    for isa in Isa::supported() {
        criterion.bench_function(&format!("cull 100,000 spheres {isa}"), |bench| {
            bench.iter(|| cull_spheres_with(isa, black_box(&planes), Spheres { x: &x, y: &y, z: &z, radius: &radius }, &mut seen));
        });
    }
}

criterion_group!(benches, voxels, chunks, culling);
criterion_main!(benches);
