//! In: an area and the order to make it in. Out: one hash of all generated data, which that order must not change.
//! Never knows: the renderer; chunks go through the same graph of jobs as in play.

use crate::{
    chunk_graph::{self, ChunkContext, Instances},
    cli::{DigestArgs, Order},
    config::Config,
    error::GameError,
    worlds::Ground,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{collections::BTreeMap, time::Instant};
use terrane_base::{ChunkKey, Digest, DigestValue, Place, hash::hash2};
use terrane_jobs::{Jobs, Made};
use terrane_worldgen::{
    GridMesh, Samples,
    digest::{write_chunk, write_tiles},
    tiles::TileCorners,
};

/// Chunks asked for at a time, for each worker: enough that the last ones of a wave cost little. 16 x 0.4 MiB of results a worker.
const WAVE_PER_WORKER: usize = 16;

/// What a chunk adds to the hash.
#[derive(Clone, Copy)]
struct ChunkDigest(DigestValue);

/// `terrane digest`: the hash is alone on the last line.
pub fn run(config: &Config, args: &DigestArgs) -> Result<(), GameError> {
    let start = Instant::now();
    let hash = digest(config, args)?;
    let chunks = args.area * args.area;
    let ms = start.elapsed().as_secs_f64() * 1e3 / f64::from(chunks);
    println!("{} seed {}: {chunks} chunks of level {}, {ms:.2} ms each with {} workers", config.world.name, config.seed.0, args.lod, config.threads);
    println!("{hash}");
    Ok(())
}

/// Makes the chunks in the order asked and hashes them in that of their keys.
pub fn digest(config: &Config, args: &DigestArgs) -> Result<DigestValue, GameError> {
    let context = ChunkContext::new(config.make_world()?);
    let keys = ordered_keys(args, context.world.shape.edge_m(0) as i64);
    let graph = chunk_graph::builder(&context.world.ground);
    let graph = match context.world.ground {
        Ground::Layers(_) => graph.job("digest", |_: &ChunkContext, key: &ChunkKey, samples: &Samples, made: &Outputs| {
            chunk_digest(made, |digest| write_chunk(digest, *key, samples, &made.1.0))
        }),
        Ground::Tiles(_) => graph.job("digest", |_: &ChunkContext, key: &ChunkKey, corners: &TileCorners, made: &Outputs| {
            chunk_digest(made, |digest| write_tiles(digest, *key, corners, &made.1.0))
        }),
    };
    let graph = graph.job("outputs", |_: &ChunkContext, mesh: &GridMesh, instances: &Instances| Outputs(mesh.clone(), instances.clone()));
    let mut jobs = Jobs::new(graph.build()?, context, config.threads)?;
    let progress = progress(keys.len() as u64, "chunks");
    let mut values = BTreeMap::new();
    for wave in keys.chunks(WAVE_PER_WORKER * config.threads) {
        make_wave(&mut jobs, wave, &mut values)?;
        progress.inc(wave.len() as u64);
    }
    progress.finish_and_clear();
    let mut digest = Digest::default();
    values.values().flat_map(|ChunkDigest(value)| value.0).for_each(|word| digest.write_u64(word));
    Ok(digest.finish())
}

/// Mesh and instances together: a job reads at most four things.
struct Outputs(GridMesh, Instances);

fn chunk_digest(Outputs(mesh, _): &Outputs, write: impl FnOnce(&mut Digest)) -> ChunkDigest {
    let mut digest = Digest::default();
    write(&mut digest);
    mesh.vertices.iter().flatten().for_each(|word| digest.write_u32(*word));
    ChunkDigest(digest.finish())
}

fn make_wave(jobs: &mut Jobs<ChunkContext, ChunkKey>, wave: &[ChunkKey], values: &mut BTreeMap<ChunkKey, ChunkDigest>) -> Result<(), GameError> {
    let mut world = hecs::World::new();
    let entities: Vec<_> = wave.iter().map(|key| (world.spawn(()), *key)).collect();
    for (priority, (entity, key)) in entities.iter().enumerate() {
        jobs.request(*entity, *key, priority as u64).map_err(|error| GameError::Bug(error.to_string()))?;
    }
    let report = jobs.drain_wave(&mut world);
    if let Some(failure) = report.failed.first() {
        return Err(GameError::Bug(format!("{} of chunk {}: {}", failure.job, failure.key, failure.message)));
    }
    for (entity, key) in entities {
        let made = world.get::<&Made<ChunkDigest>>(entity).map_err(|error| GameError::Bug(format!("chunk {key:?} was not made: {error}")))?;
        values.insert(key, *made.0);
    }
    Ok(())
}

/// The chunks of the area in the order in which they are asked for.
fn ordered_keys(args: &DigestArgs, edge_m: i64) -> Vec<ChunkKey> {
    let middle = Place::from_f64([args.at.x_m, 0.0, args.at.z_m]).chunk(args.lod, edge_m);
    let half = (args.area / 2) as i32;
    let offsets = (0..args.area as i32).flat_map(|z| (0..args.area as i32).map(move |x| [x - half, z - half]));
    let mut offsets: Vec<[i32; 2]> = offsets.collect();
    match args.order {
        Order::Spiral => offsets.sort_by(|a, b| turn(a).partial_cmp(&turn(b)).unwrap_or(std::cmp::Ordering::Equal)),
        Order::Reversed => offsets.sort_by(|a, b| turn(b).partial_cmp(&turn(a)).unwrap_or(std::cmp::Ordering::Equal)),
        Order::Shuffled => offsets.sort_by_key(|[x, z]| hash2(0x7e77_a9e0, *x, *z)),
    }
    offsets.iter().map(|[x, z]| ChunkKey::plane(args.lod, middle.x + x, middle.z + z)).collect()
}

/// Ring around the middle, then angle.
fn turn([x, z]: &[i32; 2]) -> (i32, f64) {
    (x.abs().max(z.abs()), f64::from(*z).atan2(f64::from(*x)))
}

/// A bar with stage, count and time left on standard error; hidden when that is no terminal.
pub fn progress(length: u64, what: &'static str) -> ProgressBar {
    let template = "{msg} [{bar:40}] {percent}% {pos}/{len}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style.progress_chars("=> ")).with_message(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{At, GlobalArgs};
    use std::collections::HashSet;

    fn args(order: Order, x_m: f64, lod: u8) -> DigestArgs {
        DigestArgs { area: 3, lod, order, at: At { x_m, z_m: -x_m } }
    }

    #[test]
    fn orders_hold_the_same_chunks_differently() {
        let keys = |order| ordered_keys(&DigestArgs { area: 6, ..args(order, -1.0, 0) }, 128);
        let (spiral, reversed, shuffled) = (keys(Order::Spiral), keys(Order::Reversed), keys(Order::Shuffled));
        assert_eq!(spiral[0], ChunkKey::plane(0, -1, 0));
        assert_ne!(spiral, shuffled);
        assert_ne!(spiral, reversed);
        let set = |keys: &[ChunkKey]| keys.iter().copied().collect::<HashSet<_>>();
        assert_eq!((set(&spiral).len(), set(&spiral)), (36, set(&shuffled)));
        assert_eq!(set(&spiral), set(&reversed));
    }

    #[test]
    fn threads_and_orders_do_not_change_the_hash() {
        for (x_m, lod) in [(0.0, 0), (-1.0, 3), (1e7, 0)] {
            let hash = |threads, order| {
                let global = GlobalArgs { threads: Some(threads), ..GlobalArgs::default() };
                digest(&Config::from_text(&global, "", "").expect("defaults"), &args(order, x_m, lod)).expect("a hash")
            };
            let first = hash(1, Order::Spiral);
            assert_eq!(first, hash(2, Order::Reversed), "at {x_m}");
            assert_eq!(first, hash(4, Order::Shuffled), "at {x_m}");
        }
    }

    #[test]
    fn seed_place_and_settings_change_it() {
        let hash = |text, x_m| digest(&Config::from_text(&GlobalArgs::default(), "", text).expect("right"), &args(Order::Spiral, x_m, 0)).expect("a hash");
        let first = hash("", 0.0);
        assert_ne!(first, hash("seed = 2", 0.0));
        assert_ne!(first, hash("", 128.0));
        assert_ne!(first, hash("[terrain]\nheight_multiplier_m = 500", 0.0));
    }
}
