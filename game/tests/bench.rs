//! What must not grow: counts and ratios of two small scenes, never milliseconds. And the reports that they come in.
#![forbid(unsafe_code)]

use indicatif::ProgressBar;
use std::{path::Path, process::Command};
use terrane::{
    bench::{
        report::{Report, Run},
        run,
        scene::{self, Scene},
    },
    chunk_graph::{self, ChunkContext},
    cli::GlobalArgs,
    config::Config,
    session::{FrameDesc, Session, SessionDesc},
    shot,
    worlds::WORLDS,
};
use terrane_base::{ChunkKey, Place};
use terrane_render::Switches;
use terrane_worldgen::rings::{RingParams, Rings, Viewer};

fn config() -> Config {
    let args = GlobalArgs { driver: std::env::var("TERRANE_DRIVER").ok(), ..GlobalArgs::default() };
    Config::from_text(&args, "the defaults", "").expect("the defaults are settings")
}

/// A shipped scene with a picture of few pixels and no shadows: what a processor draws in time.
fn small(name: &str, frames: u32) -> Scene {
    let scene = scene::select(&[name.to_owned()]).expect("it is there").remove(0);
    Scene { size: [64, 36], shadow_resolution: 0, frames, warm_up_frames: 3, ..scene }
}

fn measured(scene: &Scene) -> Run {
    run::run(scene, &config(), Switches::default(), &mut None, &ProgressBar::hidden()).expect("it runs; these tests need a Vulkan driver")
}

/// Two scenes: nothing is sent while nothing moves; what is recorded does not depend on how far one sees; the world is the same each time.
#[test]
#[ignore = "needs a Vulkan driver"]
fn two_small_scenes_keep_their_counts() {
    let still = measured(&small("terrain-250m", 6));
    assert_eq!((still.upload.total_bytes, still.chunks.accepted_per_frame_max, still.chunks.made), (0, 0, 0), "nothing moves");
    assert_eq!((still.instances.dropped, still.ground.dropped), (0, 0));
    // Four edges of the finest chunk around the viewer, their ancestors, a margin of roots; from there on as row 16 says, below.
    assert!(still.chunks.resident_max <= 60 && still.chunks.cut < still.chunks.resident_max, "{:?}", still.chunks);
    assert!(still.memory.allocations < 256 && still.memory.device_bytes > 0);

    let moving = Scene { view_distance_m: 700.0, ..small("terrain-1km-walk", 6) };
    let far = measured(&moving);
    println!("still at 250 m: {:?}, {} draws, {} dispatches; walking at 700 m: {:?}", still.chunks, still.draws, still.dispatches, far.chunks);
    assert_eq!((far.draws, far.dispatches), (still.draws, still.dispatches), "the CPU records as much however far one sees");
    assert!((1..=64).contains(&still.draws) && (1..=64).contains(&still.dispatches), "{} {}", still.draws, still.dispatches);
    assert!(far.chunks.resident_max <= 180, "{:?}", far.chunks);
    assert!(far.upload.per_frame_max_bytes <= far.upload.budget_bytes);
    for run in [&still, &far] {
        let resident = run.instances.resident;
        assert!(run.instances.cut <= resident && run.instances.drawn > 0 && run.instances.drawn <= run.instances.cut, "{:?}", run.instances);
        assert_eq!(run.ground.drawn + run.ground.outside + run.ground.occluded, run.ground.cut, "every chunk has one reason: {:?}", run.ground);
        assert!(run.frames.len() == 6 && run.gpu_ms.count == 6 && run.passes.iter().any(|pass| pass.name == "opaque"));
        assert!(run.start.first_picture_ms > 0.0 && run.start.first_picture_ms <= run.start.complete_ms);
    }
    let again = measured(&small("terrain-250m", 2));
    assert_eq!(again.state, still.state, "the same world in as many frames as one likes");
    let other = measured(&Scene { seed: "2".to_owned(), ..small("terrain-250m", 2) });
    assert_ne!(other.state, still.state, "another world has another hash");
}

/// A chunk takes memory for what it hands on, and for little else: its buffers are kept.
#[test]
fn a_chunk_allocates_what_it_hands_on() {
    for world in WORLDS {
        let args = GlobalArgs { world: Some(world.name.to_owned()), ..GlobalArgs::default() };
        let context = ChunkContext::new(Config::from_text(&args, "", "").expect("defaults").make_world().expect("a world"));
        let key = |index: i32| ChunkKey::plane((index % 6) as u8, index, -index);
        (0..24).for_each(|index| drop(chunk_graph::make_chunk(&context, key(index))));
        let (mut handed_on, mut counted) = (0, 0);
        let chunks = 60;
        let taken = allocation_counter::measure(|| {
            for index in 0..chunks {
                let (samples, mesh, instances) = chunk_graph::make_chunk(&context, key(index));
                handed_on += size_of_val(&samples.height_q[..]) + size_of_val(&samples.cover[..]) + size_of_val(&mesh.vertices[..]);
                handed_on += size_of_val(&instances.0[..]);
                counted += 1;
            }
        });
        let a_chunk = taken.count_total as f64 / f64::from(counted);
        let ratio = taken.bytes_total as f64 / handed_on as f64;
        println!("{}: {a_chunk:.1} allocations a chunk, {ratio:.2} times the bytes that it hands on", world.name);
        assert!(a_chunk <= ALLOCATIONS_PER_CHUNK_MAX, "{}: {a_chunk:.1} allocations a chunk", world.name);
        assert!(ratio <= 2.5, "{}: {ratio:.2} times the bytes that a chunk hands on", world.name);
        assert_eq!(taken.count_current, 0, "{}: what was made is given back", world.name);
    }
}

/// Samples (2 lists), a mesh, and two lists of instances that grow: by doubling from 4 to 8,192 at most 12 times each.
const ALLOCATIONS_PER_CHUNK_MAX: f64 = 32.0;

/// A frame in which nothing changes asks the allocator for little, and not for more when more is resident.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_still_frame_allocates_no_more_for_a_wider_view() {
    let a_frame = |view_distance_m: f32| {
        let config = Config { view_distance_m, shadow_resolution: 0, ..config() };
        let camera = shot::pose_camera(&config, &config.make_world().expect("a world"), None).expect("a pose");
        let desc = SessionDesc { extent: (64, 36), samples: 1, ..SessionDesc::default() };
        let mut session = Session::open(&config, &desc).expect("a session");
        session.settle(&camera, |_| ()).expect("it settles");
        let up = FrameDesc::new(terrane_render::Camera { pitch_rad: 1.4, ..camera });
        (0..6).for_each(|_| _ = session.frame(&up, 1e6).expect("a frame"));
        let taken = allocation_counter::measure(|| (0..4).for_each(|_| _ = session.frame(&up, 1e6).expect("a frame")));
        session.close().expect("it closes");
        taken.count_total as f64 / 4.0
    };
    let (near, far) = (a_frame(250.0), a_frame(1500.0));
    println!("a still frame allocates {near} times at 250 m, {far} times at 1.5 km");
    assert!(near <= 450.0 && far <= near * 1.1, "{near} {far}");
}

/// Row 16 of docs/PERFORMANCE.md: chunks that are wanted, a mean over places, from eight times the finest ring outward.
#[test]
fn twice_the_view_distance_wants_at_most_a_quarter_more_chunks() {
    for world in WORLDS {
        let count = |view_distance_m: f32| {
            let mut rings = Rings::new(RingParams::new(world.shape, view_distance_m)).expect("rings");
            let mut wanted = Vec::new();
            let places = (0..64).map(|index| Place::from_f64([f64::from(index * 997), 0.0, f64::from(index * -1_511)]));
            let total: usize = places
                .map(|place| {
                    rings.wanted(&Viewer { place, eye_m: 2.0 }, &mut wanted);
                    wanted.len()
                })
                .sum();
            total as f64 / 64.0
        };
        let distances = [1024.0, 2048.0, 4096.0, 8192.0, 16_384.0f32];
        let counts = distances.map(count);
        let ratios: Vec<f64> = counts.windows(2).map(|pair| pair[1] / pair[0]).collect();
        println!("{}: {counts:.1?} chunks at {distances:?} m, ratios {ratios:.3?}", world.name);
        let finest = RingParams::new(world.shape, 1000.0);
        let from = 8.0 * f64::from(finest.finest_radius_m);
        for (metres, ratio) in distances.iter().zip(&ratios) {
            assert!(f64::from(*metres) < from || *ratio <= 1.25, "{}: twice {metres} m wants {ratio:.3} times the chunks", world.name);
        }
        println!("{}: 16 km wants {:.2} times the chunks of 1 km", world.name, counts[4] / counts[0]);
    }
}

fn terrane(args: &[&str], folder: &Path) -> (i32, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_terrane")).args(args).current_dir(folder).env_remove("TERRANE_CONFIG").output().expect("it runs");
    (done.status.code().unwrap_or(-1), format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
}

/// From the command line: a report in both forms, a page with nothing from outside, a comparison that finds a wrong world.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_report_is_written_compared_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "about = \"small\"\nworld = \"terrain\"\nview_distance_m = 250\nsize = [64, 36]\nshadow_resolution = 0\nwarm_up_frames = 1\nframes = 9\n\
                [path]\nkind = \"teleports\"\nevery_frames = 4\nby_m = 5000\n";
    std::fs::write(folder.path().join("small.toml"), text).expect("it is written");
    let (code, told) = terrane(&["bench", "--scene", "small.toml", "--ab", "props", "--repeat", "2", "--out", "a"], folder.path());
    assert!(code == 0 && told.contains("small without props") && told.contains("opaque ms p50"), "{code}: {told}");
    let page = std::fs::read_to_string(folder.path().join("a/report.html")).expect("a page");
    for outside in ["http://", "https://", "<script", "<link", "src=", "@import", "url("] {
        let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
        assert!(!found, "the page takes something from outside: {outside}");
    }
    assert!(page.matches("<svg").count() >= 6 && page.contains("prefers-color-scheme: dark"));
    let path = folder.path().join("a/report.json");
    let report = Report::read(&path).expect("a report");
    assert!(report.scenes.len() == 2 && report.scenes.iter().all(|scene| scene.runs.len() == 2) && !report.growth.is_empty());
    assert!(report.scenes[0].runs[0].visible.count > 0 && report.scenes[0].runs[0].chunks.made > 0, "a teleport needs chunks");

    let (code, told) = terrane(&["bench", "--compare", "a/report.json", "a/report.json"], folder.path());
    assert!(code == 0 && told.contains("frame ms p50"), "{code}: {told}");
    let mut wrong = report.clone();
    wrong.scenes[0].runs.iter_mut().for_each(|run| run.state = "0".repeat(32));
    wrong.write(&folder.path().join("wrong.json")).expect("it is written");
    let (code, told) = terrane(&["bench", "--compare", "a/report.json", "wrong.json"], folder.path());
    assert!(code == 2 && told.contains("the worlds differ in the scene small"), "{code}: {told}");
    let (code, told) = terrane(&["bench", "--seed", "3"], folder.path());
    assert!(code == 2 && told.contains("--seed has no place here"), "{code}: {told}");
}
