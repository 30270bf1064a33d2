//! Streaming keeps to its budgets whatever arrives, shows no hole however fast one flies, and does with the memory that there is.
#![forbid(unsafe_code)]

mod common;

use common::{config, desc, start, world};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use terrane::{
    config::Config,
    measure::percentile,
    session::{FrameDesc, Session, SessionDesc},
    stream::ChunkState,
};
use terrane_base::ChunkKey;
use terrane_render::{Camera, DebugView, Switches};

fn open(config: &Config) -> (Session, Camera) {
    let world = world(config);
    let start = start(&world);
    (Session::open_world(config, world, &SessionDesc { validation: false, ..desc() }).expect("a session; these tests need a Vulkan driver"), start)
}

fn ready(session: &Session) -> HashSet<ChunkKey> {
    session.stream.chunks().filter(|chunk| chunk.1 == ChunkState::Ready).map(|chunk| chunk.0).collect()
}

/// Five hundred finished chunks stand before the GPU at once: they go in over many frames, each within its bytes and its time, the most urgent
/// first.
#[test]
#[ignore = "needs a Vulkan driver"]
fn five_hundred_chunks_that_arrive_at_once_stay_in_the_budgets_of_a_frame() {
    let accepted = |budget_kb: u64, accept_ms_per_frame: f64| {
        let config = Config { view_distance_m: 16_000.0, upload_bytes_per_frame: budget_kb << 10, accept_ms_per_frame, ..config() };
        let (mut session, camera) = open(&config);
        // Everything is asked for, and made before the first frame takes any of it.
        while ready(&session).len() < session.stream.progress().wanted.max(1) {
            session.tick(&camera, 0.0);
            session.stream.wait_for_jobs();
        }
        let all = ready(&session).len();
        assert!(all >= 500, "{all} chunks wait at once");
        let order: Vec<ChunkKey> = session.stream.chunks().map(|chunk| chunk.0).collect();
        let (mut left, mut counts, mut streaming_ms, mut bytes) = (all, Vec::new(), Vec::new(), 0);
        session.meter.restart();
        while left > 0 {
            let record = *session.stream_frame(&camera, 0.0).expect("a frame");
            let accepted = record.chunks.accepted as usize;
            assert!(accepted > 0, "each frame takes at least one");
            assert!(record.stats.upload_bytes <= budget_kb << 10, "{} bytes of {budget_kb} KiB", record.stats.upload_bytes);
            left -= accepted;
            // What is in is a beginning of the order of urgency.
            let (inside, outside) = order.split_at(all - left);
            let still = ready(&session);
            assert!(inside.iter().all(|key| !still.contains(key)) && outside.iter().all(|key| still.contains(key)), "the most urgent first");
            bytes += record.stats.upload_bytes;
            counts.push(accepted as f64);
            streaming_ms.push(record.stream().cpu_ms());
        }
        session.close().expect("it closes");
        let frames = counts.len() as u64;
        // The first makes the ring that all others go through; in play, the first picture has.
        let [p50, max] = [0.5, 1.0].map(|share| percentile(&mut streaming_ms[1..], share));
        let per_frame = percentile(&mut counts, 0.5);
        println!("{all} chunks at once, {budget_kb} KiB and {accept_ms_per_frame} ms a frame: {frames} frames of {per_frame} chunks,");
        println!("    streaming {p50:.2} ms of CPU time in the median, {max:.2} at most");
        (frames, per_frame, bytes)
    };
    // A frame is filled but for less than the largest chunk: ground, 8,192 instances, their clusters.
    let chunk_bytes_max = 133_128 + 65_536 + 1_280;
    for budget_kb in [8192u64, 1024] {
        let (frames, _, bytes) = accepted(budget_kb, 1000.0);
        assert!(bytes >= (frames - 1) * ((budget_kb << 10) - chunk_bytes_max), "frames are filled: {bytes} bytes in {frames} frames");
    }
    // Time that is used up by the first chunk leaves it at that, but for frames that were slow themselves.
    let (frames, per_frame, _) = accepted(8192, 0.0);
    assert!(per_frame <= 2.0 && frames > 150, "{per_frame} chunks a frame, {frames} frames");
    accepted(8192, 0.5);
}

/// Whether the cut covers the ground around a camera, looked up at places along 64 directions.
fn is_covered(session: &Session, camera: &Camera, view_distance_m: f64) -> bool {
    let cut: HashSet<ChunkKey> = session.stream.cut().iter().map(|chunk| chunk.key).collect();
    let levels = 16;
    (0..64).all(|direction| {
        let (sin, cos) = (f64::from(direction) * std::f64::consts::TAU / 64.0).sin_cos();
        [0.0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.8, 0.99].iter().all(|share| {
            let far = share * view_distance_m;
            let place = camera.place.moved_by([sin * far, 0.0, cos * far].into());
            (0..levels).filter(|lod| cut.contains(&place.chunk(*lod, 128))).count() == 1
        })
    })
}

/// Low over the ground at 300 m/s, 60 frames a second by the clock: in every frame each place is covered by one chunk, and pictures on the way
/// show no background through the ground.
#[test]
#[ignore = "needs a Vulkan driver"]
fn there_is_no_hole_at_300_metres_a_second() {
    let (seconds, view_distance_m) = (if common::soak() { 60 } else { 8 }, 4000.0);
    let config = Config { view_distance_m, ..config() };
    let (mut session, start) = open(&config);
    session.settle_whole(&start).expect("the ground is there");
    let step = Duration::from_secs_f64(1.0 / 60.0);
    let (mut made, mut holes, mut pictures) = (0, 0, 0);
    let (mut next, mut finest_missing) = (Instant::now(), 0);
    for frame in 0..seconds * 60 {
        let mut camera = Camera { place: start.place.moved_by([5.0 * f64::from(frame), 0.0, 0.0].into()), pitch_rad: 0.0, ..start };
        let [x, y, z] = camera.place.to_f64();
        let up_m = (0..5).map(|ahead| session.world.height_at(x + f64::from(ahead) * 40.0, z)).fold(f64::MIN, f64::max) + 20.0 - y;
        camera.place = camera.place.moved_by([0.0, up_m, 0.0].into());
        let record = *session.stream_frame(&camera, f64::from(frame) / 60.0).expect("a frame");
        made += record.chunks.accepted;
        finest_missing += u32::from(record.chunks.drawn < record.chunks.leaves);
        assert!(is_covered(&session, &camera, f64::from(view_distance_m)), "frame {frame}: a place has no chunk, or two: {:?}", record.chunks);
        if frame % 96 == 95 {
            holes += holes_below_ground(&mut session, &camera, frame);
            pictures += 1;
            // A picture takes a software driver many frames; the flight has not waited for it.
            next = Instant::now();
        }
        next += step;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next = next.max(Instant::now() - step);
    }
    println!("{seconds} s at 300 m/s: {made} chunks, {finest_missing} frames with a coarser chunk somewhere, {holes} holes in {pictures} pictures");
    assert!(made > 100, "the flight goes through new ground: {made} chunks");
    assert_eq!(holes, 0, "background through the ground in {pictures} pictures");
    session.close().expect("it closes");
}

/// A level camera's pixel column is a vertical plane: below the first ground from above all is ground.
fn holes_below_ground(session: &mut Session, camera: &Camera, frame: u32) -> usize {
    let switches = Switches { props: false, shadows: false, ..Switches::default() };
    let view = FrameDesc { view: DebugView::Morph, switches, time_s: frame as f32 / 60.0, ..FrameDesc::new(*camera) };
    let pixels = session.picture(&view).expect("a picture");
    let (width, height) = session.renderer.extent();
    let is_hole = |x: u32, y: u32| pixels[((y * width + x) * 4) as usize..][..3] == [255, 0, 255];
    let ground: usize = (0..width).map(|x| (0..height).filter(|y| !is_hole(x, *y)).count()).sum();
    assert!(ground > (width * height / 5) as usize, "the ground is in the picture");
    (0..width).map(|x| (0..height).skip_while(|y| is_hole(x, *y)).filter(|y| is_hole(x, *y)).count()).sum()
}

/// A quarter of the memory that the view distance needs: it runs, with less, and says so; what is drawn has no hole.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_quarter_of_the_device_memory_that_is_needed_still_runs() {
    let far = Config { view_distance_m: 16_000.0, ..config() };
    let (mut session, camera) = open(&far);
    // With the ring that chunks go through.
    session.settle_whole(&camera).expect("the ground is there");
    let needed = session.device.memory_budget().used_bytes;
    session.close().expect("it closes");
    let quarter = Config { device_memory_mb: (needed / 4) >> 20, ..far };
    let (mut session, camera) = open(&quarter);
    let quality = session.quality();
    println!("needed {} MiB; with {} MiB: {quality:?}", needed >> 20, quarter.device_memory_mb);
    assert!(quality.steps > 0 && quality.view_distance_m < 16_000.0 && quality.view_distance_m >= 256.0);
    let view_distance_m = f64::from(quality.view_distance_m);
    for frame in 0..60 {
        let here = Camera { place: camera.place.moved_by([f64::from(frame) * 5.0, 30.0, 0.0].into()), ..camera };
        if frame == 0 {
            session.settle_whole(&here).expect("the ground is there");
        }
        session.stream_frame(&here, f64::from(frame) / 60.0).expect("a frame");
        assert!(is_covered(&session, &here, view_distance_m), "frame {frame}");
        let memory = session.device.memory_budget();
        assert!(memory.used_bytes <= memory.budget_bytes && memory.budget_bytes <= needed / 4, "{memory:?}");
        assert!(session.memory_short().is_none());
    }
    session.picture(&FrameDesc::new(camera)).expect("it draws");
    println!("in use: {} MiB", session.device.memory_budget().used_bytes >> 20);
    session.close().expect("it closes");
}
