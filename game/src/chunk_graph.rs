//! In: a made world. Out: the graph of jobs that makes its chunks, and what they share.
//! Never knows: who wants a chunk, or the GPU.

use crate::{
    error::GameError,
    worlds::{Ground, TileGround, WorldInstance},
};
use std::sync::Arc;
use terrane_base::ChunkKey;
use terrane_jobs::{ChunkGraph, GraphBuilder, GraphError, JobError, Jobs, Pool};
use terrane_worldgen::{
    GridArea, GridMesh, Samples, Scratch,
    arrange::arrange,
    heightmap, mesh_grid,
    scatter::{Instance, UNITS_PER_M, scatter},
    tiles::{TileCorners, mesh_tiles, scatter_tiles},
};

/// Scratch buffers that are kept: one for each of the most workers that settings allow. Each grows to about
/// 10 layers x 133^2 samples x 4 bytes = 0.7 MiB, and only as many are made as run at a time.
const SCRATCH_KEPT_MAX: usize = 256;

/// What every job of a chunk may read.
#[derive(Debug)]
pub struct ChunkContext {
    /// The world.
    pub world: WorldInstance,
    /// For each prop, the kind that sets it.
    groups: [u8; 256],
    scratch: Pool<Scratch>,
}

/// Everything that stands on a chunk, in the order of its kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instances(pub Vec<Instance>);

/// The same in the order in which the GPU has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrangedInstances(pub Vec<Instance>);

impl ChunkContext {
    /// Ready to make chunks of a world.
    pub fn new(world: WorldInstance) -> Arc<ChunkContext> {
        let mut groups = [0; 256];
        let tiles = match &world.ground {
            Ground::Tiles(ground) => vec![ground.kinds.trees.props, ground.kinds.rocks.props, ground.kinds.grass.props],
            Ground::Layers(_) => Vec::new(),
        };
        let kinds = world.scatter_kinds.iter().map(|kind| kind.props).chain(tiles);
        for (group, props) in (0u8..).zip(kinds) {
            groups[usize::from(props[0])..][..usize::from(props[1].max(1))].fill(group);
        }
        Arc::new(ChunkContext { world, groups, scratch: Pool::new(SCRATCH_KEPT_MAX) })
    }

    fn with_scratch(&self, job: impl FnOnce(&mut Scratch)) {
        let mut scratch = self.scratch.take();
        job(&mut scratch);
        self.scratch.give(scratch);
    }

    /// The ground of tiles, which only graphs of such a ground ask for.
    fn tiles(&self) -> &TileGround {
        match &self.world.ground {
            Ground::Tiles(ground) => ground,
            Ground::Layers(_) => unreachable!("a graph of tiles for a world without"),
        }
    }
}

/// The jobs of a chunk: heightmap, then meshing and scatter side by side; what scatter set is then arranged for the GPU. More can be added
/// before it is built.
pub fn builder(ground: &Ground) -> GraphBuilder<ChunkContext, ChunkKey> {
    let builder = ChunkGraph::builder();
    let builder = match ground {
        Ground::Layers(_) => builder.job("heightmap", make_samples).job("meshing", make_mesh).job("scatter", set_instances),
        Ground::Tiles(_) => builder.job("heightmap", make_corners).job("meshing", mesh_corners).job("scatter", set_tile_instances),
    };
    builder.job("arrange", arrange_instances)
}

/// All that these jobs make of a chunk, one after the other on this thread: for what counts, such as allocations.
pub fn make_chunk(context: &ChunkContext, key: ChunkKey) -> (GridMesh, ArrangedInstances) {
    let (mesh, instances) = match context.world.ground {
        Ground::Layers(_) => {
            let samples = make_samples(context, &key);
            (make_mesh(context, &key, &samples), set_instances(context, &key, &samples))
        }
        Ground::Tiles(_) => (mesh_corners(context, &key, &make_corners(context, &key)), set_tile_instances(context, &key)),
    };
    (mesh, arrange_instances(context, &key, &instances))
}

fn make_samples(context: &ChunkContext, key: &ChunkKey) -> Samples {
    let mut samples = Samples::default();
    context.with_scratch(|scratch| heightmap(&*context.world.field, *key, scratch, &mut samples));
    samples
}

fn make_mesh(_: &ChunkContext, key: &ChunkKey, samples: &Samples) -> GridMesh {
    let mut mesh = GridMesh::default();
    mesh_grid(samples, key.lod, &mut mesh);
    mesh
}

fn set_instances(context: &ChunkContext, key: &ChunkKey, samples: &Samples) -> Instances {
    let mut instances = Vec::new();
    scatter(samples, *key, context.world.scatter_seed, &context.world.scatter_kinds, &mut instances);
    Instances(instances)
}

fn make_corners(context: &ChunkContext, key: &ChunkKey) -> TileCorners {
    let (mut corners, ground) = (TileCorners::default(), context.tiles());
    let edge_m = i64::from(ground.tiles) << key.lod;
    let area = GridArea { x_m: i64::from(key.x) * edge_m, z_m: i64::from(key.z) * edge_m, step_m: 1 << key.lod, edge: ground.tiles as usize + 1 };
    context.with_scratch(|scratch| ground.field.corners(&area, scratch, &mut corners));
    corners
}

fn mesh_corners(context: &ChunkContext, _: &ChunkKey, corners: &TileCorners) -> GridMesh {
    let mut mesh = GridMesh::default();
    mesh_tiles(corners, &context.tiles().field.desc().colors, &mut mesh);
    mesh
}

/// Needs nothing of the other jobs: a coarse chunk asks single tiles of the finest level.
fn set_tile_instances(context: &ChunkContext, key: &ChunkKey) -> Instances {
    let (mut instances, ground) = (Vec::new(), context.tiles());
    context.with_scratch(|scratch| scatter_tiles(&ground.field, &ground.kinds, *key, ground.tiles, scratch, &mut instances));
    Instances(instances)
}

fn arrange_instances(context: &ChunkContext, key: &ChunkKey, Instances(instances): &Instances) -> ArrangedInstances {
    let mut arranged = Vec::new();
    let edge_m = context.world.shape.edge_m(key.lod) as u32;
    arrange(instances, &context.groups, edge_m * UNITS_PER_M as u32, &mut arranged);
    ArrangedInstances(arranged)
}

/// Workers for the chunks of a world.
pub fn jobs(context: Arc<ChunkContext>, threads: usize) -> Result<Jobs<ChunkContext, ChunkKey>, GameError> {
    Ok(Jobs::new(builder(&context.world.ground).build()?, context, threads)?)
}

impl From<GraphError> for GameError {
    fn from(error: GraphError) -> GameError {
        GameError::Bug(error.to_string())
    }
}

impl From<JobError> for GameError {
    fn from(error: JobError) -> GameError {
        GameError::usage(error.to_string(), "Try a smaller --threads.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshing_and_scatter_need_only_the_heightmap() {
        let dot = builder(&Ground::Layers(|_| unreachable!("nothing is drawn"))).build().expect("a graph").dot();
        assert!(dot.contains("heightmap") && dot.contains("meshing") && dot.contains("scatter"));
        assert!(!dot.contains("\"meshing\" -> \"scatter\"") && !dot.contains("\"scatter\" -> \"meshing\""), "{dot}");
    }
}
