//! In: a test that needs a world on a GPU. Out: a small one that opens in a moment, with every use of Vulkan checked.
//! Never knows: what is tested.
#![allow(dead_code, reason = "each file of tests uses a part")]

use terrane::{
    cli::GlobalArgs,
    config::Config,
    session::{FrameDesc, SessionDesc, camera},
    worlds::{Ground, WORLDS, WorldInstance},
};
use terrane_base::Place;
use terrane_gpu::ShowIn;
use terrane_render::Camera;
use terrane_worldgen::texture::{MaterialLayer, TEXTURE_EDGE};

/// A picture of few pixels: what a software driver draws in milliseconds.
pub const SIZE: (u32, u32) = (64, 36);
pub const VIEW_DISTANCE_M: f64 = 512.0;

/// Whether the full counts are asked for.
pub fn soak() -> bool {
    std::env::var_os("TERRANE_SOAK").is_some_and(|value| value == "1")
}

/// The first world without anybody's settings file; shadow maps are of a size that a processor draws in time.
pub fn config() -> Config {
    let args = GlobalArgs { view_distance: Some(VIEW_DISTANCE_M), driver: std::env::var("TERRANE_DRIVER").ok(), ..GlobalArgs::default() };
    Config::from_text(&args, "the defaults", "shadow_resolution = 256").expect("the defaults are settings")
}

/// That world with plain textures: the real ones take a second to draw.
pub fn world(config: &Config) -> WorldInstance {
    WorldInstance { ground: Ground::Layers(plain_layers), ..config.make_world().expect("a world") }
}

fn plain_layers(_: u32) -> [MaterialLayer; 3] {
    let texels = TEXTURE_EDGE * TEXTURE_EDGE;
    let layer = |color| MaterialLayer { color: vec![color; texels], normal: vec![[128, 128]; texels], smoothness: vec![40; texels] };
    [layer([60, 90, 40, 255]), layer([230, 230, 240, 255]), layer([110, 105, 100, 255])]
}

pub fn desc() -> SessionDesc {
    SessionDesc { extent: SIZE, samples: 1, validation: true, ..SessionDesc::default() }
}

/// The same in a window that nobody sees.
pub fn window() -> SessionDesc {
    SessionDesc { window: Some(ShowIn::Headless), ..desc() }
}

/// The first pose's place with a look to the horizon.
pub fn start(world: &WorldInstance) -> Camera {
    let pose = &WORLDS[0].poses[0];
    camera(Place::from_f64(world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg)
}

/// A frame of a flight: so many frames from the start, at 300 m/s. It looks up, where there is little to draw: on a software driver the ground
/// costs a fifth of a second.
pub fn flight(start: &Camera, frame: u32) -> FrameDesc {
    let way_m = [5.0 * f64::from(frame), 0.0, 0.0];
    let camera = Camera { place: start.place.moved_by(way_m.into()), pitch_rad: 1.4, ..*start };
    FrameDesc { time_s: frame as f32 / 60.0, ..FrameDesc::new(camera) }
}

/// The same with the world in sight.
pub fn low_flight(start: &Camera, frame: u32) -> FrameDesc {
    let desc = flight(start, frame);
    FrameDesc { camera: Camera { pitch_rad: start.pitch_rad, ..desc.camera }, ..desc }
}
