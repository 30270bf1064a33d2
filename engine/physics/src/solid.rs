//! In: what a world says is solid. Out: the same as plain data.
//! Never knows: the physics library, or who walks there.

use crate::hull::Hull;
use glam::Vec3;

/// What is solid over a square of ground. Positions are metres from its corner in x and z; heights are those of the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Metres along its edge, a multiple of [`crate::TILE_M`].
    pub edge_m: usize,
    /// Heights of the ground at whole metres, row by row: `z * (edge_m + 1) + x`. A quad is cut from (x + 1, z) to (x, z + 1). A quad with a corner
    /// that is no number is open. Empty: there is no such ground.
    pub heights_m: Vec<f32>,
    /// Faces of the ground that no height describes: walls, for instance.
    pub triangles: Vec<[Vec3; 3]>,
    /// What stands on it.
    pub solids: Vec<Solid>,
}

/// A thing that one walks against.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its own origin.
    pub at: Vec3,
    /// Turn about the vertical axis: (x, z) becomes (x cos + z sin, z cos - x sin).
    pub turn_rad: f32,
    /// What it is.
    pub shape: SolidShape,
}

/// Shapes, around the origin of their solid.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidShape {
    /// A box.
    Box {
        /// Its middle.
        center: Vec3,
        /// Half its edges.
        half: Vec3,
    },
    /// An upright column that stands on the origin.
    Column {
        /// Its radius.
        radius_m: f32,
        /// Its height.
        height_m: f32,
    },
    /// A bar with round ends.
    Bar {
        /// Its ends, middles of the rounding.
        ends: [Vec3; 2],
        /// Its radius.
        radius_m: f32,
    },
    /// A convex body at a scale.
    Hull {
        /// The body; shared by all that look alike.
        hull: Hull,
        /// The scale.
        scale: f32,
    },
}
