//! In: ground that repeats, seen here and 10,000 km away; steps of a millimetre there. Out: how much differs.
//! Never knows: how positions are kept.

use crate::common::{close, config, desc, draw, flip, keep, moved, open, over_ground, settle};
use glam::Vec3;
use std::sync::Arc;
use terrane::{
    chunk_graph::{ArrangedInstances, ChunkContext, make_chunk},
    session::{FrameDesc, Session, camera},
    worlds::{WORLDS, World},
};
use terrane_base::{ChunkKey, Place};
use terrane_render::Camera;
use terrane_shaders::shared::DrawInstance;
use terrane_worldgen::{
    GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    noise::{Stack, StackDesc},
    scatter::Instance,
};

const EXTENT: (u32, u32) = (320, 180);
const VIEW_DISTANCE_M: f64 = 1100.0;
const FAR_M: f64 = 1e7;
/// 64 cells of 64 m: the ground repeats where textures do, so pictures can be equal.
const PERIOD_M: i64 = 4096;
const PERIOD_CELLS: u32 = 64;
const MEAN_MAX: f32 = 0.005; // DESIGN.md
const STEPS: usize = 100;
const STEP_M: f64 = 0.001;
const HILLS_M: f32 = 60.0;

/// Hills that repeat every [`PERIOD_M`].
struct Periodic(Stack);

impl HeightField for Periodic {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let mut values = vec![0.0; area.edge * area.edge];
        self.0.fbm_grid(area, &mut scratch.noise, &mut values);
        out.edge = area.edge;
        out.height_q = values.iter().map(|value| (value * HILLS_M * HEIGHT_UNITS_PER_M as f32) as i32).collect();
        out.cover = vec![128; values.len()];
    }
}

/// The first world's looks on periodic hills, without plants: these stand on a lattice that never repeats.
fn open_periodic() -> Session {
    let config = config(&WORLDS[0], VIEW_DISTANCE_M);
    let wavelength_m = PERIOD_M as f64 / f64::from(PERIOD_CELLS);
    let stack = Stack::new(7, &StackDesc { octaves: 6, wavelength_m, lacunarity: 2.0, persistence: 0.45, period_cells: PERIOD_CELLS });
    let mut world = config.make_world().expect("a world");
    (world.field, world.scatter_kinds) = (Arc::new(Periodic(stack)), Vec::new());
    Session::open_world(&config, world, &desc(EXTENT)).expect("a session; these tests need a Vulkan driver")
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn ten_thousand_kilometres_away_it_looks_the_same() {
    let mut session = open_periodic();
    let far_m = ((FAR_M / PERIOD_M as f64).round() as i64 * PERIOD_M) as f64;
    let (mut worst, mut last) = (0.0f32, None);
    for (yaw_deg, signs) in [(30.0, [1.0, -1.0]), (200.0, [-1.0, 1.0])] {
        let mut show = |x: f64, z: f64| {
            let camera = camera(over_ground(&session.world, x + 20.3125, z + 7.8125, 3.0), yaw_deg, -8.0);
            settle(&mut session, &camera);
            draw(&mut session, &FrameDesc::new(camera))
        };
        let (here, there) = (show(0.0, 0.0), show(signs[0] * far_m, signs[1] * far_m));
        if let Some(other) = last.replace(here) {
            assert!(flip(&other, &there).mean > 10.0 * MEAN_MAX, "another direction shows another picture");
        }
        let here = last.as_ref().expect("just put there");
        let error = flip(here, &there);
        if error.mean > MEAN_MAX {
            keep(here, "precision-here");
            keep(&there, "precision-there");
        }
        println!("precision: FLIP mean {:.6}, p99 {:.6} between 0 and {far_m} m", error.mean, error.p99);
        worst = worst.max(error.mean);
    }
    close(session);
    assert!(worst <= MEAN_MAX, "FLIP mean {worst}");
}

/// Something that stands on the ground of a chunk.
fn first_instance(context: &ChunkContext, key: ChunkKey) -> Option<Instance> {
    let (_, _, ArrangedInstances(instances)) = make_chunk(context, key);
    // In the middle, so that the camera and its marker are in one chunk.
    let edge_m = context.world.shape.edge_m(0) as f32;
    instances.into_iter().find(|instance| instance.local_m().iter().all(|at| (0.2 * edge_m..0.8 * edge_m).contains(at)))
}

/// Where the GPU drew the instance that is nearest to a point relative to the camera.
fn drawn_near(session: &mut Session, point: Vec3, count: usize) -> Vec3 {
    let bytes = session.device.read_buffer(session.renderer.drawn_instances(), 0, (count * size_of::<DrawInstance>()) as u64).expect("a buffer");
    let word = |bytes: &[u8], at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let positions = bytes.chunks_exact(size_of::<DrawInstance>()).map(|row| Vec3::new(word(row, 0), word(row, 4), word(row, 8)));
    positions.min_by(|a, b| a.distance(point).total_cmp(&b.distance(point))).expect("instances are drawn")
}

/// The pixel of a camera-relative point.
fn pixel(camera: &Camera, point: Vec3) -> [f32; 2] {
    camera.view(EXTENT.0, EXTENT.1).pixel(point, EXTENT.0, EXTENT.1).expect("in front of the camera")
}

/// A plant 1 m ahead passes to the left while the camera steps to the right.
fn check_steps(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    let (context, edge_m) = (ChunkContext::new(session.world.clone()), session.world.shape.edge_m(0));
    let at = (FAR_M / edge_m) as i32;
    let (key, instance) = (0..400)
        .map(|i| ChunkKey::plane(0, at + i % 20, -at + i / 20))
        .find_map(|key| Some((key, first_instance(&context, key)?)))
        .expect("something grows 10,000 km away");
    let [x, z] = instance.local_m();
    let (x, z) = (f64::from(key.x) * edge_m + f64::from(x), f64::from(key.z) * edge_m + f64::from(z));
    let marker = Place::from_f64([x, session.world.height_at(x, z), z]);
    // North is ahead; up enough not to stand in the ground.
    let start = camera(marker.moved_by(glam::DVec3::new(-0.05, 0.3, 1.0)), 0.0, 0.0);
    settle(&mut session, &start);
    let (mut before, mut apart) = (f32::MAX, 0.0f32);
    for step in 0..=STEPS {
        let camera = moved(&start, [step as f64 * STEP_M, 0.0, 0.0]);
        let analytic = [0.05 - step as f64 * STEP_M, -0.3, -1.0].map(|metres| metres as f32);
        let expected = pixel(&camera, Vec3::from_array(analytic));
        let kept = pixel(&camera, marker.relative_to(camera.place.cell_m) - camera.place.offset_m);
        // Three frames: the counters of the first are read with the third.
        let drawn = if step % 10 == 0 {
            let stats = [(); 3].map(|()| count_drawn(&mut session, camera));
            pixel(&camera, drawn_near(&mut session, Vec3::from_array(analytic), stats[2]))
        } else {
            kept
        };
        assert!(kept[0] <= before, "step {step}: the marker moves back from {before} to {}", kept[0]);
        apart = [kept, drawn].iter().fold(apart, |apart, at| apart.max((at[0] - expected[0]).hypot(at[1] - expected[1])));
        before = kept[0];
    }
    close(session);
    println!("camera steps, {}: {STEPS} of {STEP_M} m, never back, at most {apart:.4} pixels from the analytic place", world.name);
    assert!(apart <= 1.0, "{apart} pixels from the analytic place");
}

/// Draws a frame; how many instances one of the frames before drew.
pub fn count_drawn(session: &mut Session, camera: Camera) -> usize {
    let mut cmd = session.device.begin_frame().expect("a frame");
    let stats = session.record(&mut cmd, &FrameDesc::new(camera)).expect("it records");
    let value = session.device.submit_frame(cmd).expect("it is sent");
    session.device.wait(value).expect("it ends");
    stats.instances_drawn as usize
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_marker_ahead_never_moves_back() {
    WORLDS.iter().for_each(check_steps);
}
