//! In: bytes of the CPU. Out: the same in buffers and images of the device, through a ring that frames take turns in.
//! Never knows: what the bytes are.

use crate::{Buffer, BufferDesc, Cmd, Device, GpuError, Image, ImageBarrier, ImageDesc, MemoryKind, cmd::color_layers, error::Check, timers::FrameZones};
use ash::vk;
use std::{collections::VecDeque, sync::Arc};

/// The ring: four frames of 8 MiB, more than are ever in flight.
pub const STAGING_BYTES: u64 = 32 << 20;
/// Copies start at multiples of this: the widest texel is 16 bytes.
const ALIGN: u64 = 16;

/// A ring buffer of upload memory. Positions count bytes since the start and never wrap; the place is the position modulo the size.
#[derive(Default)]
pub(crate) struct Staging {
    ring: Option<Buffer>,
    head: u64,
    tail: u64,
    submitted: VecDeque<(u64, u64)>,
}

impl Staging {
    pub(crate) fn frame_submitted(&mut self, value: u64) {
        self.submitted.push_back((value, self.head));
    }

    pub(crate) fn reclaim(&mut self, finished: u64) {
        while let Some((value, head)) = self.submitted.front().copied()
            && value <= finished
        {
            self.tail = head;
            self.submitted.pop_front();
        }
    }

    /// Room for so many bytes in one piece: its place in the ring. `None` while the ring is full.
    fn take(&mut self, bytes: u64) -> Option<u64> {
        let (head, place) = ring_place(self.head, bytes, STAGING_BYTES);
        if head + bytes - self.tail > STAGING_BYTES {
            return None;
        }
        self.head = head + bytes;
        Some(place)
    }
}

/// Where a piece starts: aligned, and not across the end of the ring. (Position, place.)
fn ring_place(head: u64, bytes: u64, size: u64) -> (u64, u64) {
    let start = head.next_multiple_of(ALIGN);
    let place = start % size;
    if place + bytes <= size { (start, place) } else { (start.next_multiple_of(size), 0) }
}

impl Device {
    /// Copies bytes into a buffer as part of this frame. False: the ring is full, try again in the next frame.
    /// The caller's barriers order the copy against its readers.
    pub fn upload(&mut self, cmd: &mut Cmd, target: &Buffer, offset: u64, bytes: &[u8]) -> Result<bool, GpuError> {
        assert!(offset + bytes.len() as u64 <= target.bytes, "an upload stays within '{}'", target.name);
        if self.staging.ring.is_none() {
            self.staging.ring = Some(self.create_buffer(&BufferDesc {
                name: "staging ring",
                bytes: STAGING_BYTES,
                usage: vk::BufferUsageFlags::TRANSFER_SRC,
                memory: MemoryKind::Upload,
            })?);
        }
        let Some(place) = self.staging.take(bytes.len() as u64) else { return Ok(false) };
        let Some(ring) = &mut self.staging.ring else { return Ok(false) };
        ring.slice_mut()[place as usize..][..bytes.len()].copy_from_slice(bytes);
        let region = vk::BufferCopy { src_offset: place, dst_offset: offset, size: bytes.len() as u64 };
        cmd.copy_buffer_handles(ring.handle, target.handle, &[region]);
        Ok(true)
    }

    /// Makes a buffer that holds these bytes; waits for the copy. For start-up.
    pub fn create_buffer_with(&mut self, desc: &BufferDesc, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let target = self.create_buffer(desc)?;
        let source = self.staged(bytes)?;
        self.immediate(|cmd| {
            let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size: bytes.len() as u64 };
            cmd.copy_buffer(&source, &target, &[region]);
        })?;
        self.destroy_buffer(source);
        Ok(target)
    }

    /// Makes a texture array whose texels are `data[layer][mip]`, ready to be sampled; waits for the copy. For start-up.
    pub fn create_texture_array(&mut self, desc: &ImageDesc, data: &[Vec<Vec<u8>>]) -> Result<Image, GpuError> {
        let image = self.create_image(desc)?;
        let mut bytes = Vec::new();
        let mut regions = Vec::new();
        for (layer, mips) in (0..).zip(data) {
            for (mip, texels) in (0..).zip(mips) {
                bytes.resize(bytes.len().next_multiple_of(ALIGN as usize), 0);
                let extent = vk::Extent3D { width: (desc.width >> mip).max(1), height: (desc.height >> mip).max(1), depth: 1 };
                regions.push(
                    vk::BufferImageCopy::default().buffer_offset(bytes.len() as u64).image_subresource(color_layers(mip, layer)).image_extent(extent),
                );
                bytes.extend_from_slice(texels);
            }
        }
        let source = self.staged(&bytes)?;
        let copy = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE);
        let barrier = |old_layout, new_layout, src, dst| ImageBarrier { image: image.handle, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst };
        let (undefined, transfer, read) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        self.immediate(|cmd| {
            cmd.image_barriers(&[barrier(undefined, transfer, (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE), copy)]);
            cmd.copy_buffer_to_image(&source, image.handle, &regions);
            cmd.image_barriers(&[barrier(transfer, read, copy, (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ))]);
        })?;
        self.destroy_buffer(source);
        Ok(image)
    }

    /// Reads a range of a buffer; waits for the GPU. For tests and pictures.
    pub fn read_buffer(&mut self, source: &Buffer, offset: u64, bytes: u64) -> Result<Vec<u8>, GpuError> {
        let target = self.readback_buffer(bytes)?;
        self.immediate(|cmd| {
            cmd.memory_barrier(EVERYTHING, COPY_READ);
            cmd.copy_buffer(source, &target, &[vk::BufferCopy { src_offset: offset, dst_offset: 0, size: bytes }]);
            cmd.memory_barrier(COPY_WRITE, HOST_READ);
        })?;
        Ok(self.take_bytes(target, bytes))
    }

    /// Reads the first mip of an image of 4-byte texels in TRANSFER_SRC_OPTIMAL; waits for the GPU. For tests and pictures.
    pub fn read_image(&mut self, source: &Image) -> Result<Vec<u8>, GpuError> {
        let bytes = u64::from(source.extent.width) * u64::from(source.extent.height) * 4;
        let target = self.readback_buffer(bytes)?;
        self.immediate(|cmd| {
            cmd.memory_barrier(EVERYTHING, COPY_READ);
            cmd.copy_image_to_buffer(source.handle, source.extent, &target);
            cmd.memory_barrier(COPY_WRITE, HOST_READ);
        })?;
        Ok(self.take_bytes(target, bytes))
    }

    /// Records, submits and waits.
    pub fn immediate(&mut self, record: impl FnOnce(&mut Cmd)) -> Result<(), GpuError> {
        let functions = Arc::clone(&self.functions);
        let device = &functions.device;
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(self.queue_family).flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: all objects are made here, used once, and destroyed after the wait.
        unsafe {
            let pool = device.create_command_pool(&pool_info, None).check("vkCreateCommandPool")?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let handle = device.allocate_command_buffers(&info).check("vkAllocateCommandBuffers")?[0];
            let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            device.begin_command_buffer(handle, &begin).check("vkBeginCommandBuffer")?;
            let (layout, set) = (self.bindless.pipeline_layout, self.bindless.set);
            record(&mut Cmd { functions: Arc::clone(&functions), handle, layout, set, zones: FrameZones::none(), bound: [false; 2] });
            device.end_command_buffer(handle).check("vkEndCommandBuffer")?;
            let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(handle)];
            let submitted = device.queue_submit2(self.queue, &[vk::SubmitInfo2::default().command_buffer_infos(&buffers)], vk::Fence::null());
            let waited = submitted.and_then(|()| device.queue_wait_idle(self.queue));
            device.destroy_command_pool(pool, None);
            waited.map_err(|result| crate::error::vulkan_error("vkQueueSubmit2", "immediate commands", result))
        }
    }

    pub(crate) fn end_staging(&mut self) {
        if let Some(ring) = self.staging.ring.take() {
            self.destroy_buffer(ring);
        }
    }

    fn staged(&mut self, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let desc = BufferDesc { name: "staging", bytes: bytes.len() as u64, usage: vk::BufferUsageFlags::TRANSFER_SRC, memory: MemoryKind::Upload };
        let mut buffer = self.create_buffer(&desc)?;
        buffer.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        Ok(buffer)
    }

    fn readback_buffer(&mut self, bytes: u64) -> Result<Buffer, GpuError> {
        self.create_buffer(&BufferDesc { name: "readback", bytes, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Readback })
    }

    fn take_bytes(&mut self, buffer: Buffer, bytes: u64) -> Vec<u8> {
        let copy = buffer.slice()[..bytes as usize].to_vec();
        self.destroy_buffer(buffer);
        copy
    }
}

pub(crate) const EVERYTHING: crate::Access = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE);
pub(crate) const COPY_READ: crate::Access = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_READ);
pub(crate) const COPY_WRITE: crate::Access = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE);
pub(crate) const HOST_READ: crate::Access = (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_never_crosses_the_end_of_the_ring() {
        assert_eq!(ring_place(0, 10, 64), (0, 0));
        assert_eq!(ring_place(10, 10, 64), (16, 16));
        assert_eq!(ring_place(50, 10, 64), (64, 0));
        assert_eq!(ring_place(48, 16, 64), (48, 48));
        assert_eq!(ring_place(65, 1, 64), (80, 16));
    }

    #[test]
    fn a_full_ring_waits_for_its_frames() {
        let mut staging = Staging::default();
        assert!(staging.take(STAGING_BYTES).is_some());
        assert_eq!(staging.take(16), None);
        staging.frame_submitted(1);
        staging.reclaim(0);
        assert_eq!(staging.take(16), None);
        staging.reclaim(1);
        assert_eq!(staging.take(16), Some(0));
    }
}
