//! In: every world's named poses. Out: that they look as they did when somebody last accepted them: `TERRANE_ACCEPT=1`.
//! Never knows: what is beautiful. Accepted on lavapipe; other drivers round a little differently, which the bounds allow.

use crate::common::{Picture, close, draw, flip, keep, open, settle, write};
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};
use terrane::{
    session::{FrameDesc, camera},
    worlds::{WORLDS, World},
};
use terrane_base::Place;

const EXTENT: (u32, u32) = (320, 180);
const VIEW_DISTANCE_M: f64 = 2000.0;
const MEAN_MAX: f32 = 0.02;
const P99_MAX: f32 = 0.2;

fn path(world: &World, pose: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{}-{pose}.png", world.name))
}

/// A picture of ours; none if there is no file.
fn read(path: &Path) -> Option<Picture> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).ok()?)).read_info().expect("a PNG file");
    let mut rgba = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut rgba).expect("a whole picture");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight), "{}", path.display());
    Some(Picture { width: info.width, height: info.height, rgba })
}

/// What is wrong with a picture, if anything.
fn complaint(world: &World, pose: &str, picture: &Picture) -> Option<String> {
    let path = path(world, pose);
    if std::env::var_os("TERRANE_ACCEPT").is_some_and(|value| value == "1") {
        write(picture, &path);
        println!("accepted {}", path.display());
        return None;
    }
    let Some(golden) = read(&path) else { return Some(format!("{} is missing", path.display())) };
    let error = flip(&golden, picture);
    println!("golden, {} {pose}: FLIP mean {:.5}, p99 {:.5}", world.name, error.mean, error.p99);
    if error.mean <= MEAN_MAX && error.p99 <= P99_MAX {
        return None;
    }
    keep(picture, &format!("golden-{}-{pose}", world.name));
    Some(format!("{} {pose} differs: FLIP mean {} (at most {MEAN_MAX}), p99 {} (at most {P99_MAX})", world.name, error.mean, error.p99))
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn every_pose_looks_as_it_did() {
    let mut complaints = Vec::new();
    for world in WORLDS {
        let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
        for pose in world.poses {
            let camera = camera(Place::from_f64(session.world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
            settle(&mut session, &camera);
            let picture = draw(&mut session, &FrameDesc::new(camera));
            complaints.extend(complaint(world, pose.name, &picture));
        }
        close(session);
    }
    assert!(complaints.is_empty(), "{}\nTERRANE_ACCEPT=1 writes what is drawn now", complaints.join("\n"));
}
