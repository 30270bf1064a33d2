//! In: two million zones, plots and frames without a server. Out: whether memory stays flat, and what a zone costs.
//! Never knows: the game. Only for the build that connects on demand; the capture build keeps everything by design.
#![cfg(all(feature = "profiling", not(feature = "profiling-capture"), target_os = "linux"))]

use std::time::Instant;

const ROUNDS: u32 = 2_000_000;
/// A zone is two events of 32 bytes and a name: kept, these would be more than 128 MB.
const GROWTH_BYTES_MAX: usize = 8 << 20;
/// Generous: 360 ns for all three on two busy cores. A lock that is fought for or a system call would be more.
const ZONE_NS_MAX: f64 = 2_000.0;

#[test]
fn without_a_server_memory_stays_flat() {
    terrane_profiling::start();
    rounds(ROUNDS / 10);
    let (before, started) = (resident_bytes(), Instant::now());
    rounds(ROUNDS);
    let zone_ns = started.elapsed().as_nanos() as f64 / f64::from(ROUNDS);
    let growth = resident_bytes().saturating_sub(before);
    println!("{zone_ns:.0} ns for a zone, a plot and a frame mark; {growth} bytes more");
    assert!(growth < GROWTH_BYTES_MAX, "{growth} bytes more after {ROUNDS} zones");
    assert!(zone_ns < ZONE_NS_MAX, "{zone_ns} ns");
}

/// The main thread computes at least this long in a frame at a view distance of 512 m; more, and the share of the zones is smaller.
const FRAME_NS: f64 = 400_000.0;
/// Zones, and as many plots, of a frame on the main thread.
const FRAME_ROUNDS: f64 = 12.0;

#[test]
fn without_a_server_zones_cost_less_than_two_hundredths_of_a_frame() {
    terrane_profiling::start();
    let batch = |_| {
        let before = terrane_profiling::thread_cpu_ns();
        rounds(1_000);
        (terrane_profiling::thread_cpu_ns() - before) as f64 / 1_000.0
    };
    // The least: what others of a busy machine take is not ours.
    let round_ns = (0..100).map(batch).fold(f64::INFINITY, f64::min);
    let share = FRAME_ROUNDS * round_ns / FRAME_NS;
    println!("{round_ns:.0} ns for a zone, a plot and a frame mark: {:.2} % of a frame", share * 100.0);
    assert!(share < 0.02, "{:.2} % of a frame", share * 100.0);
}

fn rounds(count: u32) {
    let stage = terrane_profiling::stage("flat");
    for round in 0..count {
        let _zone = stage.enter();
        terrane_profiling::plot("round", f64::from(round));
        terrane_profiling::frame_mark();
    }
}

fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("the second number");
    pages * rustix::param::page_size()
}
