//! In: a seed. Out: a broadleaf tree and a bush: wood and clumps of leaves.
//! Never knows: the seasons.

use super::PropMesh;
use super::build::{Ball, Builder, Corner, Dice, ball, heading, noise};
use glam::Vec3;
use std::f32::consts::TAU;

/// A rounded mass of leaves.
struct Clump {
    center: Vec3,
    radius_m: f32,
    seed: u32,
    light: f32,
}

struct Crown {
    clumps: Vec<Clump>,
    center: Vec3,
    half_m: Vec3,
    leaf: Vec3,
    young: Vec3,
}

/// How a level draws the clumps: a dark body, and sprays of leaves around it.
struct Detail {
    body: fn() -> Ball,
    sprays: u32,
    spray_m: f32,
}

/// Radius and height of what is solid about a broadleaf: the trunk up to its fork.
pub(super) const BROADLEAF_TRUNK: (f32, f32) = (0.32, 3.2);

/// An oak-like tree in the open: a short trunk that forks, a broad uneven crown.
pub(super) fn broadleaf(seed: u32) -> [PropMesh; 3] {
    let crown = broadleaf_crown(seed);
    let level = |wood: (u16, u32, usize), add: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        add_wood(&mut builder, &crown, wood.0, wood.1, wood.2);
        add(&mut builder);
        builder.finish()
    };
    [
        level((6, 4, 5), &|builder| add_clumps(builder, &crown, &Detail { body: || Ball::Icosahedron(0), sprays: 32, spray_m: 0.62 })),
        level((3, 2, 2), &|builder| add_clumps(builder, &crown, &Detail { body: || Ball::Octahedron, sprays: 8, spray_m: 1.15 })),
        level((3, 1, 0), &|builder| add_hull(builder, &crown, 10, 1.3)),
    ]
}

fn broadleaf_crown(seed: u32) -> Crown {
    let mut dice = Dice(seed);
    let (center, half_m) = (Vec3::new(0.0, 5.3, 0.0), Vec3::new(3.3, 2.7, 3.1));
    // A top, three below it, and rings of smaller ones that break the outline.
    let mut clumps: Vec<Clump> = Vec::new();
    for i in 0..12 {
        let (height, out, radius) = match i {
            0 => (0.50, 0.12, 1.45),
            1..4 => (-0.08, 0.58, 1.45),
            4..8 => (0.30, 0.56, 1.05),
            _ => (-0.40, 0.66, 0.95),
        };
        let turn = i as f32 * (TAU / 3.0) + (i / 3) as f32 * 1.1 + dice.between(-0.3, 0.3);
        let around = heading(turn) * out * dice.between(0.85, 1.2) + Vec3::Y * (height + dice.between(-0.10, 0.10));
        clumps.push(Clump { center: center + around * half_m, radius_m: radius * dice.between(0.9, 1.12), seed: dice.0, light: dice.between(0.90, 1.10) });
    }
    Crown { clumps, center, half_m, leaf: Vec3::new(0.046, 0.072, 0.028), young: Vec3::new(0.088, 0.118, 0.040) }
}

/// A hazel-like bush, leaves down to the ground.
pub(super) fn bush(seed: u32) -> [PropMesh; 3] {
    let mut dice = Dice(seed);
    let (center, half_m) = (Vec3::new(0.0, 0.62, 0.0), Vec3::new(0.85, 0.70, 0.80));
    let clumps = (0..5).map(|i| {
        let turn = i as f32 * (TAU / 4.0) + dice.between(-0.4, 0.4);
        let (out, height, radius) = if i == 0 { (0.1, 0.28, 0.48) } else { (0.58, -0.25, 0.40) };
        let around = heading(turn) * out * dice.between(0.8, 1.2) + Vec3::Y * (height + dice.between(-0.12, 0.16));
        Clump { center: center + around * half_m, radius_m: radius * dice.between(0.88, 1.15), seed: dice.0, light: dice.between(0.9, 1.1) }
    });
    let crown = Crown { clumps: clumps.collect(), center, half_m, leaf: Vec3::new(0.052, 0.080, 0.032), young: Vec3::new(0.094, 0.124, 0.046) };
    let level = |add: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        add(&mut builder);
        builder.finish()
    };
    [
        level(&|builder| add_clumps(builder, &crown, &Detail { body: || Ball::Icosahedron(0), sprays: 38, spray_m: 0.22 })),
        level(&|builder| add_clumps(builder, &crown, &Detail { body: || Ball::Octahedron, sprays: 8, spray_m: 0.42 })),
        level(&|builder| add_hull(builder, &crown, 4, 0.4)),
    ]
}

fn add_wood(builder: &mut Builder, crown: &Crown, sides: u16, segments: u32, forks: usize) {
    let bark = |share: f32, out: Vec3| Vec3::new(0.098, 0.080, 0.062) * (1.0 - 0.45 * share) * (0.9 + 0.1 * out.x);
    // Without boughs the trunk itself reaches into the crown.
    let fork = crown.center - Vec3::Y * (crown.half_m.y * if forks > 0 { 0.75 } else { 0.3 });
    let path: Vec<(Vec3, f32)> = (0..=segments)
        .map(|i| {
            let share = i as f32 / segments as f32;
            let flare = 1.0 + 0.55 * (1.0 - share * 3.0).max(0.0);
            let sway = Vec3::new((share * 3.0).sin() * 0.10, 0.0, (share * 2.1).sin() * -0.08);
            (fork * share + sway, 0.27 * flare * (1.0 - 0.30 * share))
        })
        .collect();
    builder.tube(&path, sides, &bark);
    let top = path[segments as usize].0 - Vec3::Y * 0.2;
    for clump in crown.clumps.iter().rev().take(forks) {
        let bow = top.lerp(clump.center, 0.55) + Vec3::Y * 0.25;
        builder.tube(&[(top, 0.15), (bow, 0.10), (clump.center, 0.04)], sides.min(4), &|share, out| bark(0.7 + 0.3 * share, out));
    }
}

fn add_clumps(builder: &mut Builder, crown: &Crown, detail: &Detail) {
    for clump in &crown.clumps {
        // What shows between the sprays is the inside of the crown, so the body is dark.
        add_ball(builder, (detail.body)(), |direction| leaves(crown, clump, surface(clump, direction, 0.80), 0.70));
        add_sprays(builder, crown, clump, detail);
    }
}

/// Bulges of leaves around the clump's centre; flat below, where leaves end for want of light.
fn surface(clump: &Clump, direction: Vec3, share: f32) -> Vec3 {
    let squash = Vec3::new(1.0, if direction.y < 0.0 { 0.70 } else { 0.88 }, 1.0);
    let bulge = 1.0 + 0.20 * noise(clump.seed, direction * 1.9) + 0.14 * noise(clump.seed ^ 1, direction * 4.3);
    clump.center + direction * squash * (clump.radius_m * bulge * share)
}

/// A closed body around whatever `corner` says of a direction.
fn add_ball(builder: &mut Builder, kind: Ball, corner: impl Fn(Vec3) -> Corner) {
    let (directions, faces) = ball(kind);
    let corners: Vec<u16> = directions.iter().map(|&direction| builder.corner(corner(direction))).collect();
    for face in faces {
        let [a, b, c] = face.map(|i| corners[i as usize]);
        builder.triangle(a, b, c);
    }
}

/// Leafy twigs that lie on the body like shingles and stand out at its rim, so that its outline is leaves and not a ball.
fn add_sprays(builder: &mut Builder, crown: &Crown, clump: &Clump, detail: &Detail) {
    let mut dice = Dice(clump.seed ^ 0x59a1);
    for i in 0..detail.sprays {
        // Spread evenly: a spiral over the sphere, its lowest cap left out, each a little off its place.
        let y = 1.0 - 1.75 * (i as f32 + 0.5) / detail.sprays as f32;
        let spiral = heading(i as f32 * 2.399_963 + clump.light * 40.0) * (1.0 - y * y).max(0.0).sqrt() + Vec3::Y * y;
        let direction = (spiral + dice.direction() * 0.28).normalize_or(Vec3::Y);
        let root = surface(clump, direction, dice.between(0.62, 0.88));
        let along = (direction * 0.55 + dice.direction() * 0.85 - Vec3::Y * 0.12).normalize_or(direction);
        let side = along.cross(direction + dice.direction() * 0.5).normalize_or(Vec3::X);
        let size = detail.spray_m * dice.between(0.8, 1.35);
        let light = dice.between(0.82, 1.22);
        let lift = direction * (size * 0.12);
        let middle = root + along * (size * dice.between(0.38, 0.55)) + lift;
        let spread = [dice.between(0.20, 0.36), dice.between(0.20, 0.36)];
        let corner = |at: Vec3, shade: f32| leaves(crown, clump, at, light * shade);
        let corners = [
            corner(root, 0.72),
            corner(middle + side * (size * spread[0]), 1.0),
            corner(root + along * size, 1.1),
            corner(middle - side * (size * spread[1]), 1.0),
        ];
        let [root, left, tip, right] = corners.map(|corner| builder.corner(corner));
        builder.triangle(root, left, tip);
        builder.triangle(root, tip, right);
    }
}

/// The whole crown as one lumpy body: each corner lies where the farthest clump ends.
fn add_hull(builder: &mut Builder, crown: &Crown, sprays: u32, spray_m: f32) {
    let reach = |direction: Vec3| crown.clumps.iter().filter_map(|clump| leave(clump, crown.center, direction)).fold(0.3 * crown.half_m.y, f32::max);
    let whole = Clump { center: crown.center, radius_m: crown.half_m.max_element(), seed: crown.clumps[0].seed, light: 1.0 };
    add_ball(builder, Ball::Icosahedron(0), |direction| leaves(crown, &whole, crown.center + direction * (reach(direction) * 0.95), 0.80));
    let mut dice = Dice(whole.seed);
    for i in 0..sprays {
        let direction = (heading(i as f32 * 2.399_963) + Vec3::Y * dice.between(-0.35, 0.8)).normalize();
        let side = direction.cross(Vec3::Y + dice.direction() * 0.6).normalize_or(Vec3::X);
        let root = crown.center + direction * (reach(direction) * 0.72);
        let corners = [root - side * (spray_m * 0.6), root + side * (spray_m * 0.6), crown.center + direction * reach(direction)];
        builder.loose_triangle(corners.map(|at| leaves(crown, &whole, at, 0.88)));
    }
}

/// Distance from `origin` to the far side of the clump, if the ray meets it.
fn leave(clump: &Clump, origin: Vec3, direction: Vec3) -> Option<f32> {
    let to = clump.center - origin;
    let along = to.dot(direction);
    let half_chord_sq = clump.radius_m * clump.radius_m - (to.length_squared() - along * along);
    (half_chord_sq > 0.0).then(|| along + half_chord_sq.sqrt())
}

/// Normals come from the clump and a little from the whole crown; light falls from above and from outside.
fn leaves(crown: &Crown, clump: &Clump, at: Vec3, light: f32) -> Corner {
    let local = (at - clump.center) / clump.radius_m;
    let whole = (at - crown.center) / crown.half_m;
    let outside = whole.length().min(1.2) / 1.2;
    let open = (0.50 + 0.50 * (local.y * 0.5 + 0.5).clamp(0.0, 1.0)) * (0.66 + 0.34 * (whole.y * 0.5 + 0.5).clamp(0.0, 1.0)) * (0.62 + 0.38 * outside);
    let speckle = 1.0 + 0.16 * noise(clump.seed ^ 2, at * (3.0 / clump.radius_m));
    let young = (local.y * 0.45 + 0.25 + 0.3 * noise(clump.seed ^ 3, local * 2.0)).clamp(0.0, 1.0);
    let color = crown.leaf.lerp(crown.young, young) * (open * light * speckle * clump.light * 1.15);
    Corner { at, normal: local.normalize_or(Vec3::Y) * 0.7 + whole * 0.45 + Vec3::Y * 0.12, color, soft: 0.45 }
}
