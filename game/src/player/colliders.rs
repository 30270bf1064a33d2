//! In: a world's solids, where the player is. Out: the space around it, once all of it is there.
//! Never knows: how one moves, or who asks.
//!
//! Patches are made by a worker, ahead of the player and the nearest first, and dropped when they are far. A space is built from the tiles
//! within the radius when the player enters another tile; until every one of them is there, there is none, and the player waits.

use crate::{
    error::GameError,
    worlds::{Solids, WorldInstance},
};
use hecs::Entity;
use std::{collections::HashMap, sync::Arc};
use terrane_base::Place;
use terrane_jobs::{ChunkGraph, Jobs, Made, Pool};
use terrane_physics::{Center, Space, TILE_M, Tile};
use terrane_profiling::Stage;
use terrane_worldgen::Scratch;

/// Patches are asked for so far ahead, metres: 5 s at a run.
const AHEAD_M: i64 = 48;
/// And kept so far beyond that: who walks to and fro makes none twice.
const KEPT_M: i64 = 128;
/// One worker: a patch of 128 m takes milliseconds, and a run needs one each 14 s.
const THREADS: usize = 1;

/// Makes and keeps what is solid around a place.
pub struct Colliders {
    jobs: Jobs<Context, [i64; 2]>,
    entities: hecs::World,
    patches: HashMap<[i64; 2], Entity>,
    ready: HashMap<[i64; 2], Arc<Tiles>>,
    edge_m: i64,
    /// Tiles around the player's own.
    reach: i64,
    space: Option<Space>,
    build_stage: &'static Stage,
}

/// What the job reads.
struct Context {
    solids: Arc<dyn Solids>,
    scratch: Pool<Scratch>,
}

/// The tiles of a patch, row by row.
struct Tiles(Vec<Tile>);

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColliderCounts {
    /// Patches that are made or asked for.
    pub patches: usize,
    /// Shapes in the space around the player.
    pub pieces: usize,
}

impl Colliders {
    /// For a world; things are solid within `radius_m`.
    pub fn new(world: &WorldInstance, radius_m: f64) -> Result<Colliders, GameError> {
        let context = Arc::new(Context { solids: world.solids.clone(), scratch: Pool::new(THREADS) });
        let graph = ChunkGraph::builder().job("solids", |context: &Context, index: &[i64; 2]| {
            let mut scratch = context.scratch.take();
            let patch = context.solids.patch(*index, &mut scratch);
            context.scratch.give(scratch);
            Tiles(Tile::cut(&patch))
        });
        Ok(Colliders {
            edge_m: world.solids.edge_m(),
            jobs: Jobs::new(graph.build()?, context, THREADS)?,
            entities: hecs::World::new(),
            patches: HashMap::new(),
            ready: HashMap::new(),
            reach: (radius_m / TILE_M as f64).ceil() as i64,
            space: None,
            build_stage: terrane_profiling::stage("colliders"),
        })
    }

    /// Asks for what is near, drops what is far, takes in what is made. Once a frame; never waits.
    pub fn tick(&mut self, place: Place) {
        self.want(place);
        let report = self.jobs.tick(&mut self.entities);
        self.take_in(report);
    }

    /// The same, and waits until it is all there: for scripts and tests.
    pub fn wait(&mut self, place: Place) {
        self.want(place);
        if self.patches.len() > self.ready.len() {
            let report = self.jobs.drain_wave(&mut self.entities);
            self.take_in(report);
        }
    }

    /// The space of a place, if everything in it is there.
    pub fn space(&mut self, place: Place) -> Option<&Space> {
        let center = Center::of(place);
        if self.space.as_ref().is_none_or(|space| space.center() != center) {
            let _zone = self.build_stage.enter();
            let tiles: Option<Vec<_>> = center.tiles(self.reach).map(|index| self.tile(index).map(|tile| (index, tile))).collect();
            self.space = Some(Space::new(center, tiles?));
        }
        self.space.as_ref()
    }

    /// How much there is.
    pub fn counts(&self) -> ColliderCounts {
        ColliderCounts { patches: self.patches.len(), pieces: self.space.as_ref().map_or(0, Space::pieces) }
    }

    fn tile(&self, index: [i64; 2]) -> Option<&Tile> {
        let per_patch = self.edge_m / TILE_M as i64;
        let Tiles(tiles) = &**self.ready.get(&index.map(|index| index.div_euclid(per_patch)))?;
        let [x, z] = index.map(|index| index.rem_euclid(per_patch));
        tiles.get((z * per_patch + x) as usize)
    }

    fn want(&mut self, place: Place) {
        let middle = [place.cell_m[0], place.cell_m[2]];
        // The player's tile may begin up to a tile before its place.
        let near_m = (self.reach + 1) * TILE_M as i64 + AHEAD_M;
        let index = |metres: i64| metres.div_euclid(self.edge_m);
        let [x, z] = middle.map(|metres| index(metres - near_m)..=index(metres + near_m));
        for patch in z.flat_map(|z| x.clone().map(move |x| [x, z])) {
            if !self.patches.contains_key(&patch) {
                let entity = self.entities.spawn(());
                if self.jobs.request(entity, patch, self.distance_m(patch, middle) as u64).is_ok() {
                    self.patches.insert(patch, entity);
                }
            }
        }
        let far: Vec<_> = self.patches.iter().filter(|(patch, _)| self.distance_m(**patch, middle) > near_m + KEPT_M).map(|(patch, _)| *patch).collect();
        for patch in far {
            if let Some(entity) = self.patches.remove(&patch) {
                self.jobs.cancel(entity);
                // It was spawned for the patch and is in no other place.
                let _ = self.entities.despawn(entity);
            }
            self.ready.remove(&patch);
        }
    }

    /// Metres from a place to the nearest edge of a patch, along the farther axis.
    fn distance_m(&self, patch: [i64; 2], middle: [i64; 2]) -> i64 {
        let axis = |axis: usize| {
            let first = patch[axis] * self.edge_m;
            (first - middle[axis]).max(middle[axis] - (first + self.edge_m)).max(0)
        };
        axis(0).max(axis(1))
    }

    fn take_in(&mut self, report: terrane_jobs::TickReport) {
        for failure in report.failed {
            tracing::error!("the job '{}' of the solids of patch {} panicked: {}; the player waits before it", failure.job, failure.key, failure.message);
        }
        if report.finished.is_empty() {
            return;
        }
        for (patch, entity) in &self.patches {
            if let Ok(made) = self.entities.remove_one::<Made<Tiles>>(*entity) {
                self.ready.insert(*patch, made.0);
            }
        }
    }
}
