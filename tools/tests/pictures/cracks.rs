//! In: every world, many poses. Out: pixels where one sees through the ground; there are none.
//! Never knows: how chunks meet.
//!
//! The ground is a height field within a disc around the camera. A level camera's pixel column is a vertical plane, so below the first ground
//! from above all is ground: a ray that is lower than one that hits passes under that point, and it started above the ground.

use crate::common::{Picture, close, draw, hole_view, keep, open, over_ground, random, settle, soak};
use std::time::Instant;
use terrane::{
    session::{Session, camera},
    worlds::{WORLDS, World},
};
use terrane_base::Place;
use terrane_render::Camera;

const EXTENT: (u32, u32) = (128, 72);
/// Three levels: two kinds of border between levels, and the largest levels repeat these.
const VIEW_DISTANCE_M: f64 = 1100.0;
const DIRECTIONS: u32 = 8;
const EYES_M: [f64; 4] = [2.0, 50.0, 200.0, 600.0];
const PLACES: u32 = 16; // x 4 heights = 64 poses
const PLACES_SOAK: u32 = 250; // x 4 heights = 1,000 poses
/// Places lie around these: the origin, both ends where f32 metres would be a metre apart, and mixed signs.
const CENTERS_M: [[f64; 2]; 4] = [[0.0, 0.0], [1e7, -1e7], [-1e7, 1e7], [-1e7, -1e7]];
const SPREAD_M: f64 = 6000.0;

fn place_m(index: u32) -> [f64; 2] {
    let center = CENTERS_M[index as usize % CENTERS_M.len()];
    [0, 1].map(|axis| center[axis] + (random(index, axis as u32 + 1) - 0.5) * SPREAD_M)
}

/// Background below ground in the columns of a level picture.
fn holes_below_ground(picture: &Picture) -> usize {
    let column = |x: u32| (0..picture.height).skip_while(|y| picture.is_hole(x, *y)).filter(|y| picture.is_hole(x, *y)).count();
    (0..picture.width).map(column).sum()
}

/// Holes around a place: eight directions and straight down.
fn holes_around(session: &mut Session, place: Place, turn_deg: f64) -> usize {
    let level = (0..DIRECTIONS).map(|direction| {
        let yaw_deg = turn_deg + f64::from(direction) * 360.0 / f64::from(DIRECTIONS);
        let picture = draw(session, &hole_view(camera(place, yaw_deg, 0.0)));
        let holes = holes_below_ground(&picture);
        if holes > 0 {
            keep(&picture, &format!("holes-{turn_deg:.0}-{direction}"));
        }
        holes
    });
    let level: usize = level.sum();
    // Over a summit the valley floor may lie 1,800 m below: 20 degrees keep the corners (1,800 m x tan 10 degrees x 2.04 = 650 m) within what is made.
    let down = Camera { fov_y_rad: 20f32.to_radians(), ..camera(place, turn_deg, -90.0) };
    level + draw(session, &hole_view(down)).holes()
}

fn check_settled(world: &World) {
    let start = Instant::now();
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    let places = if soak() { PLACES_SOAK } else { PLACES };
    let (mut poses, mut total) = (0, 0);
    for index in 0..places {
        let [x, z] = place_m(index);
        for eye_m in EYES_M {
            let place = over_ground(&session.world, x, z, eye_m);
            settle(&mut session, &camera(place, 0.0, 0.0));
            let holes = holes_around(&mut session, place, random(index, 9) * 360.0);
            if holes > 0 {
                eprintln!("{}: {holes} pixels of background through the ground at {:?}, {eye_m} m up", world.name, place.to_f64());
            }
            total += holes;
            poses += 1;
        }
    }
    close(session);
    assert_eq!(total, 0, "{}: pixels of background through the ground, see above", world.name);
    println!("cracks, {}: 0 holes, {poses} poses x {DIRECTIONS} directions and down, {:.1} s", world.name, start.elapsed().as_secs_f64());
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn nobody_sees_through_the_ground() {
    WORLDS.iter().for_each(check_settled);
}

/// While chunks stream in after a teleport, levels are far apart and skirts hang in the gaps.
fn check_arriving(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    let (mut frames, mut total) = (0, 0);
    for index in 0..if soak() { 64 } else { 3 } {
        let [x, z] = place_m(index + 1000);
        let place = over_ground(&session.world, x, z, EYES_M[index as usize % 3]);
        let mut direction = 0;
        while !session.stream.is_complete() || direction == 0 {
            session.stream.tick(session.viewer(&camera(place, 0.0, 0.0)), f64::from(direction) / 60.0);
            let view = hole_view(camera(place, f64::from(direction * 75), 0.0));
            // Accepts what is finished and draws what was there before.
            let whole = session.stream.is_whole();
            let picture = draw(&mut session, &view);
            if whole {
                let holes = holes_below_ground(&picture);
                if holes > 0 {
                    keep(&picture, &format!("arriving-{index}-{direction}"));
                }
                (frames, total) = (frames + 1, total + holes);
            }
            direction += 1;
        }
    }
    close(session);
    assert_eq!(total, 0, "{}: pixels of background through the ground while chunks arrive", world.name);
    println!("cracks, {}: 0 holes in {frames} frames while chunks arrive", world.name);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn nobody_sees_through_the_ground_while_chunks_arrive() {
    WORLDS.iter().for_each(check_arriving);
}
