//! In: a key and a viewer. Out: how far apart they are, for plane, cube sphere and volume; children; what is around.
//! Never knows: which chunks are wanted.

use super::Viewer;
use crate::CHUNK_EDGE_M;
use glam::DVec3;
use terrane_base::{ChunkKey, FACES, LOD_MAX};

/// What the tree of chunks divides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// An endless plane: quadtrees over x and z.
    Plane,
    /// Six faces of a cube, pushed out to a sphere around the origin: a quadtree each.
    Sphere {
        /// Radius, metres.
        radius_m: f64,
    },
    /// Endless space: octrees.
    Volume,
}

impl Shape {
    /// Edge of the finest chunk, metres.
    pub(super) fn edge_m(self) -> f64 {
        match self {
            Shape::Plane | Shape::Sphere { .. } => CHUNK_EDGE_M as f64,
            // 64 blocks of 1 m.
            Shape::Volume => 64.0,
        }
    }

    /// A face of the sphere is one chunk at the coarsest level.
    pub(super) fn levels_max(self) -> u8 {
        match self {
            Shape::Plane | Shape::Volume => 24,
            Shape::Sphere { radius_m } => {
                let mut levels = 1;
                while self.edge_m() * f64::from(1u32 << (levels - 1)) < 2.0 * radius_m && levels < LOD_MAX {
                    levels += 1;
                }
                levels
            }
        }
    }

    pub(super) fn children(self, key: ChunkKey, mut take: impl FnMut(ChunkKey)) {
        match self {
            Shape::Volume => key.octo_children().into_iter().for_each(&mut take),
            _ => key.quad_children().into_iter().for_each(&mut take),
        }
    }

    /// Metres from the viewer to the nearest point of a chunk.
    pub(super) fn distance_m(self, viewer: &Viewer, key: ChunkKey, _levels: u8) -> f64 {
        let flat = self.flat_distance_m(viewer, key, _levels);
        match self {
            Shape::Plane => flat.hypot(f64::from(viewer.eye_m)),
            _ => flat,
        }
    }

    /// The same without the viewer's height over the plane.
    pub(super) fn flat_distance_m(self, viewer: &Viewer, key: ChunkKey, _levels: u8) -> f64 {
        match self {
            Shape::Plane => axis_distance(viewer, 0, key.x, edge(self, key)).hypot(axis_distance(viewer, 2, key.z, edge(self, key))),
            Shape::Volume => {
                let e = edge(self, key);
                let [x, y, z] = [(0, key.x), (1, key.y), (2, key.z)].map(|(axis, index)| axis_distance(viewer, axis, index, e));
                (x * x + y * y + z * z).sqrt()
            }
            Shape::Sphere { radius_m } => sphere_distance(viewer, key, radius_m, faces_across(self, key)),
        }
    }

    /// The chunks of the coarsest level that may be within `reach_m`.
    pub(super) fn around(self, viewer: &Viewer, top: u8, reach_m: f64, mut take: impl FnMut(ChunkKey)) {
        let e = self.edge_m() * f64::from(1u32 << top);
        let range = |axis: usize| {
            let at = viewer.place.cell_m[axis] as f64;
            ((at - reach_m) / e).floor() as i32..=((at + reach_m) / e).floor() as i32 + 1
        };
        match self {
            Shape::Plane => range(2).for_each(|z| range(0).for_each(|x| take(ChunkKey::plane(top, x, z)))),
            Shape::Volume => range(2).for_each(|z| range(1).for_each(|y| range(0).for_each(|x| take(ChunkKey::volume(top, x, y, z))))),
            Shape::Sphere { .. } => {
                let across = faces_across(self, ChunkKey::sphere(0, top, 0, 0)) as i32;
                for face in 0..FACES {
                    (0..across).for_each(|z| (0..across).for_each(|x| take(ChunkKey::sphere(face, top, x, z))));
                }
            }
        }
    }
}

fn edge(shape: Shape, key: ChunkKey) -> i64 {
    shape.edge_m() as i64 * (1i64 << key.lod)
}

/// Metres between the viewer and an interval of an axis. The integers are subtracted first: exact far from the origin.
fn axis_distance(viewer: &Viewer, axis: usize, index: i32, edge: i64) -> f64 {
    let low = (i64::from(index) * edge - viewer.place.cell_m[axis]) as f64 - f64::from(viewer.place.offset_m[axis]);
    if low > 0.0 { low } else { (-(low + edge as f64)).max(0.0) }
}

/// Chunks of the key's level along the edge of a face: 2^(coarsest - lod).
fn faces_across(shape: Shape, key: ChunkKey) -> u32 {
    1 << (shape.levels_max() - 1 - key.lod.min(shape.levels_max() - 1))
}

/// A bound from below: to the sphere around the patch.
fn sphere_distance(viewer: &Viewer, key: ChunkKey, radius_m: f64, across: u32) -> f64 {
    let at = |u: f64, v: f64| on_sphere(key.face, 2.0 * u / f64::from(across) - 1.0, 2.0 * v / f64::from(across) - 1.0) * radius_m;
    let (x, z) = (f64::from(key.x), f64::from(key.z));
    let center = at(x + 0.5, z + 0.5);
    let corners = [at(x, z), at(x + 1.0, z), at(x, z + 1.0), at(x + 1.0, z + 1.0)];
    let bound = corners.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max);
    (DVec3::from_array(viewer.place.to_f64()).distance(center) - bound).max(0.0)
}

/// The unit vector of a point of a face, u and v in [-1, 1]. Depends on the point of the cube alone, not on the face that asks.
pub fn on_sphere(face: u8, u: f64, v: f64) -> DVec3 {
    let sign = if face & 1 == 0 { 1.0 } else { -1.0 };
    let point = match face >> 1 {
        0 => DVec3::new(sign, u, v),
        1 => DVec3::new(u, sign, v),
        _ => DVec3::new(u, v, sign),
    };
    point / point.length()
}
