//! In: a report. Out: a table of it on standard output.
//! Never knows: how anything was measured.

use super::report::{Report, Run, SceneReport};

impl SceneReport {
    /// The run whose median frame is the median of all runs.
    pub fn typical(&self) -> &Run {
        let mut order: Vec<&Run> = self.runs.iter().collect();
        order.sort_by(|a, b| a.frame_ms.p50.total_cmp(&b.frame_ms.p50));
        order[(order.len() - 1) / 2]
    }
}

/// Prints it.
pub fn print(report: &Report) {
    let head = &report.head;
    let changed = if head.commit_changed { " with changes" } else { "" };
    println!("terrane {}, {} build of {}{changed}; {}; {}", head.version, head.build, head.commit, head.device, head.date);
    println!(
        "\n{:<34} {:>15} {:>15} {:>11} {:>9} {:>15} {:>7} {:>9} {:>9} {:>7}",
        "scene (ms: p50 / p99)", "frame", "main thread", "stream p99", "GPU p50", "visible", "chunks", "instances", "drawn", "hitches"
    );
    for scene in &report.scenes {
        let run = scene.typical();
        let pair = |p50: f64, p99: f64| format!("{p50:.2} / {p99:.2}");
        println!(
            "{:<34} {:>15} {:>15} {:>11.3} {:>9.2} {:>15} {:>7} {:>9} {:>9} {:>7}",
            scene.title(),
            pair(run.frame_ms.p50, run.frame_ms.p99),
            pair(run.main_ms.p50, run.main_ms.p99),
            run.streaming_ms.p99,
            run.gpu_ms.p50,
            if run.visible.count == 0 { "-".to_owned() } else { pair(run.visible.p50_ms, run.visible.p99_ms) },
            run.chunks.resident_max,
            run.instances.resident,
            run.instances.drawn,
            run.hitches.len(),
        );
    }
    println!();
    for row in &report.growth {
        println!("{}: {:.0} chunks/s on {} worker{}", row.world, row.chunks_per_s, row.threads, if row.threads == 1 { "" } else { "s" });
    }
    let first = report.scenes.first().map(SceneReport::typical);
    if let Some(run) = first {
        println!("first picture {:.0} ms after the start, program {:.1} MB", run.start.first_picture_ms, head.binary_bytes as f64 / 1e6);
    }
}
