//! In: facts. Out: F1, what frames and chunks cost: times, streaming, memory, culling, passes.
//! Never knows: where the facts come from.

use super::{
    facts::{Facts, JobFact},
    text::{count, maybe_ms, mib, ms},
    theme::{self, dim, heading, line, warning},
};
use crate::measure::{FrameRecord, Hitch, Phase, percentile};
use egui::{Align2, FontId, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};
use terrane_render::Reasons;

/// Width of each of the two columns, points.
const COLUMN: f32 = 372.0;
const GRAPH_HEIGHT: f32 = 64.0;
/// Width of a frame in the graph: the last 310 frames, five seconds at 60 Hz.
const FRAME_WIDTH: f32 = 1.2;
/// Percentiles are those of so many frames: two seconds at 60 Hz.
const RECENT: usize = 120;
/// Marks of the graph, milliseconds: 60 and 30 frames a second.
const MARKS_MS: [f64; 2] = [16.667, 33.333];

/// Draws the panel.
pub fn show(ui: &mut Ui, facts: &Facts) {
    theme::title(ui, "F1", "performance");
    dim(ui, &facts.head);
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.set_width(COLUMN);
            frame_times(ui, facts);
            chunk_stages(ui, &facts.jobs);
            main_thread(ui, facts);
            streaming(ui, facts);
        });
        ui.add_space(10.0);
        ui.vertical(|ui| {
            ui.set_width(COLUMN);
            passes(ui, facts);
            culling(ui, facts);
            memory(ui, facts);
        });
    });
}

/// The last frames that percentiles are of.
fn recent<'a>(facts: &'a Facts) -> impl Iterator<Item = &'a FrameRecord> + Clone {
    facts.frames.range(facts.frames.len().saturating_sub(RECENT)..)
}

fn percentiles(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.collect();
    [0.5, 0.99].map(|share| percentile(&mut values, share))
}

fn frame_times(ui: &mut Ui, facts: &Facts) {
    let [p50, p99] = percentiles(recent(facts).map(|frame| frame.wall_ms));
    let fps = if p50 > 0.0 { 1000.0 / p50 } else { 0.0 };
    heading(ui, "frame", &format!("   p50 {} ms   p99 {} ms   {fps:.0} fps", ms(p50).trim(), ms(p99).trim()));
    graph(ui, facts, p99);
    let total: u64 = facts.hitches.iter().sum();
    let causes: Vec<String> =
        Hitch::ALL.iter().zip(facts.hitches).filter(|(_, count)| *count > 0).map(|(hitch, count)| format!("{} {count}", hitch.name())).collect();
    match total {
        0 => dim(ui, "no hitches"),
        total => warning(ui, format!("{} hitches: {}", count(total), causes.join(", "))),
    }
}

/// A bar for each frame, as high as it was long; hitches stand out.
fn graph(ui: &mut Ui, facts: &Facts, p99_ms: f64) {
    let (response, painter) = ui.allocate_painter(vec2(COLUMN, GRAPH_HEIGHT), Sense::hover());
    let area = response.rect;
    let top_ms = (p99_ms * 1.25).max(4.0);
    let height = |ms: f64| (ms / top_ms).min(1.0) as f32 * area.height();
    painter.rect_filled(area, 2.0, theme::LINE.gamma_multiply(0.35));
    let shown = (area.width() / FRAME_WIDTH) as usize;
    for (back, frame) in facts.frames.iter().rev().take(shown).enumerate() {
        let right = area.right() - back as f32 * FRAME_WIDTH;
        let bar = Rect::from_min_max(pos2(right - FRAME_WIDTH + 0.2, area.bottom() - height(frame.wall_ms)), pos2(right, area.bottom()));
        painter.rect_filled(bar, 0.0, if frame.hitch.is_some() { theme::WARNING } else { theme::ACCENT.gamma_multiply(0.75) });
    }
    for mark in MARKS_MS.into_iter().filter(|mark| (0.15 * top_ms..top_ms).contains(mark)) {
        let y = area.bottom() - height(mark);
        painter.line_segment([pos2(area.left(), y), pos2(area.right(), y)], Stroke::new(1.0, theme::DIM.gamma_multiply(0.6)));
        small(&painter, pos2(area.left() + 2.0, y), &format!("{mark:.1} ms"));
    }
    let y = area.bottom() - height(p99_ms);
    painter.line_segment([pos2(area.left(), y), pos2(area.right(), y)], Stroke::new(1.0, theme::WARNING.gamma_multiply(0.6)));
    small(&painter, pos2(area.right() - 44.0, y), "p99");
}

fn small(painter: &egui::Painter, at: Pos2, text: &str) {
    painter.text(at, Align2::LEFT_BOTTOM, text, FontId::monospace(9.0), theme::TEXT);
}

fn chunk_stages(ui: &mut Ui, jobs: &[JobFact]) {
    heading(ui, "chunk jobs    ", &format!("{:>8}{:>8}{:>8}{:>10}", "now", "p50", "p99 ms", "count"));
    for JobFact { stage, .. } in jobs {
        line(ui, format!("{:<14}{}{}{}{:>10}", stage.name, maybe_ms(stage.now_ms), ms(stage.p50_ms), ms(stage.p99_ms), count(stage.count)));
    }
    // Of a whole chunk: jobs of one chunk side by side count both.
    let sum = |of: fn(&JobFact) -> f64| jobs.iter().map(of).sum::<f64>();
    dim(ui, format!("{:<14}{:>8}{}", "together", "", ms(sum(|job| job.stage.p50_ms))));
}

fn main_thread(ui: &mut Ui, facts: &Facts) {
    heading(ui, "main thread   ", &format!("{:>8}{:>8}{:>8}{:>8}", "p50", "p99 ms", "cpu p50", "cpu p99"));
    let row = |ui: &mut Ui, name: &str, wall: [f64; 2], cpu: [f64; 2]| {
        line(ui, format!("{name:<14}{}{}{}{}", ms(wall[0]), ms(wall[1]), ms(cpu[0]), ms(cpu[1])));
    };
    for phase in Phase::ALL {
        let wall = percentiles(recent(facts).map(|frame| frame.phase(phase).wall_ms()));
        row(ui, phase.name(), wall, percentiles(recent(facts).map(|frame| frame.phase(phase).cpu_ms())));
    }
    row(ui, "whole frame", percentiles(recent(facts).map(|frame| frame.wall_ms)), percentiles(recent(facts).map(|frame| frame.cpu_ms)));
}

fn streaming(ui: &mut Ui, facts: &Facts) {
    let (last, [finished, given_up, failed]) = (facts.last(), facts.totals);
    let chunks = last.chunks;
    heading(ui, "streaming", "   chunks");
    line(ui, format!("wanted {:>7}   resident {:>7}   drawn {:>7}", chunks.wanted, chunks.resident, chunks.drawn));
    line(ui, format!("queued {:>7}   running  {:>7}   ready {:>7}", chunks.queued, chunks.running, chunks.ready));
    line(ui, format!("made {:>9}   given up {:>7}", count(finished), count(given_up)));
    if failed > 0 {
        warning(ui, format!("{} chunks failed: their jobs panicked, see the log", count(failed)));
    }
    line(ui, format!("wanted to seen   p50 {} ms   p99 {} ms", ms(facts.visible_ms[0]).trim(), ms(facts.visible_ms[1]).trim()));
    line(ui, format!("upload {} in this frame, {} chunks", mib(last.stats.upload_bytes), chunks.accepted));
}

fn passes(ui: &mut Ui, facts: &Facts) {
    heading(ui, "GPU passes    ", &format!("{:>8}{:>8}{:>8}", "now", "p50", "p99 ms"));
    let last = facts.last();
    if last.gpu.rows().is_empty() {
        dim(ui, "this device does not tell times");
    }
    for (index, (name, now)) in last.gpu.rows().iter().enumerate() {
        // A pass that stands twice in a frame is found by its place.
        let of_frame = |frame: &FrameRecord| frame.gpu.rows().get(index).filter(|row| row.0 == *name).map(|row| f64::from(row.1));
        let [p50, p99] = percentiles(recent(facts).filter_map(of_frame));
        let name = if index == 0 { "whole frame" } else { name };
        line(ui, format!("{name:<14}{}{}{}", ms(f64::from(*now)), ms(p50), ms(p99)));
    }
}

/// Why something is drawn or not.
type Reason = (&'static str, fn(&Reasons) -> u32);
const REASONS: [Reason; 6] = [
    ("drawn early", |reasons| reasons.early),
    ("drawn late", |reasons| reasons.late),
    ("outside", |reasons| reasons.outside),
    ("hidden", |reasons| reasons.occluded),
    ("too far", |reasons| reasons.too_far),
    ("thinned", |reasons| reasons.thinned),
];

fn culling(ui: &mut Ui, facts: &Facts) {
    let stats = facts.last().stats;
    heading(ui, "culling     ", &format!("{:>10}{:>12}", "chunks", "instances"));
    for (name, of) in REASONS {
        line(ui, format!("{name:<12}{:>10}{:>12}", count(of(&stats.chunk_reasons).into()), count(of(&stats.instance_reasons).into())));
    }
    line(ui, format!("{:<12}{:>10}{:>12}", "of", count(stats.chunks.into()), count(stats.instances.into())));
    let dropped = stats.instances_dropped + stats.chunks_dropped;
    if dropped > 0 {
        warning(ui, format!("{} did not fit: the farthest are left out", count(dropped.into())));
    }
    heading(ui, "drawn by prop ", &format!("{:>8}{:>8}{:>8}", "near", "middle", "far"));
    for (name, lods) in &facts.props {
        let [near, middle, far] = lods.map(|lod| count(lod.into()));
        line(ui, format!("{name:<14}{near:>8}{middle:>8}{far:>8}"));
    }
}

fn memory(ui: &mut Ui, facts: &Facts) {
    let memory = facts.last().memory;
    heading(ui, "memory", "   used of budget");
    for (name, used, budget) in [("device", memory.device_bytes, memory.device_budget_bytes), ("host", memory.host_bytes, memory.host_budget_bytes)] {
        bar(ui, name, used, budget);
    }
    line(ui, format!("textures of the world {}", mib(facts.last().stats.texture_bytes)));
}

fn bar(ui: &mut Ui, name: &str, used: u64, budget: u64) {
    let share = if budget > 0 { used as f32 / budget as f32 } else { 0.0 };
    ui.horizontal(|ui| {
        line(ui, format!("{name:<8}"));
        let (response, painter) = ui.allocate_painter(vec2(110.0, 8.0), Sense::hover());
        let area = response.rect;
        painter.rect_filled(area, 2.0, theme::LINE);
        let full = Rect::from_min_size(area.min, vec2(area.width() * share.clamp(0.0, 1.0), area.height()));
        painter.rect_filled(full, 2.0, if share > 0.9 { theme::WARNING } else { theme::GOOD });
        let of = if budget > 0 { format!("{} of {}  {:.0} %", mib(used), mib(budget), share * 100.0) } else { mib(used) };
        line(ui, of);
    });
}
