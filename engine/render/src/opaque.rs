//! In: what the culling kept. Out: ground and props in the scene's light and depth. (Phase: opaque.)
//! Never knows: what was culled, or what follows.

use crate::{
    ShaderSource,
    cull::Culling,
    ground::GroundStore,
    props::PropStore,
    targets::{DEPTH_FORMAT, SCENE_FORMAT},
};
use terrane_gpu::{Blend, Cmd, CullMode, Depth, Device, GpuError, GraphicsDesc, Pipeline, PipelineDesc};
use terrane_shaders::shared::ScenePush;

pub(crate) struct OpaquePass {
    ground: Pipeline,
    props: Pipeline,
}

impl OpaquePass {
    pub(crate) fn new(device: &mut Device, samples: u32, shaders: ShaderSource) -> Result<OpaquePass, GpuError> {
        let describe = |name, vertex, fragment, cull| -> Result<PipelineDesc, GpuError> {
            Ok(PipelineDesc::Graphics(GraphicsDesc {
                name,
                vertex: shaders(vertex)?,
                fragment: Some(shaders(fragment)?),
                color_formats: &[SCENE_FORMAT],
                depth_format: Some(DEPTH_FORMAT),
                depth: Depth::TestAndWrite,
                samples,
                cull,
                blend: Blend::Opaque,
                ..GraphicsDesc::default()
            }))
        };
        let mut pipelines = device
            .create_pipelines(&[
                // Back faces stay: a driver may take a sliver seen edge-on for one, and then the ground has a hole of a pixel.
                describe("ground", "terrain.vert", "terrain.frag", CullMode::None)?,
                // Blades and leaves are single sheets that are seen from both sides.
                describe("props", "prop.vert", "prop.frag", CullMode::None)?,
            ])?
            .into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        Ok(OpaquePass { ground: next(), props: next() })
    }

    pub(crate) fn record_ground(&self, cmd: &mut Cmd, push: &ScenePush, culling: &Culling, ground: &GroundStore) {
        cmd.bind_pipeline(&self.ground);
        cmd.push(push.as_bytes());
        cmd.bind_indices_u16(ground.indices(), 0);
        culling.draw_ground(cmd);
    }

    pub(crate) fn record_props(&self, cmd: &mut Cmd, push: &ScenePush, culling: &Culling, props: &PropStore) {
        cmd.bind_pipeline(&self.props);
        cmd.push(push.as_bytes());
        cmd.bind_indices_u16(props.indices(), 0);
        culling.draw_props(cmd);
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.ground);
        device.destroy_pipeline(self.props);
    }
}
