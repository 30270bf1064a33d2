//! In: nothing. Out: what a zone, a plot and a frame mark cost this build, nanoseconds of the thread's own CPU time: the least of many batches,
//! so that a busy machine tells the same as an idle one. Never knows: the game.
//!
//! `cargo run --release -p terrane-profiling --example zone_cost`, and the same with `--features profiling` or `profiling-capture`.
#![forbid(unsafe_code)]

const BATCHES: u32 = 200;
/// Short enough that many batches run without being interrupted.
const BATCH: u32 = 2_000;

fn main() {
    terrane_profiling::start();
    let stage = terrane_profiling::stage("cost");
    let build = if cfg!(feature = "profiling-capture") {
        "profiling-capture"
    } else if cfg!(feature = "profiling") {
        "profiling"
    } else {
        "plain"
    };
    let zone = least(&mut |_| drop(stage.enter()));
    let plot = least(&mut |round| terrane_profiling::plot("round", f64::from(round)));
    let mark = least(&mut |_| terrane_profiling::frame_mark());
    println!("{build}: zone {zone:.0} ns, plot {plot:.0} ns, frame mark {mark:.0} ns");
}

fn least(work: &mut dyn FnMut(u32)) -> f64 {
    let batch = |_| {
        let before = terrane_profiling::thread_cpu_ns();
        (0..BATCH).for_each(&mut *work);
        (terrane_profiling::thread_cpu_ns() - before) as f64 / f64::from(BATCH)
    };
    (0..BATCHES).map(batch).fold(f64::INFINITY, f64::min)
}
