//! In: a key and a viewer. Out: how far apart they are, on plane, cube sphere and in a volume; children; what lies around.
//! Never knows: which chunks are wanted.

use super::Viewer;
use crate::CHUNK_EDGE_M;
use glam::DVec3;
use terrane_base::{ChunkKey, FACES};

/// What the tree of chunks divides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// An endless plane: quadtrees over x and z.
    Plane,
    /// The same with finest chunks of another edge.
    PlaneOf {
        /// Edge of the finest chunk, whole metres.
        edge_m: u32,
    },
    /// Six faces of a cube pushed out to a sphere around the origin, a quadtree each; see [`cube_to_sphere`].
    Sphere {
        /// Radius, metres.
        radius_m: f64,
    },
    /// Endless space: octrees.
    Volume,
}

/// Edge of the finest chunk of a volume: 64 blocks of 1 m.
const VOLUME_EDGE_M: f64 = 64.0;
/// Longest edge of a patch of the sphere, as a share of radius x its edge in face coordinates. The map is longest at the middle of a
/// face's quarter lines: 0.8149 (all found numerically over a face, and held by a test).
const SPHERE_EDGE: f64 = 0.815;
/// Longest diagonal of a patch, at the corners of a face, where the grid's angle is 60 degrees: 1.2248 / 0.815 = 1.503 longest edges.
const SPHERE_DIAMETER_EDGES: f64 = 1.51;
/// Smallest area of a patch in squares of its level's longest edge: 0.3967 / 0.815^2 = 0.597.
pub(super) const SPHERE_AREA_MIN: f64 = 0.59;

impl Shape {
    /// Edge of a chunk of level `lod`, metres. A face of the sphere is 2^n finest chunks wide, n the smallest that leaves them no
    /// longer than the plane's.
    pub fn edge_m(self, lod: u8) -> f64 {
        match self {
            Shape::Plane => (CHUNK_EDGE_M << lod) as f64,
            Shape::PlaneOf { edge_m } => (i64::from(edge_m) << lod) as f64,
            Shape::Volume => VOLUME_EDGE_M * (1u64 << lod) as f64,
            Shape::Sphere { radius_m } => 2.0 * SPHERE_EDGE * radius_m / f64::from(chunks_across(self.levels_max(), lod)),
        }
    }

    /// Upper bound of the distance between two points of a chunk, in edges.
    pub fn diameter_edges(self) -> f64 {
        match self {
            Shape::Plane | Shape::PlaneOf { .. } => std::f64::consts::SQRT_2,
            Shape::Sphere { .. } => SPHERE_DIAMETER_EDGES,
            Shape::Volume => 3f64.sqrt(),
        }
    }

    /// Levels that it can have. On the sphere a face is one chunk of the coarsest.
    pub fn levels_max(self) -> u8 {
        match self {
            Shape::Plane | Shape::PlaneOf { .. } | Shape::Volume => 24,
            Shape::Sphere { radius_m } => {
                // At most log2(2 x 0.815 x 2^28 / 128) = 21.7, plus one.
                let halvings = (2.0 * SPHERE_EDGE * radius_m / CHUNK_EDGE_M as f64).log2().ceil();
                1 + halvings.clamp(0.0, 22.0) as u8
            }
        }
    }

    pub(super) fn children(self, key: ChunkKey, take: impl FnMut(ChunkKey)) {
        match self {
            Shape::Volume => key.octo_children().into_iter().for_each(take),
            Shape::Plane | Shape::PlaneOf { .. } | Shape::Sphere { .. } => key.quad_children().into_iter().for_each(take),
        }
    }
}

/// A viewer, ready to be asked for distances.
pub(super) struct Eye {
    shape: Shape,
    cell_m: [i64; 3],
    offset_m: [f64; 3],
    height_m: f64,
    /// Where on the unit sphere the viewer stands.
    foot: DVec3,
    levels_max: u8,
}

impl Eye {
    pub(super) fn new(shape: Shape, viewer: &Viewer) -> Eye {
        Eye {
            shape,
            cell_m: viewer.place.cell_m,
            offset_m: viewer.place.offset_m.to_array().map(f64::from),
            height_m: if shape == Shape::Volume { 0.0 } else { f64::from(viewer.eye_m) },
            foot: DVec3::from_array(viewer.place.to_f64()).try_normalize().unwrap_or(DVec3::Y),
            levels_max: shape.levels_max(),
        }
    }

    /// Metres to the nearest point of a chunk.
    pub(super) fn distance_m(&self, key: ChunkKey) -> f64 {
        let ground = self.ground_m(key);
        (ground * ground + self.height_m * self.height_m).sqrt()
    }

    /// The same without the viewer's height: along the plane; on the sphere the straight line from the viewer's foot, a metric
    /// that grows with the way along the surface, needs no arc cosine, and is a length of a difference in a shader; in a volume all three axes.
    pub(super) fn ground_m(&self, key: ChunkKey) -> f64 {
        match self.shape {
            Shape::Plane | Shape::PlaneOf { .. } => {
                // Whole metres.
                let edge = self.shape.edge_m(key.lod) as i64;
                let (x, z) = (self.axis_m(0, key.x, edge), self.axis_m(2, key.z, edge));
                (x * x + z * z).sqrt()
            }
            Shape::Volume => {
                let edge = (VOLUME_EDGE_M as i64) << key.lod;
                let [x, y, z] = [(0, key.x), (1, key.y), (2, key.z)].map(|(axis, index)| self.axis_m(axis, index, edge));
                (x * x + y * y + z * z).sqrt()
            }
            Shape::Sphere { radius_m } => radius_m * patch_distance(self.foot, key, chunks_across(self.levels_max, key.lod)),
        }
    }

    /// Calls `take` for each chunk of level `lod` whose nearest point along the ground is nearer than `reach_m`.
    pub(super) fn around(&self, lod: u8, reach_m: f64, take: &mut dyn FnMut(ChunkKey)) {
        let mut near = |key| {
            if self.ground_m(key) < reach_m {
                take(key);
            }
        };
        let edge = self.shape.edge_m(lod) as i64;
        let indices = |axis: usize| {
            let reach = reach_m.ceil() as i64 + 1;
            let index = |metre: i64| metre.div_euclid(edge) as i32;
            index(self.cell_m[axis] - reach)..=index(self.cell_m[axis] + reach)
        };
        match self.shape {
            Shape::Plane | Shape::PlaneOf { .. } => indices(2).for_each(|z| indices(0).for_each(|x| near(ChunkKey::plane(lod, x, z)))),
            Shape::Volume => {
                indices(2).for_each(|z| indices(1).for_each(|y| indices(0).for_each(|x| near(ChunkKey::volume(lod, x, y, z)))));
            }
            // An Earth has 2^34 chunks of the finest level: descend from the faces rather than count.
            Shape::Sphere { .. } => (0..FACES).for_each(|face| {
                self.descend(ChunkKey::sphere(face, self.levels_max - 1, 0, 0), lod, reach_m, &mut near);
            }),
        }
    }

    /// The finest chunks of the square around the viewer's own, so many in each direction; on a plane.
    pub(super) fn square(&self, radius: u32, take: &mut dyn FnMut(ChunkKey)) {
        let edge = self.shape.edge_m(0) as i64;
        let [x, z] = [0, 2].map(|axis: usize| self.cell_m[axis].div_euclid(edge) as i32);
        let around = |middle: i32| middle - radius as i32..=middle + radius as i32;
        around(z).for_each(|z| around(x).for_each(|x| take(ChunkKey::plane(0, x, z))));
    }

    fn descend(&self, key: ChunkKey, lod: u8, reach_m: f64, take: &mut dyn FnMut(ChunkKey)) {
        if key.lod == lod {
            take(key);
        } else if self.ground_m(key) < reach_m {
            key.quad_children().into_iter().for_each(|child| self.descend(child, lod, reach_m, take));
        }
    }

    /// Metres between the viewer and an interval of an axis. The integers are subtracted first: exact far from the origin.
    fn axis_m(&self, axis: usize, index: i32, edge: i64) -> f64 {
        let low = (i64::from(index) * edge - self.cell_m[axis]) as f64 - self.offset_m[axis];
        if low > 0.0 { low } else { (-(low + edge as f64)).max(0.0) }
    }
}

/// The point of the unit sphere for a point of a face, both coordinates in [-1, 1].
///
/// The coordinates are first bent by a (3 + a^2) / 4, which makes patches nearly equal (areas within 1.45 of each other, against 5.2 when
/// the cube is just normalised), keeps grid lines great circles, and takes only products and sums. The bent cube's point is then
/// normalised: faces agree along edges and corners bit for bit. Faces are +x, -x, +y, -y, +z, -z; seen from outside, a
/// face's x goes right and z comes down, like the plane seen from above.
pub fn cube_to_sphere(face: u8, [x, z]: [f64; 2]) -> DVec3 {
    let axes = face_axes(face);
    let mut point = DVec3::ZERO;
    point[axes[0]] = if face & 1 == 0 { 1.0 } else { -1.0 };
    point[axes[1]] = bend(x);
    point[axes[2]] = bend(z);
    point / point.length()
}

/// Which world axes are a face's normal, x and z: x cross z points inward, as on the plane with y up.
fn face_axes(face: u8) -> [usize; 3] {
    let normal = usize::from(face >> 1);
    let (next, last) = ((normal + 1) % 3, (normal + 2) % 3);
    if face & 1 == 0 { [normal, last, next] } else { [normal, next, last] }
}

fn bend(a: f64) -> f64 {
    a * (3.0 + a * a) * 0.25
}

/// Chunks of a level along the edge of a face.
fn chunks_across(levels_max: u8, lod: u8) -> u32 {
    1 << (levels_max - 1).saturating_sub(lod)
}

/// Straight distance on the unit sphere between a point and the nearest point of a patch: exact, because the patch's four borders are
/// arcs of great circles. Their planes come from the cube and not from corners, which would cancel digits. The nearest point of a
/// convex patch lies on a border that the point is on the outer side of; if there is none, the point is inside.
fn patch_distance(foot: DVec3, key: ChunkKey, across: u32) -> f64 {
    let [normal, along_x, along_z] = face_axes(key.face);
    let sign = if key.face & 1 == 0 { 1.0 } else { -1.0 };
    let p = DVec3::new(foot[normal] * sign, foot[along_x], foot[along_z]);
    let line = |index: i32| bend(2.0 * f64::from(index) / f64::from(across) - 1.0);
    let (x0, x1, z0, z1) = (line(key.x), line(key.x + 1), line(key.z), line(key.z + 1));
    let mut nearest: Option<f64> = None;
    let mut meet = |border: DVec3, ends: [DVec3; 2], along: usize| {
        let on_circle = p - border * (p.dot(border) / border.length_squared());
        let spans = ends[0][along] * on_circle.x..=ends[1][along] * on_circle.x;
        let squared = |q: DVec3| p.distance_squared(q.normalize());
        let found = match on_circle.x > 0.0 && spans.contains(&on_circle[along]) {
            true => squared(on_circle),
            false => squared(ends[0]).min(squared(ends[1])),
        };
        nearest = Some(nearest.map_or(found, |before| before.min(found)));
    };
    for (x, outside) in [(x0, p.y < x0 * p.x), (x1, p.y > x1 * p.x)] {
        if outside {
            meet(DVec3::new(x, -1.0, 0.0), [DVec3::new(1.0, x, z0), DVec3::new(1.0, x, z1)], 2);
        }
    }
    for (z, outside) in [(z0, p.z < z0 * p.x), (z1, p.z > z1 * p.x)] {
        if outside {
            meet(DVec3::new(z, 0.0, -1.0), [DVec3::new(1.0, x0, z), DVec3::new(1.0, x1, z)], 1);
        }
    }
    nearest.map_or(0.0, f64::sqrt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn faces_meet_bit_for_bit_and_face_outward_like_the_plane() {
        for face in 0..FACES {
            let at = |x: f64, z: f64| cube_to_sphere(face, [x, z]);
            let (x, z) = (at(1e-6, 0.0) - at(0.0, 0.0), at(0.0, 1e-6) - at(0.0, 0.0));
            assert!(x.cross(z).dot(at(0.0, 0.0)) < 0.0, "on the plane, x cross z points down");
        }
        let border = |face: u8| {
            let steps = (0..=64).map(|i| f64::from(i) / 32.0 - 1.0);
            steps.flat_map(move |a| [[a, -1.0], [a, 1.0], [-1.0, a], [1.0, a]]).map(move |at| cube_to_sphere(face, at).to_array().map(f64::to_bits))
        };
        let mut counts = std::collections::HashMap::new();
        for face in 0..FACES {
            border(face).collect::<std::collections::HashSet<_>>().into_iter().for_each(|point| *counts.entry(point).or_insert(0) += 1);
        }
        let of = |faces: i32| counts.values().filter(|count| **count == faces).count();
        assert_eq!((of(3), of(2), of(1)), (8, 12 * 63, 0), "corners and edges belong to three and two faces, to the bit");
    }

    #[test]
    fn no_patch_is_longer_wider_or_smaller_than_its_level_says() {
        let shape = Shape::Sphere { radius_m: 1.0e6 };
        for levels_below in [0u8, 1, 2, 5, 7] {
            let lod = shape.levels_max() - 1 - levels_below;
            let across = chunks_across(shape.levels_max(), lod);
            let edge = shape.edge_m(lod);
            let (mut longest, mut widest, mut smallest) = (0.0f64, 0.0f64, f64::INFINITY);
            for (x, z) in (0..across).flat_map(|z| (0..across).map(move |x| (x, z))) {
                let line = |index: u32| 2.0 * f64::from(index) / f64::from(across) - 1.0;
                let at = |dx: u32, dz: u32| cube_to_sphere(0, [line(x + dx), line(z + dz)]) * 1.0e6;
                let [a, b, c, d] = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
                longest = longest.max(a.distance(b)).max(a.distance(c));
                widest = widest.max(a.distance(d)).max(b.distance(c));
                smallest = smallest.min(0.5 * (a - d).cross(b - c).length());
            }
            assert!(longest <= edge && widest <= edge * SPHERE_DIAMETER_EDGES);
            if levels_below >= 5 {
                assert!(smallest >= edge * edge * SPHERE_AREA_MIN, "{}", smallest / (edge * edge));
                assert!(longest > 0.99 * edge && widest > 0.97 * edge * SPHERE_DIAMETER_EDGES, "the bounds are tight");
            }
        }
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_nearest_point(
            face in 0u8..6, lod in 0u8..17, at in prop::array::uniform2(0.0..1.0f64), way in prop::array::uniform3(-1.0..1.0f64), near in 0u32..20
        ) {
            let shape = Shape::Sphere { radius_m: 6_371_000.0 };
            let across = chunks_across(shape.levels_max(), lod);
            let [x, z] = at.map(|a| (a * f64::from(across)) as i32);
            let key = ChunkKey::sphere(face, lod, x, z);
            let point = |u: f64, v: f64| cube_to_sphere(face, [(x, u), (z, v)].map(|(i, a)| 2.0 * (f64::from(i) + a) / f64::from(across) - 1.0));
            let edge = shape.edge_m(lod) / 6_371_000.0;
            // From anywhere on the sphere to as near as a hundredth of an edge.
            let foot = (point(at[0], at[1]) + DVec3::from_array(way) * (10.0 * edge * (-f64::from(near) * 0.5).exp2()).min(3.0)).normalize();
            let distance = patch_distance(foot, key, across);
            let steps = 64u32;
            let grid = (0..=steps).flat_map(|v| (0..=steps).map(move |u| [u, v].map(|a| f64::from(a) / f64::from(steps))));
            let sampled = grid.map(|[u, v]| foot.distance(point(u, v))).fold(f64::INFINITY, f64::min);
            prop_assert!(distance <= sampled + 1e-15, "{} {}", distance, sampled);
            prop_assert!(sampled - distance <= edge * SPHERE_DIAMETER_EDGES / f64::from(steps), "{} {} {}", distance, sampled, edge);
        }
    }
}
