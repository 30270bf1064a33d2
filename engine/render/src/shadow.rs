//! In: the camera's place and the sun. Out: where the shadow cascades lie, and the shadow map that is drawn from them.
//! Never knows: what casts, or how the map is read. (Phase: shadows.)
//!
//! Cascades are squares around the camera, across the sun's light. Turning the camera moves none of them, and walking moves each by whole
//! texels of its own, measured from the world's origin in f64: a shadow's edge does not crawl.

use crate::{
    Camera, ShaderSource, Switches,
    cull::{Culling, shadow_list},
    ground::GroundStore,
    props::PropStore,
    targets::DEPTH_FORMAT,
};
use glam::{DVec3, Vec3, Vec4};
use terrane_gpu::{
    Cmd, CullMode, Depth, DepthAttachment, Device, GpuError, GraphicsDesc, Image, ImageBarrier, ImageDesc, LoadOp, Pipeline, PipelineDesc, RenderingDesc, vk,
};
use terrane_shaders::shared::{CASCADES, ScenePush};

/// Half widths, metres: each four to five times the one before, so that a texel keeps about the same size in the picture.
pub const CASCADE_HALF_M: [f64; CASCADES as usize] = [32.0, 144.0, 640.0, 2800.0];
/// A caster's radius is at least so many texels: what is smaller costs more than it shows.
const CASTER_TEXELS_MIN: f64 = 4.0;
/// Room towards and away from the sun beyond the view distance, metres: mountains stand there.
const DEPTH_MARGIN_M: f64 = 8000.0;

/// Where the cascades lie, relative to the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cascades {
    /// Across the light, level.
    pub right: Vec3,
    /// Across the light, up.
    pub up: Vec3,
    /// Centre along both, 1 / half width, metres of a texel.
    pub rows: [[f32; 4]; CASCADES as usize],
    /// Four sides and the one away from the sun, normals inward.
    pub planes: [[Vec4; 5]; CASCADES as usize],
    /// The smallest radius that casts, metres.
    pub radius_min_m: [f32; 4],
    /// Depth of a metre.
    pub depth_per_m: f32,
}

impl Cascades {
    pub(crate) fn new(camera: &Camera, sun: Vec3, edge: u32, view_distance_m: f32) -> Cascades {
        let towards = sun.as_dvec3().normalize();
        // With the sun overhead any direction does; it must not depend on the camera.
        let across = DVec3::Y.cross(towards);
        let right = if across.length_squared() > 1e-12 { across.normalize() } else { DVec3::X };
        let up = towards.cross(right);
        let place = DVec3::from_array(camera.place.to_f64());
        let reach = f64::from(view_distance_m) + DEPTH_MARGIN_M;
        let mut cascades = Cascades {
            right: right.as_vec3(),
            up: up.as_vec3(),
            rows: [[0.0; 4]; CASCADES as usize],
            planes: [[Vec4::ZERO; 5]; CASCADES as usize],
            radius_min_m: [0.0; 4],
            depth_per_m: (0.5 / reach) as f32,
        };
        for (k, half) in CASCADE_HALF_M.into_iter().enumerate() {
            let texel = 2.0 * half / f64::from(edge);
            // From the camera to the centre: less than a texel.
            let center = |axis: DVec3| (place.dot(axis) / texel).floor() * texel - place.dot(axis);
            let (u, v) = (center(right), center(up));
            cascades.rows[k] = [u as f32, v as f32, (1.0 / half) as f32, texel as f32];
            cascades.radius_min_m[k] = (texel * CASTER_TEXELS_MIN) as f32;
            let side = |axis: DVec3, at: f64| axis.as_vec3().extend((half - at) as f32);
            cascades.planes[k] = [side(right, u), side(-right, -u), side(up, v), side(-up, -v), towards.as_vec3().extend(reach as f32)];
        }
        cascades
    }
}

/// The map: the cascades two by two in one image.
pub(crate) struct ShadowMap {
    image: Image,
    index: u32,
    edge: u32,
}

pub(crate) struct ShadowPipelines {
    ground: Pipeline,
    props: Pipeline,
}

impl ShadowPipelines {
    pub(crate) fn new(device: &mut Device, shaders: ShaderSource) -> Result<ShadowPipelines, GpuError> {
        let describe = |name, vertex, fragment: Option<&'static str>| -> Result<PipelineDesc, GpuError> {
            Ok(PipelineDesc::Graphics(GraphicsDesc {
                name,
                vertex: shaders(vertex)?,
                fragment: fragment.map(shaders).transpose()?,
                depth_format: Some(DEPTH_FORMAT),
                depth: Depth::TestAndWrite,
                cull: CullMode::None,
                ..GraphicsDesc::default()
            }))
        };
        let descs = [describe("ground shadows", "terrain_shadow.vert", None)?, describe("prop shadows", "prop_shadow.vert", Some("prop_shadow.frag"))?];
        let mut pipelines = device.create_pipelines(&descs)?.into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        Ok(ShadowPipelines { ground: next(), props: next() })
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.ground);
        device.destroy_pipeline(self.props);
    }
}

impl ShadowMap {
    /// `edge`: texels along the edge of one cascade.
    pub(crate) fn new(device: &mut Device, edge: u32) -> Result<ShadowMap, GpuError> {
        // Two cascades side by side keep to what a device allows; 4,096 texels are guaranteed.
        let edge = edge.min(device.info().image_edge_max / 2);
        let image = device.create_image(&ImageDesc {
            name: "shadow map",
            width: 2 * edge,
            height: 2 * edge,
            mips: 1,
            layers: 1,
            samples: 1,
            format: DEPTH_FORMAT,
            usage: vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED,
            array_view: true,
        })?;
        let index = device.bind_image_array(image.view)?;
        Ok(ShadowMap { image, index, edge })
    }

    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn edge(&self) -> u32 {
        self.edge
    }

    /// Readable though nothing was drawn: frames without shadows never look into it.
    pub(crate) fn skip(&self, cmd: &mut Cmd) {
        cmd.image_barriers(&[self.barrier(
            vk::ImageLayout::UNDEFINED,
            vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::NONE),
            (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ),
        )]);
    }

    /// Draws every cascade from its own list.
    pub(crate) fn record(
        &self,
        cmd: &mut Cmd,
        pipelines: &ShadowPipelines,
        push: &ScenePush,
        culling: &Culling,
        stores: (&GroundStore, &PropStore),
        switches: &Switches,
    ) {
        let tests = vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS;
        let write = vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let reads = (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ);
        cmd.zone_begin("shadows");
        cmd.image_barriers(&[self.barrier(
            vk::ImageLayout::UNDEFINED,
            vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
            (vk::PipelineStageFlags2::FRAGMENT_SHADER | tests, vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE),
            (tests, write),
        )]);
        for cascade in 0..CASCADES {
            let list = shadow_list(cascade);
            let corner = [(cascade & 1) * self.edge, (cascade >> 1) * self.edge];
            cmd.begin_rendering_in(
                [corner[0], corner[1], self.edge, self.edge],
                &RenderingDesc {
                    extent: (2 * self.edge, 2 * self.edge),
                    colors: &[],
                    depth: Some(DepthAttachment { view: self.image.view, load: LoadOp::Clear([0.0; 4]), store: true }),
                },
            );
            let push = ScenePush { list, ..*push };
            if switches.ground {
                cmd.bind_pipeline(&pipelines.ground);
                cmd.push(push.as_bytes());
                cmd.bind_indices_u16(stores.0.indices(), 0);
                culling.draw_ground(cmd, list);
            }
            if switches.props {
                cmd.bind_pipeline(&pipelines.props);
                cmd.push(push.as_bytes());
                cmd.bind_indices_u16(stores.1.indices(), 0);
                culling.draw_props(cmd, list);
            }
            cmd.end_rendering();
        }
        cmd.image_barriers(&[self.barrier(
            vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            (tests, vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE),
            reads,
        )]);
        cmd.zone_end();
    }

    fn barrier(&self, old_layout: vk::ImageLayout, new_layout: vk::ImageLayout, src: terrane_gpu::Access, dst: terrane_gpu::Access) -> ImageBarrier {
        ImageBarrier { image: self.image.handle, aspect: vk::ImageAspectFlags::DEPTH, old_layout, new_layout, src, dst }
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_image_array(self.index);
        device.destroy_image(self.image);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrane_base::Place;

    const SUN: Vec3 = Vec3::new(0.6, 0.35, -0.3);

    fn cascades(place: [f64; 3]) -> Cascades {
        let camera = Camera { place: Place::from_f64(place), yaw_rad: 0.0, pitch_rad: 0.0, fov_y_rad: 1.0, near_m: 0.1 };
        Cascades::new(&camera, SUN, 1024, 4000.0)
    }

    /// Texel of a world point in a cascade.
    fn texel(cascades: &Cascades, k: usize, place: [f64; 3], point: DVec3) -> [f64; 2] {
        let relative = (point - DVec3::from_array(place)).as_vec3();
        let [u, v, scale, _] = cascades.rows[k];
        [(relative.dot(cascades.right) - u) * scale, (relative.dot(cascades.up) - v) * scale].map(|at| f64::from(at) * 512.0)
    }

    #[test]
    fn a_walk_moves_the_map_by_whole_texels() {
        for origin in [0.0, 1e7] {
            let start = [origin, 20.0, -origin];
            let point = DVec3::from_array(start) + DVec3::new(9.0, -15.0, 7.0);
            let before = cascades(start);
            for step in 1..200 {
                let place = [start[0] + f64::from(step) * 0.0137, start[1] + f64::from(step) * 0.003, start[2] - f64::from(step) * 0.031];
                let now = cascades(place);
                for k in 0..CASCADES as usize {
                    let (a, b) = (texel(&before, k, start, point), texel(&now, k, place, point));
                    for axis in 0..2 {
                        let moved = a[axis] - b[axis];
                        assert!((moved - moved.round()).abs() < 0.01, "cascade {k} moves by {moved} texels");
                    }
                }
            }
        }
    }

    #[test]
    fn the_camera_is_in_every_cascade_and_its_side_planes_meet_the_edge() {
        let cascades = cascades([123.4, 5.0, -7.7]);
        for (row, planes) in cascades.rows.iter().zip(&cascades.planes) {
            assert!(planes.iter().all(|plane| plane.w > 0.0));
            // A point on the right edge lies on the second plane.
            let edge = cascades.right * (row[0] + 1.0 / row[2]) + cascades.up * row[1];
            assert!((planes[1].truncate().dot(edge) + planes[1].w).abs() < 1e-3);
            // Far towards the sun still counts: it casts into the cascade.
            let far = SUN.normalize() * 20_000.0;
            assert!(planes.iter().all(|plane| plane.truncate().dot(far) + plane.w > -0.1));
        }
    }
}
