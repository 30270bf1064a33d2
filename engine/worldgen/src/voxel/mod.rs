//! In: blocks of voxels or of signed distances, with a border that their neighbours share. Out: quads and triangles.
//! Never knows: what a material looks like, where the block lies, or who asks.
//!
//! A block is 64 x 64 x 64: 62 of its own and an apron of one, so no mesher reads a neighbour. Index `(y * 64 + z) * 64 + x`: a row along x
//! is 64 lanes, and what is yes or no about a row is one u64. The meshers work on those words, a row at a time.

mod cube_table;
mod cubes;
mod greedy;
mod grown;
mod mask;
mod nets;
mod quad;
mod surface;
#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod tests;

pub use cubes::MarchingCubes;
pub use greedy::{GreedyMesher, Quads};
pub use mask::{Mask, Voxel};
pub use nets::SurfaceNets;
pub use quad::{Face, Quad};
pub use surface::{Distance, Surface, SurfaceVertex, VALUE_MAX};

/// Voxels along the edge of a block, apron included: the bits of a word.
pub const BLOCK_EDGE: usize = 64;
/// Voxels along the edge that are the block's own: 1 to 62.
pub const BLOCK_INNER: usize = BLOCK_EDGE - 2;
/// Rows of a block.
pub const BLOCK_ROWS: usize = BLOCK_EDGE * BLOCK_EDGE;

/// Bits of a row that are the block's own.
const INNER_BITS: u64 = !(1 << 63 | 1);

/// A block of anything: row `y * 64 + z`, lane x.
pub type Block<T> = [[T; BLOCK_EDGE]; BLOCK_ROWS];

/// A block on the heap, all of one value.
pub fn new_block<T: Copy>(value: T) -> Box<Block<T>> {
    match vec![[value; BLOCK_EDGE]; BLOCK_ROWS].into_boxed_slice().try_into() {
        Ok(block) => block,
        Err(_) => unreachable!("as many rows as a block has"),
    }
}
