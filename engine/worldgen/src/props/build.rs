//! In: corners and shapes. Out: prop meshes with their bounds.
//! Never knows: which prop it helps to build.

use super::{PropMesh, PropVertex};
use glam::Vec3;
use terrane_base::hash::{hash3, pcg};

/// Collects triangles.
#[derive(Default)]
pub(super) struct Builder {
    mesh: PropMesh,
}

/// A corner before it is packed: the colour is linear albedo, occlusion included.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub at: Vec3,
    pub normal: Vec3,
    pub color: Vec3,
    /// 0..1, becomes alpha.
    pub soft: f32,
}

impl Builder {
    pub(super) fn corner(&mut self, corner: Corner) -> u16 {
        let normal = corner.normal.normalize_or(Vec3::Y);
        let [red, green, blue] = corner.color.to_array().map(srgb);
        let color = [red, green, blue, (corner.soft.clamp(0.0, 1.0) * 255.0 + 0.5) as u8];
        let index = u16::try_from(self.mesh.vertices.len()).expect("a prop has at most 65,536 corners");
        self.mesh.vertices.push(PropVertex { position: corner.at.to_array(), normal: normal.to_array(), color });
        index
    }

    pub(super) fn triangle(&mut self, a: u16, b: u16, c: u16) {
        self.mesh.indices.extend([a, b, c]);
    }

    /// Three corners of their own.
    pub(super) fn loose_triangle(&mut self, corners: [Corner; 3]) {
        let [a, b, c] = corners.map(|corner| self.corner(corner));
        self.triangle(a, b, c);
    }

    /// A triangle with one normal and one colour for each corner; nothing when it has no area.
    pub(super) fn facet(&mut self, at: [Vec3; 3], color: [Vec3; 3]) {
        let normal = (at[1] - at[0]).cross(at[2] - at[0]);
        if normal.length_squared() > 1e-12 {
            self.loose_triangle(std::array::from_fn(|i| Corner { at: at[i], normal, color: color[i], soft: 0.0 }));
        }
    }

    /// A tapering tube along `path` of (centre, radius), open at both ends; `color` takes the share of the way and the direction.
    pub(super) fn tube(&mut self, path: &[(Vec3, f32)], sides: u16, color: &dyn Fn(f32, Vec3) -> Vec3) {
        let first = self.mesh.vertices.len() as u16;
        for (ring, &(center, radius)) in path.iter().enumerate() {
            let (u, v) = frame(path[(ring + 1).min(path.len() - 1)].0 - path[ring.saturating_sub(1)].0);
            for side in 0..sides {
                let angle = side as f32 / sides as f32 * std::f32::consts::TAU;
                let out = u * angle.cos() + v * angle.sin();
                let share = ring as f32 / (path.len() - 1) as f32;
                self.corner(Corner { at: center + out * radius, normal: out, color: color(share, out), soft: 0.0 });
            }
        }
        for ring in 0..path.len() as u16 - 1 {
            for side in 0..sides {
                let (low, next) = (first + ring * sides, (side + 1) % sides);
                let (a, b, c, d) = (low + side, low + next, low + sides + side, low + sides + next);
                self.triangle(a, b, c);
                self.triangle(b, d, c);
            }
        }
    }

    /// Sets the base to y = 0 and measures.
    pub(super) fn finish(mut self) -> PropMesh {
        let low = self.mesh.vertices.iter().fold(f32::MAX, |low, vertex| low.min(vertex.position[1]));
        self.mesh.vertices.iter_mut().for_each(|vertex| vertex.position[1] -= low);
        let height_m = self.mesh.vertices.iter().fold(0.0, |high: f32, vertex| high.max(vertex.position[1]));
        let center = Vec3::new(0.0, height_m * 0.5, 0.0);
        let reach = |vertex: &PropVertex| (Vec3::from_array(vertex.position) - center).length();
        let radius_m = self.mesh.vertices.iter().map(reach).fold(0.0, f32::max);
        PropMesh { radius_m, height_m, ..self.mesh }
    }
}

/// Two directions across a stem. The same reference for every ring keeps a bent tube from twisting; no stem here runs along z.
pub(super) fn frame(along: Vec3) -> (Vec3, Vec3) {
    let along = along.normalize_or(Vec3::Y);
    let u = Vec3::Z.cross(along).normalize_or(Vec3::X);
    (u, along.cross(u))
}

/// A row of random numbers.
#[derive(Clone)]
pub(super) struct Dice(pub u32);

impl Dice {
    /// In [0, 1).
    pub(super) fn roll(&mut self) -> f32 {
        self.0 = pcg(self.0);
        unit(self.0)
    }

    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.roll()
    }

    /// A direction, evenly over the sphere.
    pub(super) fn direction(&mut self) -> Vec3 {
        let (y, angle) = (self.between(-1.0, 1.0), self.between(0.0, std::f32::consts::TAU));
        let flat = (1.0 - y * y).sqrt();
        Vec3::new(flat * angle.cos(), y, flat * angle.sin())
    }
}

pub(super) fn unit(hash: u32) -> f32 {
    (hash >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Horizontal direction of an angle.
pub(super) fn heading(angle: f32) -> Vec3 {
    Vec3::new(angle.cos(), 0.0, angle.sin())
}

/// Value noise in -1..1 with cells of one unit: smooth enough for the bulges of stones and crowns.
pub(super) fn noise(seed: u32, at: Vec3) -> f32 {
    let cell = at.floor();
    let f = at - cell;
    let f = f * f * (Vec3::splat(3.0) - 2.0 * f);
    let mut sum = 0.0;
    for i in 0..8 {
        let step = Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
        let weight = (Vec3::ONE - step - f).abs();
        let corner = cell + step;
        let value = unit(hash3(seed, corner.x as i32, corner.y as i32, corner.z as i32)) * 2.0 - 1.0;
        sum += value * weight.x * weight.y * weight.z;
    }
    sum
}

/// Corners on the unit sphere and triangles wound outward: an octahedron, or an icosahedron subdivided `level` times
/// (20, 80, 320 triangles).
pub(super) enum Ball {
    Octahedron,
    Icosahedron(u32),
}

pub(super) fn ball(kind: Ball) -> (Vec<Vec3>, Vec<[u16; 3]>) {
    match kind {
        Ball::Octahedron => {
            let points = vec![Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z, Vec3::Y, Vec3::NEG_Y];
            let faces = (0..4).flat_map(|i| [[(i + 1) % 4, i, 4], [i, (i + 1) % 4, 5]]);
            (points, faces.collect())
        }
        Ball::Icosahedron(level) => (0..level).fold(icosahedron(), |ball, _| subdivide(ball)),
    }
}

fn icosahedron() -> (Vec<Vec3>, Vec<[u16; 3]>) {
    let ring = |i: usize, y: f32, turn: f32| {
        let flat = heading((i as f32 + turn) * (std::f32::consts::TAU / 5.0));
        (flat * 2.0 + Vec3::Y * y).normalize()
    };
    let mut points = vec![Vec3::Y];
    points.extend((0..5).map(|i| ring(i, 1.0, 0.0)));
    points.extend((0..5).map(|i| ring(i, -1.0, 0.5)));
    points.push(Vec3::NEG_Y);
    let faces = (0..5u16).flat_map(|i| {
        let next = (i + 1) % 5;
        [[0, 1 + next, 1 + i], [1 + i, 1 + next, 6 + i], [1 + next, 6 + next, 6 + i], [6 + i, 6 + next, 11]]
    });
    (points, faces.collect())
}

fn subdivide((mut points, faces): (Vec<Vec3>, Vec<[u16; 3]>)) -> (Vec<Vec3>, Vec<[u16; 3]>) {
    let mut middles = std::collections::BTreeMap::new();
    let mut middle = |points: &mut Vec<Vec3>, a: u16, b: u16| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            points.push((points[a as usize] + points[b as usize]).normalize());
            points.len() as u16 - 1
        })
    };
    let split = faces.iter().flat_map(|&[a, b, c]| {
        let (ab, bc, ca) = (middle(&mut points, a, b), middle(&mut points, b, c), middle(&mut points, c, a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    });
    let split = split.collect();
    (points, split)
}

fn srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let code = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (code * 255.0 + 0.5) as u8
}
