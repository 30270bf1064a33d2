//! Vulkan: device, memory, synchronisation, swapchain, transfer, pipelines, timers.
//!
//! In: plain descriptions. Out: GPU objects that are moved, never shared, and ended by name.
//! Never knows: worlds, meshes, cameras. `ash` is called here alone; `vk`'s plain types are re-exported for render to name.
//!
//! All `unsafe` of the engine but for SIMD kernels is here; each block says why it holds.

mod bindless;
mod choose;
mod cmd;
mod device;
mod error;
mod features;
mod frames;
mod memory;
mod pipeline;
mod readback;
mod staging;
mod swapchain;
mod timers;
mod validation;

pub use ash::vk;
pub use bindless::SamplerDesc;
pub(crate) use bindless::Bindless;
pub use choose::{DeviceInfo, DeviceKind};
pub use cmd::{Access, Cmd, ColorAttachment, DepthAttachment, ImageBarrier, LoadOp, RenderingDesc};
pub use device::{Device, DeviceRequest, Validation, list_devices};
pub use error::{GpuError, Refused};
pub use features::Optional;
pub use memory::{Buffer, BufferDesc, Image, ImageDesc, MemoryKind, MemoryReport};
pub use pipeline::{Blend, CullMode, Depth, GraphicsDesc, Pipeline, PipelineDesc};
pub use readback::ReadbackTicket;
pub use staging::STAGING_BYTES;
pub use swapchain::{Acquire, Acquired, Presented, Swapchain};
pub use timers::GpuTiming;
