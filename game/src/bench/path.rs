//! In: a scene's way and where it starts. Out: the camera of every frame, before the first is drawn.
//! Never knows: time. A frame is a step of 1/60 s of the simulation, so a slow machine sees the same ways as a fast one.

use super::scene::{STEP_S, Scene, Way};
use crate::{session::camera, worlds::WorldInstance};
use terrane_base::Place;
use terrane_render::Camera;

/// A flight looks so far ahead for ground that it must clear, metres, in so many looks.
const AHEAD_M: f64 = 400.0;
const LOOKS: u32 = 5;

/// A camera for each frame, those of the warm-up first.
pub fn cameras(scene: &Scene, world: &WorldInstance, start: &Camera) -> Vec<Camera> {
    (0..scene.warm_up_frames + scene.frames).map(|frame| camera_at(&scene.path, world, start, frame)).collect()
}

fn camera_at(way: &Way, world: &WorldInstance, start: &Camera, frame: u32) -> Camera {
    match *way {
        Way::Still => *start,
        Way::Move { speed_m_s, over_ground_m } => {
            let [x, _, z] = start.place.to_f64();
            let (sin, cos) = f64::from(start.yaw_rad).sin_cos();
            let way_m = speed_m_s * STEP_S * f64::from(frame);
            let at = |ahead_m: f64| [x + sin * (way_m + ahead_m), z - cos * (way_m + ahead_m)];
            // Walkers look a metre ahead, flyers as far as they come in about a second.
            let far_m = speed_m_s.min(AHEAD_M);
            let ground = (0..LOOKS).map(|look| at(far_m * f64::from(look) / f64::from(LOOKS - 1)));
            let ground_m = ground.map(|[x, z]| world.height_at(x, z)).fold(f64::NEG_INFINITY, f64::max);
            let [x, z] = at(0.0);
            Camera { place: Place::from_f64([x, ground_m + over_ground_m, z]), ..*start }
        }
        Way::Turns { every_frames, by_deg } => {
            let turned = f64::from(start.yaw_rad).to_degrees() + by_deg * f64::from(frame / every_frames);
            let level = camera(start.place, turned.rem_euclid(360.0), 0.0);
            Camera { pitch_rad: start.pitch_rad, ..level }
        }
        Way::Teleports { every_frames, by_m } => {
            let [x, y, z] = start.place.to_f64();
            let over_m = y - world.height_at(x, z);
            let x = x + by_m * f64::from(frame / every_frames);
            Camera { place: Place::from_f64([x, world.height_at(x, z) + over_m, z]), ..*start }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bench::scene, settings::Values, worlds};
    use terrane_base::Seed;

    #[test]
    fn ways_keep_their_speed_and_stay_over_the_ground() {
        for scene in scene::shipped().expect("they are right") {
            let row = worlds::WORLDS.iter().find(|world| world.name == scene.world).expect("a world");
            let world = worlds::make(row, Seed(1), &Values::defaults(row.settings)).expect("it is made");
            let pose = &row.poses[0];
            let start = camera(Place::from_f64(world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
            let cameras = cameras(&scene, &world, &start);
            assert_eq!(cameras.len() as u32, scene.frames + scene.warm_up_frames);
            let places: Vec<_> = cameras.iter().map(|camera| camera.place.to_f64()).collect();
            assert!(places.iter().all(|[x, y, z]| *y > world.height_at(*x, *z) + 1.0), "{}", scene.name);
            let steps = places.windows(2).map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][2] - pair[0][2]));
            match scene.path {
                Way::Still | Way::Turns { .. } => assert!(steps.fold(0.0, f64::max) < 1e-6),
                Way::Move { speed_m_s, .. } => assert!(steps.map(|step| step / STEP_S).all(|speed| (speed - speed_m_s).abs() < 1.0), "{}", scene.name),
                Way::Teleports { by_m, .. } => assert!(steps.filter(|step| *step > 0.0).all(|step| (step - by_m).abs() < 1.0)),
            }
            let turns = cameras.windows(2).filter(|pair| pair[0].yaw_rad != pair[1].yaw_rad).count();
            assert_eq!(turns > 0, matches!(scene.path, Way::Turns { .. }));
        }
    }
}
