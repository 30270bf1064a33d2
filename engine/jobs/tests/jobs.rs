//! The queue under load, change of mind and failure.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
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
            std::thread::sleep(Duration::from_millis(c.sleep_ms + u64::from(k % 3)));
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

/// Requests in an order of its own, so that they are also done in another; in ticks or in one wave.
fn results(threads: usize, shuffle: u32, in_ticks: bool) -> BTreeMap<u32, (u64, u64)> {
    let mut jobs = jobs(Context { scale: 3, ..Context::default() }, threads);
    let mut world = hecs::World::new();
    for place in 0..60u32 {
        let key = (place * 7 % 60) ^ (shuffle & 3);
        let entity = world.spawn((key,));
        jobs.request(entity, key, u64::from(key.wrapping_mul(shuffle) % 60)).expect("room");
    }
    let mut finished = 0;
    while in_ticks && finished < 60 {
        finished += jobs.tick(&mut world).finished.len();
        std::thread::sleep(Duration::from_millis(1));
    }
    finished += jobs.drain_wave(&mut world).finished.len();
    assert_eq!(finished, 60);
    world.query::<(&u32, &Made<Mesh>, &Made<Plants>)>().iter().map(|(key, mesh, plants)| (*key, (mesh.0.0, plants.0.0))).collect()
}

#[test]
fn any_number_of_threads_and_any_order_makes_the_same() {
    let one = results(1, 1, false);
    assert_eq!(one.len(), 60);
    for (threads, shuffle, in_ticks) in [(1, 17, true), (2, 1, false), (2, 23, true), (4, 37, false), (4, 50, true), (7, 11, false)] {
        assert_eq!(one, results(threads, shuffle, in_ticks), "{threads} threads, shuffle {shuffle}");
    }
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
    let start = Instant::now();
    let report = jobs.tick(&mut world);
    jobs.tick(&mut world);
    assert!(start.elapsed() < Duration::from_millis(150), "{:?}", start.elapsed());
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
        let stats = jobs.stats();
        assert!(stats.queued <= QUEUE_MAX && stats.running <= 32 * 2, "{stats:?}");
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

#[test]
fn what_needs_only_the_samples_runs_side_by_side_while_a_worker_is_idle() {
    struct Left(bool);
    struct Right(bool);
    #[derive(Default)]
    struct Meeting([AtomicUsize; 2]);
    /// Says that it is here and waits for the other, 5 s at most.
    fn meet(meeting: &Meeting, here: usize) -> bool {
        meeting.0[here].store(1, Ordering::SeqCst);
        let start = Instant::now();
        while meeting.0[1 - here].load(Ordering::SeqCst) == 0 && start.elapsed() < Duration::from_secs(5) {
            std::thread::yield_now();
        }
        meeting.0[1 - here].load(Ordering::SeqCst) == 1
    }
    let graph = ChunkGraph::builder()
        .job("meet samples", |_: &Meeting, k: &u32| Samples(vec![*k]))
        .job("meet left", |meeting: &Meeting, _: &Samples| Left(meet(meeting, 0)))
        .job("meet right", |meeting: &Meeting, _: &Samples| Right(meet(meeting, 1)));
    let mut jobs = Jobs::new(graph.build().expect("a graph"), Arc::new(Meeting::default()), 2).expect("workers");
    let mut world = hecs::World::new();
    let entity = world.spawn(());
    jobs.request(entity, 1u32, 0).expect("room");
    jobs.drain_wave(&mut world);
    assert!(world.get::<&Made<Left>>(entity).expect("made").0.0 && world.get::<&Made<Right>>(entity).expect("made").0.0);
}

#[test]
fn one_thread_runs_one_job_at_a_time_on_a_named_worker() {
    struct Worker(Option<String>);
    let graph = ChunkGraph::builder()
        .job("alone samples", |running: &AtomicUsize, k: &u32| {
            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::sleep(Duration::from_micros(300));
            running.fetch_sub(1, Ordering::SeqCst);
            Samples(vec![*k])
        })
        .job("alone name", |running: &AtomicUsize, _: &Samples| {
            assert_eq!(running.load(Ordering::SeqCst), 0);
            Worker(std::thread::current().name().map(str::to_owned))
        });
    let mut jobs = Jobs::new(graph.build().expect("a graph"), Arc::new(AtomicUsize::new(0)), 1).expect("a worker");
    let mut world = hecs::World::new();
    for key in 0..50u32 {
        let entity = world.spawn(());
        jobs.request(entity, key, 0).expect("room");
    }
    let report = jobs.drain_wave(&mut world);
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert!(world.query::<&Made<Worker>>().iter().all(|worker| worker.0.0.as_deref() == Some("terrane-worker-0")));
}

#[test]
fn a_new_request_for_an_entity_drops_what_runs_for_it() {
    let mut jobs = jobs(Context { scale: 1, sleep_ms: 40, ..Context::default() }, 1);
    let mut world = hecs::World::new();
    let entity = world.spawn(());
    jobs.request(entity, 1, 0).expect("room");
    jobs.tick(&mut world);
    jobs.request(entity, 5, 0).expect("room");
    assert_eq!(jobs.drain_wave(&mut world).finished, [entity]);
    assert_eq!(world.get::<&Made<Mesh>>(entity).expect("made").0.0, 4950 * 5);
}

#[test]
fn small_chunks_are_handed_out_further_ahead_than_long_ones() {
    let running_max = |sleep_ms: u64, pause_ms: u64| {
        let mut jobs = jobs(Context { sleep_ms, ..Context::default() }, 1);
        let mut world = hecs::World::new();
        (0..200u32).for_each(|key| jobs.request(world.spawn(()), key * 3, 0).expect("room"));
        for _ in 0..6 {
            jobs.tick(&mut world);
            std::thread::sleep(Duration::from_millis(pause_ms));
        }
        jobs.stats().running_max
    };
    assert_eq!(running_max(500, 1), 2);
    assert!(running_max(0, 60) >= 16);
}

#[test]
fn the_end_does_not_wait_for_the_queue() {
    let mut jobs = jobs(Context { sleep_ms: 50, ..Context::default() }, 2);
    let mut world = hecs::World::new();
    (0..1000u32).for_each(|key| jobs.request(world.spawn(()), key, 0).expect("room"));
    jobs.tick(&mut world);
    let start = Instant::now();
    drop(jobs);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn thousands_of_changes_of_mind_end_with_what_is_wanted_last() {
    let mut jobs = jobs(Context { scale: 2, ..Context::default() }, 2);
    let mut world = hecs::World::new();
    let entities: Vec<_> = (0..2_000u32).map(|_| world.spawn(())).collect();
    // Far requests, then a cancel of all but a few, again and again: as a viewer that is teleported every other tick.
    for round in 0..20u32 {
        for (index, entity) in entities.iter().enumerate() {
            jobs.request(*entity, round * 10_000 + index as u32, u64::from(round ^ index as u32)).expect("room");
            jobs.reprioritise(*entity, u64::from(index as u32 % (round + 1)));
        }
        jobs.tick(&mut world);
        entities[10..].iter().for_each(|entity| jobs.cancel(*entity));
        jobs.tick(&mut world);
        assert!(jobs.stats().queued <= 10);
    }
    jobs.drain_wave(&mut world);
    let stats = jobs.stats();
    assert_eq!((stats.queued, stats.running, stats.in_lane), (0, 0, 0));
    for (index, entity) in entities[..10].iter().enumerate() {
        let wanted: u64 = (0..100).map(|i| i * (190_000 + index as u64) * 2).sum();
        assert_eq!(world.get::<&Made<Mesh>>(*entity).expect("made").0.0, wanted);
    }
}

#[test]
fn waves_of_nothing_never_lose_a_call() {
    // Many sleeps and calls in a short time: a lost one would hang here.
    let graph = ChunkGraph::builder().job("wave of nothing", |(): &(), k: &u32| Samples(vec![*k])).build().expect("a graph");
    let mut jobs = Jobs::new(graph, Arc::new(()), 3).expect("workers");
    let mut world = hecs::World::new();
    let entities: Vec<_> = (0..40u32).map(|_| world.spawn(())).collect();
    for wave in 0..2_000usize {
        let wanted = &entities[..1 + wave % 40];
        wanted.iter().for_each(|entity| jobs.request(*entity, wave as u32, 0).expect("room"));
        assert_eq!(jobs.drain_wave(&mut world).finished.len(), wanted.len());
    }
}
