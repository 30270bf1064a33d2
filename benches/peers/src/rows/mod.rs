//! The rows of the table, a file for each kind of work.

mod chunks;
mod noise;
mod system;
mod voxels;

pub use chunks::chunks;
pub use noise::noise;
pub use system::system;
pub use voxels::voxels;
