//! In: a pose, a size. Out: one picture as a PNG file, when everything that it shows is there.
//! Never knows: windows.

use crate::{
    cli::{PoseArg, ShotArgs},
    config::Config,
    digest,
    error::GameError,
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

/// Renders a picture.
pub fn run(config: &Config, args: &ShotArgs) -> Result<(), GameError> {
    let view = debug_view(args.view.as_deref())?;
    let extent = (args.size.width, args.size.height);
    let desc = SessionDesc { extent, samples: args.samples, validation: args.validation, ..SessionDesc::default() };
    picture(config, args.pose.as_ref(), extent, view, &args.out, &desc)
}

/// Renders a picture from a pose into a file.
pub fn picture(config: &Config, pose: Option<&PoseArg>, extent: (u32, u32), view: DebugView, out: &Path, desc: &SessionDesc) -> Result<(), GameError> {
    let camera = pose_camera(config, &config.make_world()?, pose)?;
    let mut session = Session::open(config, desc)?;
    let bar = digest::progress(0, "making chunks");
    let pixels = loop {
        let settled = session.settle(&camera, |progress| {
            bar.set_length(progress.wanted as u64);
            bar.set_position(progress.resident as u64);
        });
        match settled.and_then(|()| session.picture(&FrameDesc { view, ..FrameDesc::new(camera) })) {
            Ok(pixels) => break pixels,
            // A lost device is opened again, short memory makes do with less; a few times.
            Err(error) => session = session.recover(error)?,
        }
    };
    bar.finish_and_clear();
    let instances = session.stream.resident_instances();
    tracing::info!("{} chunks, {instances} instances", session.stream.cut().len());
    let messages = session.close()?;
    let share = Share::of(config, &camera, Mode::Fly).text();
    let notes = [("Software", format!("terrane {}", env!("CARGO_PKG_VERSION"))), ("Seed", config.seed.0.to_string()), ("Share", share)];
    png_out::write(out, extent.0, extent.1, Pixels::Rgba8(&pixels), &notes)?;
    match messages {
        0 => Ok(()),
        count => Err(GameError::Bug(format!("the validation layer has {count} messages; they are in the log"))),
    }
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
