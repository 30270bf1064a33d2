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
    worlds::{Ground, WORLDS, WorldInstance},
};
use terrane_base::{DigestValue, Place};
use terrane_physics::{SolidShape, TILE_M};
use terrane_render::Camera;
use terrane_worldgen::{
    GridArea, Scratch,
    tiles::{TileCorners, TileField},
};

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

/// Height of the solid ground under a place, on its triangles; the lowest that there is where a height alone does not say it.
fn ground_m(world: &WorldInstance, [x, _, z]: [f64; 3]) -> f64 {
    let edge = world.solids.edge_m();
    let [index_x, index_z] = [x, z].map(|metres| (metres.floor() as i64).div_euclid(edge));
    let patch = world.solids.patch([index_x, index_z], &mut Scratch::default());
    let [u, v] = [x - (index_x * edge) as f64, z - (index_z * edge) as f64];
    let corner = |dx: usize, dz: usize| f64::from(patch.heights_m[(v as usize + dz) * (patch.edge_m + 1) + u as usize + dx]);
    let [u, v] = [u.fract(), v.fract()];
    let height = match u + v <= 1.0 {
        true => corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u + (corner(0, 1) - corner(0, 0)) * v,
        false => corner(1, 1) + (corner(0, 1) - corner(1, 1)) * (1.0 - u) + (corner(1, 0) - corner(1, 1)) * (1.0 - v),
    };
    if height.is_finite() { height } else { world.solids.water_m().map_or(f64::MIN, |water| f64::from(water) - 16.0) }
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
            assert!(y > ground_m(&world, [x, y, z]) - 0.01);
            // And it gets away from there.
            walk(&mut player, &world, &script("forward 3s; turn 90; forward 3s; turn 90; jump+forward 3s"), TICK_S, true, |_, _| ()).expect("a walk");
            let [x2, _, z2] = player.walker().expect("on foot").feet().to_f64();
            assert!((x2 - x).hypot(z2 - z) > 2.0, "{} {x} {y} {z}", config.world.poses[pose].name);
            let swims = player.walker().expect("on foot").under_water_m() > 0.0;
            player.set_mode(Mode::Fly);
            let before = player.flyer().place;
            player.tick(&Controls::default(), &world);
            // Who takes off stays where it is; who swam rises over the water.
            let lifted = player.flyer().place.relative_to(before.cell_m) - before.offset_m;
            assert!(lifted.x == 0.0 && lifted.z == 0.0 && (lifted.y == 0.0 || (swims && lifted.y > 0.0)), "{lifted}");
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

/// Where a row of the low-poly world's tiles runs into the shore from the west: `before` of one class, then `after` of the other, with every corner of
/// the land along it within heights.
fn shore(field: &TileField, water_first: bool, land_m: std::ops::Range<f32>) -> [f64; 2] {
    const EDGE: usize = 512;
    let mut corners = TileCorners::default();
    field.corners(&GridArea { x_m: -256, z_m: -256, step_m: 1, edge: EDGE }, &mut Scratch::default(), &mut corners);
    let fits = |x: usize, z: usize| {
        (0..12).all(|i| {
            let water = corners.is_water(x + i, z);
            let near = i < 6;
            let shore_tile = i == 5 || i == 6;
            let height = corners.height_m(x + i, z, false);
            water == (near == water_first)
                && (water || !shore_tile || land_m.contains(&height))
                && (-1..=1).all(|side: isize| corners.is_water(x + i, z.wrapping_add_signed(side)) == water)
        })
    };
    let found = (1..EDGE - 1).flat_map(|z| (0..EDGE - 12).map(move |x| (x, z))).find(|(x, z)| fits(*x, *z));
    let (x, z) = found.expect("there is such a shore");
    [x as f64 - 256.0 + 6.0, z as f64 - 256.0 + 0.5]
}

#[test]
fn in_the_low_poly_world_land_is_walked_cliffs_block_and_water_lets_through() {
    let config = config("lowpoly", "[lowpoly]\ntree_density = 0\nrock_density = 0\n");
    let world = config.make_world().expect("a world");
    let Ground::Tiles(ground) = &world.ground else { panic!("a ground of tiles") };
    let walk_east = |[x, z]: [f64; 2], y: f64, steps: &str| {
        let at = Camera { yaw_rad: std::f32::consts::FRAC_PI_2, ..camera(Place::from_f64([x, y + 1.7, z]), 0.0, 0.0) };
        let walked = || {
            let mut player = Player::new(&world, &config.player, &at, Mode::Walk).expect("a player");
            let digest = walk(&mut player, &world, &script(steps), TICK_S, true, |_, _| ()).expect("a walk");
            (digest, *player.walker().expect("on foot"))
        };
        let (first, second) = (walked(), walked());
        assert_eq!(first, second, "the same trace on every run");
        first.1
    };
    // Over land into the water: it passes.
    let [x, z] = shore(&ground.field, false, 0.0..0.5);
    let walker = walk_east([x - 4.0, z], 1.5, "wait 1s");
    assert!(walker.grounded() && walker.under_water_m() == 0.0, "it stands on land: {walker:?}");
    let walker = walk_east([x - 4.0, z], 1.5, "wait 1s; forward 3s");
    assert!(walker.under_water_m() > 0.2 && walker.feet().to_f64()[0] > x + 1.0, "it wades: {x} {walker:?}");
    // Through the water against a cliff: it is blocked, jumping or not.
    let [x, z] = shore(&ground.field, true, 2.5..20.0);
    for steps in ["wait 1s; forward 5s", "wait 1s; jump+forward 5s", "wait 1s; run+jump 5s"] {
        let walker = walk_east([x - 4.0, z], 0.5, steps);
        let east = walker.feet().to_f64()[0];
        assert!((x - 0.5..x - 0.25).contains(&east), "{steps}: {x} {walker:?}");
    }
    // A beach is left as it was entered.
    let [x, z] = shore(&ground.field, true, 0.0..0.3);
    let walker = walk_east([x - 4.0, z], 0.5, "wait 1s; jump+forward 6s; wait 1s");
    assert!(walker.grounded() && walker.under_water_m() == 0.0 && walker.feet().to_f64()[0] > x, "{x} {walker:?}");
}
