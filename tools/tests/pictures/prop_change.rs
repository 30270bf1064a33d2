//! In: a frozen camera among plants and stones. Out: the same picture while each of them changes its mesh, thins out or ends.
//! Never knows: how one mesh gives way to the next.
//!
//! The distances at which props change are scaled step by step, as if all of them went away at once while nothing else moves: what then differs
//! from one picture to the next is the change alone. A step is what 20 m/s at 60 Hz do to what stands 60 m away.

use crate::common::{Picture, close, draw, flip, hole_view, keep, moved, open, over_ground, settle, soak};
use terrane::{
    session::{FrameDesc, Session, camera},
    worlds::{WORLDS, World},
};
use terrane_base::Place;
use terrane_render::{Camera, Switches};

const EXTENT: (u32, u32) = (192, 108);
const VIEW_DISTANCE_M: f64 = 700.0;
const MEAN_MAX: f32 = 0.002; // DESIGN.md
/// Of the columns of the picture, those in which the outline may move by more than a pixel: single needles.
const MOVED_COLUMNS_MAX: f64 = 0.01;
const STEP: f32 = 1.0055;
const STEPS: u32 = 44; // by 1.27 in all: through the whole of the fade, wherever in it something stands
const POSES: [([f64; 2], f64, f64, f64); 3] =
    [([1010.0, -1290.0], 2.4, 80.0, -4.0), ([1010.0, -1290.0], 14.0, 260.0, -14.0), ([350.0, 900.0], 1.7, 20.0, -8.0)];

/// Pictures with and without light, at scaled distances.
fn show(session: &mut Session, at: Camera, scale: f32) -> (Picture, Picture) {
    let desc = FrameDesc { prop_distance_scale: scale, ..FrameDesc::new(at) };
    let outline = FrameDesc { prop_distance_scale: scale, switches: Switches::default(), ..hole_view(at) };
    (draw(session, &desc), draw(session, &outline))
}

/// Columns whose upper edge moves by more than a pixel.
fn moved_columns(a: &Picture, b: &Picture) -> usize {
    let top = |picture: &Picture, x| (0..picture.height).find(|y| !picture.is_hole(x, *y)).unwrap_or(picture.height);
    (0..a.width).filter(|x| top(a, *x).abs_diff(top(b, *x)) > 1).count()
}

fn check(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    if (session.world.props)(session.world.art_seed).iter().all(|prop| prop.lods.iter().all(|mesh| *mesh == prop.lods[0])) {
        println!("prop change, {}: every prop has one mesh", world.name);
        return close(session);
    }
    let (mut worst, mut worst_columns) = (0.0f32, 0);
    for (index, ([x, z], up_m, yaw_deg, pitch_deg)) in POSES.into_iter().take(if soak() { 3 } else { 2 }).enumerate() {
        let at = camera(over_ground(&session.world, x, z, up_m), yaw_deg, pitch_deg);
        settle(&mut session, &at);
        (0..3).for_each(|_| _ = show(&mut session, at, 1.0));
        let first = show(&mut session, at, 1.0);
        let (mut scale, mut before) = (1.0, show(&mut session, at, 1.0));
        assert_eq!(flip(&first.0, &before.0).mean, 0.0, "at rest nothing changes");
        let (mut most, mut columns) = (0.0f32, 0);
        for _ in 0..STEPS {
            scale *= STEP;
            let after = show(&mut session, at, scale);
            let (mean, count) = (flip(&before.0, &after.0).mean, moved_columns(&before.1, &after.1));
            if mean > MEAN_MAX {
                keep(&before.0, &format!("prop-{index}-before"));
                keep(&after.0, &format!("prop-{index}-after"));
            }
            (most, columns, before) = (most.max(mean), columns.max(count), after);
        }
        let all = flip(&first.0, &before.0).mean;
        println!("prop change, {}, pose {index}: FLIP mean at most {most:.6} a step and {all:.4} in all, outline moves in {columns} columns", world.name);
        assert!(all > 2.0 * most, "{}, pose {index}: nothing changes here", world.name);
        (worst, worst_columns) = (worst.max(most), worst_columns.max(columns));
    }
    close(session);
    assert!(worst <= MEAN_MAX, "{}: a change shows: FLIP mean {worst}", world.name);
    assert!(worst_columns as f64 <= MOVED_COLUMNS_MAX * f64::from(EXTENT.0), "{}: the outline moves in {worst_columns} columns", world.name);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn no_prop_pops_when_its_mesh_changes() {
    WORLDS.iter().for_each(check);
}

const DOLLY_STEP_M: f64 = 0.04;
const DOLLY_FRAMES: usize = 60;
const DOLLY_FRAMES_SOAK: usize = 1000;
/// The greatest change from frame to frame, beside their median: a pop would stand out.
const DOLLY_RATIO_MAX: f32 = 1.5;

/// Plants and stones come and go by rank and distance while the camera walks: no frame differs from the one before much more than others do.
fn check_dolly(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    // Where nothing stands in the way of the walk.
    let pose = world.pose(if world.name == WORLDS[0].name { "grove" } else { world.poses[1].name }).expect("a pose");
    let mut at = camera(Place::from_f64(session.world.pose_place(pose)), pose.yaw_deg, -4.0);
    settle(&mut session, &at);
    (0..3).for_each(|_| _ = draw(&mut session, &FrameDesc::new(at)));
    let mut before = draw(&mut session, &FrameDesc::new(at));
    let mut changes = Vec::new();
    for frame in 0..if soak() { DOLLY_FRAMES_SOAK } else { DOLLY_FRAMES } {
        at = moved(&at, [DOLLY_STEP_M * f64::from(at.yaw_rad.sin()), 0.0, -DOLLY_STEP_M * f64::from(at.yaw_rad.cos())]);
        session.stream.tick(session.viewer(&at), frame as f64 / 60.0);
        session.stream.wait_for_jobs();
        let after = draw(&mut session, &FrameDesc::new(at));
        changes.push(flip(&before, &after).mean);
        before = after;
    }
    close(session);
    changes.sort_by(f32::total_cmp);
    let (median, most) = (changes[changes.len() / 2], changes[changes.len() - 1]);
    println!("dolly, {}: FLIP mean from frame to frame {median:.5}, at most {most:.5}", world.name);
    assert!(most <= DOLLY_RATIO_MAX * median, "{}: a pop: {most} where the median is {median}", world.name);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn nothing_pops_while_the_camera_walks() {
    WORLDS.iter().for_each(check_dolly);
}
