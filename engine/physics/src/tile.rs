//! In: a patch of solids. Out: its tiles: shapes as the physics library wants them, ready to be put into a space again and again.
//! Never knows: where the walker is.

use crate::solid::{Patch, Solid, SolidShape};
use glam::{Quat, Vec3};
use rapier3d::{
    geometry::{Array2, SharedShape},
    na::ComplexField,
};

/// Edge of a tile, metres: a walker sees its own and those around it, so this is also the least distance at which things are solid.
pub const TILE_M: usize = 16;
/// Things reach no farther than this from their own origin; what is larger belongs into several solids.
pub const REACH_MAX_M: f32 = TILE_M as f32 / 2.0;

/// The solids of a square of ground of [`TILE_M`].
#[derive(Clone)]
pub struct Tile {
    /// Whole metres that all heights here are relative to: numbers stay small, and so precise, on any mountain.
    pub(crate) base_m: i32,
    pub(crate) pieces: Vec<Piece>,
    /// Heights over the base, `TILE_M + 1` in a row, or none.
    pub(crate) heights_m: Vec<f32>,
}

/// A shape with its place from the tile's corner, at the base.
#[derive(Clone)]
pub(crate) struct Piece {
    pub at: Vec3,
    pub turn: Quat,
    pub shape: SharedShape,
}

impl Tile {
    /// The tiles of a patch, row by row.
    pub fn cut(patch: &Patch) -> Vec<Tile> {
        let tiles = patch.edge_m / TILE_M;
        let mut parts: Vec<Part> = (0..tiles * tiles).map(|index| Part::of(patch, [index % tiles, index / tiles])).collect();
        let tile_at = |at: Vec3| {
            let [x, z] = [at.x, at.z].map(|metres| ((metres / TILE_M as f32) as usize).min(tiles - 1));
            z * tiles + x
        };
        patch.triangles.iter().for_each(|triangle| parts[tile_at((triangle[0] + triangle[1] + triangle[2]) / 3.0)].triangles.push(*triangle));
        patch.solids.iter().for_each(|solid| parts[tile_at(solid.at)].solids.push(solid));
        parts.into_iter().map(Part::finish).collect()
    }

    /// How many shapes it has.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }
}

/// A tile before its shapes are made.
struct Part<'a> {
    corner: Vec3,
    heights_m: Vec<f32>,
    triangles: Vec<[Vec3; 3]>,
    solids: Vec<&'a Solid>,
}

impl<'a> Part<'a> {
    fn of(patch: &Patch, [x, z]: [usize; 2]) -> Part<'a> {
        let row = patch.edge_m + 1;
        let line = |line: usize| &patch.heights_m[(z * TILE_M + line) * row + x * TILE_M..][..=TILE_M];
        let heights_m = if patch.heights_m.is_empty() { Vec::new() } else { (0..=TILE_M).flat_map(line).copied().collect() };
        Part { corner: Vec3::new((x * TILE_M) as f32, 0.0, (z * TILE_M) as f32), heights_m, triangles: Vec::new(), solids: Vec::new() }
    }

    fn finish(mut self) -> Tile {
        let lows = self.heights_m.iter().chain(self.triangles.iter().flatten().map(|corner| &corner.y)).chain(self.solids.iter().map(|solid| &solid.at.y));
        let low = lows.copied().filter(|height| height.is_finite()).fold(f32::MAX, f32::min);
        let base = if low == f32::MAX { 0.0 } else { low.floor() };
        self.heights_m.iter_mut().for_each(|height| *height -= base);
        let corner = self.corner + Vec3::Y * base;
        let pieces = height_field(&self.heights_m).into_iter();
        let pieces = pieces.chain(mesh(&self.triangles, corner)).chain(self.solids.iter().filter_map(|solid| piece(solid, corner))).collect();
        Tile { base_m: base as i32, pieces, heights_m: self.heights_m }
    }
}

/// The ground; a quad with a corner that is no number is left out.
fn height_field(heights_m: &[f32]) -> Option<Piece> {
    const ROW: usize = TILE_M + 1;
    if heights_m.is_empty() || heights_m.iter().all(|height| !height.is_finite()) {
        return None;
    }
    // The library's grid is stored column by column: its row is our z.
    let finite = |height: f32| if height.is_finite() { height } else { 0.0 };
    let columns = (0..ROW * ROW).map(|index| finite(heights_m[index % ROW * ROW + index / ROW])).collect();
    let edge = TILE_M as f32;
    let mut field = rapier3d::geometry::HeightField::new(Array2::new(ROW, ROW, columns), Vec3::new(edge, 1.0, edge));
    for (z, x) in (0..TILE_M).flat_map(|z| (0..TILE_M).map(move |x| (z, x))) {
        let first = z * ROW + x;
        if [first, first + 1, first + ROW, first + ROW + 1].iter().any(|corner| !heights_m[*corner].is_finite()) {
            field.set_cell_status(z, x, rapier3d::parry::shape::HeightFieldCellStatus::CELL_REMOVED);
        }
    }
    // Its origin is its middle.
    Some(Piece { at: Vec3::new(edge / 2.0, 0.0, edge / 2.0), turn: Quat::IDENTITY, shape: SharedShape::new(field) })
}

fn mesh(triangles: &[[Vec3; 3]], corner: Vec3) -> Option<Piece> {
    let vertices = triangles.iter().flatten().map(|at| *at - corner).collect();
    let indices = (0..triangles.len() as u32).map(|index| [index * 3, index * 3 + 1, index * 3 + 2]).collect();
    let shape = (!triangles.is_empty()).then(|| SharedShape::trimesh(vertices, indices))?.ok()?;
    Some(Piece { at: Vec3::ZERO, turn: Quat::IDENTITY, shape })
}

/// `None` for what has no body: a scale of 0, for instance.
fn piece(solid: &Solid, corner: Vec3) -> Option<Piece> {
    let turn = turn(solid.turn_rad);
    let (middle, shape) = match &solid.shape {
        SolidShape::Box { center, half } => (*center, SharedShape::cuboid(half.x, half.y, half.z)),
        SolidShape::Column { radius_m, height_m } => (Vec3::Y * (height_m / 2.0), SharedShape::cylinder(height_m / 2.0, *radius_m)),
        SolidShape::Bar { ends: [a, b], radius_m } => (Vec3::ZERO, SharedShape::capsule(*a, *b, *radius_m)),
        SolidShape::Hull { hull, scale } => (Vec3::ZERO, hull.scaled(*scale)?),
    };
    Some(Piece { at: solid.at - corner + turn * middle, turn, shape })
}

/// About the vertical axis, by the library's portable sine.
fn turn(angle_rad: f32) -> Quat {
    let (sin, cos) = ComplexField::sin_cos(angle_rad * 0.5);
    Quat::from_xyzw(0.0, sin, 0.0, cos)
}
