//! In: the tiles around a place. Out: what the physics library asks: what is hit on a way, what overlaps.
//! Never knows: how tiles are made, or how a walker moves.
//!
//! A space is made anew whenever the walker's tile changes, from shapes that are there already. So what it holds, and in which order, follows
//! from the tile alone: not from the way there, nor from when tiles arrived.

use crate::tile::{Piece, TILE_M, Tile};
use glam::Vec3;
use rapier3d::{
    dynamics::RigidBodySet,
    geometry::{Bvh, BvhBuildStrategy, ColliderBuilder, ColliderSet},
    math::Pose,
    parry::query::DefaultQueryDispatcher,
    pipeline::{QueryFilter, QueryPipeline},
};
use terrane_base::Place;

/// Heights of origins, metres: a fall changes the origin this seldom.
const LAYER_M: i64 = 64;

/// Which space a place is in: the tile, and a layer of height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Center {
    /// Index of the tile along x and z.
    pub tile: [i64; 2],
    layer: i64,
}

impl Center {
    /// The space that serves a place.
    pub fn of(place: Place) -> Center {
        let [x, y, z] = place.cell_m;
        Center { tile: [x, z].map(|metres| metres.div_euclid(TILE_M as i64)), layer: y.div_euclid(LAYER_M) }
    }

    /// Its origin, whole metres.
    pub fn origin_m(self) -> [i64; 3] {
        [self.tile[0] * TILE_M as i64, self.layer * LAYER_M, self.tile[1] * TILE_M as i64]
    }

    /// The tiles within `reach` tiles, row by row: always in this order.
    pub fn tiles(self, reach: i64) -> impl Iterator<Item = [i64; 2]> {
        let [x, z] = self.tile;
        (z - reach..=z + reach).flat_map(move |z| (x - reach..=x + reach).map(move |x| [x, z]))
    }
}

/// The solids around a walker, relative to an origin of whole metres.
pub struct Space {
    center: Center,
    origin_m: [i64; 3],
    bodies: RigidBodySet,
    colliders: ColliderSet,
    bvh: Bvh,
    dispatcher: DefaultQueryDispatcher,
    /// The heights of the middle tile, and what they are relative to.
    ground: (f32, Vec<f32>),
}

impl Space {
    /// From tiles with their indices, in the order of [`Center::tiles`].
    pub fn new<'a>(center: Center, tiles: impl IntoIterator<Item = ([i64; 2], &'a Tile)>) -> Space {
        let origin_m = center.origin_m();
        let mut colliders = ColliderSet::new();
        let mut ground = (0.0, Vec::new());
        for (index, tile) in tiles {
            let corner = Vec3::new(
                (index[0] * TILE_M as i64 - origin_m[0]) as f32,
                (i64::from(tile.base_m) - origin_m[1]) as f32,
                (index[1] * TILE_M as i64 - origin_m[2]) as f32,
            );
            for Piece { at, turn, shape } in &tile.pieces {
                colliders.insert(ColliderBuilder::new(shape.clone()).position(Pose::from_parts(corner + *at, *turn)));
            }
            if index == center.tile {
                ground = (corner.y, tile.heights_m.clone());
            }
        }
        let boxes = colliders.iter().map(|(handle, collider)| (handle.into_raw_parts().0 as usize, collider.compute_aabb()));
        let bvh = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        Space { center, origin_m, bodies: RigidBodySet::new(), colliders, bvh, dispatcher: DefaultQueryDispatcher, ground }
    }

    /// What it was made for.
    pub fn center(&self) -> Center {
        self.center
    }

    /// How many shapes it holds.
    pub fn pieces(&self) -> usize {
        self.colliders.len()
    }

    pub(crate) fn origin_m(&self) -> [i64; 3] {
        self.origin_m
    }

    pub(crate) fn queries(&self) -> QueryPipeline<'_> {
        let Space { dispatcher, bvh, bodies, colliders, .. } = self;
        QueryPipeline { dispatcher, bvh, bodies, colliders, filter: QueryFilter::default() }
    }

    /// Height of the ground over the origin, on its triangles; within the middle tile, where there is ground.
    pub(crate) fn ground_m(&self, x_m: f32, z_m: f32) -> Option<f32> {
        let (base, heights) = &self.ground;
        let limit = (TILE_M - 1) as f32;
        if x_m.min(z_m) < 0.0 || x_m.max(z_m) > limit + 1.0 {
            return None;
        }
        let (x, z) = (x_m.floor().clamp(0.0, limit), z_m.floor().clamp(0.0, limit));
        let corner = |dx: usize, dz: usize| heights.get((z as usize + dz) * (TILE_M + 1) + x as usize + dx).copied().unwrap_or(f32::NAN);
        let (u, v) = (x_m - x, z_m - z);
        let height = if u + v <= 1.0 {
            corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u + (corner(0, 1) - corner(0, 0)) * v
        } else {
            corner(1, 1) + (corner(0, 1) - corner(1, 1)) * (1.0 - u) + (corner(1, 0) - corner(1, 1)) * (1.0 - v)
        };
        height.is_finite().then_some(base + height)
    }
}
