//! In: facts that never change. Out: whether the panels say them, stand side by side, and tell what is changed in them.
//! Never knows: a GPU; `game/tests/overlay.rs` draws them.

use super::*;
use crate::{
    config::Config,
    input::KEYS,
    measure::{ChunkStates, FrameRecord, Hitch, MemoryUse, Passes, Phase},
    settings::{Setting, Value},
    stream::ChunkState,
};
use egui::{Event, PointerButton, Vec2};
use egui_kittest::{Harness, kittest::Queryable};
use std::collections::VecDeque;
use terrane_base::ChunkKey;
use terrane_gpu::GpuTiming;
use terrane_profiling::Cost;
use terrane_render::{DebugView, FrameStats, Reasons, Switches};
use winit::event::{DeviceId, ElementState, MouseButton, MouseScrollDelta, TouchPhase, WindowEvent};

fn frames() -> VecDeque<FrameRecord> {
    let timing = |name, ms| GpuTiming { name, begin_ticks: 0, end_ticks: 0, ms };
    let record = FrameRecord {
        wall_ms: 8.0,
        cpu_ms: 0.75,
        gpu: Passes::of(&[timing("frame", 6.5), timing("opaque", 3.25)]),
        stats: FrameStats {
            chunks: 340,
            instances: 1_234_567,
            instance_reasons: Reasons { early: 45_678, occluded: 9_012, ..Reasons::default() },
            ..FrameStats::default()
        },
        chunks: ChunkStates { wanted: 511, resident: 480, queued: 21, running: 4, ready: 6, drawn: 340, ..ChunkStates::default() },
        memory: MemoryUse { device_bytes: 3 << 30, device_budget_bytes: 4 << 30, host_bytes: 1 << 30, host_budget_bytes: 0 },
        ..FrameRecord::default()
    };
    let mut frames: VecDeque<_> = (0..200).map(|_| record).collect();
    // Two of the 120 that percentiles are of: the 99th of 100 is the second longest.
    for at in [150, 199] {
        frames[at].phases[Phase::Wait as usize] = Cost { wall_ns: 4_000_000, cpu_ns: 100_000 };
        (frames[at].wall_ms, frames[at].hitch) = (44.0, Some(Hitch::Streaming));
    }
    frames
}

fn stage(name: &'static str, running: u32) -> StageFact {
    StageFact { name, count: 1_500, per_s: 24.0, now_ms: Some(0.421), p50_ms: 0.4, p99_ms: 1.25, running }
}

fn facts(frames: &VecDeque<FrameRecord>) -> Facts<'_> {
    let job = |name, running, inputs: &[Option<usize>]| JobFact { stage: stage(name, running), inputs: inputs.to_vec() };
    let chunks =
        vec![(ChunkKey::plane(1, 0, 0), ChunkState::Resident), (ChunkKey::plane(0, 1, 0), ChunkState::Drawn), (ChunkKey::plane(0, 0, 0), ChunkState::Pending)];
    Facts {
        head: "terrain  seed 1".to_owned(),
        frames,
        hitches: [3, 0, 0, 0, 1, 0],
        jobs: vec![job("heightmap", 2, &[None]), job("meshing", 0, &[None, Some(0)]), job("scatter", 1, &[None, Some(0)]), job("arrange", 0, &[Some(2)])],
        systems: vec![stage("rings", 0), stage("cut", 0)],
        visible_ms: [120.5, 480.0],
        totals: [12_345, 67, 0],
        props: vec![("conifer", [10, 2_000, 30_000]), ("stone", [1, 2, 3])],
        map: MapFacts { chunks, edges_m: vec![128.0, 256.0], rings_m: vec![700.0, 1400.0], view_distance_m: 2000.0, fov_x_rad: 1.5, ..MapFacts::default() },
    }
}

fn settings() -> [(&'static Setting, Value); 4] {
    Config::from_text(&crate::cli::GlobalArgs::default(), "none", "view_distance_m = 2000").expect("right").live()
}

struct State {
    open: [bool; Panel::ALL.len()],
    changes: Vec<Change>,
    zoom: f32,
}

/// The panels on a screen of that many points.
fn harness(size: Vec2, open: &[Panel]) -> Harness<'static, State> {
    let (frames, settings) = (frames(), settings());
    let show = move |ui: &mut egui::Ui, state: &mut State| {
        theme::apply(ui.ctx());
        let tuned = Tuned { view: DebugView::None, switches: Switches::default(), settings: &settings, file: Some("/tmp/terrane.toml".to_owned()) };
        panels(ui.ctx(), state.open, &facts(&frames), &tuned, &mut state.zoom, &mut state.changes);
    };
    let open = std::array::from_fn(|panel| open.iter().any(|open| *open as usize == panel));
    let mut harness = Harness::builder().with_size(size).build_ui_state(show, State { open, changes: Vec::new(), zoom: 1.0 });
    harness.run_steps(4);
    harness
}

const SCREEN: Vec2 = vec2(1280.0, 720.0);
const SIDE_BY_SIDE: [Panel; 4] = [Panel::Performance, Panel::Map, Panel::Graph, Panel::Tune];

#[test]
fn the_costs_are_there_with_their_units() {
    let harness = harness(SCREEN, &[Panel::Performance]);
    for text in [
        "p50 8.000 ms   p99 44.0",
        "4 hitches: streaming 3, outside 1",
        "heightmap        0.421   0.400   1.250     1,500",
        "wait for GPU     0.000   4.000   0.000   0.100",
        "whole frame      6.500   6.500   6.500",
        "opaque           3.250   3.250   3.250",
        "wanted     511   resident     480   drawn     340",
        "queued      21   running        4   ready       6",
        "wanted to seen   p50 120.5 ms   p99 480.0 ms",
        "hidden               0       9,012",
        "conifer             10   2,000  30,000",
        "3,072 MiB of 4,096 MiB  75 %",
        "1,024 MiB",
    ] {
        let found = harness.query_all_by_label_contains(text).count();
        assert!(found >= 1, "{text}: {harness:#?}");
    }
}

#[test]
fn the_map_tells_levels_and_states() {
    let harness = harness(SCREEN, &[Panel::Map]);
    for text in ["4480 m across", "0    128 m     1", "1    256 m     0", "on its way     1", "resident       1"] {
        harness.get_by_label_contains(text);
    }
}

#[test]
fn the_graph_lists_the_systems() {
    let harness = harness(SCREEN, &[Panel::Graph]);
    harness.get_by_label_contains("rings                0.421   0.400   1.250      1,500");
}

#[test]
fn every_key_is_told() {
    let harness = harness(SCREEN, &[Panel::Keys]);
    for key in KEYS.iter().filter(|key| !key.help.is_empty()) {
        harness.get_by_label(&format!("{:<14}{}", key.name, key.help));
    }
}

/// On the screen that they are made for they stand side by side, whole; on a smaller one they stay within it.
#[test]
fn panels_do_not_cover_one_another() {
    let areas = |size: Vec2| {
        let harness = harness(size, &SIDE_BY_SIDE);
        let name = |panel: Panel| Panel::ALL[panel as usize].1;
        SIDE_BY_SIDE.map(|panel| (name(panel), harness.ctx.memory(|memory| memory.area_rect(egui::Id::new(name(panel)))).expect("it is open")))
    };
    let wide = areas(SCREEN);
    for (index, (name, area)) in wide.iter().enumerate() {
        assert!(Rect::from_min_size(Pos2::ZERO, SCREEN).contains_rect(*area), "{name}: {area:?}");
        for (other, there) in &wide[..index] {
            assert!(!area.intersects(*there), "{name} {area:?} and {other} {there:?}");
        }
    }
    for (name, area) in areas(vec2(640.0, 360.0)) {
        assert!(area.top() >= 0.0 && area.bottom() <= 361.0 && area.left() >= 0.0, "{name}: {area:?}");
    }
}

#[test]
fn what_is_changed_is_told_once() {
    let mut harness = harness(SCREEN, &[Panel::Tune]);
    harness.get_by_label("shadows").click();
    harness.run_steps(2);
    assert_eq!(std::mem::take(&mut harness.state_mut().changes), [Change::Switches(Switches { shadows: false, ..Switches::default() })]);
    harness.get_by_label("save to the settings file").click();
    harness.run_steps(2);
    assert_eq!(std::mem::take(&mut harness.state_mut().changes), [Change::Save]);
    harness.get_by_role(egui::accesskit::Role::ComboBox).click();
    harness.run_steps(2);
    harness.get_by_label("slope").click();
    harness.run_steps(2);
    assert_eq!(std::mem::take(&mut harness.state_mut().changes), [Change::View(DebugView::Slope)]);
}

/// While the knob moves nothing is made anew; when it is let go, once.
#[test]
fn a_slider_counts_when_it_is_let_go() {
    let mut harness = harness(SCREEN, &[Panel::Tune]);
    let knob = harness.get_all_by_role(egui::accesskit::Role::Slider).next().expect("the view distance").rect();
    harness.drag_at(knob.center());
    harness.run_steps(2);
    for step in 1..4 {
        harness.hover_at(knob.center() + vec2(5.0 * step as f32, 0.0));
        harness.run_steps(1);
        assert_eq!(harness.state().changes, []);
    }
    harness.drop_at(knob.center() + vec2(15.0, 0.0));
    harness.run_steps(2);
    let changes = std::mem::take(&mut harness.state_mut().changes);
    let [Change::Setting("view_distance_m", Value::Number(metres))] = changes[..] else { panic!("{changes:?}") };
    assert!((512.0..=65_536.0).contains(&metres) && metres != 2000.0, "{metres}");
}

/// What egui says of a press: over a panel it is the panel's, beside it the game's.
#[test]
fn a_press_on_a_panel_is_not_the_games() {
    let (frames, settings) = (frames(), settings());
    let tuned = Tuned { view: DebugView::None, switches: Switches::default(), settings: &settings, file: None };
    let mut overlay = Overlay::new();
    let mut picture = OverlayPicture::default();
    assert!(!overlay.is_open());
    overlay.toggle(Panel::Map);
    overlay.run_still((1280, 720), &facts(&frames), &tuned, &mut picture);
    let on_panel = overlay.context().memory(|memory| memory.area_rect(egui::Id::new("f2"))).expect("it is open").center();
    for (at, wants) in [(on_panel, true), (pos2(100.0, 600.0), false)] {
        // Also before egui has heard of the pointer: it may come and press within one frame.
        assert_eq!(window::is_over_panel(overlay.context(), at), wants, "{at:?}");
        let press = |pressed| Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: egui::Modifiers::NONE };
        for events in [vec![Event::PointerMoved(at)], vec![press(true)], vec![press(false)]] {
            let input = RawInput { screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SCREEN)), events, ..RawInput::default() };
            let moved = matches!(input.events[0], Event::PointerMoved(_));
            overlay.run(input, &facts(&frames), &tuned, &mut picture);
            if moved {
                assert_eq!(overlay.context().egui_wants_pointer_input(), wants, "{at:?}");
            }
        }
    }
    assert!(!picture.primitives.is_empty());
    overlay.toggle(Panel::Map);
    assert!(!overlay.is_open());
}

/// A button that was pressed on the picture and let go on a panel would stay down for ever.
#[test]
fn the_end_of_a_press_is_never_kept_from_the_game() {
    let button = |state| WindowEvent::MouseInput { device_id: DeviceId::dummy(), state, button: MouseButton::Left };
    let wheel = WindowEvent::MouseWheel { device_id: DeviceId::dummy(), delta: MouseScrollDelta::LineDelta(0.0, 1.0), phase: TouchPhase::Moved };
    for (event, kept) in [(button(ElementState::Pressed), true), (button(ElementState::Released), false), (wheel, true)] {
        assert_eq!(window::keeps(&event, true), kept, "{event:?}");
        assert!(!window::keeps(&event, false), "{event:?}");
    }
}
