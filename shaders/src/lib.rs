//! GLSL, the structs both sides share, and the compiled SPIR-V.
//!
//! In: `glsl/*` and `shared*.rs`, edited by hand. Out: SPIR-V by name, structs as bytes. Never knows: Vulkan, the frame.
//!
//! - Add a shader: write `glsl/name.vert` (`.frag`, `.comp`; what is only included ends in `.glsl`; the folder is flat).
//! - Add a struct or a limit: edit `shared.rs`, `shared_field.rs` for what evaluates fields, `shared_overlay.rs` for the overlay.
//! - Then: `cargo run -p terrane-shaders --features shaderc --bin shaders-compile`. It writes `glsl/shared.gen.glsl`,
//!   `spirv/*.spv` and `src/table.rs`; commit them. A compiled file names the hash of its sources, and a test compares,
//!   so a first build needs no C++ toolchain and still cannot run stale shaders.
//! - A compiled file that the table names is missing, so nothing builds: the same command with `--features shaderc,bootstrap`.
#![deny(unsafe_code)] // but for the bytes of shared structs, in `macros`

#[cfg(feature = "shaderc")]
pub mod compile;
pub mod compiled;
pub mod declare;
pub mod error;
#[cfg(feature = "shaderc")]
pub mod live;
pub mod macros;
pub mod shared;
pub mod shared_field;
pub mod shared_overlay;
pub mod source;
#[cfg(not(feature = "bootstrap"))]
pub mod table;
#[cfg(feature = "shaderc")]
pub mod update;

/// Nothing: the feature `bootstrap` builds the compiler while compiled files are missing.
#[cfg(feature = "bootstrap")]
pub mod table {
    /// Empty.
    pub const SHADERS: &[(&str, &[u8])] = &[];
}

pub use error::ShaderError;
#[cfg(feature = "shaderc")]
pub use live::{LiveShaders, Reloaded};
pub use table::SHADERS;

/// The SPIR-V of a shader by the name of its source file, such as `"terrain.vert"`.
///
/// The header is checked: made by the pinned compiler with our options, and whole.
pub fn spirv(name: &str) -> Result<Vec<u32>, ShaderError> {
    let Some((_, bytes)) = SHADERS.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = SHADERS.iter().map(|(known, _)| *known).collect();
        return Err(ShaderError::Unknown { name: name.into(), known: known.join(", ") });
    };
    Ok(compiled::Compiled::from_bytes(name, bytes)?.words)
}
