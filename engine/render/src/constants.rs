//! In: a scene, the size of the picture, indices of textures. Out: the constants that every shader of the frame reads.
//! Never knows: Vulkan, or when the frame is drawn.

use crate::{
    CullLimits,
    instances::InstanceBounds,
    pyramid::PyramidShape,
    scene::{CutChunk, Scene},
    shadow::Cascades,
};
use glam::Vec3;
use terrane_shaders::shared::{self, CHUNKS_DRAWN_MAX, DrawChunk, FrameConstants, LISTS, RECORDS_MAX, TEXTURE_WRAP_M};

/// What stays the same from frame to frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fixed {
    pub material_color: u32,
    pub material_normal: u32,
    pub material_smoothness: u32,
    pub material_sampler: u32,
    pub clamp_sampler: u32,
    pub grass_mean: [f32; 3],
    pub rock_mean: [f32; 3],
    pub bucket_count: u32,
    pub limits: CullLimits,
    pub shadow_edge: u32,
    pub shadow_image: u32,
    pub tiles: u32,
    /// Steps along the edge of a chunk, and metres of one at the finest level.
    pub ground_quads: u32,
    pub step_m: f32,
}

/// The distances of prop meshes are meant for a vertical angle of view of 60 degrees: tan(30 degrees).
const LOD_HALF_ANGLE_TAN: f32 = 0.577_350_3;

/// Magenta: no surface has it, so a test that looks for holes finds every one.
pub(crate) const HOLE_COLOR: [f32; 3] = [1.0, 0.0, 1.0];

pub(crate) fn frame_constants(scene: &Scene, extent: (u32, u32), fixed: &Fixed, pyramid: &PyramidShape) -> FrameConstants {
    let camera = &scene.camera;
    let look = &scene.look;
    let view = camera.view(extent.0, extent.1);
    let culling = scene.cull_camera.unwrap_or(*camera);
    let cull_view = culling.view(extent.0, extent.1);
    let cascades = Cascades::new(camera, look.sun_direction(), fixed.shadow_edge, scene.view_distance_m);
    let shadows = draws_shadows(scene);
    let planes = cull_view.frustum.iter().chain(cascades.planes.iter().flatten()).map(|plane| plane.to_array());
    let sun = look.sun_direction();
    let ambient = ambient_of_sky(scene);
    FrameConstants {
        view_projection: view.projection.to_cols_array_2d(),
        planes: std::array::from_fn({
            let planes: Vec<_> = planes.collect();
            move |index| planes[index]
        }),
        cascades: cascades.rows,
        cascade_radius_min_m: cascades.radius_min_m,
        sun_right: cascades.right.to_array(),
        sun_up: cascades.up.to_array(),
        shadow_depth_per_m: cascades.depth_per_m,
        shadow_edge: fixed.shadow_edge as f32,
        shadow_image: fixed.shadow_image,
        shadows: u32::from(shadows),
        cull_offset_m: (camera.place.relative_to(culling.place.cell_m) - culling.place.offset_m).to_array(),
        cull_right: (cull_view.right / cull_view.half_extent[0]).to_array(),
        cull_up: (cull_view.up / cull_view.half_extent[1]).to_array(),
        cull_forward: cull_view.forward.to_array(),
        near_m: culling.near_m,
        pyramid_width: pyramid.extent.0,
        pyramid_height: pyramid.extent.1,
        pyramid_first: pyramid.first,
        pyramid_levels: pyramid.levels,
        occlusion: u32::from(culls_occluded(scene)),
        early_lists: if shadows { LISTS - 1 } else { 1 },
        camera_offset_m: camera.place.offset_m.to_array(),
        camera_cell_y_m: camera.place.cell_m[1] as f32,
        camera_height_m: camera.place.to_f64()[1] as f32,
        eye_m: scene.eye_m,
        time_s: scene.time_s,
        debug_view: scene.view.code(),
        texture_offset_m: texture_offset(scene),
        cull: u32::from(scene.switches.cull),
        view_right: (view.right * view.half_extent[0]).to_array(),
        view_up: (view.up * view.half_extent[1]).to_array(),
        view_forward: view.forward.to_array(),
        sun_direction: sun.to_array(),
        sun_color: look.sun_color.to_array(),
        sun_glow: look.sun_glow.to_array(),
        sky_zenith: look.sky_zenith.to_array(),
        sky_horizon: look.sky_horizon.to_array(),
        sky_haze: look.sky_haze.to_array(),
        ambient_up: ambient[0].to_array(),
        ambient_horizon: ambient[1].to_array(),
        ambient_down: ambient[2].to_array(),
        haze_extinction: look.haze_extinction.to_array(),
        haze_density: look.haze_density(scene.view_distance_m),
        haze_falloff: 1.0 / look.haze_height_m.max(1.0),
        cloud_amount: look.cloud_amount,
        cloud_offset: [scene.time_s * 0.004, scene.time_s * 0.0015],
        exposure: look.exposure,
        contrast: look.contrast,
        saturation: look.saturation,
        background: HOLE_COLOR,
        snow_offset_m: look.snow_offset_m,
        snow_contrast_m: look.snow_contrast_m.max(0.01),
        rock_low: look.rock_low,
        rock_high: look.rock_high,
        tree_line_m: look.tree_line_m,
        forest_cover_low: look.forest_cover_low,
        forest_cover_high: look.forest_cover_high,
        grass_mean: fixed.grass_mean,
        rock_mean: fixed.rock_mean,
        tiles: fixed.tiles,
        ground_quads: fixed.ground_quads as i32,
        wall_color: look.wall_color.to_array(),
        water_color: look.water_color.to_array(),
        water_absorption: look.water_absorption.to_array(),
        lod_scale: (camera.fov_y_rad * 0.5).tan().max(0.01) / LOD_HALF_ANGLE_TAN,
        prop_distance_scale: scene.prop_distance_scale,
        chunk_count: scene.chunks.len().min(CHUNKS_DRAWN_MAX as usize) as u32,
        bucket_count: fixed.bucket_count,
        draw_instances_max: fixed.limits.draw_instances_max,
        shadow_instances_max: fixed.limits.shadow_instances_max,
        material_color: fixed.material_color,
        material_normal: fixed.material_normal,
        material_smoothness: fixed.material_smoothness,
        material_sampler: fixed.material_sampler,
        clamp_sampler: fixed.clamp_sampler,
    }
}

/// Debug views have no light, but for the one that shows it.
pub(crate) fn draws_shadows(scene: &Scene) -> bool {
    use crate::DebugView;
    scene.switches.shadows && matches!(scene.view, DebugView::None | DebugView::Cascades)
}

/// The view of the culling draws what is hidden, too.
pub(crate) fn culls_occluded(scene: &Scene) -> bool {
    scene.switches.occlusion && scene.view != crate::DebugView::Culling
}

/// Irradiance from above, the side and below. The dome is read at three heights, its cosine-weighted mean is close to
/// pi times a mix of them; the ground sends back its share of sun and sky.
fn ambient_of_sky(scene: &Scene) -> [Vec3; 3] {
    let look = &scene.look;
    let pi = std::f32::consts::PI;
    let up = (look.sky_zenith * 0.55 + look.sky_horizon * 0.35 + look.sky_haze * 0.10) * pi;
    let side = (look.sky_horizon * 0.55 + look.sky_haze * 0.25 + look.sky_zenith * 0.20) * pi * 0.75;
    let sun_on_ground = look.sun_color * look.sun_direction().y.max(0.0);
    let down = (up * 0.6 + sun_on_ground) * look.bounce;
    [up, side, down]
}

fn texture_offset(scene: &Scene) -> [f32; 3] {
    let place = &scene.camera.place;
    let wrapped = |axis: usize| place.cell_m[axis].rem_euclid(i64::from(TEXTURE_WRAP_M)) as f32 + place.offset_m[axis];
    [wrapped(0), wrapped(1), wrapped(2)]
}

/// The cut as the GPU reads it, and how many instances did not fit; what is beyond a capacity is the farthest.
pub(crate) fn draw_chunks(scene: &Scene, bounds: &[InstanceBounds], fixed: &Fixed) -> (Vec<DrawChunk>, u32) {
    let (mut records, mut dropped) = (0, 0);
    let chunks = scene.chunks.iter().take(CHUNKS_DRAWN_MAX as usize).map(|chunk| {
        let InstanceBounds { top_m, reach_m } = bounds[chunk.slot.0 as usize];
        let mut drawn = DrawChunk { record_first: records, prop_top_m: top_m, prop_reach_m: reach_m, ..draw_chunk(scene, chunk, fixed) };
        if records + drawn.instance_count > RECORDS_MAX {
            dropped += drawn.instance_count;
            drawn.instance_count = 0;
        }
        records += drawn.instance_count;
        drawn
    });
    (chunks.collect(), dropped)
}

fn draw_chunk(scene: &Scene, chunk: &CutChunk, fixed: &Fixed) -> DrawChunk {
    let lod = chunk.key.lod;
    let step_m = fixed.step_m * (1u64 << lod) as f32;
    // Whole metres at every level.
    let edge_m = (fixed.step_m * fixed.ground_quads as f32) as i64 * (1i64 << lod);
    let cell = scene.camera.place.cell_m;
    let (start, end) = scene.morph_range_m.get(usize::from(lod)).copied().unwrap_or((0.0, 0.0));
    let morphs = usize::from(lod) + 1 < scene.morph_range_m.len() && end > start;
    DrawChunk {
        // Exact: a chunk that is drawn lies within 2^24 m of the camera.
        origin_m: [(i64::from(chunk.key.x) * edge_m - cell[0]) as i32, (i64::from(chunk.key.z) * edge_m - cell[2]) as i32],
        step_m,
        slot: chunk.slot.0,
        morph_start_m: start,
        morph_scale: if morphs { 1.0 / (end - start) } else { 0.0 },
        morph_min: if morphs { chunk.morph_min } else { 0.0 },
        lod: u32::from(lod),
        height_min_m: chunk.height_min_m,
        height_max_m: chunk.height_max_m,
        instance_count: chunk.instance_count.min(shared::INSTANCES_PER_CHUNK_MAX),
        ..DrawChunk::default()
    }
}
