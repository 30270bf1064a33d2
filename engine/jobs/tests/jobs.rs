//! The queue under load, change of mind and failure.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use terrane_jobs::{ChunkGraph, Jobs, Made, QUEUE_MAX, QueueFull};

struct Samples(Vec<u32>);
struct Mesh(u64);
struct Plants(u64);

/// A context that slows, counts and fails as a test wants.
#[derive(Default)]
struct Context {
    scale: u32,
    meshed: AtomicUsize,
    order: Mutex<Vec<u32>>,
    panic_at: Option<u32>,
    sleep_ms: u64,
}

fn graph() -> ChunkGraph<Context, u32> {
    ChunkGraph::builder()
        .job("test samples", |c: &Context, k: &u32| {
            c.order.lock().expect("no panic holds it").push(*k);
            assert_ne!(Some(*k), c.panic_at, "planted");
            std::thread::sleep(std::time::Duration::from_millis(c.sleep_ms + u64::from(k % 3)));
            Samples((0..100).map(|i| i * k * c.scale).collect())
        })
        .job("test mesh", |c: &Context, s: &Samples| {
            c.meshed.fetch_add(1, Ordering::Relaxed);
            Mesh(s.0.iter().map(|v| u64::from(*v)).sum())
        })
        .job("test plants", |_: &Context, k: &u32, s: &Samples| Plants(u64::from(*k) + s.0.len() as u64))
        .build()
        .expect("a graph")
}

fn jobs(context: Context, threads: usize) -> Jobs<Context, u32> {
    Jobs::new(graph(), Arc::new(context), threads).expect("workers")
}

fn results(threads: usize) -> BTreeMap<u32, (u64, u64)> {
    let mut jobs = jobs(Context { scale: 3, ..Context::default() }, threads);
    let mut world = hecs::World::new();
    for key in 0..60u32 {
        let entity = world.spawn((key,));
        jobs.request(entity, key, u64::from(key ^ 21)).expect("room");
    }
    assert_eq!(jobs.drain_wave(&mut world).finished.len(), 60);
    world.query::<(&u32, &Made<Mesh>, &Made<Plants>)>().iter().map(|(key, mesh, plants)| (*key, (mesh.0.0, plants.0.0))).collect()
}

#[test]
fn any_number_of_threads_makes_the_same() {
    let one = results(1);
    assert_eq!(one.len(), 60);
    assert_eq!(one, results(2));
    assert_eq!(one, results(7));
}

#[test]
fn one_worker_takes_the_smallest_priority_first() {
    let mut jobs = jobs(Context::default(), 1);
    let mut world = hecs::World::new();
    for key in [5u32, 3, 9, 1] {
        let entity = world.spawn(());
        jobs.request(entity, key, u64::from(key)).expect("room");
        if key == 9 {
            jobs.reprioritise(entity, 0);
        }
    }
    jobs.drain_wave(&mut world);
    assert_eq!(*jobs.context().order.lock().expect("no panic holds it"), [9, 1, 3, 5]);
}

#[test]
fn a_tick_does_not_wait() {
    let mut jobs = jobs(Context { sleep_ms: 200, ..Context::default() }, 1);
    let mut world = hecs::World::new();
    let entity = world.spawn(());
    jobs.request(entity, 1, 0).expect("room");
    let report = jobs.tick(&mut world);
    assert!(report.finished.is_empty() && report.running == 1);
    assert!(jobs.is_pending(entity));
}

#[test]
fn what_is_cancelled_stops_before_its_next_stage() {
    let mut jobs = jobs(Context { sleep_ms: 60, ..Context::default() }, 1);
    let mut world = hecs::World::new();
    let entity = world.spawn(());
    jobs.request(entity, 1, 0).expect("room");
    jobs.tick(&mut world);
    while jobs.context().order.lock().expect("no panic holds it").is_empty() {
        std::thread::yield_now();
    }
    jobs.cancel(entity);
    assert!(jobs.drain_wave(&mut world).finished.is_empty());
    assert_eq!(jobs.context().meshed.load(Ordering::Relaxed), 0);
    assert!(world.get::<&Made<Mesh>>(entity).is_err());
    assert_eq!(jobs.stats().cancelled_total, 1);
}

#[test]
fn a_new_context_makes_everything_anew() {
    let mut jobs = jobs(Context { scale: 1, sleep_ms: 20, ..Context::default() }, 2);
    let mut world = hecs::World::new();
    let entities: Vec<_> = (1..6u32).map(|key| (key, world.spawn(()))).collect();
    for (key, entity) in &entities {
        jobs.request(*entity, *key, 0).expect("room");
    }
    jobs.tick(&mut world);
    jobs.set_context(Arc::new(Context { scale: 100, ..Context::default() }));
    assert_eq!(jobs.drain_wave(&mut world).finished.len(), 5);
    for (key, entity) in entities {
        assert_eq!(world.get::<&Made<Mesh>>(entity).expect("made").0.0, 4950 * 100 * u64::from(key));
    }
}

#[test]
fn a_panic_is_reported_with_job_and_key_and_the_others_go_on() {
    let mut jobs = jobs(Context { panic_at: Some(3), ..Context::default() }, 2);
    let mut world = hecs::World::new();
    for key in 0..6u32 {
        let entity = world.spawn(());
        jobs.request(entity, key, 0).expect("room");
    }
    let report = jobs.drain_wave(&mut world);
    assert_eq!((report.finished.len(), report.failed.len()), (5, 1));
    assert_eq!((report.failed[0].job, report.failed[0].key.as_str()), ("test samples", "3"));
    assert!(report.failed[0].message.contains("planted"));
}

#[test]
fn the_queue_stays_bounded_under_teleports() {
    let mut jobs = jobs(Context::default(), 2);
    let mut world = hecs::World::new();
    let mut refused = 0;
    for round in 0..30u32 {
        let entities: Vec<_> = (0..400u32).map(|_| world.spawn(())).collect();
        for (index, entity) in entities.iter().enumerate() {
            refused += usize::from(jobs.request(*entity, round * 400 + index as u32, 0) == Err(QueueFull));
        }
        jobs.tick(&mut world);
        for entity in &entities[..if round < 29 { 400 } else { 380 }] {
            jobs.cancel(*entity);
            world.despawn(*entity).expect("alive");
        }
        assert!(jobs.stats().queued <= QUEUE_MAX && jobs.stats().running <= 4);
    }
    assert_eq!(refused, 0);
    assert_eq!(jobs.drain_wave(&mut world).finished.len(), 20);
    let full = (0..QUEUE_MAX + 1).map(|_| world.spawn(())).filter(|entity| jobs.request(*entity, 0, 0).is_err()).count();
    assert_eq!(full, 1);
}

#[test]
fn an_entity_that_is_gone_takes_its_result_with_it() {
    let mut jobs = jobs(Context::default(), 1);
    let mut world = hecs::World::new();
    let entity = world.spawn(());
    jobs.request(entity, 1, 0).expect("room");
    jobs.tick(&mut world);
    world.despawn(entity).expect("alive");
    assert!(jobs.drain_wave(&mut world).finished.is_empty());
}
