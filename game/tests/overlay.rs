//! The overlay on a GPU: what it draws stays within its panels, and while it is closed it does nothing.
#![forbid(unsafe_code)]

mod common;

use common::{config, desc, start, world};
use std::{fs, path::Path, process::Command};
use terrane::{
    config::Config,
    overlay::{Facts, Overlay, Panel, Tuned},
    session::{self, FrameDesc, Session, SessionDesc},
    worlds::WORLDS,
};
use terrane_base::Place;
use terrane_render::{Camera, DebugView, FrameStats, Switches};

/// Large enough for a part of a panel, and for ground beside it.
const SIZE: (u32, u32) = (200, 112);
/// Names the file that a child with another driver writes.
const CHILD: &str = "TERRANE_OVERLAY_CHILD";

fn open() -> (Session, Config, Camera) {
    let (mut session, config, start) = open_with(config());
    session.settle(&start, |_| ()).expect("it settles");
    (session, config, start)
}

fn open_with(config: Config) -> (Session, Config, Camera) {
    let world = world(&config);
    let start = start(&world);
    let session = Session::open_world(&config, world, &SessionDesc { extent: SIZE, ..desc() }).expect("a session; this test needs a Vulkan driver");
    (session, config, start)
}

/// Runs the panels once over what is now.
fn paint(overlay: &mut Overlay, session: &mut Session, config: &Config, camera: &Camera) {
    let mut picture = std::mem::take(&mut session.overlay);
    let facts = Facts::of(session, config, camera, overlay.watch(), true);
    let settings = config.live();
    let tuned = Tuned { view: DebugView::None, switches: Switches::default(), settings: &settings, file: None };
    overlay.run_still(SIZE, &facts, &tuned, &mut picture);
    session.overlay = picture;
}

fn frame(session: &mut Session, camera: &Camera) -> FrameStats {
    session.frame(&FrameDesc::new(*camera), 1e9).expect("a frame").stats
}

fn live_objects(session: &mut Session) -> usize {
    session.device.wait_idle().expect("idle");
    session.device.live_objects()
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn closed_it_costs_nothing_and_open_it_draws() {
    let (mut session, config, camera) = open();
    let mut overlay = Overlay::new();
    let plain = session.picture(&FrameDesc::new(camera)).expect("a picture");
    let objects = live_objects(&mut session);
    for _ in 0..3 {
        let stats = frame(&mut session, &camera);
        assert_eq!((stats.overlay_draws, stats.overlay_bytes), (0, 0));
    }
    assert_eq!((overlay.runs(), live_objects(&mut session)), (0, objects), "closed, nothing runs and nothing is made");
    assert!(session.meter.last().is_some_and(|frame| frame.gpu.rows().iter().all(|row| row.0 != "overlay")), "no pass");

    overlay.toggle(Panel::Map);
    paint(&mut overlay, &mut session, &config, &camera);
    let first = frame(&mut session, &camera);
    assert!(first.overlay_draws > 0 && first.overlay_bytes > 0, "{first:?}");
    let second = frame(&mut session, &camera);
    assert_eq!(second.overlay_draws, first.overlay_draws);
    assert!(second.overlay_bytes < first.overlay_bytes, "letters are sent once: {} and {} bytes", first.overlay_bytes, second.overlay_bytes);
    let (opened, shown) = (live_objects(&mut session), session.picture(&FrameDesc::new(camera)).expect("a picture"));
    for _ in 0..8 {
        paint(&mut overlay, &mut session, &config, &camera);
        frame(&mut session, &camera);
    }
    assert_eq!(live_objects(&mut session), opened, "a frame makes nothing");
    beside_the_panel_nothing_changes(&overlay, &plain, &shown);

    overlay.toggle(Panel::Map);
    session.overlay.primitives.clear();
    assert_eq!(frame(&mut session, &camera).overlay_draws, 0);
    assert_eq!(session.picture(&FrameDesc::new(camera)).expect("a picture"), plain);
    if let Some(file) = std::env::var_os(CHILD) {
        fs::write(file, &session.device.info().name).expect("written");
    }
    assert_eq!(session.close().expect("it ends in order"), 0, "validation messages");
}

fn beside_the_panel_nothing_changes(overlay: &Overlay, plain: &[u8], shown: &[u8]) {
    let panel = overlay.context().memory(|memory| memory.area_rect(egui::Id::new("f2"))).expect("it is open");
    let changed = |x: u32, y: u32| {
        let at = (y * SIZE.0 + x) as usize * 4;
        plain[at..at + 3] != shown[at..at + 3]
    };
    let places = || (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
    let inside = |(x, y): (u32, u32)| panel.expand(1.0).contains(egui::pos2(x as f32 + 0.5, y as f32 + 0.5));
    let area = places().filter(|place| inside(*place)).count();
    let painted = places().filter(|place| inside(*place) && changed(place.0, place.1)).count();
    assert!(area > 1000 && painted * 10 > area * 9, "{painted} of {area} pixels of the panel");
    assert_eq!(places().filter(|place| !inside(*place) && changed(place.0, place.1)).count(), 0, "{panel:?}");
}

/// Each debug view shows something of its own; the table of views is what the command line and the panel offer.
#[test]
#[ignore = "needs a Vulkan driver"]
fn every_view_paints_a_picture_of_its_own() {
    // So far that there is grass, rock and snow, and levels that morph.
    let (mut session, ..) = open_with(Config { view_distance_m: 3000.0, ..config() });
    let pose = WORLDS[0].poses.iter().find(|pose| pose.name == "soaring").expect("a pose that sees far");
    let camera = session::camera(Place::from_f64(session.world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
    session.settle(&camera, |_| ()).expect("it settles");
    let mut pictures: Vec<(&str, Vec<u8>)> = Vec::new();
    for (view, name, _) in DebugView::ALL {
        let picture = session.picture(&FrameDesc { view, ..FrameDesc::new(camera) }).expect("a picture");
        for (other, same) in &pictures {
            assert!(picture != *same, "{name} and {other}");
        }
        pictures.push((name, picture));
    }
    assert_eq!(session.close().expect("it ends in order"), 0, "validation messages");
}

/// A renderer that is made anew, on another device or for other settings, has the letters again.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_new_renderer_draws_what_the_old_one_did() {
    let (mut session, config, camera) = open();
    let mut overlay = Overlay::new();
    overlay.toggle(Panel::Graph);
    paint(&mut overlay, &mut session, &config, &camera);
    let shown = session.picture(&FrameDesc::new(camera)).expect("a picture");
    session.rebuild(&config).expect("it is made again");
    session.settle(&camera, |_| ()).expect("it settles");
    let again = frame(&mut session, &camera);
    assert!(again.overlay_draws > 0 && again.overlay_bytes > 100_000, "the letters are sent again: {again:?}");
    let text = |picture: &[u8]| picture.chunks_exact(4).filter(|pixel| pixel[0] > 150 && pixel[1] > 150).count();
    let (before, after) = (text(&shown), text(&session.picture(&FrameDesc::new(camera)).expect("a picture")));
    assert!(before > 100 && before.abs_diff(after) * 10 < before, "{before} and {after} bright pixels");
    assert_eq!(session.close().expect("it ends in order"), 0, "validation messages");
}

#[test]
#[ignore = "needs a Vulkan driver and a second one"]
fn the_second_driver_draws_it_too() {
    let driver =
        std::env::var_os("TERRANE_SECOND_DRIVER").expect("TERRANE_SECOND_DRIVER is not set: run tools/test, or name what tools/setup --test has fetched");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("driver");
    let run = |driver: Option<&Path>| {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", "closed_it_costs_nothing_and_open_it_draws", "--include-ignored"]).env(CHILD, &file);
        if let Some(driver) = driver {
            command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
        }
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(&file).expect("the driver's name")
    };
    assert_ne!(run(None), run(Some(Path::new(&driver))));
}
