//! In: a world, a processor. Out: chunks a second by the number of workers.
//! Never knows: the GPU. The chunks are those that a viewer at the world's first pose wants, made as the stream makes them.

use super::report::{Growth, rounded};
use crate::{
    chunk_graph::{self, ChunkContext},
    config::Config,
    error::GameError,
    measure::percentile,
};
use std::{sync::Arc, time::Instant};
use terrane_base::Place;
use terrane_worldgen::rings::{RingParams, Rings, Viewer, Wanted};

/// Chunks of a measurement: at 0.15 ms each 45 ms on one worker, long beside the start of a wave.
const CHUNKS: usize = 300;
/// Measurements of each count of workers, those of other counts between them.
const REPEATS: usize = 5;

/// 1, 2, 4, ... workers up to one a processor.
pub fn growth(config: &Config, processors: usize) -> Result<Vec<Growth>, GameError> {
    let context = ChunkContext::new(config.make_world()?);
    let wanted = wanted(config)?;
    let mut counts: Vec<usize> = std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|count| *count < processors).collect();
    counts.push(processors);
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    for _ in 0..REPEATS {
        for (count, seconds) in counts.iter().zip(&mut seconds) {
            seconds.push(wave_s(&context, &wanted, *count)?);
        }
    }
    let row = |(threads, mut seconds): (usize, Vec<f64>)| Growth {
        world: config.world.name.to_owned(),
        threads: threads as u32,
        chunks: wanted.len() as u32,
        chunks_per_s: rounded(wanted.len() as f64 / percentile(&mut seconds, 0.5).max(1e-9)),
    };
    Ok(counts.into_iter().zip(seconds).map(row).collect())
}

fn wanted(config: &Config) -> Result<Vec<Wanted>, GameError> {
    let params = RingParams::new(config.world.shape, config.view_distance_m);
    let mut rings = Rings::new(params).map_err(|error| GameError::usage(error.to_string(), ""))?;
    let pose = config.world.poses.first().ok_or_else(|| GameError::Bug(format!("the world {} has no pose", config.world.name)))?;
    let place = Place::from_f64(config.make_world()?.pose_place(pose));
    let mut wanted = Vec::new();
    rings.wanted(&Viewer { place, eye_m: 2.0 }, &mut wanted);
    wanted.truncate(CHUNKS);
    Ok(wanted)
}

/// Seconds from the first request to the last chunk.
fn wave_s(context: &Arc<ChunkContext>, wanted: &[Wanted], threads: usize) -> Result<f64, GameError> {
    let mut jobs = chunk_graph::jobs(Arc::clone(context), threads)?;
    let mut ecs = hecs::World::new();
    let began = Instant::now();
    for chunk in wanted {
        let entity = ecs.spawn((chunk.key,));
        jobs.request(entity, chunk.key, chunk.priority).map_err(|error| GameError::Bug(error.to_string()))?;
    }
    let report = jobs.drain_wave(&mut ecs);
    match report.failed.first() {
        None => Ok(began.elapsed().as_secs_f64()),
        Some(failure) => Err(GameError::Bug(format!("{} of chunk {}: {}", failure.job, failure.key, failure.message))),
    }
}
