//! In: the frame's constants. Out: sky wherever nothing opaque stands. (Phase: sky.)
//! Never knows: what is in front of it.

use crate::ShaderSource;
use crate::targets::{DEPTH_FORMAT, SCENE_FORMAT};
use terrane_gpu::{Blend, Cmd, CullMode, Depth, Device, GpuError, GraphicsDesc, Pipeline, PipelineDesc};
use terrane_shaders::shared::ScenePush;

pub(crate) struct SkyPass {
    pipeline: Pipeline,
}

impl SkyPass {
    pub(crate) fn new(device: &mut Device, samples: u32, shaders: ShaderSource) -> Result<SkyPass, GpuError> {
        let desc = PipelineDesc::Graphics(GraphicsDesc {
            name: "sky",
            vertex: shaders("fullscreen.vert")?,
            fragment: Some(shaders("sky.frag")?),
            color_formats: &[SCENE_FORMAT],
            depth_format: Some(DEPTH_FORMAT),
            depth: Depth::TestEqualOrNearer,
            samples,
            cull: CullMode::None,
            blend: Blend::Opaque,
            ..GraphicsDesc::default()
        });
        let pipeline = device.create_pipelines(&[desc])?.remove(0);
        Ok(SkyPass { pipeline })
    }

    pub(crate) fn record(&self, cmd: &mut Cmd, push: &ScenePush) {
        cmd.zone_begin("sky");
        cmd.bind_pipeline(&self.pipeline);
        cmd.push(push.as_bytes());
        cmd.draw(3, 1, 0, 0);
        cmd.zone_end();
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.pipeline);
    }
}
