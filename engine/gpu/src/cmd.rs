//! In: what to do, in order. Out: a recorded command buffer.
//! Never knows: what the commands mean. Thin on purpose: one method, one Vulkan command, with names in place of flags.

use crate::{Buffer, Pipeline, timers::FrameZones};
use ash::vk;
use std::sync::Arc;

/// Push constants are visible to all stages.
pub(crate) const PUSH_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw() | vk::ShaderStageFlags::COMPUTE.as_raw(),
);

/// A stage of the GPU and how it touches memory.
pub type Access = (vk::PipelineStageFlags2, vk::AccessFlags2);

/// The functions that recording needs.
pub(crate) struct Functions {
    pub device: ash::Device,
    pub debug: Option<ash::ext::debug_utils::Device>,
}

/// A command buffer that is being recorded.
pub struct Cmd {
    pub(crate) functions: Arc<Functions>,
    pub(crate) handle: vk::CommandBuffer,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set: vk::DescriptorSet,
    pub(crate) zones: FrameZones,
    pub(crate) bound: [bool; 2],
}

/// What an attachment holds when a pass begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadOp {
    /// This colour; a depth takes the first number.
    Clear([f32; 4]),
    /// What was there.
    Load,
    /// Anything.
    DontCare,
}

/// A colour attachment, in COLOR_ATTACHMENT_OPTIMAL.
#[derive(Clone, Copy, Debug)]
pub struct ColorAttachment {
    /// What is drawn into.
    pub view: vk::ImageView,
    /// What it holds at first.
    pub load: LoadOp,
    /// Whether it is kept.
    pub store: bool,
    /// Where the mean of its samples goes.
    pub resolve: Option<vk::ImageView>,
}

/// A depth attachment, in DEPTH_ATTACHMENT_OPTIMAL.
#[derive(Clone, Copy, Debug)]
pub struct DepthAttachment {
    /// What is drawn into.
    pub view: vk::ImageView,
    /// What it holds at first.
    pub load: LoadOp,
    /// Whether it is kept.
    pub store: bool,
}

/// A pass over attachments.
#[derive(Clone, Copy, Debug)]
pub struct RenderingDesc<'a> {
    /// Pixels.
    pub extent: (u32, u32),
    /// Colours.
    pub colors: &'a [ColorAttachment],
    /// Depth.
    pub depth: Option<DepthAttachment>,
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
        assert!(bytes.len() <= crate::bindless::PUSH_BYTES as usize, "push constants hold 128 bytes");
        // SAFETY: recording; the range lies within the layout's.
        unsafe { self.functions.device.cmd_push_constants(self.handle, self.layout, PUSH_STAGES, 0, bytes) };
    }

    /// Runs the compute pipeline over this many workgroups.
    pub fn dispatch(&mut self, x: u32, y: u32, z: u32) {
        // SAFETY: recording, with a compute pipeline bound.
        unsafe { self.functions.device.cmd_dispatch(self.handle, x, y, z) };
    }

    /// Begins to draw into attachments, over all of their extent.
    pub fn begin_rendering(&mut self, desc: &RenderingDesc) {
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: desc.extent.0, height: desc.extent.1 } };
        let colors: Vec<_> = desc.colors.iter().map(color_info).collect();
        let depth = desc.depth.as_ref().map(|depth| {
            attachment_info(depth.view, vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL, depth.load, depth.store, |value| vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue { depth: value[0], stencil: 0 },
            })
        });
        let mut info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colors);
        if let Some(depth) = &depth {
            info = info.depth_attachment(depth);
        }
        let viewport = vk::Viewport { x: 0.0, y: 0.0, width: desc.extent.0 as f32, height: desc.extent.1 as f32, min_depth: 0.0, max_depth: 1.0 };
        // SAFETY: recording; the views are alive and in the layouts that the barriers before gave them.
        unsafe {
            self.functions.device.cmd_begin_rendering(self.handle, &info);
            self.functions.device.cmd_set_viewport(self.handle, 0, &[viewport]);
            self.functions.device.cmd_set_scissor(self.handle, 0, &[area]);
        }
    }

    /// Ends the pass.
    pub fn end_rendering(&mut self) {
        // SAFETY: recording, within a pass.
        unsafe { self.functions.device.cmd_end_rendering(self.handle) };
    }

    /// Later indexed draws read 16-bit indices from here.
    pub fn bind_indices_u16(&mut self, buffer: &Buffer, offset: u64) {
        // SAFETY: recording; the buffer is alive.
        unsafe { self.functions.device.cmd_bind_index_buffer(self.handle, buffer.handle, offset, vk::IndexType::UINT16) };
    }

    /// Draws without indices.
    pub fn draw(&mut self, vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) {
        // SAFETY: recording, within a pass.
        unsafe { self.functions.device.cmd_draw(self.handle, vertices, instances, first_vertex, first_instance) };
    }

    /// Draws what the commands in a buffer say.
    pub fn draw_indexed_indirect(&mut self, buffer: &Buffer, offset: u64, count: u32, stride: u32) {
        // SAFETY: recording, within a pass; multiDrawIndirect is in the baseline.
        unsafe { self.functions.device.cmd_draw_indexed_indirect(self.handle, buffer.handle, offset, count, stride) };
    }

    /// Copies ranges between buffers.
    pub fn copy_buffer(&mut self, source: &Buffer, target: &Buffer, regions: &[vk::BufferCopy]) {
        self.copy_buffer_handles(source.handle, target.handle, regions);
    }

    pub(crate) fn copy_buffer_handles(&mut self, source: vk::Buffer, target: vk::Buffer, regions: &[vk::BufferCopy]) {
        // SAFETY: recording; both are alive and the ranges were checked by the caller.
        unsafe { self.functions.device.cmd_copy_buffer(self.handle, source, target, regions) };
    }

    /// Copies from a buffer into an image in TRANSFER_DST_OPTIMAL.
    pub fn copy_buffer_to_image(&mut self, source: &Buffer, image: vk::Image, regions: &[vk::BufferImageCopy]) {
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        // SAFETY: recording; both are alive.
        unsafe { self.functions.device.cmd_copy_buffer_to_image(self.handle, source.handle, image, layout, regions) };
    }

    /// Copies the first mip of an image in TRANSFER_SRC_OPTIMAL to the start of a buffer, tightly packed.
    pub fn copy_image_to_buffer(&mut self, image: vk::Image, extent: vk::Extent2D, target: &Buffer) {
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

    /// Fills a range with a word.
    pub fn fill_buffer(&mut self, buffer: &Buffer, offset: u64, bytes: u64, word: u32) {
        // SAFETY: recording; the buffer is alive.
        unsafe { self.functions.device.cmd_fill_buffer(self.handle, buffer.handle, offset, bytes, word) };
    }

    /// Everything of `dst` waits for everything of `src`, and sees what it wrote.
    pub fn memory_barrier(&mut self, src: Access, dst: Access) {
        let barrier = [vk::MemoryBarrier2::default().src_stage_mask(src.0).src_access_mask(src.1).dst_stage_mask(dst.0).dst_access_mask(dst.1)];
        // SAFETY: recording.
        unsafe { self.functions.device.cmd_pipeline_barrier2(self.handle, &vk::DependencyInfo::default().memory_barriers(&barrier)) };
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
                    .subresource_range(crate::memory::all_of(barrier.aspect))
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
        self.zones.end(&self.functions.device, self.handle);
        if let Some(debug) = &self.functions.debug {
            // SAFETY: recording; a label was begun.
            unsafe { debug.cmd_end_debug_utils_label(self.handle) };
        }
    }
}

fn color_info(color: &ColorAttachment) -> vk::RenderingAttachmentInfo<'static> {
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let info = attachment_info(color.view, layout, color.load, color.store, |float32| vk::ClearValue { color: vk::ClearColorValue { float32 } });
    match color.resolve {
        None => info,
        Some(view) => info.resolve_mode(vk::ResolveModeFlags::AVERAGE).resolve_image_view(view).resolve_image_layout(layout),
    }
}

fn attachment_info(
    view: vk::ImageView,
    layout: vk::ImageLayout,
    load: LoadOp,
    store: bool,
    clear: impl Fn([f32; 4]) -> vk::ClearValue,
) -> vk::RenderingAttachmentInfo<'static> {
    let info = vk::RenderingAttachmentInfo::default()
        .image_view(view)
        .image_layout(layout)
        .store_op(if store { vk::AttachmentStoreOp::STORE } else { vk::AttachmentStoreOp::DONT_CARE });
    match load {
        LoadOp::Clear(value) => info.load_op(vk::AttachmentLoadOp::CLEAR).clear_value(clear(value)),
        LoadOp::Load => info.load_op(vk::AttachmentLoadOp::LOAD),
        LoadOp::DontCare => info.load_op(vk::AttachmentLoadOp::DONT_CARE),
    }
}

pub(crate) fn color_layers(mip_level: u32, base_array_layer: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, mip_level, base_array_layer, layer_count: 1 }
}
