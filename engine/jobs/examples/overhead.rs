//! In: nothing. Out: what the job graph costs beside bare rayon spawns: 10,000 chunk jobs of nothing, from request to component.
//! `cargo run --release -p terrane-jobs --example overhead [threads]`
//!
//! Both sides make the same: a component on each of 10,000 entities, of a value that a worker made. Rounds are interleaved and the
//! medians compared. The bare side has no priorities, no bound, no cancelling, no statistics and no care of panics.
#![forbid(unsafe_code)]

use std::{
    error::Error,
    hint::black_box,
    sync::{Arc, mpsc::channel},
    time::Instant,
};
use terrane_jobs::{ChunkGraph, Jobs, Made, QUEUE_MAX};

const CHUNKS: u32 = 10_000;
const ROUNDS: usize = 41;

struct Nothing(u32);

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let [bare, insert, graph] = measure(threads)?.map(median);
    println!("{CHUNKS} chunk jobs of nothing, {threads} workers, medians of {ROUNDS} interleaved rounds");
    println!("bare spawns, to the channel     {bare:7.3} ms");
    println!("bare spawns, to the components  {insert:7.3} ms");
    println!("job graph, to the components    {graph:7.3} ms, {:.0} ns a chunk", graph * 1e6 / f64::from(CHUNKS));
    println!("ratio {:.2} (to the channel alone: {:.2})", graph / insert, graph / bare);
    Ok(())
}

/// Milliseconds of each round: bare spawns to the channel, the same to the components, the job graph to the components.
pub fn measure(threads: usize) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
    let graph = ChunkGraph::<(), u32>::builder().job("nothing", |(): &(), key: &u32| Nothing(black_box(*key))).build()?;
    let mut jobs = Jobs::new(graph, Arc::new(()), threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let (mut bare_ms, mut insert_ms, mut graph_ms) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (spawn, whole) = bare_round(&pool);
        bare_ms.push(spawn);
        insert_ms.push(whole);
        graph_ms.push(graph_round(&mut jobs)?);
    }
    Ok([bare_ms, insert_ms, graph_ms])
}

/// Milliseconds until the last value is received, and until the last is a component.
fn bare_round(pool: &rayon::ThreadPool) -> (f64, f64) {
    let mut world = hecs::World::new();
    let entities: Vec<_> = (0..CHUNKS).map(|_| world.spawn(())).collect();
    let start = Instant::now();
    let (sender, receiver) = channel();
    for (key, entity) in entities.into_iter().enumerate() {
        let sender = sender.clone();
        pool.spawn(move || {
            let _ = sender.send((entity, Arc::new(Nothing(black_box(key as u32)))));
        });
    }
    drop(sender);
    let results: Vec<_> = receiver.iter().collect();
    let received = start.elapsed().as_secs_f64() * 1e3;
    for (entity, value) in results {
        let _ = world.insert_one(entity, Made(value));
    }
    let inserted = start.elapsed().as_secs_f64() * 1e3;
    check(&world);
    (received, inserted)
}

/// Milliseconds from the first request until every chunk is a component.
fn graph_round(jobs: &mut Jobs<(), u32>) -> Result<f64, Box<dyn Error>> {
    let mut world = hecs::World::new();
    let entities: Vec<_> = (0..CHUNKS).map(|_| world.spawn(())).collect();
    let start = Instant::now();
    // As much as the queue takes at a time.
    for (wave, entities) in entities.chunks(QUEUE_MAX).enumerate() {
        for (place, entity) in entities.iter().enumerate() {
            let key = (wave * QUEUE_MAX + place) as u32;
            jobs.request(*entity, key, u64::from(key.wrapping_mul(0x9e37_79b9)))?;
        }
        jobs.drain_wave(&mut world);
    }
    let ms = start.elapsed().as_secs_f64() * 1e3;
    check(&world);
    Ok(ms)
}

/// Nobody was faster by doing less.
fn check(world: &hecs::World) {
    let sum: u64 = world.query::<&Made<Nothing>>().iter().map(|made| u64::from(made.0.0)).sum();
    assert_eq!(sum, u64::from(CHUNKS) * u64::from(CHUNKS - 1) / 2);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
