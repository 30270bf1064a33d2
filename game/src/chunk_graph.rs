//! In: a world as a value. Out: the graph of a chunk's life: heightmap, then meshing and scatter side by side.
//! Never knows: threads, the GPU, where the viewer is.

use crate::worlds::WorldInstance;
use std::{
    ops::Deref,
    sync::Arc,
};
use terrane_base::ChunkKey;
use terrane_jobs::{ChunkGraph, GraphError, Pool};
use terrane_worldgen::{
    GridMesh, Samples, Scratch, heightmap, mesh_grid,
    scatter::{Instance, scatter},
};

/// Buffers that wait for the next chunk: more than are ever under way (workers x 2 chunks), with room for what waits for the GPU.
const POOLED_MAX: usize = 64;

/// What the jobs of a world read beside their inputs.
pub struct ChunkContext {
    world: WorldInstance,
    scratch: Pool<Scratch>,
    samples: Arc<Pool<Samples>>,
    meshes: Arc<Pool<GridMesh>>,
    instances: Arc<Pool<Vec<Instance>>>,
}

/// A value that goes back to its pool when nobody needs it any more.
#[derive(Debug)]
pub struct Pooled<T: Default> {
    value: T,
    pool: Arc<Pool<T>>,
}

/// The samples of a chunk.
pub type ChunkSamples = Pooled<Samples>;
/// The mesh of a chunk.
pub type ChunkMesh = Pooled<GridMesh>;
/// The instances of a chunk.
pub type ChunkInstances = Pooled<Vec<Instance>>;

impl ChunkContext {
    /// The context of a world.
    pub fn new(world: WorldInstance) -> ChunkContext {
        ChunkContext {
            world,
            scratch: Pool::new(POOLED_MAX),
            samples: Arc::new(Pool::new(POOLED_MAX)),
            meshes: Arc::new(Pool::new(POOLED_MAX)),
            instances: Arc::new(Pool::new(POOLED_MAX)),
        }
    }

    /// The world.
    pub fn world(&self) -> &WorldInstance {
        &self.world
    }
}

/// The jobs that make a chunk.
pub fn graph() -> Result<ChunkGraph<ChunkContext, ChunkKey>, GraphError> {
    ChunkGraph::builder()
        .job("heightmap", |context: &ChunkContext, key: &ChunkKey| -> ChunkSamples {
            let mut samples = Pooled::take(&context.samples);
            let mut scratch = context.scratch.take();
            heightmap(context.world.field.as_ref(), *key, &mut scratch, &mut samples.value);
            context.scratch.give(scratch);
            samples
        })
        .job("meshing", |context: &ChunkContext, key: &ChunkKey, samples: &ChunkSamples| -> ChunkMesh {
            let mut mesh = Pooled::take(&context.meshes);
            mesh_grid(samples, key.lod, &mut mesh.value);
            mesh
        })
        .job("scatter", |context: &ChunkContext, key: &ChunkKey, samples: &ChunkSamples| -> ChunkInstances {
            let mut instances = Pooled::take(&context.instances);
            scatter(samples, *key, context.world.scatter_seed, &context.world.scatter_kinds, &mut instances.value);
            instances
        })
        .build()
}

impl<T: Default> Pooled<T> {
    fn take(pool: &Arc<Pool<T>>) -> Pooled<T> {
        Pooled { value: pool.take(), pool: Arc::clone(pool) }
    }
}

impl<T: Default> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Default> Drop for Pooled<T> {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.value));
    }
}
