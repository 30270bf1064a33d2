//! In: every world, seed 1. Out: time of each stage of a chunk of level 0 and 3 on one thread.
//! Never knows: the job graph; `terrane digest --stats` times the same stages in it.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use terrane::{cli::GlobalArgs, config::Config, worlds::WORLDS};
use terrane_base::ChunkKey;
use terrane_worldgen::{GridMesh, Samples, Scratch, heightmap, mesh_grid, scatter::scatter};

fn stages(criterion: &mut Criterion) {
    for row in WORLDS {
        let arguments = GlobalArgs { world: Some(row.name.to_owned()), ..GlobalArgs::default() };
        let world = Config::from_text(&arguments, "defaults", "").and_then(|config| config.make_world()).expect("the defaults make a world");
        for lod in [0, 3] {
            let key = ChunkKey::plane(lod, 2, -3);
            let (mut scratch, mut samples, mut mesh, mut instances) = (Scratch::default(), Samples::default(), GridMesh::default(), Vec::new());
            let mut group = criterion.benchmark_group(format!("{} level {lod}", row.name));
            group.bench_function("heightmap", |bench| bench.iter(|| heightmap(&*world.field, black_box(key), &mut scratch, &mut samples)));
            group.bench_function("meshing", |bench| bench.iter(|| mesh_grid(black_box(&samples), lod, &mut mesh)));
            group.bench_function("scatter", |bench| {
                bench.iter(|| scatter(black_box(&samples), key, world.scatter_seed, &world.scatter_kinds, &mut instances));
            });
            group.finish();
        }
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
