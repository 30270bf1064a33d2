//! In: every world's named poses. Out: that they look as they did when somebody last accepted them.
//! Never knows: what is beautiful. Accepted on lavapipe; tools/test also draws them on a second driver.

use crate::common::{close, draw, open, settle};
use std::path::Path;
use terrane::{
    session::{FrameDesc, camera},
    worlds::WORLDS,
};
use terrane_base::Place;
use terrane_tools::golden::{self, Limits};

const EXTENT: (u32, u32) = (320, 180);
const VIEW_DISTANCE_M: f64 = 2000.0;
const LIMITS: Limits = Limits { mean_max: 0.01, p99_max: 0.15 };
/// Other drivers filter textures and place edges a little differently: a mean of up to 0.028 was seen on SwiftShader.
const LIMITS_ELSEWHERE: Limits = Limits { mean_max: 0.035, p99_max: 0.2 };

#[test]
#[ignore = "needs a Vulkan driver"]
fn every_pose_looks_as_it_did() {
    let mut complaints = Vec::new();
    for world in WORLDS {
        let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
        let limits = if session.device.info().name.contains("llvmpipe") { LIMITS } else { LIMITS_ELSEWHERE };
        for pose in world.poses {
            let camera = camera(Place::from_f64(session.world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
            settle(&mut session, &camera);
            let picture = draw(&mut session, &FrameDesc::new(camera)).flat();
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{}-{}.png", world.name, pose.name));
            match golden::check(&path, &picture, limits) {
                Ok(difference) => println!("golden, {} {}: {difference}", world.name, pose.name),
                Err(error) => complaints.push(error.to_string()),
            }
        }
        close(session);
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
