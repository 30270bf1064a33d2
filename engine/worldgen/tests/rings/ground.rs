//! In: shapes and numbers. Out: points of their ground, distances to them and the chunks that hold them, computed without the rings' own
//! code: only the map of the cube to the sphere is shared. Never knows: cuts.

use glam::DVec3;
use std::f64::consts::TAU;
use terrane_base::{ChunkKey, Place, hash::pcg};
use terrane_worldgen::rings::{Shape, Viewer, cube_to_sphere};

/// A viewer from three numbers in [-1, 1] that spread over the shape, `height_m` over its ground.
pub fn viewer(shape: Shape, at: [f64; 3], height_m: f64) -> Viewer {
    let at = DVec3::from_array(at);
    let place = match shape {
        Shape::Plane | Shape::PlaneOf { .. } => DVec3::new(at.x * 1e7, height_m, at.z * 1e7),
        Shape::Volume => at * 1e7,
        Shape::Sphere { radius_m } => at.try_normalize().unwrap_or(DVec3::X) * (radius_m + height_m),
    };
    Viewer { place: Place::from_f64(place.to_array()), eye_m: height_m as f32 }
}

/// A point of the ground (of space, in a volume) `distance_m` from the viewer in a direction; on the sphere a unit vector.
pub fn point_near(shape: Shape, viewer: &Viewer, way: DVec3, distance_m: f64) -> DVec3 {
    let at = DVec3::from_array(viewer.place.to_f64());
    match shape {
        Shape::Plane | Shape::PlaneOf { .. } => at + DVec3::new(way.x, 0.0, way.z).normalize() * distance_m,
        Shape::Volume => at + way.normalize() * distance_m,
        Shape::Sphere { radius_m } => {
            let foot = at.normalize();
            let along = way.reject_from_normalized(foot).normalize();
            // The straight distance on the unit sphere is 2 sin(angle / 2).
            let angle = 2.0 * (0.5 * distance_m / radius_m).min(1.0).asin();
            foot * angle.cos() + along * angle.sin()
        }
    }
}

/// The distance that morphs use, from the viewer to a point.
pub fn distance_m(shape: Shape, viewer: &Viewer, point: DVec3) -> f64 {
    let (at, eye) = (DVec3::from_array(viewer.place.to_f64()), f64::from(viewer.eye_m));
    match shape {
        Shape::Plane | Shape::PlaneOf { .. } => DVec3::new(point.x - at.x, eye, point.z - at.z).length(),
        Shape::Volume => point.distance(at),
        Shape::Sphere { radius_m } => (at.normalize().distance(point) * radius_m).hypot(eye),
    }
}

/// The chunk of level `lod` that holds a point.
pub fn key_at(shape: Shape, point: DVec3, lod: u8) -> ChunkKey {
    let index = |metres: f64| (metres / shape.edge_m(lod)).floor() as i32;
    match shape {
        Shape::Plane | Shape::PlaneOf { .. } => ChunkKey::plane(lod, index(point.x), index(point.z)),
        Shape::Volume => ChunkKey::volume(lod, index(point.x), index(point.y), index(point.z)),
        Shape::Sphere { .. } => {
            let across = across(shape, lod);
            let (face, face_at) = on_face(point);
            let [x, z] = face_at.map(|a| (((a + 1.0) * 0.5 * across).floor()).clamp(0.0, across - 1.0) as i32);
            ChunkKey::sphere(face, lod, x, z)
        }
    }
}

fn across(shape: Shape, lod: u8) -> f64 {
    f64::from(1u32 << (shape.levels_max() - 1 - lod))
}

/// The inverse of `cube_to_sphere`, by a closed form of its own: a^3 + 3 a = 4 b has the root 2 sinh(asinh(2 b) / 3).
fn on_face(direction: DVec3) -> (u8, [f64; 2]) {
    let face = (0..6u8).max_by(|a, b| cube_to_sphere(*a, [0.0; 2]).dot(direction).total_cmp(&cube_to_sphere(*b, [0.0; 2]).dot(direction)));
    let face = face.expect("six faces");
    let normal = cube_to_sphere(face, [0.0; 2]);
    let axis = |at: [f64; 2]| cube_to_sphere(face, at).reject_from_normalized(normal).normalize();
    let along = |axis: DVec3| 2.0 * ((2.0 * direction.dot(axis) / direction.dot(normal)).asinh() / 3.0).sinh();
    (face, [along(axis([1.0, 0.0])), along(axis([0.0, 1.0]))])
}

/// A point of a chunk from three numbers in [0, 1]; outside of it for numbers outside.
pub fn point_of(shape: Shape, key: ChunkKey, local: [f64; 3]) -> DVec3 {
    let at = DVec3::new(f64::from(key.x) + local[0], f64::from(key.y) + local[1], f64::from(key.z) + local[2]);
    match shape {
        Shape::Plane | Shape::PlaneOf { .. } | Shape::Volume => at * shape.edge_m(key.lod),
        Shape::Sphere { .. } => cube_to_sphere(key.face, [at.x, at.z].map(|a| 2.0 * a / across(shape, key.lod) - 1.0)),
    }
}

/// Numbers in [0, 1) that only depend on the seed.
pub struct Dice(pub u32);

impl Dice {
    /// In [0, 1).
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        f64::from(pcg(self.0)) / 4_294_967_296.0
    }

    /// A direction, evenly over the sphere.
    pub fn way(&mut self) -> DVec3 {
        let (y, turn) = (self.roll() * 2.0 - 1.0, self.roll() * TAU);
        let flat = (1.0 - y * y).sqrt();
        DVec3::new(flat * turn.cos(), y, flat * turn.sin())
    }
}
