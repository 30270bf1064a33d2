//! In: a seed. Out: seamless material layers drawn in code, with their mip chains.
//! Never knows: files, Vulkan, where on the ground a layer lies.

mod canvas;
mod grass;
mod mip;
mod rock;
mod snow;
#[cfg(test)]
mod tests;
mod tile;

pub use grass::grass;
pub use mip::mips;
pub use rock::rock;
pub use snow::snow;

/// Texels along an edge of a layer. 512 x 512 x (4 + 2 + 1) bytes = 1.75 MiB a layer, 2.3 MiB with mips.
pub const TEXTURE_EDGE: usize = 512;

/// One material of the ground: three seamless square images over the same structure, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialLayer {
    /// sRGB albedo; alpha is 255.
    pub color: Vec<[u8; 4]>,
    /// x and y of the tangent-space normal: 128 is 0, 255 is 1. x grows with the column, y with the row.
    pub normal: Vec<[u8; 2]>,
    /// 0 scatters light to all sides, 255 mirrors it.
    pub smoothness: Vec<u8>,
}
