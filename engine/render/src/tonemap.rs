//! In: the scene's light. Out: the picture as a display shows it. (Phase: tonemap.)
//! Never knows: windows, files.

use crate::ShaderSource;
use crate::targets::{OUTPUT_FORMAT, Targets};
use terrane_gpu::{Blend, Cmd, CullMode, Depth, Device, GpuError, GraphicsDesc, Pipeline, PipelineDesc};
use terrane_shaders::shared::ScenePush;

pub(crate) struct TonemapPass {
    pipeline: Pipeline,
}

impl TonemapPass {
    pub(crate) fn new(device: &mut Device, shaders: ShaderSource) -> Result<TonemapPass, GpuError> {
        let desc = PipelineDesc::Graphics(GraphicsDesc {
            name: "tonemap",
            vertex: shaders("fullscreen.vert")?,
            fragment: Some(shaders("tonemap.frag")?),
            color_formats: &[OUTPUT_FORMAT],
            depth_format: None,
            depth: Depth::None,
            samples: 1,
            cull: CullMode::None,
            blend: Blend::Opaque,
            ..GraphicsDesc::default()
        });
        let pipeline = device.create_pipelines(&[desc])?.remove(0);
        Ok(TonemapPass { pipeline })
    }

    /// Begins the output, which stays open for what is drawn over the picture.
    pub(crate) fn record(&self, cmd: &mut Cmd, push: &ScenePush, targets: &mut Targets) {
        cmd.zone_begin("tonemap");
        targets.begin_output(cmd);
        cmd.bind_pipeline(&self.pipeline);
        cmd.push(push.as_bytes());
        cmd.draw(3, 1, 0, 0);
        cmd.zone_end();
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.pipeline);
    }
}
