//! In: what the GPU culled from and what it decided, read back. Out: what the CPU makes of the same, and where the two differ.
//! Never knows: Vulkan. For tests; the shaders' counterparts are in instance_cull.glsl and cull_evaluate.comp.
//!
//! Both compute in f32, and a GPU may fuse or reorder: a decision whose two sides lie within [`BOUNDARY`] of each other may fall either way.

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};
use terrane_shaders::shared::*;
use terrane_worldgen::{CHUNK_VERTICES, GridMesh, morph, tiles};

/// How near two sides of a comparison may be, relative to their size, for either outcome to be right.
const BOUNDARY: f32 = 1e-5;

/// Everything that decides what is drawn.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    pub(crate) constants: FrameConstants,
    pub(crate) chunks: Vec<DrawChunk>,
    pub(crate) props: Vec<PropRow>,
    pub(crate) pyramid: Vec<f32>,
    /// A slot's vertices and instances, for each chunk.
    pub(crate) ground: Vec<GridMesh>,
    pub(crate) instances: Vec<Vec<[u32; 2]>>,
    /// What the GPU decided: who is in any list, records, and per chunk the words of what is visible.
    pub(crate) survivors: Vec<u32>,
    pub(crate) survivor_counts: Vec<u32>,
    pub(crate) records: Vec<InstanceRecord>,
    pub(crate) visibility: Vec<Vec<u32>>,
}

/// How CPU and GPU agree.
#[derive(Clone, Debug, Default)]
pub struct TwinReport {
    /// Instances that were compared.
    pub instances: usize,
    /// Of these, in the view and in front.
    pub visible: usize,
    /// In the view, behind something.
    pub occluded: usize,
    /// In a shadow cascade.
    pub casting: usize,
    /// Decided differently, within the boundary.
    pub at_boundary: usize,
    /// Decided differently, and wrong: what and where.
    pub wrong: Vec<String>,
}

/// What the culling says of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Verdict {
    visible: bool,
    occluded: bool,
    /// A bit for each shadow list.
    cascades: u32,
    /// Of those that are in any list.
    bucket: Option<u32>,
    /// How far the next mesh has taken over.
    fade: u32,
}

/// Compares, and remembers how near the nearest comparison was.
struct Judge(f32);

impl Judge {
    fn less(&mut self, a: f32, b: f32) -> bool {
        self.within(a, b, a.abs().max(b.abs()));
        a < b
    }

    fn within(&mut self, a: f32, b: f32, scale: f32) {
        self.0 = self.0.min((a - b).abs() / scale.max(f32::MIN_POSITIVE));
    }
}

impl Twin {
    /// Compares every instance of the cut.
    pub fn compare(&self) -> TwinReport {
        let mut report = TwinReport::default();
        for index in 0..self.chunks.len() {
            let chunk_lists = self.lists_of_chunk(index);
            let survivors = if chunk_lists == 0 { &[][..] } else { self.survivors(index) };
            if !survivors.is_sorted_by(|a, b| a < b) {
                report.wrong.push(format!("chunk {index}: its survivors are not in their order"));
            }
            for instance in 0..self.chunks[index].instance_count as usize {
                self.compare_one(index, instance, survivors, &mut report);
            }
        }
        report
    }

    fn compare_one(&self, index: usize, instance: usize, survivors: &[u32], report: &mut TwinReport) {
        let mut judge = Judge(f32::INFINITY);
        let own = self.verdict(index, instance, &mut judge);
        let gpu = self.gpu_verdict(index, instance, survivors);
        report.instances += 1;
        report.visible += usize::from(gpu.visible);
        report.occluded += usize::from(own.occluded);
        report.casting += usize::from(gpu.cascades != 0);
        if own == gpu || (Verdict { occluded: gpu.occluded, ..own }) == gpu {
            return;
        }
        if judge.0 < BOUNDARY {
            report.at_boundary += 1;
        } else if report.wrong.len() < 20 {
            report.wrong.push(format!("chunk {index}, instance {instance}: CPU {own:?}, GPU {gpu:?}, nearest comparison {:e}", judge.0));
        }
    }

    /// The lists whose records are of this frame: those whose volume the chunk's box touches.
    fn lists_of_chunk(&self, index: usize) -> u32 {
        let (low, high) = self.prop_box(&self.chunks[index]);
        let inside = |volume: u32| {
            let offset = self.offset(volume);
            self.planes(volume).iter().all(|plane| {
                let corner = Vec3::select(plane.xyz().cmpgt(Vec3::ZERO), high + offset, low + offset);
                plane.xyz().dot(corner) + plane.w >= 0.0
            })
        };
        (0..self.constants.early_lists).filter(|volume| inside(*volume)).fold(0, |lists, list| lists | 1 << list)
    }

    /// Instances of a chunk that are in any list, in their order.
    fn survivors(&self, index: usize) -> &[u32] {
        let first = self.chunks[index].record_first as usize;
        &self.survivors[first..first + self.survivor_counts[index] as usize]
    }

    fn gpu_verdict(&self, index: usize, instance: usize, survivors: &[u32]) -> Verdict {
        // Records of an instance that is in no list are of another frame.
        if survivors.binary_search(&(instance as u32)).is_err() {
            return Verdict::default();
        }
        let chunk = &self.chunks[index];
        let packed = self.records[chunk.record_first as usize + instance].packed;
        let lists = packed >> RECORD_LISTS_SHIFT;
        let seen = self.visibility[index][instance / 32] >> (instance % 32) & 1 != 0;
        // Without occlusion nothing is noted, and what is in the view is drawn.
        let visible = lists & (1 << LIST_EARLY | 1 << LIST_LATE) != 0 && (seen || self.constants.occlusion == 0);
        let cascades = lists & 0b1_1110;
        let bucket = (visible || cascades != 0).then_some(packed & ((1 << RECORD_BUCKET_BITS) - 1));
        let fade = if bucket.is_some() { packed >> RECORD_FADE_SHIFT } else { 0 };
        Verdict { visible, occluded: false, cascades, bucket, fade }
    }

    fn verdict(&self, index: usize, instance: usize, judge: &mut Judge) -> Verdict {
        let (chunk, words) = (&self.chunks[index], self.instances[index][instance]);
        let local = Vec2::new((words[0] & 0xffff) as f32, (words[0] >> 16) as f32) / 16.0;
        let xz = Vec2::new(chunk.origin_m[0] as f32, chunk.origin_m[1] as f32) + local
            - Vec2::new(self.constants.camera_offset_m[0], self.constants.camera_offset_m[2]);
        let (full_scale, rank) = ((words[1] >> 8 & 0xff) as f32 / 64.0, (words[1] >> 24) as f32 / 256.0);
        let prop = &self.props[(words[1] >> 16 & 0xff) as usize];
        let radius = prop.radius_m * full_scale;
        if judge.less(prop.hide_m, xz.length() * self.constants.prop_distance_scale) {
            return Verdict::default();
        }
        let fade = self.fade(chunk, prop, rank, xz, judge);
        if fade <= 0.0 {
            return Verdict::default();
        }
        let y = self.base_y(index, local);
        let center = Vec3::new(xz.x, y + prop.height_m * 0.5 * full_scale, xz.y);
        let in_view = self.inside(0, center, radius, judge);
        let casts = |cascade: u32, judge: &mut Judge| {
            self.constants.early_lists > 1
                && !judge.less(radius, self.constants.cascade_radius_min_m[cascade as usize])
                && self.inside(1 + cascade, center, radius, judge)
        };
        let cascades = (0..CASCADES).filter(|cascade| casts(*cascade, judge)).fold(0, |lists, cascade| lists | 1 << (LIST_SHADOW + cascade));
        let occluded = in_view && self.constants.occlusion != 0 && self.occluded(center, radius, judge);
        let visible = in_view && !occluded;
        let apparent_m = Vec3::new(xz.x, y, xz.y).length() / (full_scale * fade).max(0.25) * (self.constants.lod_scale * self.constants.prop_distance_scale);
        let lod = prop.lod_distance_m.iter().filter(|distance| !judge.less(apparent_m, **distance)).count() as u32;
        let in_a_list = visible || cascades != 0;
        let bucket = in_a_list.then_some((words[1] >> 16 & 0xff) * PROP_LODS + lod);
        let fade = if in_a_list { self.lod_fade(apparent_m, prop, lod as usize, judge) } else { 0 };
        Verdict { visible, occluded, cascades, bucket, fade }
    }

    /// How far the next mesh has taken over, in 16ths.
    fn lod_fade(&self, apparent_m: f32, prop: &PropRow, lod: usize, judge: &mut Judge) -> u32 {
        let Some(end_m) = prop.lod_distance_m.get(lod) else { return 0 };
        let steps = ((apparent_m / end_m - (1.0 - LOD_FADE_SHARE)) * (16.0 / LOD_FADE_SHARE)).clamp(0.0, 15.0);
        judge.within(steps, steps.round(), 16.0 / LOD_FADE_SHARE);
        steps as u32
    }

    /// How much of its scale an instance keeps.
    fn fade(&self, chunk: &DrawChunk, prop: &PropRow, rank: f32, xz: Vec2, judge: &mut Judge) -> f32 {
        let level = chunk.lod.min(SCATTER_LEVELS - 1) as usize;
        let next = prop.keep.get(level + 1).copied().unwrap_or(0.0);
        let morph = if chunk.morph_scale == 0.0 { 0.0 } else { self.morph(chunk, xz) };
        let distance_m = xz.extend(self.constants.eye_m).length();
        let t = ((distance_m * self.constants.prop_distance_scale - prop.hide_m * 0.55) / (prop.hide_m * 0.45)).clamp(0.0, 1.0);
        let keep = (prop.keep[level] + (next - prop.keep[level]) * morph) * (1.0 - t * t * (3.0 - 2.0 * t));
        judge.within(keep, rank, 1.0);
        ((keep - rank) * 12.0).clamp(0.0, 1.0)
    }

    fn morph(&self, chunk: &DrawChunk, xz: Vec2) -> f32 {
        let distance = xz.extend(self.constants.eye_m).length();
        ((distance - chunk.morph_start_m) * chunk.morph_scale).clamp(0.0, 1.0).max(chunk.morph_min)
    }

    /// Height of the drawn ground under a point, over the camera.
    fn base_y(&self, index: usize, local: Vec2) -> f32 {
        let chunk = &self.chunks[index];
        let at = |x: usize, z: usize| {
            let corner = Vec2::new(chunk.origin_m[0] as f32, chunk.origin_m[1] as f32) + Vec2::new(x as f32, z as f32) * chunk.step_m;
            self.morph(chunk, corner - Vec2::new(self.constants.camera_offset_m[0], self.constants.camera_offset_m[2]))
        };
        if self.constants.tiles != 0 {
            let at = |x: usize, z: usize| {
                let corner = Vec2::new(((x >> 1) + (x & 1)) as f32, ((z >> 1) + (z & 1)) as f32) * (2.0 * chunk.step_m);
                let corner = Vec2::new(chunk.origin_m[0] as f32, chunk.origin_m[1] as f32) + corner;
                self.morph(chunk, corner - Vec2::new(self.constants.camera_offset_m[0], self.constants.camera_offset_m[2]))
            };
            let tile = local / (2.0 * chunk.step_m);
            let height_m = tiles::drawn_tile_height_m(&self.ground[index], self.constants.tiles as usize, tile.to_array(), at);
            return (height_m - self.constants.camera_cell_y_m) - self.constants.camera_offset_m[1];
        }
        let grid = local / chunk.step_m;
        (morph::drawn_height_m(&self.ground[index], [grid.x, grid.y], at) - self.constants.camera_cell_y_m) - self.constants.camera_offset_m[1]
    }

    fn planes(&self, volume: u32) -> [Vec4; VOLUME_PLANES as usize] {
        std::array::from_fn(|plane| Vec4::from_array(self.constants.planes[volume as usize * VOLUME_PLANES as usize + plane]))
    }

    /// The view's volume is that of the culling camera.
    fn offset(&self, volume: u32) -> Vec3 {
        if volume == 0 { Vec3::from_array(self.constants.cull_offset_m) } else { Vec3::ZERO }
    }

    fn inside(&self, volume: u32, center: Vec3, radius: f32, judge: &mut Judge) -> bool {
        let center = center + self.offset(volume);
        self.planes(volume).iter().all(|plane| {
            let (distance, scale) = (plane.xyz().dot(center) + plane.w, center.length() + radius + plane.w.abs());
            judge.within(distance, -radius, scale);
            distance >= -radius
        })
    }

    fn prop_box(&self, chunk: &DrawChunk) -> (Vec3, Vec3) {
        let constants = &self.constants;
        let bottom_m = chunk.height_min_m - chunk.step_m * SKIRT_DEPTH_STEPS;
        let low =
            Vec3::new(chunk.origin_m[0] as f32, bottom_m - constants.camera_cell_y_m, chunk.origin_m[1] as f32) - Vec3::from_array(constants.camera_offset_m);
        let edge = chunk.step_m * constants.ground_quads as f32;
        let high = low + Vec3::new(edge, chunk.height_max_m - bottom_m, edge);
        let reach = chunk.prop_reach_m;
        (low - Vec3::splat(reach), high + Vec3::new(reach, chunk.prop_top_m, reach))
    }

    fn occluded(&self, center: Vec3, radius: f32, judge: &mut Judge) -> bool {
        let constants = &self.constants;
        let (right, up, forward) = (Vec3::from_array(constants.cull_right), Vec3::from_array(constants.cull_up), Vec3::from_array(constants.cull_forward));
        let center = center + self.offset(0);
        let w = forward.dot(center);
        let nearest = w - radius;
        if !judge.less(constants.near_m, nearest) {
            return false;
        }
        let at = Vec2::new(center.dot(right), -center.dot(up));
        let reach = Vec2::new(right.length(), up.length()) * radius;
        let edge = |value: f32, towards_low: bool| value / if (value < 0.0) == towards_low { nearest } else { w + radius };
        let (low, high) = (at - reach, at + reach);
        let low = Vec2::new(edge(low.x, true), edge(low.y, true));
        let high = Vec2::new(edge(high.x, false), edge(high.y, false));
        let farthest = self.farthest(low, high, judge);
        judge.less(constants.near_m / nearest * 1.001, farthest)
    }

    /// The farthest depth in a rectangle of the picture, from the level whose texels it touches two by two at most.
    fn farthest(&self, low: Vec2, high: Vec2, judge: &mut Judge) -> f32 {
        let constants = &self.constants;
        let last = [constants.pyramid_width as i32 - 1, constants.pyramid_height as i32 - 1];
        let mut pixel = |ndc: f32, axis: usize, more: f32| {
            let at = (ndc + 1.0) * (last[axis] + 1) as f32 * 0.5 + more;
            judge.within(at, at.round(), (last[axis] + 1) as f32);
            (at.floor() as i32).clamp(0, last[axis])
        };
        let a = [pixel(low.x, 0, -0.0625), pixel(low.y, 1, -0.0625)];
        let b = [pixel(high.x, 0, 0.0625), pixel(high.y, 1, 0.0625)];
        let span = (b[0] - a[0]).max(b[1] - a[1]);
        let level = if span <= 1 { 0 } else { (span - 1).ilog2() }.min(constants.pyramid_levels - 1);
        let row = (constants.pyramid_width + (1 << (level + 1)) - 1) >> (level + 1);
        let texel = |x: i32, y: i32| {
            let [x, y] = [x, y].map(|at| at as u32 >> (level + 1));
            self.pyramid[(constants.pyramid_first[level as usize] + y * row + x) as usize]
        };
        texel(a[0], a[1]).min(texel(b[0], a[1])).min(texel(a[0], b[1])).min(texel(b[0], b[1]))
    }
}

/// A slot's vertices as the mesh that they were made from.
pub(crate) fn mesh_of(pairs: Vec<[u32; 2]>) -> GridMesh {
    assert_eq!(pairs.len(), CHUNK_VERTICES * CHUNK_VERTICES);
    GridMesh { vertices: pairs, ..GridMesh::default() }
}
