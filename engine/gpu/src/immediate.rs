//! In: bytes, or commands, before the first frame or for a picture. Out: their result, after a wait.
//! Never knows: frames. What happens in a frame goes through the staging ring and readbacks, which never wait.

use crate::{Access, Buffer, BufferDesc, Cmd, CmdCalls, Device, GpuError, Image, ImageBarrier, ImageDesc, MemoryKind, image::color_layers, timers::FrameZones};
use ash::vk;
use std::sync::Arc;

/// Texels start at multiples of this: the widest one has 16 bytes.
const ALIGN: usize = 16;

pub(crate) const COPY_READ: Access = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_READ);
pub(crate) const COPY_WRITE: Access = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE);
pub(crate) const HOST_READ: Access = (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ);
const ALL_WRITES: Access = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE);
const ALL_USES: Access =
    (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::from_raw(vk::AccessFlags2::MEMORY_READ.as_raw() | vk::AccessFlags2::MEMORY_WRITE.as_raw()));
const NOTHING: Access = (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);

impl Device {
    /// Makes a buffer that holds these bytes, and can be copied to; waits for the copy. For start-up.
    pub fn create_buffer_with(&mut self, desc: &BufferDesc, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let target = self.create_buffer(&BufferDesc { usage: desc.usage | vk::BufferUsageFlags::TRANSFER_DST, ..*desc })?;
        let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size: bytes.len() as u64 };
        match self.with_source(bytes, |cmd, source| cmd.copy_buffer(source, &target, &[region])) {
            Ok(()) => Ok(target),
            Err(error) => {
                self.destroy_buffer(target);
                Err(error)
            }
        }
    }

    /// Makes a texture array whose texels are `data[layer][mip]`, row after row, ready to be sampled by every stage; waits for the copy.
    /// For start-up.
    pub fn create_texture_array(&mut self, desc: &ImageDesc, data: &[Vec<Vec<u8>>]) -> Result<Image, GpuError> {
        let image = self.create_image(&ImageDesc { usage: desc.usage | vk::ImageUsageFlags::TRANSFER_DST, ..*desc })?;
        let (bytes, regions) = packed(&image, data);
        let barrier =
            |old_layout, new_layout, src, dst| ImageBarrier { image: image.handle, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst };
        let (undefined, transfer, read) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        let copied = self.with_source(&bytes, |cmd, source| {
            cmd.image_barriers(&[barrier(undefined, transfer, NOTHING, COPY_WRITE)]);
            cmd.copy_buffer_to_image(source, image.handle, &regions);
            cmd.image_barriers(&[barrier(transfer, read, COPY_WRITE, (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::SHADER_SAMPLED_READ))]);
        });
        match copied {
            Ok(()) => Ok(image),
            Err(error) => {
                self.destroy_image(image);
                Err(error)
            }
        }
    }

    /// Reads a range of a buffer; waits for the GPU. For tests and pictures.
    pub fn read_buffer(&mut self, source: &Buffer, offset: u64, bytes: u64) -> Result<Vec<u8>, GpuError> {
        let region = vk::BufferCopy { src_offset: offset, dst_offset: 0, size: bytes };
        self.with_target(bytes, |cmd, target| cmd.copy_buffer(source, target, &[region]))
    }

    /// Reads the first mip of an image of 4-byte texels in TRANSFER_SRC_OPTIMAL; waits for the GPU. For tests and pictures.
    pub fn read_image(&mut self, source: &Image) -> Result<Vec<u8>, GpuError> {
        let bytes = u64::from(source.extent.width) * u64::from(source.extent.height) * 4;
        self.with_target(bytes, |cmd, target| cmd.copy_image_to_buffer(source.handle, source.extent, target))
    }

    /// Records, submits and waits. What it writes, all later commands see.
    pub fn immediate(&mut self, record: impl FnOnce(&mut Cmd)) -> Result<(), GpuError> {
        let functions = Arc::clone(&self.functions);
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.queue_family).flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive; the info lives across the call.
        let pool = functions.call("vkCreateCommandPool", |device| unsafe { device.create_command_pool(&info, None) })?;
        let done = self.immediate_from(pool, record);
        if done.is_err() {
            // It may have been submitted and its wait have failed. If this one fails too, the device is lost, and nothing is in use.
            let _ = self.wait_idle();
        }
        // SAFETY: what was submitted from it is done, or the device is lost.
        unsafe { functions.device.destroy_command_pool(pool, None) };
        done
    }

    fn immediate_from(&mut self, pool: vk::CommandPool, record: impl FnOnce(&mut Cmd)) -> Result<(), GpuError> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: here and below, the device is alive; infos live across their calls; the buffer is used once.
        let handle = self.call("vkAllocateCommandBuffers", |device| unsafe { device.allocate_command_buffers(&info) })?[0];
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: as above.
        self.call("vkBeginCommandBuffer", |device| unsafe { device.begin_command_buffer(handle, &info) })?;
        let (layout, set, zones) = (self.bindless.pipeline_layout, self.bindless.set, FrameZones::default());
        let mut cmd = Cmd { functions: Arc::clone(&self.functions), handle, layout, set, zones, bound: [false; 2], calls: CmdCalls::default() };
        record(&mut cmd);
        cmd.memory_barrier(ALL_WRITES, ALL_USES);
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(handle)];
        let submit = [vk::SubmitInfo2::default().command_buffer_infos(&buffers)];
        // SAFETY: as above.
        self.call("vkEndCommandBuffer", |device| unsafe { device.end_command_buffer(handle) })?;
        // SAFETY: as above.
        self.call("vkQueueSubmit2", |device| unsafe { device.queue_submit2(self.queue, &submit, vk::Fence::null()) })?;
        // SAFETY: as above.
        self.call("vkQueueWaitIdle", |device| unsafe { device.queue_wait_idle(self.queue) })
    }

    fn with_source(&mut self, bytes: &[u8], record: impl FnOnce(&mut Cmd, &Buffer)) -> Result<(), GpuError> {
        let desc = BufferDesc { name: "staging", bytes: bytes.len() as u64, usage: vk::BufferUsageFlags::TRANSFER_SRC, memory: MemoryKind::Upload };
        let mut source = self.create_buffer(&desc)?;
        source.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        let done = self.immediate(|cmd| record(cmd, &source));
        self.destroy_buffer(source);
        done
    }

    fn with_target(&mut self, bytes: u64, record: impl FnOnce(&mut Cmd, &Buffer)) -> Result<Vec<u8>, GpuError> {
        let desc = BufferDesc { name: "picture", bytes, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Readback };
        let target = self.create_buffer(&desc)?;
        let done = self.immediate(|cmd| {
            cmd.memory_barrier(ALL_WRITES, COPY_READ);
            record(cmd, &target);
            cmd.memory_barrier(COPY_WRITE, HOST_READ);
        });
        let copy = done.map(|()| target.slice()[..bytes as usize].to_vec());
        self.destroy_buffer(target);
        copy
    }
}

/// All texels in one piece, and where in it each mip of each layer is.
fn packed(image: &Image, data: &[Vec<Vec<u8>>]) -> (Vec<u8>, Vec<vk::BufferImageCopy>) {
    assert!(data.len() <= image.layers as usize, "'{}' has fewer layers than there are texels for", image.name);
    let mut bytes = Vec::new();
    let mut regions = Vec::new();
    for (layer, mips) in (0..).zip(data) {
        assert!(mips.len() <= image.mips as usize, "'{}' has fewer mips than there are texels for", image.name);
        for (mip, texels) in (0..).zip(mips) {
            bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
            let region = vk::BufferImageCopy::default().buffer_offset(bytes.len() as u64).image_subresource(color_layers(mip, layer));
            regions.push(region.image_extent(image.mip_extent(mip).into()));
            bytes.extend_from_slice(texels);
        }
    }
    (bytes, regions)
}
