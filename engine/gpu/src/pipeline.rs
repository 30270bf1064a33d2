//! In: shaders and fixed state, as a table. Out: pipelines, through a cache on disk.
//! Never knows: what they draw. All share the one layout: the bindless set and 128 bytes of push constants.

use crate::{Device, GpuError, error::Check};
use ash::vk;
use std::path::PathBuf;

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

/// A pipeline. Not `Drop`.
#[derive(Debug)]
pub struct Pipeline {
    pub(crate) handle: vk::Pipeline,
    pub(crate) bind_point: vk::PipelineBindPoint,
}

impl Device {
    /// Makes the pipelines of a table, in its order.
    pub fn create_pipelines(&mut self, descs: &[PipelineDesc]) -> Result<Vec<Pipeline>, GpuError> {
        descs.iter().map(|desc| self.create_pipeline(desc)).collect()
    }

    /// Ends a pipeline. No frame in flight may still use it.
    pub fn destroy_pipeline(&mut self, pipeline: Pipeline) {
        self.objects.remove(pipeline.handle);
        // SAFETY: the caller says that the device is done with it; it is moved in.
        unsafe { self.raw().destroy_pipeline(pipeline.handle, None) };
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
        let module = self.create_module(name, spirv)?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.bindless.pipeline_layout)];
        // SAFETY: module and layout are alive; the module is destroyed after use.
        let made = unsafe {
            let made = self.raw().create_compute_pipelines(self.pipeline_cache, &info, None);
            self.raw().destroy_shader_module(module, None);
            made
        };
        made.map(|pipelines| pipelines[0]).map_err(|(_, result)| result).check("vkCreateComputePipelines")
    }

    fn create_graphics(&self, desc: &GraphicsDesc) -> Result<vk::Pipeline, GpuError> {
        let vertex = self.create_module(desc.name, &desc.vertex)?;
        let fragment = desc.fragment.as_deref().map(|spirv| self.create_module(desc.name, spirv)).transpose()?;
        let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
        let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, vertex)];
        stages.extend(fragment.map(|module| stage(vk::ShaderStageFlags::FRAGMENT, module)));
        let made = self.create_graphics_from(desc, &stages);
        // SAFETY: the pipeline is made; modules are no longer needed.
        unsafe {
            self.raw().destroy_shader_module(vertex, None);
            fragment.into_iter().for_each(|module| self.raw().destroy_shader_module(module, None));
        }
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
        let made = unsafe { self.raw().create_graphics_pipelines(self.pipeline_cache, &info, None) };
        made.map(|pipelines| pipelines[0]).map_err(|(_, result)| result).check("vkCreateGraphicsPipelines")
    }

    fn create_module(&self, name: &str, spirv: &[u32]) -> Result<vk::ShaderModule, GpuError> {
        const MAGIC: u32 = 0x0723_0203;
        if spirv.first() != Some(&MAGIC) {
            return Err(GpuError::Shader { name: name.to_owned(), reason: "this is not SPIR-V".to_owned() });
        }
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the words begin like SPIR-V; the shaders room only hands out what its compiler made and its hash confirms.
        unsafe { self.raw().create_shader_module(&info, None) }.check("vkCreateShaderModule")
    }
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

/// The file of the cache: its name carries vendor, device and driver, so that another driver never reads it.
pub(crate) fn cache_path(folder: Option<&PathBuf>, properties: &vk::PhysicalDeviceProperties) -> Option<PathBuf> {
    let uuid: String = properties.pipeline_cache_uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    folder.map(|folder| folder.join(format!("pipelines-{:04x}-{:04x}-{:08x}-{uuid}.bin", properties.vendor_id, properties.device_id, properties.driver_version)))
}

/// Opens the cache; one that cannot be read is as good as none.
pub(crate) fn open_cache(device: &ash::Device, path: Option<&PathBuf>) -> Result<vk::PipelineCache, GpuError> {
    let data = path.and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let create = |data: &[u8]| {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: the driver checks the header of the data itself (specification, "Pipeline Cache Header").
        unsafe { device.create_pipeline_cache(&info, None) }
    };
    create(&data).or_else(|_| create(&[])).check("vkCreatePipelineCache")
}

/// Saves the cache beside its place and renames it, so that a killed process leaves the old one.
pub(crate) fn save_cache(device: &ash::Device, cache: vk::PipelineCache, path: Option<&PathBuf>) {
    let Some(path) = path else { return };
    // SAFETY: the cache is alive.
    let Ok(data) = (unsafe { device.get_pipeline_cache_data(cache) }) else { return };
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let saved = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&temporary, data)).and_then(|()| std::fs::rename(&temporary, path));
    if let Err(error) = saved {
        tracing::debug!("pipeline cache not saved in {}: {error}", path.display());
    }
}
