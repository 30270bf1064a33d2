//! In: the cut, the picture with everything solid in it. Out: water over it. (Phase: water.)
//! Never knows: what lies under it.

use crate::ShaderSource;
use crate::targets::{DEPTH_FORMAT, SCENE_FORMAT};
use terrane_gpu::{Blend, Cmd, CullMode, Depth, Device, GpuError, GraphicsDesc, Pipeline, PipelineDesc};
use terrane_shaders::shared::ScenePush;

/// The transparent layer of a world that has one: a level sheet over each chunk. One layer, so no order is needed.
pub(crate) struct WaterPass {
    pipeline: Pipeline,
}

/// Corners of the two triangles of a chunk.
const CORNERS: u32 = 6;

impl WaterPass {
    pub(crate) fn new(device: &mut Device, samples: u32, shaders: ShaderSource) -> Result<WaterPass, GpuError> {
        let desc = PipelineDesc::Graphics(GraphicsDesc {
            name: "water",
            vertex: shaders("water.vert")?,
            fragment: Some(shaders("water.frag")?),
            color_formats: &[SCENE_FORMAT],
            depth_format: Some(DEPTH_FORMAT),
            depth: Depth::TestEqualOrNearer,
            samples,
            cull: CullMode::None,
            blend: Blend::Alpha,
            ..GraphicsDesc::default()
        });
        Ok(WaterPass { pipeline: device.create_pipelines(&[desc])?.remove(0) })
    }

    pub(crate) fn record(&self, cmd: &mut Cmd, push: &ScenePush, chunk_count: u32) {
        cmd.zone_begin("water");
        cmd.bind_pipeline(&self.pipeline);
        cmd.push(push.as_bytes());
        cmd.draw(CORNERS, chunk_count, 0, 0);
        cmd.zone_end();
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.pipeline);
    }
}
