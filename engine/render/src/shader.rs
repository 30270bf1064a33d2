//! In: the name of a shader. Out: its SPIR-V.
//! Never knows: what it does.

use terrane_gpu::GpuError;

/// The compiled shader of that name; an error if what is built in is damaged.
pub(crate) fn spirv(name: &'static str) -> Result<Vec<u32>, GpuError> {
    terrane_shaders::spirv(name).map_err(|error| GpuError::Shader { name: name.to_owned(), reason: error.to_string() })
}
