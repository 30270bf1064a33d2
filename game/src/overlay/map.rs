//! In: facts. Out: F2, the chunks around the viewer from above: levels as colours, states as what they look like.
//! Never knows: how chunks come to their states.

use super::{
    facts::{Facts, MapFacts},
    text::metres,
    theme,
};
use crate::stream::ChunkState;
use egui::{Color32, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, epaint::PathShape, vec2};

/// Edge of the map, points.
const EDGE: f32 = 280.0;
/// Width of what explains it.
const LEGEND: f32 = 166.0;
/// The map reaches this many times as far as one sees.
const REACH: f64 = 1.12;
/// How far the cone of the view is drawn, a share of the map's edge.
const CONE: f32 = 0.4;

/// Draws the panel. `zoom` is how many times nearer than all of it.
pub fn show(ui: &mut Ui, facts: &Facts, zoom: &mut f32) {
    theme::title(ui, "F2", "chunks from above, north up");
    let map = &facts.map;
    ui.horizontal_top(|ui| {
        let (response, painter) = ui.allocate_painter(vec2(EDGE, EDGE), Sense::hover());
        if response.hovered() {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            *zoom = (*zoom * (wheel * 0.01).exp()).clamp(1.0, 64.0);
        }
        let ground = Ground { area: response.rect, metres_a_point: reach_m(map) * 2.0 / f64::from(EDGE * *zoom), viewer_m: map.viewer_m };
        draw(&painter.with_clip_rect(response.rect), map, &ground);
        ui.vertical(|ui| {
            ui.set_width(LEGEND);
            legend(ui, facts, reach_m(map) / f64::from(*zoom));
        });
    });
}

fn reach_m(map: &MapFacts) -> f64 {
    f64::from(map.view_distance_m.max(1.0)) * REACH
}

/// From metres to points.
struct Ground {
    area: Rect,
    metres_a_point: f64,
    viewer_m: [f64; 2],
}

impl Ground {
    fn point(&self, x_m: f64, z_m: f64) -> Pos2 {
        let along = |at: f64, viewer: f64| ((at - viewer) / self.metres_a_point) as f32;
        self.area.center() + vec2(along(x_m, self.viewer_m[0]), along(z_m, self.viewer_m[1]))
    }

    fn points(&self, metres: f64) -> f32 {
        (metres / self.metres_a_point) as f32
    }
}

fn draw(painter: &egui::Painter, map: &MapFacts, ground: &Ground) {
    painter.rect_filled(ground.area, 2.0, theme::LINE.gamma_multiply(0.35));
    let mut chunks: Vec<_> = map.chunks.iter().collect();
    // The coarse lie under the fine, and what is drawn under the marks of what is on its way.
    chunks.sort_by_key(|(key, state)| (*state != ChunkState::Drawn, std::cmp::Reverse(key.lod), *key));
    for (key, state) in chunks {
        let Some(edge_m) = map.edges_m.get(usize::from(key.lod)) else { continue };
        let (x_m, z_m) = (f64::from(key.x) * edge_m, f64::from(key.z) * edge_m);
        let area = Rect::from_min_max(ground.point(x_m, z_m), ground.point(x_m + edge_m, z_m + edge_m));
        if area.intersects(ground.area) {
            chunk(painter, area, key.lod, *state);
        }
    }
    for ring_m in &map.rings_m {
        let radius = ground.points(f64::from(*ring_m));
        painter.circle_stroke(ground.area.center(), radius, Stroke::new(0.7, theme::TEXT.gamma_multiply(0.35)));
    }
    viewer(painter, map, ground);
}

/// Drawn ones are full; of the others one sees the edge, in the colour of their state.
fn chunk(painter: &egui::Painter, area: Rect, lod: u8, state: ChunkState) {
    let inside = area.shrink(0.5);
    match state {
        ChunkState::Drawn => {
            painter.rect_filled(inside, 0.0, theme::level(lod, 0.62));
        }
        state => {
            painter.rect_stroke(inside.shrink(0.5), 0.0, Stroke::new(1.0, state_color(state)), StrokeKind::Inside);
        }
    };
}

fn state_color(state: ChunkState) -> Color32 {
    match state {
        ChunkState::Drawn => theme::ACCENT,
        ChunkState::Resident => theme::DIM.gamma_multiply(0.45),
        ChunkState::Ready => theme::GOOD,
        ChunkState::Pending => theme::WARNING,
    }
}

fn viewer(painter: &egui::Painter, map: &MapFacts, ground: &Ground) {
    let center = ground.area.center();
    let ray = |turn: f32| {
        let (sin, cos) = (map.yaw_rad + turn).sin_cos();
        center + vec2(sin, -cos) * EDGE * CONE
    };
    let half = map.fov_x_rad * 0.5;
    let cone = vec![center, ray(-half), ray(0.0), ray(half)];
    painter.add(Shape::Path(PathShape::convex_polygon(cone, Color32::WHITE.gamma_multiply(0.10), Stroke::new(1.0, Color32::WHITE.gamma_multiply(0.5)))));
    painter.circle_filled(center, 2.5, Color32::WHITE);
}

fn legend(ui: &mut Ui, facts: &Facts, reach_m: f64) {
    let map = &facts.map;
    theme::line(ui, format!("{} across", metres(reach_m * 2.0)));
    theme::dim(ui, format!("x {:.0} m", map.viewer_m[0]));
    theme::dim(ui, format!("z {:.0} m", map.viewer_m[1]));
    theme::heading(ui, "level", "  edge   drawn");
    for (lod, edge_m) in map.edges_m.iter().enumerate() {
        let drawn = map.chunks.iter().filter(|(key, state)| usize::from(key.lod) == lod && *state == ChunkState::Drawn).count();
        swatch(ui, theme::level(lod as u8, 0.9), true, &format!("{lod:<2}{:>8}{drawn:>6}", metres(*edge_m)));
    }
    theme::heading(ui, "state", "");
    for (state, name) in [(ChunkState::Drawn, "drawn"), (ChunkState::Resident, "resident"), (ChunkState::Ready, "ready"), (ChunkState::Pending, "on its way")] {
        let count = map.chunks.iter().filter(|chunk| chunk.1 == state).count();
        swatch(ui, state_color(state), state == ChunkState::Drawn, &format!("{name:<10}{count:>6}"));
    }
    ui.add_space(5.0);
    theme::dim(ui, "wheel: nearer");
}

fn swatch(ui: &mut Ui, color: Color32, full: bool, text: &str) {
    ui.horizontal(|ui| {
        let (response, painter) = ui.allocate_painter(vec2(9.0, 9.0), Sense::hover());
        match full {
            true => painter.rect_filled(response.rect, 1.0, color),
            false => painter.rect_stroke(response.rect, 1.0, Stroke::new(1.0, color), StrokeKind::Inside),
        };
        theme::line(ui, text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn the_map_has_north_up_and_the_viewer_in_its_middle() {
        let area = Rect::from_min_size(pos2(10.0, 20.0), vec2(100.0, 100.0));
        let ground = Ground { area, metres_a_point: 2.0, viewer_m: [1e7, -50.0] };
        assert_eq!(ground.point(1e7, -50.0), area.center());
        let north_east = ground.point(1e7 + 20.0, -50.0 - 40.0);
        assert_eq!(north_east - area.center(), vec2(10.0, -20.0));
        assert_eq!(ground.points(64.0), 32.0);
    }
}
