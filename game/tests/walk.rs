//! Walks through the worlds: the same every time and at every rate of frames, never through ground or trunk, from flight to the feet.
#![forbid(unsafe_code)]

use terrane::{
    cli::GlobalArgs,
    config::Config,
    fly::{Controls, TICK_S},
    player::{Mode, Player, script::Script},
    session::camera,
    shot::pose_camera,
    walk::walk,
    worlds::{WORLDS, WorldInstance},
};
use terrane_base::{DigestValue, Place};
use terrane_physics::{SolidShape, TILE_M};
use terrane_render::Camera;
use terrane_worldgen::Scratch;

fn config(world: &str, text: &str) -> Config {
    let args = GlobalArgs { world: Some(world.to_owned()), ..GlobalArgs::default() };
    Config::from_text(&args, "the test", text).expect("settings")
}

fn start(config: &Config, world: &WorldInstance, pose: usize) -> Camera {
    let pose = config.world.poses[pose].name;
    pose_camera(config, world, Some(&pose.parse().expect("a pose"))).expect("a pose")
}

fn script(text: &str) -> Script {
    text.parse().expect("a script")
}

const LONG_WALK: &str = "forward 6s; jump+forward 1s; turn 100; run 5s; left+forward 2s; turn -60; run+jump 4s; back 2s; wait 1s";

fn walked(config: &Config, pose: usize, steps: &str, frame_s: f32, wait: bool) -> (DigestValue, Player) {
    let world = config.make_world().expect("a world");
    let mut player = Player::new(&world, &config.player, &start(config, &world, pose), Mode::Walk).expect("a player");
    let digest = walk(&mut player, &world, &script(steps), frame_s, wait, |_, _| ()).expect("a walk");
    (digest, player)
}

#[test]
fn a_walk_is_the_same_on_every_run_at_every_rate_of_frames_and_whenever_its_ground_arrives() {
    for world in WORLDS {
        let config = config(world.name, "");
        let (first, _) = walked(&config, 0, LONG_WALK, TICK_S, true);
        for (rate, wait) in [(60, true), (30, true), (144, true), (60, false), (144, false), (30, false)] {
            let (again, _) = walked(&config, 0, LONG_WALK, 1.0 / rate as f32, wait);
            assert_eq!(again, first, "{}: {rate} frames a second, waiting: {wait}", world.name);
        }
        assert_ne!(walked(&config, 0, "forward 1s", TICK_S, true).0, first);
    }
}

#[test]
fn how_far_things_are_solid_does_not_change_a_walk() {
    let near = walked(&config("terrain", ""), 2, LONG_WALK, TICK_S, true);
    let far = walked(&config("terrain", "[player]\nnear_only_colliders = false"), 2, LONG_WALK, TICK_S, true);
    assert_eq!(near.0, far.0);
    assert!(far.1.colliders().pieces > 20 * near.1.colliders().pieces, "{:?} {:?}", near.1.colliders(), far.1.colliders());
}

/// Trunks near a place: middle and radius.
fn trunks(world: &WorldInstance, place: Place) -> Vec<([f64; 2], f32)> {
    let edge = world.solids.edge_m();
    let index = [place.cell_m[0], place.cell_m[2]].map(|metres| metres.div_euclid(edge));
    let patch = world.solids.patch(index, &mut Scratch::default());
    let trunk = |solid: &terrane_physics::Solid| match solid.shape {
        SolidShape::Column { radius_m, .. } => Some(([index[0], index[1]].map(|i| (i * edge) as f64), solid.at, radius_m)),
        _ => None,
    };
    let found = patch.solids.iter().filter_map(trunk);
    found.map(|(corner, at, radius)| ([corner[0] + f64::from(at.x), corner[1] + f64::from(at.z)], radius)).collect()
}

#[test]
fn who_walks_through_a_forest_goes_neither_through_trunks_nor_through_the_ground() {
    let config = config("terrain", "");
    let world = config.make_world().expect("a world");
    // The edge of the forest at the grove, from many sides.
    let grove = start(&config, &world, 2);
    let (mut near_trunk, mut ticks) = (f64::MAX, 0);
    for turn in 0..8 {
        let at = Camera { yaw_rad: turn as f32 * 0.785, ..grove };
        let mut player = Player::new(&world, &config.player, &at, Mode::Walk).expect("a player");
        let trunks = trunks(&world, grove.place);
        assert!(trunks.len() > 20);
        walk(&mut player, &world, &script("forward 12s; run 6s"), TICK_S, true, |_, player| {
            let [x, y, z] = player.walker().expect("on foot").feet().to_f64();
            // The mesh's heights are rounded to 1/128 m.
            assert!(y > world.height_at(x, z) - 0.01, "under the ground at {x} {y} {z}");
            for (middle, radius) in &trunks {
                let distance = ((x - middle[0]).powi(2) + (z - middle[1]).powi(2)).sqrt() - f64::from(*radius) - 0.3;
                assert!(distance > -0.02, "in a trunk at {x} {y} {z}: {distance}");
                near_trunk = near_trunk.min(distance);
            }
            ticks += 1;
        })
        .expect("a walk");
    }
    assert_eq!(ticks, 8 * 18 * 60);
    assert!(near_trunk < 0.05, "no walk met a trunk: {near_trunk}");
}

#[test]
fn from_flight_to_the_feet_one_drops_to_the_ground_and_a_steep_mountain_is_no_trap() {
    for world in WORLDS {
        let config = config(world.name, "");
        let world = config.make_world().expect("a world");
        for pose in 0..config.world.poses.len() {
            let mut at = start(&config, &world, pose);
            at.place = at.place.moved_by(glam::DVec3::Y * 120.0);
            let mut player = Player::new(&world, &config.player, &at, Mode::Fly).expect("a player");
            for _ in 0..30 {
                player.tick(&Controls { forward: 1.0, ..Controls::default() }, &world);
            }
            assert!(player.walker().is_none());
            player.set_mode(Mode::Walk);
            walk(&mut player, &world, &script("wait 12s"), TICK_S, true, |_, _| ()).expect("a walk");
            let walker = *player.walker().expect("on foot");
            assert!(walker.grounded() || walker.under_water_m() > 0.0, "{walker:?}");
            let [x, y, z] = walker.feet().to_f64();
            assert!(y > world.height_at(x, z) - 0.01);
            // And it gets away from there.
            walk(&mut player, &world, &script("forward 3s; turn 90; forward 3s; turn 90; jump+forward 3s"), TICK_S, true, |_, _| ()).expect("a walk");
            let [x2, _, z2] = player.walker().expect("on foot").feet().to_f64();
            assert!((x2 - x).hypot(z2 - z) > 2.0, "{} {x} {y} {z}", config.world.poses[pose].name);
            player.set_mode(Mode::Fly);
            let before = player.flyer().place;
            player.tick(&Controls::default(), &world);
            assert_eq!(player.flyer().place, before, "who takes off stays where it is");
        }
    }
}

#[test]
fn a_body_whose_ground_is_not_there_waits_and_keeps_its_height() {
    let config = config("terrain", "");
    let world = config.make_world().expect("a world");
    let at = start(&config, &world, 3);
    let mut player = Player::new(&world, &config.player, &at, Mode::Walk).expect("a player");
    // Nothing was asked for, so nothing is there.
    for _ in 0..100 {
        assert!(!player.tick(&Controls { forward: 1.0, ..Controls::default() }, &world));
    }
    assert_eq!((player.waited_ticks(), player.flyer().place), (100, at.place));
    // A teleport: the next patches are far from the first.
    player.prepare_wholly();
    assert!(player.tick(&Controls::default(), &world));
    for far_m in [1e7, -1e7] {
        let far = camera(Place::from_f64([far_m, 3000.0, -far_m]), 0.0, 0.0);
        let mut there = Player::new(&world, &config.player, &far, Mode::Walk).expect("a player");
        walk(&mut there, &world, &script("wait 60s; run 20s; turn 90; jump+forward 10s"), TICK_S, true, |_, _| ()).expect("a walk");
        let [x, y, z] = there.walker().expect("on foot").feet().to_f64();
        assert!(y > world.height_at(x, z) - 0.01 && y < world.height_at(x, z) + 3.0, "{x} {y} {z}");
        assert!(there.colliders().patches < 40, "what is far is dropped: {:?}", there.colliders());
        assert!(there.colliders().pieces >= (3 * TILE_M / TILE_M).pow(2));
    }
}
