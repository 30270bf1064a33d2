//! The frame: where the data of worldgen meets the GPU.
//!
//! In: meshes, instances, textures and, each frame, a camera with the drawn cut. Out: a picture.
//! Never knows: hecs, jobs, files, windows, or how a chunk was made.
//!
//! Start reading at [`Renderer::frame`]: a call a phase, a file a phase.
#![forbid(unsafe_code)]

mod bound;
mod camera;
mod constants;
mod cull;
mod field_program;
mod field_runner;
mod ground;
mod instances;
mod look;
mod material;
mod noise_check;
mod opaque;
mod props;
mod pyramid;
mod renderer;
mod scene;
mod shader;
mod shadow;
mod sky;
mod targets;
mod tonemap;
mod twin;
mod water;

pub use camera::{Camera, View};
pub use cull::CullLimits;
pub use field_program::{FieldOutput, FieldProgram, FieldProgramError};
pub use field_runner::{FieldRunner, field_place};
pub use look::Look;
pub use noise_check::NoiseCheck;
pub use pyramid::pyramid_of;
pub use renderer::{GroundDesc, Renderer, RendererDesc, UPLOAD_BYTES_MAX};
pub use scene::{CutChunk, DebugView, FrameStats, Reasons, Scene, Slot, Switches};
pub use shader::{ShaderSource, built_in_shaders};
pub use shadow::CASCADE_HALF_M;
pub use twin::{Twin, TwinReport};
