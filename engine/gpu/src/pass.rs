//! In: attachments and what to draw into them. Out: a recorded pass.
//! Never knows: pipelines and what they draw. Dynamic rendering: there are no render passes or framebuffers to make.

use crate::{Buffer, Cmd};
use ash::vk;

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

impl Cmd {
    /// Begins to draw into attachments, over all of their extent.
    pub fn begin_rendering(&mut self, desc: &RenderingDesc) {
        self.begin_rendering_in([0, 0, desc.extent.0, desc.extent.1], desc);
    }

    /// Begins to draw into a part of the attachments, in pixels: x, y, width, height. Only this part is cleared, and it is the whole viewport.
    pub fn begin_rendering_in(&mut self, [x, y, width, height]: [u32; 4], desc: &RenderingDesc) {
        assert!(x + width <= desc.extent.0 && y + height <= desc.extent.1, "the part lies within the attachments");
        let area = vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent: vk::Extent2D { width, height } };
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
        let viewport = vk::Viewport { x: x as f32, y: y as f32, width: width as f32, height: height as f32, min_depth: 0.0, max_depth: 1.0 };
        // SAFETY: recording; the views are alive and in the layouts that the barriers before gave them.
        unsafe {
            self.functions.device.cmd_begin_rendering(self.handle, &info);
            self.functions.device.cmd_set_viewport(self.handle, 0, &[viewport]);
            self.functions.device.cmd_set_scissor(self.handle, 0, &[area]);
        }
    }

    /// Later draws only touch this part of the attachments, in pixels: x, y, width, height.
    pub fn set_scissor(&mut self, area: [u32; 4]) {
        let [x, y, width, height] = area;
        let area = vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent: vk::Extent2D { width, height } };
        // SAFETY: recording.
        unsafe { self.functions.device.cmd_set_scissor(self.handle, 0, &[area]) };
    }

    /// Ends the pass.
    pub fn end_rendering(&mut self) {
        // SAFETY: recording, within a pass.
        unsafe { self.functions.device.cmd_end_rendering(self.handle) };
    }

    /// Later indexed draws read 16-bit indices from here.
    pub fn bind_indices_u16(&mut self, buffer: &Buffer, offset: u64) {
        buffer.check_range(offset, 2);
        // SAFETY: recording; the buffer is alive.
        unsafe { self.functions.device.cmd_bind_index_buffer(self.handle, buffer.handle, offset, vk::IndexType::UINT16) };
    }

    /// Draws without indices.
    pub fn draw(&mut self, vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) {
        self.calls.draws += 1;
        // SAFETY: recording, within a pass.
        unsafe { self.functions.device.cmd_draw(self.handle, vertices, instances, first_vertex, first_instance) };
    }

    /// Draws with the indices that are bound.
    pub fn draw_indexed(&mut self, indices: u32, instances: u32, first_index: u32, vertex_offset: i32, first_instance: u32) {
        self.calls.draws += 1;
        // SAFETY: recording, within a pass; indices are bound.
        unsafe { self.functions.device.cmd_draw_indexed(self.handle, indices, instances, first_index, vertex_offset, first_instance) };
    }

    /// Draws what `count` commands (VkDrawIndirectCommand, 16 bytes) in a buffer say.
    pub fn draw_indirect(&mut self, buffer: &Buffer, offset: u64, count: u32, stride: u32) {
        self.calls.draws += 1;
        buffer.check_range(offset, commands_bytes(count, stride, 16));
        // SAFETY: recording, within a pass; multiDrawIndirect is in the baseline; the commands lie within the buffer.
        unsafe { self.functions.device.cmd_draw_indirect(self.handle, buffer.handle, offset, count, stride) };
    }

    /// Draws at most `most` commands (VkDrawIndexedIndirectCommand, 20 bytes); how many, a word in a buffer says.
    /// Only where `Optional::draw_indirect_count` is.
    pub fn draw_indexed_indirect_count(&mut self, buffer: &Buffer, offset: u64, count: (&Buffer, u64), most: u32, stride: u32) {
        self.calls.draws += 1;
        buffer.check_range(offset, commands_bytes(most, stride, 20));
        count.0.check_range(count.1, 4);
        // SAFETY: recording, within a pass; the caller asked for the feature; commands and count lie within their buffers.
        unsafe { self.functions.device.cmd_draw_indexed_indirect_count(self.handle, buffer.handle, offset, count.0.handle, count.1, most, stride) };
    }

    /// Draws what `count` commands (VkDrawIndexedIndirectCommand, 20 bytes) in a buffer say.
    pub fn draw_indexed_indirect(&mut self, buffer: &Buffer, offset: u64, count: u32, stride: u32) {
        self.calls.draws += 1;
        buffer.check_range(offset, commands_bytes(count, stride, 20));
        // SAFETY: recording, within a pass; multiDrawIndirect is in the baseline; the commands lie within the buffer.
        unsafe { self.functions.device.cmd_draw_indexed_indirect(self.handle, buffer.handle, offset, count, stride) };
    }
}

/// Bytes from the first command to the end of the last.
fn commands_bytes(count: u32, stride: u32, command_bytes: u64) -> u64 {
    match count {
        0 => 0,
        count => u64::from(count - 1) * u64::from(stride) + command_bytes,
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
    let info = vk::RenderingAttachmentInfo::default().image_view(view).image_layout(layout).store_op(if store {
        vk::AttachmentStoreOp::STORE
    } else {
        vk::AttachmentStoreOp::DONT_CARE
    });
    match load {
        LoadOp::Clear(value) => info.load_op(vk::AttachmentLoadOp::CLEAR).clear_value(clear(value)),
        LoadOp::Load => info.load_op(vk::AttachmentLoadOp::LOAD),
        LoadOp::DontCare => info.load_op(vk::AttachmentLoadOp::DONT_CARE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_needs_no_whole_stride() {
        assert_eq!(commands_bytes(0, 64, 20), 0);
        assert_eq!(commands_bytes(1, 64, 20), 20);
        assert_eq!(commands_bytes(3, 64, 20), 148);
    }
}
