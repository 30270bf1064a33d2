//! In: shaders and fixed state, as a table. Out: pipelines, through a cache on disk.
//! Never knows: what they draw. All share the one layout: the bindless set and 128 bytes of push constants.

use crate::{Device, GpuError};
use ash::vk;

/// Which side of a triangle is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CullMode {
    /// None.
    #[default]
    None,
    /// The back; the front is counter-clockwise as seen.
    Back,
}

/// What happens to depth; reversed, so nearer is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// Nothing.
    #[default]
    None,
    /// Nearer wins and is written.
    TestAndWrite,
    /// Nearer or equal passes; nothing is written.
    TestEqualOrNearer,
}

/// How a colour meets what is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// Replaces it.
    #[default]
    Opaque,
    /// Over it, by alpha, premultiplied.
    Alpha,
}

/// A pipeline that draws triangles; vertices are pulled from buffers.
#[derive(Clone, Debug)]
pub struct GraphicsDesc<'a> {
    /// Its name.
    pub name: &'static str,
    /// SPIR-V of the vertex shader.
    pub vertex: Vec<u32>,
    /// SPIR-V of the fragment shader, if it has one.
    pub fragment: Option<Vec<u32>>,
    /// Formats of the colour attachments.
    pub color_formats: &'a [vk::Format],
    /// Format of the depth attachment.
    pub depth_format: Option<vk::Format>,
    /// What happens to depth.
    pub depth: Depth,
    /// Samples a pixel.
    pub samples: u32,
    /// Which side is left out.
    pub cull: CullMode,
    /// How colours meet.
    pub blend: Blend,
    /// Alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Lines instead of triangles, where the device offers it.
    pub wireframe: bool,
}

impl Default for GraphicsDesc<'_> {
    fn default() -> Self {
        GraphicsDesc {
            name: "",
            vertex: Vec::new(),
            fragment: None,
            color_formats: &[],
            depth_format: None,
            depth: Depth::None,
            samples: 1,
            cull: CullMode::None,
            blend: Blend::Opaque,
            alpha_to_coverage: false,
            wireframe: false,
        }
    }
}

/// A row of the table of pipelines.
#[derive(Clone, Debug)]
pub enum PipelineDesc<'a> {
    /// It draws.
    Graphics(GraphicsDesc<'a>),
    /// It computes.
    Compute {
        /// Its name, and its shader's.
        name: &'static str,
        /// SPIR-V.
        spirv: Vec<u32>,
    },
}

/// A pipeline. Not `Drop`: it is destroyed or retired by name.
#[derive(Debug)]
#[must_use = "a pipeline lives until it is destroyed or retired"]
pub struct Pipeline {
    pub(crate) handle: vk::Pipeline,
    pub(crate) bind_point: vk::PipelineBindPoint,
}

impl Device {
    /// Makes the pipelines of a table, in its order; all of them or none.
    pub fn create_pipelines(&mut self, descs: &[PipelineDesc]) -> Result<Vec<Pipeline>, GpuError> {
        let mut made = Vec::with_capacity(descs.len());
        for desc in descs {
            match self.create_pipeline(desc) {
                Ok(pipeline) => made.push(pipeline),
                Err(error) => {
                    made.into_iter().for_each(|pipeline| self.destroy_pipeline(pipeline));
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    /// Ends a pipeline now. No frame in flight may still use it; else retire it.
    pub fn destroy_pipeline(&mut self, pipeline: Pipeline) {
        // The caller says that the device is done with it; it is moved in.
        self.end_known(pipeline.handle);
    }

    fn create_pipeline(&mut self, desc: &PipelineDesc) -> Result<Pipeline, GpuError> {
        let (name, handle, bind_point) = match desc {
            PipelineDesc::Compute { name, spirv } => (*name, self.create_compute(name, spirv)?, vk::PipelineBindPoint::COMPUTE),
            PipelineDesc::Graphics(desc) => (desc.name, self.create_graphics(desc)?, vk::PipelineBindPoint::GRAPHICS),
        };
        self.objects.add(handle, name);
        self.set_name(handle, name);
        Ok(Pipeline { handle, bind_point })
    }

    fn create_compute(&self, name: &str, spirv: &[u32]) -> Result<vk::Pipeline, GpuError> {
        self.info.check_workgroup(name, spirv)?;
        let module = self.create_module(name, spirv)?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.bindless.pipeline_layout)];
        // SAFETY: module and layout are alive.
        let made = self.call("vkCreateComputePipelines", |device| unsafe {
            device.create_compute_pipelines(self.cache.handle, &info, None).map_err(|(_, result)| result)
        });
        // SAFETY: the pipeline is made; the module is no longer needed.
        unsafe { self.raw().destroy_shader_module(module, None) };
        made.map(|pipelines| pipelines[0])
    }

    fn create_graphics(&self, desc: &GraphicsDesc) -> Result<vk::Pipeline, GpuError> {
        let mut modules = vec![self.create_module(desc.name, &desc.vertex)?];
        let fragment = desc.fragment.as_deref().map(|spirv| self.create_module(desc.name, spirv)).transpose();
        let made = fragment.and_then(|fragment| {
            modules.extend(fragment);
            let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
            let stage = |(stage, module): (_, &_)| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(*module).name(c"main");
            let stages: Vec<_> = kinds.into_iter().zip(&modules).map(stage).collect();
            self.create_graphics_from(desc, &stages)
        });
        // SAFETY: the pipeline is made; modules are no longer needed.
        modules.into_iter().for_each(|module| unsafe { self.raw().destroy_shader_module(module, None) });
        made
    }

    fn create_graphics_from(&self, desc: &GraphicsDesc, stages: &[vk::PipelineShaderStageCreateInfo]) -> Result<vk::Pipeline, GpuError> {
        let no_vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let lines = desc.wireframe && self.info.optional.fill_mode_non_solid;
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(if lines { vk::PolygonMode::LINE } else { vk::PolygonMode::FILL })
            .cull_mode(if desc.cull == CullMode::Back { vk::CullModeFlags::BACK } else { vk::CullModeFlags::NONE })
            .front_face(vk::FrontFace::COUNTER_CLOCKWISE)
            .line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(desc.samples))
            .alpha_to_coverage_enable(desc.alpha_to_coverage);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(desc.depth != Depth::None)
            .depth_write_enable(desc.depth == Depth::TestAndWrite)
            .depth_compare_op(if desc.depth == Depth::TestAndWrite { vk::CompareOp::GREATER } else { vk::CompareOp::GREATER_OR_EQUAL });
        let attachments = vec![blend_state(desc.blend); desc.color_formats.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(desc.color_formats)
            .depth_attachment_format(desc.depth_format.unwrap_or_default());
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(stages)
            .vertex_input_state(&no_vertices)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.bindless.pipeline_layout)
            .push_next(&mut rendering)];
        // SAFETY: everything that the info points to lives across the call.
        let made = self.call("vkCreateGraphicsPipelines", |device| unsafe {
            device.create_graphics_pipelines(self.cache.handle, &info, None).map_err(|(_, result)| result)
        });
        made.map(|pipelines| pipelines[0])
    }

    fn create_module(&self, name: &str, spirv: &[u32]) -> Result<vk::ShaderModule, GpuError> {
        check_spirv(spirv).map_err(|reason| GpuError::Shader { name: name.to_owned(), reason: reason.to_owned() })?;
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the words have the shape of SPIR-V; what they say, their compiler vouches for.
        self.call("vkCreateShaderModule", |device| unsafe { device.create_shader_module(&info, None) })
    }
}

/// Whether words have the shape of SPIR-V: a header, then instructions whose lengths add up (specification, section 2.3).
fn check_spirv(spirv: &[u32]) -> Result<(), &'static str> {
    const MAGIC: u32 = 0x0723_0203;
    const HEADER_WORDS: usize = 5;
    if spirv.first() != Some(&MAGIC) {
        return Err("this is not SPIR-V");
    }
    let mut rest = spirv.get(HEADER_WORDS..).ok_or("it ends within its header")?;
    while let Some(first) = rest.first() {
        let words = (first >> 16) as usize;
        rest = rest.get(words..).filter(|_| words > 0).ok_or("it ends within an instruction")?;
    }
    Ok(())
}

fn blend_state(blend: Blend) -> vk::PipelineColorBlendAttachmentState {
    let over = vk::BlendFactor::ONE_MINUS_SRC_ALPHA;
    vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)
        .blend_enable(blend == Blend::Alpha)
        .src_color_blend_factor(vk::BlendFactor::ONE)
        .dst_color_blend_factor(over)
        .src_alpha_blend_factor(vk::BlendFactor::ONE)
        .dst_alpha_blend_factor(over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_shaders_are_told_from_whole_ones() {
        let header = [0x0723_0203, 0x1_0500, 0, 8, 0];
        let with = |words: &[u32]| check_spirv(&[&header[..], words].concat());
        assert_eq!(with(&[(2 << 16) | 17, 1, (1 << 16) | 56]), Ok(()));
        assert_eq!(with(&[(2 << 16) | 17]), Err("it ends within an instruction"));
        assert_eq!(with(&[17, 1]), Err("it ends within an instruction"));
        assert_eq!(check_spirv(&header[..3]), Err("it ends within its header"));
        assert_eq!(check_spirv(b"nope".map(u32::from).as_slice()), Err("this is not SPIR-V"));
        assert_eq!(check_spirv(&[]), Err("this is not SPIR-V"));
    }
}
