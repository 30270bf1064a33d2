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

/// How a level draws each clump.
struct Detail {
    /// How many clumps, from the first; they grow so that the mass stays.
    clumps: usize,
    grow: f32,
    ball: fn() -> Ball,
    sprays: u32,
    spray_m: f32,
}

/// An oak-like tree in the open: a short trunk that forks, a broad uneven crown.
pub(super) fn broadleaf(seed: u32) -> [PropMesh; 3] {
    let crown = broadleaf_crown(seed);
    let details = [
        Detail { clumps: crown.clumps.len(), grow: 1.0, ball: || Ball::Icosahedron(1), sprays: 34, spray_m: 0.50 },
        Detail { clumps: crown.clumps.len(), grow: 1.06, ball: || Ball::Icosahedron(0), sprays: 5, spray_m: 0.95 },
        Detail { clumps: 4, grow: 1.22, ball: || Ball::Octahedron, sprays: 0, spray_m: 0.0 },
    ];
    [(6, 4, 5), (4, 2, 3), (3, 1, 0)].into_iter().zip(details).map(|((sides, segments, forks), detail)| {
        let mut builder = Builder::default();
        add_wood(&mut builder, &crown, sides, segments, forks);
        add_crown(&mut builder, &crown, &detail);
        builder.finish()
    }).collect::<Vec<_>>().try_into().expect("three levels")
}

fn broadleaf_crown(seed: u32) -> Crown {
    let mut dice = Dice(seed);
    let (center, half_m) = (Vec3::new(0.0, 5.3, 0.0), Vec3::new(3.3, 2.7, 3.1));
    // The first four carry the outline of the farthest level: a top and three around.
    let mut clumps: Vec<Clump> = Vec::new();
    for i in 0..10 {
        let (height, out, radius) = match i {
            0 => (0.48, 0.12, 1.55),
            1..4 => (-0.12, 0.56, 1.55),
            4..7 => (0.28, 0.52, 1.20),
            _ => (-0.42, 0.58, 1.05),
        };
        let turn = i as f32 * (TAU / 3.0) + (i / 3) as f32 * 1.1 + dice.between(-0.3, 0.3);
        let around = heading(turn) * out * dice.between(0.85, 1.2) + Vec3::Y * (height + dice.between(-0.10, 0.10));
        clumps.push(Clump { center: center + around * half_m, radius_m: radius * dice.between(0.9, 1.12), seed: dice.0, light: dice.between(0.90, 1.10) });
    }
    Crown { clumps, center, half_m, leaf: Vec3::new(0.052, 0.078, 0.027), young: Vec3::new(0.105, 0.130, 0.042) }
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
    let crown = Crown { clumps: clumps.collect(), center, half_m, leaf: Vec3::new(0.056, 0.082, 0.030), young: Vec3::new(0.110, 0.135, 0.048) };
    let details = [
        Detail { clumps: 5, grow: 1.0, ball: || Ball::Icosahedron(1), sprays: 26, spray_m: 0.17 },
        Detail { clumps: 5, grow: 1.06, ball: || Ball::Icosahedron(0), sprays: 4, spray_m: 0.3 },
        Detail { clumps: 3, grow: 1.2, ball: || Ball::Octahedron, sprays: 0, spray_m: 0.0 },
    ];
    details.map(|detail| {
        let mut builder = Builder::default();
        add_crown(&mut builder, &crown, &detail);
        builder.finish()
    })
}

fn add_wood(builder: &mut Builder, crown: &Crown, sides: u16, segments: u32, forks: usize) {
    let bark = |share: f32, out: Vec3| Vec3::new(0.098, 0.080, 0.062) * (1.0 - 0.45 * share) * (0.9 + 0.1 * out.x);
    let fork = crown.center - Vec3::Y * (crown.half_m.y * 0.75);
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

fn add_crown(builder: &mut Builder, crown: &Crown, detail: &Detail) {
    for clump in crown.clumps.iter().take(detail.clumps) {
        add_body(builder, crown, clump, detail);
        add_sprays(builder, crown, clump, detail);
    }
}

/// Bulges of leaves around the clump's centre.
fn bulge(clump: &Clump, direction: Vec3) -> f32 {
    clump.radius_m * (1.0 + 0.20 * noise(clump.seed, direction * 1.9) + 0.14 * noise(clump.seed ^ 1, direction * 4.3))
}

fn add_body(builder: &mut Builder, crown: &Crown, clump: &Clump, detail: &Detail) {
    let (directions, faces) = ball((detail.ball)());
    let first: Vec<u16> = directions
        .iter()
        .map(|&direction| {
            // Flat below, where leaves end for want of light.
            let squash = Vec3::new(1.0, if direction.y < 0.0 { 0.66 } else { 0.86 }, 1.0);
            let at = clump.center + direction * squash * (bulge(clump, direction) * detail.grow);
            builder.corner(leaves(crown, clump, at, 1.0))
        })
        .collect();
    for face in faces {
        let [a, b, c] = face.map(|corner| first[corner as usize]);
        builder.triangle(a, b, c);
    }
}

/// Twigs that stand out of the body, so that its outline is leaves and not a ball.
fn add_sprays(builder: &mut Builder, crown: &Crown, clump: &Clump, detail: &Detail) {
    let mut dice = Dice(clump.seed ^ 0x59a1);
    for _ in 0..detail.sprays {
        let mut direction = dice.direction();
        direction.y = direction.y * 0.8 + 0.18;
        let direction = direction.normalize_or(Vec3::Y);
        let squash = Vec3::new(1.0, 0.86, 1.0);
        let root = clump.center + direction * squash * (bulge(clump, direction) * 0.92);
        let along = (direction + dice.direction() * 0.9).normalize_or(direction);
        let side = along.cross(dice.direction()).normalize_or(Vec3::X);
        let size = detail.spray_m * dice.between(0.7, 1.25);
        let light = dice.between(0.88, 1.22);
        let corners = [root - side * (size * 0.42), root + side * (size * 0.42), root + along * size];
        builder.loose_triangle(corners.map(|at| leaves(crown, clump, at, light)));
    }
}

/// Normals come from the clump and a little from the whole crown; light falls from above and from outside.
fn leaves(crown: &Crown, clump: &Clump, at: Vec3, light: f32) -> Corner {
    let local = (at - clump.center) / clump.radius_m;
    let whole = (at - crown.center) / crown.half_m;
    let outside = whole.length().min(1.2) / 1.2;
    let open = (0.42 + 0.58 * (local.y * 0.5 + 0.5).clamp(0.0, 1.0)) * (0.60 + 0.40 * (whole.y * 0.5 + 0.5).clamp(0.0, 1.0)) * (0.55 + 0.45 * outside);
    let speckle = 1.0 + 0.16 * noise(clump.seed ^ 2, at * (3.0 / clump.radius_m));
    let young = (local.y * 0.45 + 0.25 + 0.3 * noise(clump.seed ^ 3, local * 2.0)).clamp(0.0, 1.0);
    let color = crown.leaf.lerp(crown.young, young) * (open * light * speckle * clump.light * 1.25);
    Corner { at, normal: local.normalize_or(Vec3::Y) * 0.7 + whole * 0.45 + Vec3::Y * 0.12, color, soft: 0.45 }
}
