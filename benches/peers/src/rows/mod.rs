//! The rows of the table, a file for each kind of work.

mod chunks;
mod voxels;

pub use chunks::chunks;
pub use voxels::voxels;
