//! In: a seed. Out: a stone, a boulder and a fallen log.
//! Never knows: the rock under them.

use super::PropMesh;
use super::build::{Ball, Builder, Corner, Dice, ball, frame, noise};
use glam::Vec3;

/// Linear albedo of the rock layer, so that boulders belong to their cliffs.
const ROCK: Vec3 = Vec3::new(0.205, 0.192, 0.172);
const MOSS: Vec3 = Vec3::new(0.072, 0.086, 0.034);

/// What a stone is cut from: planes around a centre, and the axes of the body.
struct Cut {
    planes: Vec<(Vec3, f32)>,
    half_m: Vec3,
    /// Share of the height that is in the ground.
    sunk: f32,
    rough: f32,
    seed: u32,
}

/// A fist to two fists of rock.
pub(super) fn stone(seed: u32) -> [PropMesh; 3] {
    let cut = Cut { planes: planes(seed, 9), half_m: Vec3::new(0.24, 0.22, 0.19), sunk: 0.42, rough: 0.05, seed };
    [Ball::Icosahedron(1), Ball::Icosahedron(0), Ball::Octahedron].map(|kind| body(&cut, kind))
}

/// A block that fell from a cliff long ago.
pub(super) fn boulder(seed: u32) -> [PropMesh; 3] {
    let cut = Cut { planes: planes(seed, 13), half_m: Vec3::new(1.35, 1.35, 1.05), sunk: 0.42, rough: 0.07, seed };
    [Ball::Icosahedron(2), Ball::Icosahedron(1), Ball::Icosahedron(0)].map(|kind| body(&cut, kind))
}

/// Directions that keep apart from each other, each with its distance from the centre.
fn planes(seed: u32, count: usize) -> Vec<(Vec3, f32)> {
    let mut dice = Dice(seed);
    let mut planes: Vec<(Vec3, f32)> = Vec::new();
    while planes.len() < count {
        let candidates: [Vec3; 6] = std::array::from_fn(|_| dice.direction());
        let nearness = |d: &Vec3| planes.iter().map(|plane| plane.0.dot(*d)).fold(-1.0, f32::max);
        let farthest = candidates.into_iter().min_by(|a, b| nearness(a).total_cmp(&nearness(b)));
        planes.push((farthest.unwrap_or(Vec3::Y), dice.between(0.60, 0.95)));
    }
    planes
}

fn body(cut: &Cut, kind: Ball) -> PropMesh {
    let (directions, faces) = ball(kind);
    let mut points = hull(cut, &directions);
    let full = hull(cut, &ball(Ball::Icosahedron(2)).0);
    // A coarse ball misses the corners of the body; stretched to its extents, every level has the same outline.
    let stretch = extents(&full) / extents(&points);
    points.iter_mut().for_each(|point| *point *= stretch);
    let mut builder = Builder::default();
    // The body is stretched, so its normals shrink by as much.
    let normal = |direction: Vec3| (exit(cut, direction).1 / cut.half_m).normalize_or(Vec3::Y);
    for face in faces {
        let [at, out] = [&points, &directions].map(|from| face.map(|corner| from[corner as usize]));
        if at.iter().all(|point| point.y == 0.0) || (at[1] - at[0]).cross(at[2] - at[0]).length_squared() < 1e-12 {
            continue; // lies in the ground
        }
        // A triangle takes the plane that it mostly lies on, so that facets stay flat and their edges crisp.
        let flat = normal((out[0] + out[1] + out[2]).normalize());
        builder.loose_triangle(std::array::from_fn(|i| {
            let normal = (flat * 0.75 + normal(out[i]) * 0.25).normalize_or(flat);
            Corner { at: at[i], normal, color: surface(cut, at[i], normal), soft: 0.0 }
        }));
    }
    builder.finish()
}

fn hull(cut: &Cut, directions: &[Vec3]) -> Vec<Vec3> {
    let ground = -cut.half_m.y * (1.0 - 2.0 * cut.sunk) * 0.8;
    let point = |&direction: &Vec3| direction * exit(cut, direction).0 * cut.half_m - Vec3::Y * ground;
    directions.iter().map(point).map(|at| Vec3::new(at.x, at.y.max(0.0), at.z)).collect()
}

/// Farthest from the axis or the ground, for each axis.
fn extents(points: &[Vec3]) -> Vec3 {
    points.iter().fold(Vec3::ZERO, |most, point| most.max(point.abs()))
}

/// Where a ray from the centre leaves the body, and the normal there: that of the nearest plane, blended over worn edges.
fn exit(cut: &Cut, direction: Vec3) -> (f32, Vec3) {
    // A power mean is a minimum with rounded edges.
    const SHARPNESS: i32 = 40;
    let (mut sum, mut normal) = (0.0, Vec3::ZERO);
    for &(plane, distance) in &cut.planes {
        let weight = (plane.dot(direction).max(0.05) / distance).powi(SHARPNESS);
        (sum, normal) = (sum + weight, normal + plane * weight);
    }
    let dent = noise(cut.seed ^ 0xb0, direction * 2.3);
    let tilt = Vec3::new(noise(cut.seed ^ 0xb1, direction * 3.1), noise(cut.seed ^ 0xb2, direction * 3.1), noise(cut.seed ^ 0xb3, direction * 3.1));
    (sum.powf(-1.0 / SHARPNESS as f32).min(1.15) * (1.0 + cut.rough * dent), (normal / sum).normalize_or(direction) + tilt * 0.10)
}

/// Rock, darker near the ground and in hollows, with moss on what faces the sky.
fn surface(cut: &Cut, at: Vec3, normal: Vec3) -> Vec3 {
    let size = cut.half_m.y;
    let stain = noise(cut.seed ^ 0xc0, at / size * 1.6) * 0.12 + noise(cut.seed ^ 0xc1, at / size * 4.5) * 0.11;
    let warm = Vec3::new(1.05, 1.0, 0.93).lerp(Vec3::new(0.95, 1.0, 1.06), 0.5 + 0.5 * noise(cut.seed ^ 0xc2, at / size));
    let open = 0.50 + 0.50 * (at.y / size / 0.8).min(1.0).sqrt();
    let facing = 0.85 + 0.15 * normal.y;
    let moss = (normal.y * 1.4 - 0.75 + 1.1 * noise(cut.seed ^ 0xc3, at / size * 2.2)).clamp(0.0, 1.0) * 0.55;
    (ROCK * warm * (1.0 + stain)).lerp(MOSS, moss) * (open * facing)
}

/// A fallen trunk, bark outside, pale wood at the ends, moss along the back.
pub(super) fn log(seed: u32) -> [PropMesh; 3] {
    [(10, 6), (6, 3), (4, 1)].map(|(sides, segments)| {
        let mut builder = Builder::default();
        let path: Vec<(Vec3, f32)> = (0..=segments).map(|i| trunk_at(seed, i as f32 / segments as f32)).collect();
        let bark = |share: f32, out: Vec3| {
            let streak = noise(seed ^ 1, out * 4.0 + Vec3::X * share * 2.0) * 0.22;
            let moss = ((out.y - 0.35) * 1.2 + noise(seed ^ 2, Vec3::new(share * 7.0, out.z * 2.0, 0.0)) * 0.5).clamp(0.0, 1.0) * 0.7;
            let open = 0.45 + 0.55 * (out.y * 0.5 + 0.5).sqrt();
            (Vec3::new(0.100, 0.078, 0.056) * (1.0 + streak)).lerp(MOSS, moss) * open
        };
        builder.tube(&path, sides, &bark);
        add_end(&mut builder, path[0], path[1].0, sides);
        add_end(&mut builder, path[segments], path[segments - 1].0, sides);
        if segments > 1 {
            for (share, angle) in [(0.34, 0.9), (0.62, 2.3), (0.8, -0.1)] {
                let (center, radius) = trunk_at(seed, share);
                let out = Vec3::new(0.35, f32::sin(angle).max(0.1), f32::cos(angle)).normalize();
                let stub = [(center, radius * 0.34), (center + out * radius * 2.2, radius * 0.16)];
                builder.tube(&stub, if segments > 3 { 5 } else { 3 }, &|share, out| bark(share * 0.2, out * 0.9));
            }
        }
        builder.finish()
    })
}

/// Mean radius of the log, metres.
pub(super) const LOG_RADIUS_M: f32 = 0.17;

/// The middles of a bar that the log fills, ends rounded.
pub(super) fn log_ends(seed: u32) -> [Vec3; 2] {
    [0.06, 0.94].map(|share| trunk_at(seed, share).0)
}

/// Centre and radius along the log.
fn trunk_at(seed: u32, share: f32) -> (Vec3, f32) {
    let radius = 0.20 - 0.065 * share + 0.012 * noise(seed ^ 3, Vec3::X * share * 6.0);
    let bow = 0.10 * (share * std::f32::consts::PI).sin();
    (Vec3::new((share - 0.5) * 2.9, radius * 0.93, bow - 0.05), radius)
}

fn add_end(builder: &mut Builder, (center, radius): (Vec3, f32), inner: Vec3, sides: u16) {
    let out = (center - inner).normalize();
    let (u, v) = frame(out);
    let rim = |side: u16| {
        let angle = side as f32 / sides as f32 * std::f32::consts::TAU;
        center + (u * angle.cos() + v * angle.sin()) * radius
    };
    let (heart, ring) = (Vec3::new(0.205, 0.150, 0.092), Vec3::new(0.150, 0.110, 0.070));
    for side in 0..sides {
        builder.facet([center + out * radius * 0.08, rim(side), rim((side + 1) % sides)], [heart, ring, ring]);
    }
}
