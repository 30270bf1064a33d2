//! In: facts. Out: F3, the jobs of a chunk with their live times, drawn from the graph's own edges, and the systems of a tick.
//! Never knows: which jobs there are.

use super::{
    facts::{Facts, JobFact},
    text::{count, maybe_ms, ms},
    theme,
};
use egui::{Align2, FontId, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, epaint::CubicBezierShape, pos2, vec2};

const WIDTH: f32 = 452.0;
const ROW: f32 = 52.0;
const BOX_HEIGHT: f32 = 45.0;
/// Between two columns: the arrows.
const GAP: f32 = 22.0;
/// The box of the chunk's key is narrower.
const KEY_WIDTH: f32 = 34.0;

/// Draws the panel.
pub fn show(ui: &mut Ui, facts: &Facts) {
    ui.horizontal(|ui| {
        theme::title(ui, "F3", "job graph of a chunk");
        theme::dim(ui, "  a dot: reads the chunk's key");
    });
    let places = Places::of(&facts.jobs);
    let (response, painter) = ui.allocate_painter(vec2(WIDTH, places.rows as f32 * ROW), Sense::hover());
    let area = response.rect;
    for (to, job) in facts.jobs.iter().enumerate() {
        let by_job = job.inputs.iter().any(Option::is_some);
        for from in job.inputs.iter().filter(|from| from.is_some() || !by_job) {
            arrow(&painter, places.area(area, *from), places.area(area, Some(to)));
        }
    }
    boxed(&painter, places.area(area, None), "key", &[], false);
    for (index, JobFact { stage, inputs }) in facts.jobs.iter().enumerate() {
        let now = stage.now_ms.unwrap_or(stage.p50_ms);
        let lines = [format!("{} ms", ms(now).trim()), format!("{:.0}/s {} run", stage.per_s, stage.running)];
        let at = places.area(area, Some(index));
        boxed(&painter, at, stage.name, &lines, stage.running > 0 || stage.now_ms.is_some());
        // An arrow of its own would cross the boxes between.
        if inputs.contains(&None) {
            painter.circle_filled(at.left_top() + vec2(6.0, 6.0), 2.0, theme::DIM);
        }
    }
    theme::heading(ui, "systems of a tick ", &format!("{:>8}{:>8}{:>8}{:>11}", "now", "p50", "p99 ms", "count"));
    for stage in &facts.systems {
        theme::line(ui, format!("{:<18}{}{}{}{:>11}", stage.name, maybe_ms(stage.now_ms), ms(stage.p50_ms), ms(stage.p99_ms), count(stage.count)));
    }
}

/// Which column and which row of it each job is in: a job stands right of all that it reads.
struct Places {
    columns: Vec<usize>,
    rows_of: Vec<usize>,
    count: usize,
    rows: usize,
    /// How many jobs each column has.
    heights: Vec<usize>,
}

impl Places {
    fn of(jobs: &[JobFact]) -> Places {
        let mut columns = vec![0; jobs.len()];
        // As often as the longest way is long; graphs have no circles, and this ends even if one had.
        for _ in 0..jobs.len() {
            for (index, job) in jobs.iter().enumerate() {
                let after = job.inputs.iter().flatten().filter_map(|from| columns.get(*from)).max();
                columns[index] = after.map_or(0, |column| column + 1).min(jobs.len());
            }
        }
        let mut heights = vec![0; columns.iter().max().map_or(0, |last| last + 1)];
        let rows_of = columns
            .iter()
            .map(|column| {
                heights[*column] += 1;
                heights[*column] - 1
            })
            .collect();
        Places { rows_of, count: heights.len(), rows: heights.iter().copied().max().unwrap_or(1), heights, columns }
    }

    /// Where a job's box is; none is the key's.
    fn area(&self, all: Rect, job: Option<usize>) -> Rect {
        let Some(job) = job else {
            return Rect::from_center_size(pos2(all.left() + KEY_WIDTH / 2.0, all.center().y), vec2(KEY_WIDTH, 22.0));
        };
        let column = self.columns[job];
        let width = (all.width() - KEY_WIDTH) / self.count as f32 - GAP;
        let left = all.left() + KEY_WIDTH + GAP + column as f32 * (width + GAP);
        let top = all.center().y - self.heights[column] as f32 * ROW / 2.0 + self.rows_of[job] as f32 * ROW + (ROW - BOX_HEIGHT) / 2.0;
        Rect::from_min_size(pos2(left, top), vec2(width, BOX_HEIGHT))
    }
}

fn boxed(painter: &egui::Painter, area: Rect, name: &str, lines: &[String], alive: bool) {
    let edge = if alive { theme::ACCENT } else { theme::DIM };
    painter.rect(area, 3.0, theme::LINE.gamma_multiply(0.8), Stroke::new(1.0, edge), StrokeKind::Inside);
    let text = |at: Pos2, align, text: &str, size, color| painter.text(at, align, text, FontId::monospace(size), color);
    if lines.is_empty() {
        text(area.center(), Align2::CENTER_CENTER, name, theme::TEXT_PT, theme::TEXT);
        return;
    }
    text(area.center_top() + vec2(0.0, 3.0), Align2::CENTER_TOP, name, theme::TEXT_PT, theme::TEXT);
    for (row, line) in lines.iter().enumerate() {
        text(area.center_top() + vec2(0.0, 17.0 + 12.5 * row as f32), Align2::CENTER_TOP, line, 10.5, if row == 0 { edge } else { theme::DIM });
    }
}

fn arrow(painter: &egui::Painter, from: Rect, to: Rect) {
    // Nothing enters or leaves at a corner.
    let (start, end) = (from.right_center(), to.left_center());
    let bend = vec2((end.x - start.x) * 0.5, 0.0);
    let stroke = Stroke::new(1.0, theme::DIM);
    painter.add(CubicBezierShape::from_points_stroke([start, start + bend, end - bend, end], false, egui::Color32::TRANSPARENT, stroke));
    painter.add(Shape::convex_polygon(vec![end, end + vec2(-5.0, -3.0), end + vec2(-5.0, 3.0)], theme::DIM, Stroke::NONE));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::facts::StageFact;

    fn job(name: &'static str, inputs: &[Option<usize>]) -> JobFact {
        JobFact { stage: StageFact { name, ..StageFact::default() }, inputs: inputs.to_vec() }
    }

    /// The same picture whatever order the jobs are added in, and no two boxes over one another.
    #[test]
    fn jobs_stand_right_of_what_they_read() {
        let jobs = [job("arrange", &[None, Some(3)]), job("heightmap", &[None]), job("meshing", &[None, Some(1)]), job("scatter", &[Some(1)])];
        let places = Places::of(&jobs);
        assert_eq!((&places.columns[..], places.rows), (&[2, 0, 1, 1][..], 2));
        let all = Rect::from_min_size(pos2(0.0, 0.0), vec2(WIDTH, ROW * 2.0));
        let areas: Vec<Rect> = (0..4).map(Some).chain([None]).map(|job| places.area(all, job)).collect();
        for (index, area) in areas.iter().enumerate() {
            assert!(all.contains_rect(*area), "{area:?}");
            assert!(areas[..index].iter().all(|other| !other.intersects(*area)), "{areas:?}");
        }
    }
}
