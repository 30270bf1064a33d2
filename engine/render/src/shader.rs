//! In: the name of a shader. Out: its SPIR-V, built in or freshly compiled.
//! Never knows: what it does.

use terrane_gpu::GpuError;

/// Gives the SPIR-V of a shader by its name, `terrain.vert` for instance.
pub type ShaderSource<'a> = &'a dyn Fn(&'static str) -> Result<Vec<u32>, GpuError>;

/// The shaders that are built into the program; an error if one is damaged.
pub fn built_in_shaders(name: &'static str) -> Result<Vec<u32>, GpuError> {
    terrane_shaders::spirv(name).map_err(|error| GpuError::Shader { name: name.to_owned(), reason: error.to_string() })
}
