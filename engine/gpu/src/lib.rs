//! Vulkan: device, memory, synchronisation, swapchain, transfer, pipelines, timers.
//!
//! In: plain descriptions. Out: GPU objects that are moved, never shared, and ended by name.
//! Never knows: worlds, meshes, cameras. `ash` is called here alone; `vk`'s plain types are re-exported for render to name.
//!
//! All `unsafe` of the engine but for SIMD kernels is here; each block says why it holds. Ranges are checked; what no type can say - that a
//! handle given to a recorded command is alive, that barriers stand where they must - the validation layer does, in every test.
//!
//! ```no_run
//! # fn main() -> Result<(), terrane_gpu::GpuError> {
//! use terrane_gpu::{BufferDesc, Device, DeviceRequest, MemoryKind, vk};
//! let mut device = Device::new(&DeviceRequest::default())?;
//! let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
//! let buffer = device.create_buffer(&BufferDesc { name: "sevens", bytes: 16, usage, memory: MemoryKind::Device })?;
//! let mut cmd = device.begin_frame()?;
//! cmd.fill_buffer(&buffer, 0, 16, 7);
//! device.submit_frame(cmd)?;
//! assert_eq!(device.read_buffer(&buffer, 0, 4)?, 7u32.to_le_bytes());
//! device.destroy_buffer(buffer);
//! device.destroy()?;
//! # Ok(())
//! # }
//! ```

mod bindless;
mod buffer;
mod cache;
mod checkpoint;
mod choose;
mod cmd;
mod device;
mod error;
mod features;
mod frames;
mod image;
mod immediate;
mod info;
mod instance;
mod memory;
mod pass;
mod pipeline;
mod readback;
mod seam;
mod staging;
mod surface;
mod surface_format;
mod swapchain;
mod timers;
mod validation;

pub use ash::vk;
pub(crate) use bindless::Bindless;
pub use bindless::SamplerDesc;
pub use buffer::{Buffer, BufferDesc};
pub use cmd::{Access, BufferBarrier, Cmd, CmdCalls, ImageBarrier};
pub use device::{Device, DeviceRequest, VALIDATION_VARIABLE, Validation, list_devices};
pub use error::{GpuError, Refused};
pub use features::Optional;
pub use image::{Image, ImageDesc};
pub use info::{CLAMPS, Clamp, DeviceInfo, DeviceKind};
pub use memory::{MemoryBudget, MemoryKind, MemoryReport};
pub use pass::{ColorAttachment, DepthAttachment, LoadOp, RenderingDesc};
pub use pipeline::{Blend, CullMode, Depth, GraphicsDesc, Pipeline, PipelineDesc};
pub use readback::ReadbackTicket;
pub use seam::{FAULT_VARIABLE, Fault};
pub use staging::STAGING_BYTES;
pub use surface::{ShowIn, SurfaceScript};
pub use swapchain::{Acquire, Acquired, Presented, Swapchain};
pub use timers::GpuTiming;
