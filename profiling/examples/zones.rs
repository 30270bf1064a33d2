//! In: seconds to run (2 without any). Out: frames, nested zones, plots and threads, to look at with Tracy; and the table.
//! `cargo run -p terrane-profiling --example zones --features profiling -- 10`
#![forbid(unsafe_code)]

use std::{
    io,
    thread::{scope, sleep},
    time::{Duration, Instant},
};
use terrane_profiling as profiling;

const FRAME: Duration = Duration::from_millis(4);

fn main() -> io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0f64);
    let end = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 3600.0));
    profiling::start();
    profiling::thread_name("main");
    scope(|scope| {
        scope.spawn(move || work(end));
        show_frames(end);
    });
    profiling::print_table(&mut io::stdout().lock())
}

/// What a main thread does: a system a frame, and a GPU zone that is told later.
fn show_frames(end: Instant) {
    let system = profiling::stage("example system");
    let started = Instant::now();
    let mut gpu = profiling::GpuTimeline::new("example GPU", 0, 1.0);
    let mut frame = 0;
    while Instant::now() < end {
        let begin = started.elapsed().as_nanos() as u64;
        {
            let _zone = system.enter();
            sleep(FRAME);
        }
        let done = started.elapsed().as_nanos() as u64;
        gpu.frame(&[("example gpu frame", begin, done), ("example gpu cull", begin + 1_000, begin + (done - begin) / 2)]);
        frame += 1;
        profiling::plot("example frames", f64::from(frame));
        profiling::frame_mark();
    }
}

/// What a worker does: stages of chunks.
fn work(end: Instant) {
    profiling::thread_name("worker 0");
    let (heightmap, meshing) = (profiling::stage("example heightmap"), profiling::stage("example meshing"));
    while Instant::now() < end {
        {
            let _zone = heightmap.enter();
            profiling::zone!("example noise");
            sleep(FRAME / 4);
        }
        let _zone = meshing.enter();
        sleep(FRAME / 8);
    }
}
