//! In: a made world. Out: the graph of jobs that makes its chunks, and what they share.
//! Never knows: who wants a chunk, or the GPU.

use crate::{error::GameError, worlds::WorldInstance};
use std::sync::Arc;
use terrane_base::ChunkKey;
use terrane_jobs::{ChunkGraph, GraphBuilder, GraphError, JobError, Jobs, Pool};
use terrane_worldgen::{
    CHUNK_QUADS, GridMesh, Samples, Scratch,
    arrange::arrange,
    heightmap, mesh_grid,
    scatter::{Instance, UNITS_PER_M, scatter},
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
        for (group, kind) in (0u8..).zip(&world.scatter_kinds) {
            groups[usize::from(kind.props[0])..][..usize::from(kind.props[1].max(1))].fill(group);
        }
        Arc::new(ChunkContext { world, groups, scratch: Pool::new(SCRATCH_KEPT_MAX) })
    }
}

/// The jobs of a height-field chunk: heightmap, then meshing and scatter side by side; what scatter set is then arranged for the GPU. More can be added before it is built.
pub fn builder() -> GraphBuilder<ChunkContext, ChunkKey> {
    ChunkGraph::builder().job("heightmap", make_samples).job("meshing", make_mesh).job("scatter", set_instances).job("arrange", arrange_instances)
}

/// All that these jobs make of a chunk, one after the other on this thread: for what counts, such as allocations.
pub fn make_chunk(context: &ChunkContext, key: ChunkKey) -> (Samples, GridMesh, ArrangedInstances) {
    let samples = make_samples(context, &key);
    let mesh = make_mesh(context, &key, &samples);
    let arranged = arrange_instances(context, &key, &set_instances(context, &key, &samples));
    (samples, mesh, arranged)
}

fn make_samples(context: &ChunkContext, key: &ChunkKey) -> Samples {
    let mut scratch = context.scratch.take();
    let mut samples = Samples::default();
    heightmap(&*context.world.field, *key, &mut scratch, &mut samples);
    context.scratch.give(scratch);
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

fn arrange_instances(context: &ChunkContext, key: &ChunkKey, Instances(instances): &Instances) -> ArrangedInstances {
    let mut arranged = Vec::new();
    arrange(instances, &context.groups, (CHUNK_QUADS as u32 * UNITS_PER_M as u32) << key.lod, &mut arranged);
    ArrangedInstances(arranged)
}

/// Workers for the chunks of a world.
pub fn jobs(context: Arc<ChunkContext>, threads: usize) -> Result<Jobs<ChunkContext, ChunkKey>, GameError> {
    Ok(Jobs::new(builder().build()?, context, threads)?)
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
        let dot = builder().build().expect("a graph").dot();
        assert!(dot.contains("heightmap") && dot.contains("meshing") && dot.contains("scatter"));
        assert!(!dot.contains("\"meshing\" -> \"scatter\"") && !dot.contains("\"scatter\" -> \"meshing\""), "{dot}");
    }
}
