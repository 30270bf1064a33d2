//! In: flat ground, and a wall on it. Out: that what is lit stays lit, and that a shadow falls where the sun says, whatever the camera does.
//! Never knows: cascades, filters.

use crate::common::{Picture, close, config, desc, draw, keep, settle};
use std::sync::Arc;
use terrane::{
    session::{FrameDesc, Session, camera},
    worlds::WORLDS,
};
use terrane_base::Place;
use terrane_render::{Camera, DebugView, Look, Switches};
use terrane_worldgen::{GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch};

const EXTENT: (u32, u32) = (160, 90);
const VIEW_DISTANCE_M: f64 = 1100.0;
/// A wall along z, this high, from its western edge on for as much.
const WALL_M: f64 = 40.0;
const WALL_EDGE_M: f64 = 100.0;
/// Edges are soft over four texels, of 0.28 m in the cascade that is seen here, and lie 0.36 m nearer for the offset of the surface.
const EDGE_MAX_M: f64 = 0.9;

/// Flat, or with a wall.
struct Walled(bool, i64);

impl HeightField for Walled {
    fn fill(&self, area: &GridArea, _: &mut Scratch, out: &mut Samples) {
        out.edge = area.edge;
        let wall = |x_m: i64| self.0 && (self.1 + WALL_EDGE_M as i64..=self.1 + (WALL_EDGE_M + WALL_M) as i64).contains(&x_m);
        let height = |x_m: i64| if wall(x_m) { WALL_M as i32 * HEIGHT_UNITS_PER_M } else { 0 };
        out.height_q = (0..area.edge * area.edge).map(|i| height(area.x_m + (i % area.edge) as i64 * i64::from(area.step_m))).collect();
        out.cover = vec![0; out.height_q.len()];
    }
}

fn open_walled(wall: bool, origin_m: i64) -> Session {
    let config = config(&WORLDS[0], VIEW_DISTANCE_M);
    let mut world = config.make_world().expect("a world");
    (world.field, world.scatter_kinds) = (Arc::new(Walled(wall, origin_m)), Vec::new());
    Session::open_world(&config, world, &desc(EXTENT)).expect("a session; these tests need a Vulkan driver")
}

/// With and without shadows.
fn both(session: &mut Session, at: Camera, view: DebugView) -> [Picture; 2] {
    [true, false].map(|shadows| draw(session, &FrameDesc { view, switches: Switches { shadows, ..Switches::default() }, ..FrameDesc::new(at) }))
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn flat_ground_is_lit_everywhere() {
    let mut session = open_walled(false, 0);
    for origin_m in [0.0, 1e7] {
        for (sun_height_deg, sun_azimuth_deg, yaw_deg) in [(12.0, 250.0, 0.0), (21.0, 250.0, 250.0), (45.0, 10.0, 100.0), (89.9, 77.0, 300.0)] {
            session.look = Look { sun_height_deg, sun_azimuth_deg, ..session.look };
            let at = camera(Place::from_f64([origin_m + 3.3, 2.0, -origin_m]), yaw_deg, -10.0);
            settle(&mut session, &at);
            let [with, without] = both(&mut session, at, DebugView::None);
            let darker = with.rgba.iter().zip(&without.rgba).filter(|(a, b)| a.abs_diff(**b) > 1).count();
            if darker > 0 {
                keep(&without, &format!("acne-{sun_height_deg}-without"));
                keep(&with, &format!("acne-{sun_height_deg}"));
            }
            assert_eq!(darker, 0, "the sun {sun_height_deg} degrees high: {darker} bytes differ from a picture without shadows");
        }
    }
    close(session);
}

/// Where the shadow of the wall ends, metres along x: the mean over the rows, and the greatest distance from it. Seen from straight above.
fn shadow_edge(session: &mut Session, at: Camera) -> (f64, f64) {
    let [with, without] = both(session, at, DebugView::Cascades);
    let [x, y, _] = at.place.to_f64();
    let metres_per_pixel = 2.0 * y * f64::from(at.fov_y_rad * 0.5).tan() / f64::from(EXTENT.1);
    let light = |row: u32, column: u32| {
        let at = ((row * EXTENT.0 + column) * 4) as usize;
        let linear = |byte: u8| (f64::from(byte) / 255.0).powf(2.2);
        linear(with.rgba[at].max(with.rgba[at + 1])) / linear(without.rgba[at].max(without.rgba[at + 1])).max(1e-3)
    };
    let half = (1.0 + 0.3) * 0.5;
    let edges: Vec<f64> = (0..EXTENT.1)
        .map(|row| {
            let column = (1..EXTENT.0).find(|column| light(row, *column) < half).unwrap_or_else(|| {
                keep(&with, "no-edge");
                panic!("row {row} has no shadow")
            });
            let (before, after) = (light(row, column - 1), light(row, column));
            // Between the centres of two pixels.
            let at = f64::from(column) - 0.5 + (before - half) / (before - after).max(1e-6);
            x + (at - f64::from(EXTENT.0) * 0.5) * metres_per_pixel
        })
        .collect();
    let mean = edges.iter().sum::<f64>() / edges.len() as f64;
    (mean, edges.iter().map(|edge| (edge - mean).abs()).fold(0.0, f64::max))
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_shadow_ends_where_the_sun_says_and_does_not_crawl() {
    for origin_m in [0, 10_000_000] {
        let mut session = open_walled(true, origin_m);
        session.look = Look { sun_height_deg: 30.0, sun_azimuth_deg: 90.0, ..session.look };
        let expected = origin_m as f64 + WALL_EDGE_M - WALL_M / 30f64.to_radians().tan();
        let mut edges = Vec::new();
        for step in 0..10 {
            // Up and along in odd steps; the camera turns about nothing, so the picture stays upright.
            let away = f64::from(step) * 0.137;
            let at = camera(Place::from_f64([expected + away - 0.5, 60.0 + away, f64::from(step) * 0.731]), 0.0, -90.0);
            settle(&mut session, &at);
            let (edge, off) = shadow_edge(&mut session, at);
            assert!((edge - expected).abs() < EDGE_MAX_M && off < EDGE_MAX_M, "step {step}: the shadow ends at {edge} m, not {expected}; off by {off} within");
            edges.push(edge);
        }
        let (low, high) = edges.iter().fold((f64::MAX, f64::MIN), |(low, high), edge| (low.min(*edge), high.max(*edge)));
        println!("shadows, {origin_m} m: the edge {:.3} m from where it should be, moved by {:.3} m in 10 steps", edges[0] - expected, high - low);
        assert!(high - low < 0.15, "the edge crawls by {} m", high - low);
        close(session);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_wall_behind_the_camera_keeps_its_shadow() {
    let mut session = open_walled(true, 0);
    session.look = Look { sun_height_deg: 30.0, sun_azimuth_deg: 90.0, ..session.look };
    // In the shadow, looking away from the wall and the sun, at the ground before the feet.
    let at = camera(Place::from_f64([90.0, 2.0, 5.0]), 270.0, -40.0);
    settle(&mut session, &at);
    let [with, without] = both(&mut session, at, DebugView::Cascades);
    let dark = with.rgba.chunks_exact(4).zip(without.rgba.chunks_exact(4)).filter(|(a, b)| a[..3].iter().max() < b[..3].iter().max()).count();
    close(session);
    assert_eq!(dark, (EXTENT.0 * EXTENT.1) as usize, "all that is seen lies in the shadow");
}
