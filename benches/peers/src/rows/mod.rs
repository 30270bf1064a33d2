//! The rows of the table, a file for each kind of work.

mod voxels;

pub use voxels::voxels;
