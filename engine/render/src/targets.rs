//! In: the size of the picture, samples a pixel. Out: the images that the frame draws into, and the barriers between them.
//! Never knows: what is drawn.

use terrane_gpu::{Access, Cmd, ColorAttachment, DepthAttachment, Device, GpuError, Image, ImageBarrier, ImageDesc, LoadOp, RenderingDesc, vk};

/// Scene light: 16-bit floats hold the sun's disc and the deepest shade.
pub(crate) const SCENE_FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
/// Reversed depth needs a float.
pub(crate) const DEPTH_FORMAT: vk::Format = vk::Format::D32_SFLOAT;
/// What is shown: already display-encoded.
pub(crate) const OUTPUT_FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Where depth is read and written.
const DEPTH_TESTS: Access = (
    vk::PipelineStageFlags2::from_raw(vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS.as_raw() | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS.as_raw()),
    vk::AccessFlags2::from_raw(vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ.as_raw() | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()),
);

pub(crate) struct Targets {
    samples: u32,
    /// Multisampled scene light; absent with one sample.
    multisampled: Option<Image>,
    depth: Image,
    depth_index: u32,
    resolved: Image,
    resolved_index: u32,
    output: Image,
}

impl Targets {
    pub(crate) fn new(device: &mut Device, extent: (u32, u32), samples: u32) -> Result<Targets, GpuError> {
        let color = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let image =
            |name, samples, format, usage| ImageDesc { name, width: extent.0, height: extent.1, mips: 1, layers: 1, samples, format, usage, array_view: false };
        let multisampled = match samples {
            1 => None,
            _ => Some(device.create_image(&image("scene, multisampled", samples, SCENE_FORMAT, color))?),
        };
        let depth =
            device.create_image(&image("depth", samples, DEPTH_FORMAT, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED))?;
        let resolved = device.create_image(&image("scene", 1, SCENE_FORMAT, color | vk::ImageUsageFlags::SAMPLED))?;
        let output = device.create_image(&image("output", 1, OUTPUT_FORMAT, color | vk::ImageUsageFlags::TRANSFER_SRC))?;
        let resolved_index = device.bind_image(resolved.view)?;
        let depth_index = device.bind_depth_image(depth.view)?;
        Ok(Targets { samples, multisampled, depth, depth_index, resolved, resolved_index, output })
    }

    pub(crate) fn resize(&mut self, device: &mut Device, extent: (u32, u32)) -> Result<(), GpuError> {
        let new = Targets::new(device, extent, self.samples)?;
        let old = std::mem::replace(self, new);
        device.retire_image_index(old.resolved_index);
        device.retire_depth_image_index(old.depth_index);
        for image in old.multisampled.into_iter().chain([old.depth, old.resolved, old.output]) {
            device.retire_image(image);
        }
        Ok(())
    }

    /// Scene light and depth become attachments; everything is cleared.
    pub(crate) fn begin_opaque(&self, cmd: &mut Cmd, background: [f32; 3], last: bool) {
        let attachment = (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE);
        let scene = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let mut barriers = vec![
            ImageBarrier {
                image: self.depth.handle,
                aspect: vk::ImageAspectFlags::DEPTH,
                old_layout: vk::ImageLayout::UNDEFINED,
                new_layout: vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
                // The frame before may have read it for its pyramid.
                src: (DEPTH_TESTS.0 | vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE),
                dst: DEPTH_TESTS,
            },
            ImageBarrier {
                image: self.resolved.handle,
                aspect: vk::ImageAspectFlags::COLOR,
                old_layout: vk::ImageLayout::UNDEFINED,
                new_layout: scene,
                src: (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::empty()),
                dst: attachment,
            },
        ];
        if let Some(image) = &self.multisampled {
            barriers.push(ImageBarrier {
                image: image.handle,
                aspect: vk::ImageAspectFlags::COLOR,
                old_layout: vk::ImageLayout::UNDEFINED,
                new_layout: scene,
                src: attachment,
                dst: attachment,
            });
        }
        cmd.image_barriers(&barriers);
        let clear = LoadOp::Clear([background[0], background[1], background[2], 1.0]);
        self.begin(cmd, clear, LoadOp::Clear([0.0; 4]), last);
    }

    /// Depth becomes readable between two passes over the same scene.
    pub(crate) fn pause_opaque(&self, cmd: &mut Cmd) {
        cmd.end_rendering();
        cmd.zone_end();
        cmd.image_barriers(&[self.depth_drawn()]);
    }

    /// Drawing goes on where it paused.
    pub(crate) fn resume_opaque(&self, cmd: &mut Cmd) {
        cmd.image_barriers(&[self.depth_barrier(
            (vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL, vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL),
            (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::NONE),
            DEPTH_TESTS,
        )]);
        let color = self.multisampled.as_ref().unwrap_or(&self.resolved);
        let attachment = vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT;
        cmd.image_barriers(&[ImageBarrier {
            image: color.handle,
            aspect: vk::ImageAspectFlags::COLOR,
            old_layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            new_layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            src: (attachment, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
            dst: (attachment, vk::AccessFlags2::COLOR_ATTACHMENT_READ | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
        }]);
        self.begin(cmd, LoadOp::Load, LoadOp::Load, true);
    }

    /// `last`: what is drawn is resolved.
    fn begin(&self, cmd: &mut Cmd, color_load: LoadOp, depth_load: LoadOp, last: bool) {
        let color = match &self.multisampled {
            Some(image) => ColorAttachment { view: image.view, load: color_load, store: !last, resolve: last.then_some(self.resolved.view) },
            None => ColorAttachment { view: self.resolved.view, load: color_load, store: true, resolve: None },
        };
        cmd.zone_begin(if matches!(color_load, LoadOp::Load) { "opaque rest" } else { "opaque" });
        cmd.begin_rendering(&RenderingDesc {
            extent: (self.resolved.extent.width, self.resolved.extent.height),
            colors: &[color],
            depth: Some(DepthAttachment { view: self.depth.view, load: depth_load, store: true }),
        });
    }

    fn depth_barrier(&self, layouts: (vk::ImageLayout, vk::ImageLayout), src: Access, dst: Access) -> ImageBarrier {
        ImageBarrier { image: self.depth.handle, aspect: vk::ImageAspectFlags::DEPTH, old_layout: layouts.0, new_layout: layouts.1, src, dst }
    }

    /// The scene's light is resolved and becomes readable.
    pub(crate) fn end_opaque(&self, cmd: &mut Cmd) {
        cmd.end_rendering();
        cmd.zone_end();
        cmd.image_barriers(&[ImageBarrier {
            image: self.resolved.handle,
            aspect: vk::ImageAspectFlags::COLOR,
            old_layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            new_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            src: (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
            dst: (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ),
        }]);
    }

    /// The output becomes an attachment.
    pub(crate) fn begin_output(&mut self, cmd: &mut Cmd) {
        cmd.image_barriers(&[ImageBarrier {
            image: self.output.handle,
            aspect: vk::ImageAspectFlags::COLOR,
            old_layout: vk::ImageLayout::UNDEFINED,
            new_layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            src: (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::empty()),
            dst: (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
        }]);
        cmd.begin_rendering(&RenderingDesc {
            extent: (self.output.extent.width, self.output.extent.height),
            colors: &[ColorAttachment { view: self.output.view, load: LoadOp::DontCare, store: true, resolve: None }],
            depth: None,
        });
    }

    /// The output can be copied from.
    pub(crate) fn end_output(&mut self, cmd: &mut Cmd) {
        cmd.end_rendering();
        cmd.image_barriers(&[ImageBarrier {
            image: self.output.handle,
            aspect: vk::ImageAspectFlags::COLOR,
            old_layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            new_layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            src: (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
            dst: (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_READ),
        }]);
    }

    /// From where depth is drawn to where a compute shader reads it.
    pub(crate) fn depth_drawn(&self) -> ImageBarrier {
        self.depth_barrier(
            (vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL),
            (DEPTH_TESTS.0, vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE),
            (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ),
        )
    }

    /// Depth as shaders read it while drawing pauses.
    pub(crate) fn depth_index(&self) -> u32 {
        self.depth_index
    }

    pub(crate) fn resolved_index(&self) -> u32 {
        self.resolved_index
    }

    pub(crate) fn output(&self) -> &Image {
        &self.output
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_image(self.resolved_index);
        device.unbind_depth_image(self.depth_index);
        for image in self.multisampled.into_iter().chain([self.depth, self.resolved, self.output]) {
            device.destroy_image(image);
        }
    }
}
