//! In: what to do, in order. Out: a recorded command buffer.
//! Never knows: what the commands mean. Thin on purpose: one method, one Vulkan command, with names in place of flags.

use crate::{
    Buffer, Image, Pipeline,
    image::{all_of, color_layers},
    seam::Functions,
    timers::FrameZones,
};
use ash::vk;
use std::sync::Arc;

/// Push constants are visible to all stages.
pub(crate) const PUSH_STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw() | vk::ShaderStageFlags::COMPUTE.as_raw());

/// A stage of the GPU and how it touches memory.
pub type Access = (vk::PipelineStageFlags2, vk::AccessFlags2);

/// A command buffer that is being recorded. Ranges of buffers are checked; that handles are alive is the caller's to know.
/// One that is dropped without being submitted does nothing.
#[must_use = "commands do nothing until they are submitted"]
pub struct Cmd {
    pub(crate) functions: Arc<Functions>,
    pub(crate) handle: vk::CommandBuffer,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set: vk::DescriptorSet,
    pub(crate) zones: FrameZones,
    pub(crate) bound: [bool; 2],
    pub(crate) calls: CmdCalls,
}

/// Calls that make the GPU work, as they were recorded: what the CPU pays for, whatever they draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CmdCalls {
    /// Draws, an indirect one counts once.
    pub draws: u32,
    /// Dispatches.
    pub dispatches: u32,
}

/// A range of a buffer goes from one use to the next.
#[derive(Clone, Copy, Debug)]
pub struct BufferBarrier<'a> {
    /// Which; all of it.
    pub buffer: &'a Buffer,
    /// What comes before.
    pub src: Access,
    /// What waits.
    pub dst: Access,
}

/// An image goes from one use to the next; all mips and layers.
#[derive(Clone, Copy, Debug)]
pub struct ImageBarrier {
    /// Which.
    pub image: vk::Image,
    /// Colour or depth.
    pub aspect: vk::ImageAspectFlags,
    /// Layout before; UNDEFINED drops what is in it.
    pub old_layout: vk::ImageLayout,
    /// Layout after.
    pub new_layout: vk::ImageLayout,
    /// What comes before.
    pub src: Access,
    /// What waits.
    pub dst: Access,
}

impl Cmd {
    /// What was recorded so far.
    pub fn calls(&self) -> CmdCalls {
        self.calls
    }

    /// Later commands use this pipeline, with the bindless set.
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) {
        let point = pipeline.bind_point;
        let slot = usize::from(point == vk::PipelineBindPoint::COMPUTE);
        // SAFETY: recording; pipeline, layout and set are alive.
        unsafe {
            if !self.bound[slot] {
                self.functions.device.cmd_bind_descriptor_sets(self.handle, point, self.layout, 0, &[self.set], &[]);
                self.bound[slot] = true;
            }
            self.functions.device.cmd_bind_pipeline(self.handle, point, pipeline.handle);
        }
    }

    /// Push constants, from the first byte; at most 128.
    pub fn push(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= crate::bindless::PUSH_BYTES as usize && bytes.len().is_multiple_of(4), "push constants are up to 32 words");
        if bytes.is_empty() {
            return;
        }
        // SAFETY: recording; the range lies within the layout's.
        unsafe { self.functions.device.cmd_push_constants(self.handle, self.layout, PUSH_STAGES, 0, bytes) };
    }

    /// Runs the compute pipeline over this many workgroups.
    pub fn dispatch(&mut self, x: u32, y: u32, z: u32) {
        self.calls.dispatches += 1;
        // SAFETY: recording, with a compute pipeline bound.
        unsafe { self.functions.device.cmd_dispatch(self.handle, x, y, z) };
    }

    /// Runs it over as many workgroups as the three words in a buffer say.
    pub fn dispatch_indirect(&mut self, buffer: &Buffer, offset: u64) {
        buffer.check_range(offset, 12);
        self.calls.dispatches += 1;
        // SAFETY: recording, with a compute pipeline bound; the words lie within the buffer.
        unsafe { self.functions.device.cmd_dispatch_indirect(self.handle, buffer.handle, offset) };
    }

    /// Copies ranges between buffers. An empty list, or an empty range in it, copies nothing.
    pub fn copy_buffer(&mut self, source: &Buffer, target: &Buffer, regions: &[vk::BufferCopy]) {
        let regions: Vec<_> = regions.iter().copied().filter(|region| region.size > 0).collect();
        for region in &regions {
            source.check_range(region.src_offset, region.size);
            target.check_range(region.dst_offset, region.size);
        }
        if !regions.is_empty() {
            // SAFETY: recording; both are alive and the ranges lie within them.
            unsafe { self.functions.device.cmd_copy_buffer(self.handle, source.handle, target.handle, &regions) };
        }
    }

    /// Copies from a buffer into an image in TRANSFER_DST_OPTIMAL.
    pub fn copy_buffer_to_image(&mut self, source: &Buffer, image: vk::Image, regions: &[vk::BufferImageCopy]) {
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        // SAFETY: recording; both are alive.
        unsafe { self.functions.device.cmd_copy_buffer_to_image(self.handle, source.handle, image, layout, regions) };
    }

    /// Copies the first mip of an image in TRANSFER_SRC_OPTIMAL to the start of a buffer, tightly packed.
    pub fn copy_image_to_buffer(&mut self, image: vk::Image, extent: vk::Extent2D, target: &Buffer) {
        // The least that any format takes; what it really takes is for the validation layer to say.
        target.check_range(0, u64::from(extent.width) * u64::from(extent.height));
        let region = vk::BufferImageCopy::default().image_subresource(color_layers(0, 0)).image_extent(extent.into());
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: recording; both are alive.
        unsafe { self.functions.device.cmd_copy_image_to_buffer(self.handle, image, layout, target.handle, &[region]) };
    }

    /// Copies an image in TRANSFER_SRC_OPTIMAL over one in TRANSFER_DST_OPTIMAL, converting format and size.
    pub fn blit(&mut self, source: vk::Image, source_extent: vk::Extent2D, target: vk::Image, target_extent: vk::Extent2D) {
        let corner = |extent: vk::Extent2D| [vk::Offset3D::default(), vk::Offset3D { x: extent.width as i32, y: extent.height as i32, z: 1 }];
        let region = vk::ImageBlit::default()
            .src_subresource(color_layers(0, 0))
            .src_offsets(corner(source_extent))
            .dst_subresource(color_layers(0, 0))
            .dst_offsets(corner(target_extent));
        let (from, to) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        // SAFETY: recording; both are alive.
        unsafe { self.functions.device.cmd_blit_image(self.handle, source, from, target, to, &[region], vk::Filter::NEAREST) };
    }

    /// Copies all of mip 0 of one image in TRANSFER_SRC_OPTIMAL to one of its size and format in TRANSFER_DST_OPTIMAL.
    pub fn copy_image(&mut self, source: &Image, target: &Image) {
        let extent = vk::Extent3D { width: source.extent.width.min(target.extent.width), height: source.extent.height.min(target.extent.height), depth: 1 };
        let region = vk::ImageCopy::default().src_subresource(color_layers(0, 0)).dst_subresource(color_layers(0, 0)).extent(extent);
        let (from, to) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        // SAFETY: recording; both are alive and the region lies within both.
        unsafe { self.functions.device.cmd_copy_image(self.handle, source.handle, from, target.handle, to, &[region]) };
    }

    /// Sets an image in TRANSFER_DST_OPTIMAL to one colour, all mips and layers.
    pub fn clear_image(&mut self, image: &Image, color: [f32; 4]) {
        let (layout, value) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ClearColorValue { float32: color });
        // SAFETY: recording; the image is alive.
        unsafe { self.functions.device.cmd_clear_color_image(self.handle, image.handle, layout, &value, &[all_of(vk::ImageAspectFlags::COLOR)]) };
    }

    /// Fills a range with a word; offset and size are multiples of 4.
    pub fn fill_buffer(&mut self, buffer: &Buffer, offset: u64, bytes: u64, word: u32) {
        assert!(offset.is_multiple_of(4) && bytes.is_multiple_of(4), "'{}' is filled by words", buffer.name);
        buffer.check_range(offset, bytes);
        if bytes == 0 {
            return;
        }
        // SAFETY: recording; the buffer is alive and the range lies within it.
        unsafe { self.functions.device.cmd_fill_buffer(self.handle, buffer.handle, offset, bytes, word) };
    }

    /// Everything of `dst` waits for everything of `src`, and sees what it wrote.
    pub fn memory_barrier(&mut self, src: Access, dst: Access) {
        let barrier = [vk::MemoryBarrier2::default().src_stage_mask(src.0).src_access_mask(src.1).dst_stage_mask(dst.0).dst_access_mask(dst.1)];
        // SAFETY: recording.
        unsafe { self.functions.device.cmd_pipeline_barrier2(self.handle, &vk::DependencyInfo::default().memory_barriers(&barrier)) };
    }

    /// Buffers go from one use to the next. Where all that was written is meant, one memory barrier does the same for less.
    pub fn buffer_barriers(&mut self, barriers: &[BufferBarrier]) {
        let barriers: Vec<_> = barriers
            .iter()
            .map(|barrier| {
                vk::BufferMemoryBarrier2::default()
                    .buffer(barrier.buffer.handle)
                    .size(vk::WHOLE_SIZE)
                    .src_stage_mask(barrier.src.0)
                    .src_access_mask(barrier.src.1)
                    .dst_stage_mask(barrier.dst.0)
                    .dst_access_mask(barrier.dst.1)
            })
            .collect();
        // SAFETY: recording; the buffers are alive.
        unsafe { self.functions.device.cmd_pipeline_barrier2(self.handle, &vk::DependencyInfo::default().buffer_memory_barriers(&barriers)) };
    }

    /// Images go from one use to the next.
    pub fn image_barriers(&mut self, barriers: &[ImageBarrier]) {
        let barriers: Vec<_> = barriers
            .iter()
            .map(|barrier| {
                vk::ImageMemoryBarrier2::default()
                    .image(barrier.image)
                    .old_layout(barrier.old_layout)
                    .new_layout(barrier.new_layout)
                    .src_stage_mask(barrier.src.0)
                    .src_access_mask(barrier.src.1)
                    .dst_stage_mask(barrier.dst.0)
                    .dst_access_mask(barrier.dst.1)
                    .subresource_range(all_of(barrier.aspect))
            })
            .collect();
        // SAFETY: recording; the images are alive.
        unsafe { self.functions.device.cmd_pipeline_barrier2(self.handle, &vk::DependencyInfo::default().image_memory_barriers(&barriers)) };
    }

    /// Begins a named phase: a pair of timestamps, and a label in debuggers.
    pub fn zone_begin(&mut self, name: &'static str) {
        self.zones.begin(&self.functions.device, self.handle, name);
        if let Some(debug) = &self.functions.debug
            && let Ok(label) = std::ffi::CString::new(name)
        {
            // SAFETY: recording; the label lives across the call.
            unsafe { debug.cmd_begin_debug_utils_label(self.handle, &vk::DebugUtilsLabelEXT::default().label_name(&label)) };
        }
    }

    /// Ends the phase that began last.
    pub fn zone_end(&mut self) {
        let ended = self.zones.end(&self.functions.device, self.handle);
        debug_assert!(ended, "a phase ends that did not begin");
        if let Some(debug) = self.functions.debug.as_ref().filter(|_| ended) {
            // SAFETY: recording; a label was begun.
            unsafe { debug.cmd_end_debug_utils_label(self.handle) };
        }
    }
}
