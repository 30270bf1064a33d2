//! In: a world's name, two pictures. Out: an open session, a FLIP error.
//! Never knows: what a test looks for.

use glam::DVec3;
use terrane::{
    cli::GlobalArgs,
    config::Config,
    png_out::{self, Pixels},
    session::{FrameDesc, Session, SessionDesc},
    worlds::{World, WorldInstance},
};
use terrane_base::{Place, hash::pcg};
use terrane_render::{Camera, DebugView, Switches};
use terrane_tools::golden::{self, Difference};

/// A picture: RGBA, row by row from the top.
pub struct Picture {
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

/// Writes a picture that a person should look at, and says where.
pub fn keep(picture: &Picture, name: &str) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    write(picture, &path);
    eprintln!("see {}", path.display());
}

/// Writes a PNG file.
pub fn write(picture: &Picture, path: &std::path::Path) {
    png_out::write(path, picture.width, picture.height, Pixels::Rgba8(&picture.rgba), &[]).expect("a picture is written");
}

/// Whether the full counts are asked for.
pub fn soak() -> bool {
    std::env::var_os("TERRANE_SOAK").is_some_and(|value| value == "1")
}

/// Settings of a world without anybody's settings file.
pub fn config(world: &World, view_distance_m: f64) -> Config {
    let args = GlobalArgs {
        world: Some(world.name.to_owned()),
        view_distance: Some(view_distance_m),
        driver: std::env::var("TERRANE_DRIVER").ok(),
        ..GlobalArgs::default()
    };
    Config::from_text(&args, "the defaults", "").expect("the defaults are settings")
}

/// One sample a pixel: edges stay hard, so a hole is a hole.
pub fn desc(extent: (u32, u32)) -> SessionDesc {
    SessionDesc { extent, samples: 1, ..SessionDesc::default() }
}

/// A session that draws a world.
pub fn open(world: &World, view_distance_m: f64, extent: (u32, u32)) -> Session {
    Session::open(&config(world, view_distance_m), &desc(extent)).expect("a session; these tests need a Vulkan driver")
}

/// Makes all that a camera wants resident.
pub fn settle(session: &mut Session, camera: &Camera) {
    session.settle(camera, |_| ()).expect("it settles");
}

/// Ends a session: nothing is forgotten, nothing is complained about.
pub fn close(session: Session) {
    assert_eq!(session.close().expect("it closes"), 0, "validation messages");
}

/// Draws.
pub fn draw(session: &mut Session, desc: &FrameDesc) -> Picture {
    let (width, height) = session.renderer.extent();
    Picture { width, height, rgba: session.picture(desc).expect("a picture") }
}

/// The ground alone, in grey before magenta: what is not ground is a hole or the sky.
pub fn hole_view(camera: Camera) -> FrameDesc {
    let switches = Switches { props: false, ..Switches::default() };
    FrameDesc { view: DebugView::Morph, switches, ..FrameDesc::new(camera) }
}

impl Picture {
    /// Whether the background shows at a pixel. Only in [`hole_view`].
    pub fn is_hole(&self, x: u32, y: u32) -> bool {
        let at = (y * self.width + x) as usize * 4;
        self.rgba[at..at + 3] == [255, 0, 255]
    }

    /// Pixels of background.
    pub fn holes(&self) -> usize {
        (0..self.height).map(|y| (0..self.width).filter(|x| self.is_hole(*x, y)).count()).sum()
    }

    /// The same for FLIP.
    pub fn flat(&self) -> golden::Picture {
        golden::Picture::new(self.width, self.height, &self.rgba).expect("a whole picture")
    }
}

/// How different `test` looks from `reference`.
pub fn flip(reference: &Picture, test: &Picture) -> Difference {
    golden::compare(&reference.flat(), &test.flat()).expect("pictures of one size").0
}

/// A place so many metres over the ground.
pub fn over_ground(world: &WorldInstance, x_m: f64, z_m: f64, eye_m: f64) -> Place {
    Place::from_f64([x_m, world.height_at(x_m, z_m) + eye_m, z_m])
}

/// A camera moved by metres.
pub fn moved(camera: &Camera, way_m: [f64; 3]) -> Camera {
    Camera { place: camera.place.moved_by(DVec3::from_array(way_m)), ..*camera }
}

/// Numbers of a test: the same each time. In [0, 1).
pub fn random(index: u32, salt: u32) -> f64 {
    f64::from(pcg(pcg(index) ^ salt)) / 4_294_967_296.0
}
