//! In: the counters of a frame. Out: a table of what was drawn, what was not, and why; to standard error, like the table of stages.
//! Never knows: how anything is culled.

use terrane_render::{FrameStats, Reasons};

/// Prints the counters of the last frame.
pub fn print(stats: &FrameStats) {
    eprintln!(
        "{:<12}{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "last frame", "drawn", "dropped", "early", "late", "outside", "occluded", "too far", "thinned"
    );
    let row = |name: &str, drawn: u32, dropped: u32, reasons: &Reasons| {
        let Reasons { early, late, outside, occluded, too_far, thinned } = reasons;
        eprintln!("{name:<12}{drawn:>9} {dropped:>9} {early:>9} {late:>9} {outside:>9} {occluded:>9} {too_far:>9} {thinned:>9}");
    };
    row("chunks", stats.chunks_drawn, stats.chunks_dropped, &stats.chunk_reasons);
    row("instances", stats.instances_drawn, stats.instances_dropped, &stats.instance_reasons);
    for cascade in 0..stats.shadow_chunks.len() {
        let [chunks, instances, dropped] = [stats.shadow_chunks, stats.shadow_instances, stats.shadow_instances_dropped].map(|counts| counts[cascade]);
        eprintln!("shadow cascade {cascade}: {chunks} chunks, {instances} instances, {dropped} dropped");
    }
    eprintln!("draws {}, texture memory {} bytes", stats.draws, stats.texture_bytes);
}
