//! In: a pose, a size. Out: one picture as a PNG file, when everything that it shows is there.
//! Never knows: windows.

use crate::{
    cli::{PoseArg, ShotArgs},
    config::Config,
    digest,
    error::GameError,
    frame_report,
    overlay::{Facts, Overlay, Panel, Tuned},
    player::Mode,
    png_out::{self, Pixels},
    session::{self, FrameDesc, Session, SessionDesc},
    settings::closest,
    share::Share,
    worlds::WorldInstance,
};
use std::path::Path;
use terrane_base::Place;
use terrane_render::{Camera, DebugView};

/// Frames before a picture with panels: so many show what a frame takes.
const FRAMES_BEFORE: u32 = 12;

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// From where; the world's first pose without.
    pub pose: Option<&'a PoseArg>,
    /// What is painted.
    pub view: DebugView,
    /// Panels over it.
    pub panels: &'a [Panel],
}

/// Renders a picture.
pub fn run(config: &Config, args: &ShotArgs) -> Result<(), GameError> {
    let subject = Subject { pose: args.pose.as_ref(), view: debug_view(args.view.as_deref())?, panels: &args.overlay };
    let extent = (args.size.width, args.size.height);
    let desc = SessionDesc { extent, samples: args.samples, validation: args.validation, ..SessionDesc::default() };
    picture(config, &subject, &args.out, &desc)
}

/// Renders a picture into a file.
pub fn picture(config: &Config, subject: &Subject, out: &Path, desc: &SessionDesc) -> Result<(), GameError> {
    let camera = pose_camera(config, &config.make_world()?, subject.pose)?;
    let frame = FrameDesc { view: subject.view, ..FrameDesc::new(camera) };
    let mut session = Session::open(config, desc)?;
    let bar = digest::progress(0, "making chunks");
    let pixels = loop {
        let settled = session.settle(&camera, |progress| {
            bar.set_length(progress.wanted as u64);
            bar.set_position(progress.resident as u64);
        });
        match settled.and_then(|()| draw(&mut session, config, subject, &frame)) {
            Ok(pixels) => break pixels,
            // A lost device is opened again, short memory makes do with less; a few times.
            Err(error) => session = session.recover(error)?,
        }
    };
    bar.finish_and_clear();
    let instances = session.stream.resident_instances();
    if config.stats {
        frame_report::print(&session.last_stats);
    }
    tracing::info!("{} chunks, {instances} instances", session.stream.cut().len());
    let messages = session.close()?;
    let share = Share::of(config, &camera, Mode::Fly).text();
    let notes = [("Software", format!("terrane {}", env!("CARGO_PKG_VERSION"))), ("Seed", config.seed.0.to_string()), ("Share", share)];
    png_out::write(out, desc.extent.0, desc.extent.1, Pixels::Rgba8(&pixels), &notes)?;
    match messages {
        0 => Ok(()),
        count => Err(GameError::Bug(format!("the validation layer has {count} messages; they are in the log"))),
    }
}

fn draw(session: &mut Session, config: &Config, subject: &Subject, frame: &FrameDesc) -> Result<Vec<u8>, GameError> {
    if !subject.panels.is_empty() {
        for index in 0..FRAMES_BEFORE {
            // Late arrivals have long grown.
            session.frame(frame, f64::from(u32::MAX) + f64::from(index) / 60.0)?;
        }
        let mut overlay = Overlay::new();
        subject.panels.iter().for_each(|panel| overlay.open(*panel));
        let mut picture = std::mem::take(&mut session.overlay);
        let facts = Facts::of(session, config, &frame.camera, overlay.watch(), true);
        let settings = config.live();
        let file = config.settings_path.as_ref().map(|path| path.display().to_string());
        let tuned = Tuned { view: subject.view, switches: frame.switches, settings: &settings, file };
        overlay.run_still(session.renderer.extent(), &facts, &tuned, &mut picture);
        session.overlay = picture;
    }
    session.picture(frame)
}

/// The camera of a named or free pose; without one, of the share text; without that, of the world's first pose.
pub fn pose_camera(config: &Config, world: &WorldInstance, pose: Option<&PoseArg>) -> Result<Camera, GameError> {
    let named = |pose: &crate::worlds::Pose| session::camera(Place::from_f64(world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
    match pose {
        None if let Some(start) = &config.start => Ok(start.camera()),
        None => config.world.poses.first().map(named).ok_or_else(|| GameError::Bug(format!("the world {} has no pose", config.world.name))),
        Some(PoseArg::Named(name)) => config.world.pose(name).map(named),
        Some(PoseArg::Free { at_m, yaw_deg, pitch_deg }) => Ok(session::camera(Place::from_f64(*at_m), *yaw_deg, *pitch_deg)),
    }
}

fn debug_view(name: Option<&str>) -> Result<DebugView, GameError> {
    let Some(name) = name else { return Ok(DebugView::None) };
    DebugView::parse(name).ok_or_else(|| {
        let names = || DebugView::ALL.iter().map(|(_, name, _)| *name);
        let meant = closest(name, names()).map_or_else(String::new, |meant| format!("did you mean '{meant}'? "));
        let known: Vec<_> = names().collect();
        GameError::usage(format!("--view is '{name}'"), format!("{meant}Allowed is one of: {}", known.join(", ")))
    })
}
