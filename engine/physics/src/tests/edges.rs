//! Walks at the edges: wild ground, every end of every rule, the end of the world, bodies put anywhere.

use super::{World, at, boxes, ground};
use crate::{Patch, Rules, Solid, SolidShape, TICK_S, Walker, Wish};
use glam::Vec3;
use terrane_base::{
    Place, WORLD_LIMIT_M,
    hash::{hash2, pcg},
};

/// Rough ground: peaks of 30 m and single spikes.
fn rough(x: i64, z: i64) -> f32 {
    let wave = |edge: i64, height: f32| {
        let [cx, cz] = [x, z].map(|metres| metres.div_euclid(edge));
        let corner = |dx: i64, dz: i64| (hash2(edge as u32, (cx + dx) as i32, (cz + dz) as i32) >> 8) as f32 / 16_777_216.0 * height;
        let [u, v] = [x, z].map(|metres| metres.rem_euclid(edge) as f32 / edge as f32);
        (corner(0, 0) * (1.0 - u) + corner(1, 0) * u) * (1.0 - v) + (corner(0, 1) * (1.0 - u) + corner(1, 1) * u) * v
    };
    wave(24, 30.0) + wave(5, 4.0) + wave(1, 0.8)
}

/// Wishes by dice, a new one each half second.
fn wish(tick: u32, seed: u32) -> Wish {
    let dice = pcg(pcg(tick / 30) ^ seed);
    let bit = |bit: u32| dice >> bit & 1 == 1;
    Wish {
        forward: 1.0,
        right: if bit(0) { 1.0 } else { 0.0 },
        yaw_rad: (dice >> 16) as f32 / 10_000.0,
        run: bit(1),
        jump: bit(2) && bit(3),
        dive: bit(4) && bit(5),
    }
}

/// Walks by dice; gives how far it came, and checks at every tick what must hold at every tick.
fn stroll(world: &mut World, rules: &Rules, walker: &mut Walker, ticks: u32, seed: u32) -> f32 {
    let first = walker.feet();
    let mut far_m = 0.0f32;
    for tick in 0..ticks {
        let before = walker.feet();
        let water_m = world.water_m;
        walker.tick(world.space(before), rules, &wish(tick, seed), water_m);
        let moved = walker.feet().relative_to(before.cell_m) - before.offset_m;
        assert!(moved.is_finite() && walker.velocity_m_s().is_finite(), "{walker:?}");
        // A tick's way, and what a step or being put out of something adds on the first.
        let most = (rules.run_m_s.max(55.0)) * TICK_S + rules.step_m + rules.radius_m;
        assert!(tick == 0 || moved.length() < most, "a leap of {moved} in tick {tick}: {walker:?}");
        far_m = far_m.max((walker.feet().relative_to(first.cell_m) - first.offset_m).with_y(0.0).length());
    }
    far_m
}

/// Height of the ground on its triangles.
fn height_at(height_m: impl Fn(i64, i64) -> f32, [x, _, z]: [f64; 3]) -> f64 {
    let corner = |dx: i64, dz: i64| f64::from(height_m(x.floor() as i64 + dx, z.floor() as i64 + dz));
    let (u, v) = (x - x.floor(), z - z.floor());
    match u + v <= 1.0 {
        true => corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u + (corner(0, 1) - corner(0, 0)) * v,
        false => corner(1, 1) + (corner(0, 1) - corner(1, 1)) * (1.0 - u) + (corner(1, 0) - corner(1, 1)) * (1.0 - v),
    }
}

#[test]
fn rough_ground_is_never_fallen_through_and_never_a_trap() {
    let mut world = World::ground(rough);
    for seed in 0..12 {
        let place = [f64::from(seed) * 57.3, 60.0, f64::from(seed) * -91.7];
        let mut w = Walker::new(Place::from_f64(place));
        for _ in 0..10 {
            let far_m = stroll(&mut world, &Rules::default(), &mut w, 240, seed);
            assert!(at(&w)[1] > height_at(rough, at(&w)) - 0.02, "under the ground: {w:?}");
            assert!(far_m > 1.0, "it is stuck: {w:?}");
        }
    }
}

#[test]
fn every_end_of_every_rule_keeps_it_above_the_ground_and_before_the_wall() {
    let d = Rules::default();
    let ends = [
        Rules { height_m: 0.8, radius_m: 0.4, eye_m: 0.7, ..d },
        Rules { height_m: 4.0, eye_m: 3.9, ..d },
        Rules { radius_m: 0.1, ..d },
        Rules { step_m: 0.0, ..d },
        Rules { step_m: 0.8, ..d },
        Rules { slope_max_rad: 10f32.to_radians(), ..d },
        Rules { slope_max_rad: 80f32.to_radians(), ..d },
        Rules { walk_m_s: 20.0, run_m_s: 40.0, ..d },
        Rules { jump_m: 10.0, gravity_m_s2: 50.0, ..d },
        Rules { jump_m: 0.0, gravity_m_s2: 1.0, ..d },
    ];
    for rules in ends {
        let mut world = World::ground(rough);
        let mut w = Walker::new(Place::from_f64([5.0, 40.0, 5.0]));
        stroll(&mut world, &rules, &mut w, 900, 3);
        assert!(at(&w)[1] > height_at(rough, at(&w)) - 0.05, "{rules:?} {w:?}");
        // A ring of thin walls, 40 m high.
        let mut world = World::new(|corner| {
            let mut patch = ground(corner, &|_, _| 0.0);
            if corner == [0, 0] {
                let wall = |a: [f32; 2], b: [f32; 2]| {
                    let at = |[x, z]: [f32; 2], y: f32| Vec3::new(x, y, z);
                    [[at(a, -1.0), at(b, -1.0), at(b, 40.0)], [at(a, -1.0), at(b, 40.0), at(a, 40.0)]]
                };
                let corners = [[8.0, 8.0], [24.0, 8.0], [24.0, 24.0], [8.0, 24.0]];
                patch.triangles = (0..4).flat_map(|i| wall(corners[i], corners[(i + 1) % 4])).collect();
            }
            patch
        });
        let mut w = Walker::new(Place::from_f64([16.0, 0.1, 16.0]));
        stroll(&mut world, &rules, &mut w, 1800, 9);
        let [x, y, z] = at(&w);
        assert!((8.0..=24.0).contains(&x) && (8.0..=24.0).contains(&z) && y > -0.01, "{rules:?}: out of its cage at {x} {y} {z}");
    }
}

#[test]
fn the_end_of_the_world_is_as_good_as_its_middle() {
    let end = WORLD_LIMIT_M - 512;
    let walk = |far_m: i64| {
        let mut world = World::ground(move |x, z| rough(x - far_m, z + far_m));
        let mut w = Walker::new(Place { cell_m: [far_m, 60, -far_m], offset_m: Vec3::splat(0.5) });
        stroll(&mut world, &Rules::default(), &mut w, 900, 7);
        w.feet().relative_to([far_m, 0, -far_m]).to_array().map(f32::to_bits)
    };
    assert_eq!(walk(end), walk(0));
    assert_eq!(walk(-end), walk(0));
}

#[test]
fn who_is_put_among_things_comes_out_or_at_least_not_through_the_ground() {
    // A heap: boxes of all sizes on and in each other.
    let heap = |corner: [i64; 2]| -> Patch {
        let mut patch = ground(corner, &|_, _| 0.0);
        for i in 0..120u32 {
            let dice = |salt: u32| (pcg(pcg(i) ^ salt ^ hash2(5, corner[0] as i32, corner[1] as i32)) >> 8) as f32 / 16_777_216.0;
            let shape = SolidShape::Box { center: Vec3::ZERO, half: Vec3::new(0.3 + dice(1), 0.3 + dice(2) * 2.0, 0.3 + dice(3)) };
            patch.solids.push(Solid { at: Vec3::new(dice(4) * 31.0, dice(5) * 2.0, dice(6) * 31.0), turn_rad: dice(7) * 6.0, shape });
        }
        patch
    };
    let mut world = World::new(heap);
    for seed in 0..40u32 {
        let dice = |salt: u32| f64::from(pcg(pcg(seed) ^ salt) >> 8) / 16_777_216.0;
        let mut w = Walker::new(Place::from_f64([dice(1) * 96.0, dice(2) * 3.0, dice(3) * 96.0]));
        stroll(&mut world, &Rules::default(), &mut w, 300, seed);
        assert!(at(&w)[1] > -0.01, "{w:?}");
    }
}

#[test]
fn a_floor_that_is_thin_holds_whoever_falls_on_it_at_full_speed() {
    let mut world = boxes(&[([8.0, 100.0, 8.0], [4.0, 0.01, 4.0])]);
    let mut w = Walker::new(Place::from_f64([8.0, 900.0, 8.0]));
    world.walk(&mut w, 30.0, super::STAY);
    assert!((at(&w)[1] - 100.02).abs() < 0.01 && w.grounded(), "{w:?}");
}
