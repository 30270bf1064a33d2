//! In: the first world, a Vulkan driver. Out: what a frame costs on the CPU and the GPU, with and without each optimisation; and the culling beside
//! a dispatch that only copies the same instances (docs/PERFORMANCE.md, row 14).
//! Never knows: windows. `cargo bench -p terrane-benches --bench frame`; figures are medians of frames drawn in turn, in one process.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use terrane::{
    cli::GlobalArgs,
    config::Config,
    session::{self, FrameDesc, Session, SessionDesc},
    worlds::WORLDS,
};
use terrane_base::Place;
use terrane_gpu::PipelineDesc;
use terrane_render::{FrameStats, Switches, built_in_shaders};

const EXTENT: (u32, u32) = (320, 180);
const FRAMES: usize = 15;
/// View distance in metres and density of plants: from about 10^4 to more than 10^6 instances in the cut. The last is what row 14 counts.
const ROWS: [(f64, f64); 5] = [(512.0, 0.02), (512.0, 1.0), (1000.0, 1.0), (4000.0, 1.0), (4000.0, 2.0)];
/// DESIGN.md: milliseconds of the CPU to record and submit a frame.
const RECORD_MS_MAX: f64 = 0.5;
/// Row 14: must and goal.
const COPY_RATIO: (f64, f64) = (2.5, 1.6);

/// Medians by name.
#[derive(Default)]
struct Medians(BTreeMap<String, Vec<f64>>);

impl Medians {
    fn add(&mut self, name: &str, ms: f64) {
        self.0.entry(name.to_owned()).or_default().push(ms);
    }

    /// The least of them: what other work on the machine disturbs less.
    fn least(&self, name: &str) -> f64 {
        self.0.get(name).map_or(f64::NAN, |values| values.iter().copied().fold(f64::INFINITY, f64::min))
    }

    fn of(&self, name: &str) -> f64 {
        let mut values = self.0.get(name).cloned().unwrap_or_default();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

fn open(view_distance_m: f64, plant_density: f64) -> (Session, FrameDesc) {
    let args = GlobalArgs { view_distance: Some(view_distance_m), ..GlobalArgs::default() };
    let config = Config::from_text(&args, "the bench", &format!("[{}]\nplant_density = {plant_density}\n", WORLDS[0].name)).expect("settings");
    let mut session = Session::open(&config, &SessionDesc { extent: EXTENT, samples: 1, ..SessionDesc::default() }).expect("a Vulkan driver");
    let pose = &WORLDS[0].poses[0];
    let camera = session::camera(Place::from_f64(session.world.pose_place(pose)), pose.yaw_deg, pose.pitch_deg);
    session.settle(&camera, |_| ()).expect("it settles");
    (session, FrameDesc::new(camera))
}

/// Draws a frame and waits for it; the CPU's share is what recording and submitting took.
fn draw(session: &mut Session, desc: &FrameDesc, medians: &mut Medians) -> FrameStats {
    let mut cmd = session.device.begin_frame().expect("a frame");
    let start = Instant::now();
    let stats = session.record(&mut cmd, desc).expect("it records");
    session.device.submit_frame(cmd).expect("it is sent");
    medians.add("record and submit", ms(start.elapsed()));
    session.device.wait_idle().expect("it ends");
    stats
}

/// A frame that only copies the instances.
fn copy(session: &mut Session, pipeline: &terrane_gpu::Pipeline, chunks: u32) {
    let mut cmd = session.device.begin_frame().expect("a frame");
    session.renderer.record_instance_copy(&mut cmd, pipeline, chunks);
    session.device.submit_frame(cmd).expect("it is sent");
    session.device.wait_idle().expect("it ends");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The timings of the frame before come when the next one begins.
fn take_timings(session: &mut Session, medians: &mut Medians) {
    let cmd = session.device.begin_frame().expect("a frame");
    for timing in session.device.gpu_timings() {
        medians.add(timing.name, timing.ms);
    }
    session.device.submit_frame(cmd).expect("it is sent");
    session.device.wait_idle().expect("it ends");
}

fn main() {
    println!(
        "{:<8} {:>8} {:>10} {:>10} {:>18} {:>10} {:>10} {:>8} {:>10}",
        "view m", "density", "instances", "drawn", "record+submit ms", "cull ms", "copy ms", "ratio", "of least"
    );
    let (mut ratio, mut record) = (0.0, 0.0);
    for (view_distance_m, plant_density) in ROWS {
        let (mut session, desc) = open(view_distance_m, plant_density);
        let spirv = built_in_shaders("copy_instances.comp").expect("a shader");
        let pipeline = session.device.create_pipelines(&[PipelineDesc::Compute { name: "copy_instances.comp", spirv }]).expect("a pipeline").remove(0);
        let mut medians = Medians::default();
        let view_only = FrameDesc { switches: Switches { shadows: false, ..Switches::default() }, ..desc };
        (0..4).for_each(|_| _ = draw(&mut session, &view_only, &mut Medians::default()));
        let mut stats = FrameStats::default();
        for _ in 0..FRAMES {
            stats = draw(&mut session, &view_only, &mut medians);
            take_timings(&mut session, &mut medians);
            copy(&mut session, &pipeline, stats.chunks);
            take_timings(&mut session, &mut medians);
        }
        let (cull, copied) = (medians.of("cull early") + medians.of("cull late"), medians.of("copy instances"));
        ratio = cull / copied;
        record = medians.of("record and submit");
        let of_least = (medians.least("cull early") + medians.least("cull late")) / medians.least("copy instances");
        println!(
            "{view_distance_m:<8} {plant_density:>8} {:>10} {:>10} {record:>18.3} {cull:>10.2} {copied:>10.2} {ratio:>8.2} {of_least:>10.2}",
            stats.instances, stats.instances_drawn
        );
        if (view_distance_m, plant_density) == ROWS[ROWS.len() - 1] {
            before_and_after(&mut session, &desc);
        }
        session.device.destroy_pipeline(pipeline);
        session.close().expect("it closes");
    }
    println!("row 14: {ratio:.2} times a copy; must {}, goal {}", COPY_RATIO.0, COPY_RATIO.1);
    println!("record and submit: {record:.3} ms; must {RECORD_MS_MAX}");
}

/// GPU milliseconds with each optimisation turned off.
fn before_and_after(session: &mut Session, desc: &FrameDesc) {
    let all = Switches { shadows: false, ..Switches::default() };
    let rows = [
        ("all", all),
        ("occlusion off", Switches { occlusion: false, ..all }),
        ("culling off", Switches { occlusion: false, cull: false, ..all }),
        ("with shadows", Switches { shadows: true, ..all }),
    ];
    println!("\n{:<16} {:>10} {:>12} {:>10} {:>10} {:>12}", "GPU ms", "cull", "shadows", "opaque", "frame", "drawn");
    for (name, switches) in rows {
        let mut medians = Medians::default();
        let desc = FrameDesc { switches, ..*desc };
        (0..4).for_each(|_| _ = draw(session, &desc, &mut Medians::default()));
        let mut stats = FrameStats::default();
        for _ in 0..FRAMES / 3 {
            stats = draw(session, &desc, &mut medians);
            take_timings(session, &mut medians);
        }
        let or_zero = |name: &str| Some(medians.of(name)).filter(|ms| ms.is_finite()).unwrap_or(0.0);
        let (cull, opaque) = (or_zero("cull early") + or_zero("cull late"), or_zero("opaque") + or_zero("opaque rest"));
        println!("{name:<16} {cull:>10.2} {:>12.2} {opaque:>10.2} {:>10.2} {:>12}", or_zero("shadows"), or_zero("frame"), stats.instances_drawn);
    }
    println!();
}
