//! In: what the culling kept. Out: ground and props in the scene's light and depth. (Phase: opaque.)
//! Never knows: what was culled, or what follows.

use crate::{
    ShaderSource, Switches,
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
    ground_lines: Pipeline,
    props_lines: Pipeline,
}

impl OpaquePass {
    pub(crate) fn new(device: &mut Device, samples: u32, tiles: bool, shaders: ShaderSource) -> Result<OpaquePass, GpuError> {
        let ground = if tiles { ["tile.vert", "tile.frag"] } else { ["terrain.vert", "terrain.frag"] };
        let describe = |name, vertex, fragment, wireframe| -> Result<PipelineDesc, GpuError> {
            Ok(PipelineDesc::Graphics(GraphicsDesc {
                name,
                vertex: shaders(vertex)?,
                fragment: Some(shaders(fragment)?),
                color_formats: &[SCENE_FORMAT],
                depth_format: Some(DEPTH_FORMAT),
                depth: Depth::TestAndWrite,
                samples,
                // On the ground back faces stay: a driver may take a sliver seen edge-on for one, and then there is a hole of a pixel. Blades and
                // leaves are single sheets that are seen from both sides.
                cull: CullMode::None,
                blend: Blend::Opaque,
                wireframe,
                ..GraphicsDesc::default()
            }))
        };
        let mut pipelines = device
            .create_pipelines(&[
                describe("ground", ground[0], ground[1], false)?,
                describe("props", "prop.vert", "prop.frag", false)?,
                describe("ground, lines", ground[0], ground[1], true)?,
                describe("props, lines", "prop.vert", "prop.frag", true)?,
            ])?
            .into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        Ok(OpaquePass { ground: next(), props: next(), ground_lines: next(), props_lines: next() })
    }

    /// Draws a list, early or late.
    pub(crate) fn record(&self, cmd: &mut Cmd, push: &ScenePush, culling: &Culling, stores: (&GroundStore, &PropStore), switches: &Switches, list: u32) {
        if switches.ground {
            cmd.bind_pipeline(if switches.wireframe { &self.ground_lines } else { &self.ground });
            cmd.push(push.as_bytes());
            cmd.bind_indices_u16(stores.0.indices(), 0);
            culling.draw_ground(cmd, list);
        }
        if switches.props {
            cmd.bind_pipeline(if switches.wireframe { &self.props_lines } else { &self.props });
            cmd.push(push.as_bytes());
            cmd.bind_indices_u16(stores.1.indices(), 0);
            culling.draw_props(cmd, list);
        }
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        for pipeline in [self.ground, self.props, self.ground_lines, self.props_lines] {
            device.destroy_pipeline(pipeline);
        }
    }
}
