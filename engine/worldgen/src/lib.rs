//! Noise, fields, meshes, scatter and LOD rings: pure functions of a seed.
//!
//! In: keys and seeds. Out: samples, meshes, instances, textures, the set of chunks that a viewer wants.
//! Never knows: Vulkan, hecs, files, clocks, threads. Equal inputs give equal bits, everywhere.
#![forbid(unsafe_code)]

pub mod arrange;
pub mod boxes;
pub mod curve;
pub mod digest;
pub mod field;
mod grid_mesh;
pub mod morph;
pub mod noise;
pub mod phase;
pub mod props;
pub mod rings;
mod samples;
pub mod scatter;
pub mod texture;
pub mod tiles;
pub mod voxel;

pub use grid_mesh::{GridMesh, GroundVertex, SKIRT_VERTICES, grid_indices, mesh_grid, mesh_grid_with, quad_indices, unpack_vertex};
pub use samples::{GridArea, GroundLayers, HEIGHT_LIMIT_M, HeightField, Samples, Scratch, heightmap};

/// Quads along the edge of a chunk, at every level.
pub const CHUNK_QUADS: usize = 128;
/// Vertices along that edge.
pub const CHUNK_VERTICES: usize = CHUNK_QUADS + 1;
/// Samples around a chunk that its own gradients and its parent's need: two.
pub const APRON: usize = 2;
/// Samples along the edge: -2 to 130.
pub const SAMPLES_EDGE: usize = CHUNK_VERTICES + 2 * APRON;
/// Units of a sampled height in a metre.
pub const HEIGHT_UNITS_PER_M: i32 = 1024;
/// Units of a packed vertex height in a metre.
pub const MESH_HEIGHT_UNITS_PER_M: i32 = 128;
/// Metres along the edge of a level 0 chunk; level L is 2^L times as wide.
pub const CHUNK_EDGE_M: i64 = CHUNK_QUADS as i64;
