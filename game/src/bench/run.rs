//! In: a scene, settings. Out: one run of it: frames along its way, with all that the meter and the stages say of them.
//! Never knows: other runs, or how it is shown.

use super::{
    path::cameras,
    report::{ChunkReport, Counts, HitchReport, MemoryReport, Named, Run, Spread, StageReport, Start, UploadReport, VisibleReport, rounded},
    scene::{STEP_S, Scene},
    target::Target,
};
use crate::{
    cli::{GlobalArgs, PoseArg},
    config::Config,
    error::GameError,
    measure::{FrameRecord, Phase},
    session::{FrameDesc, Session, SessionDesc},
    settings::Values,
    shot,
};
use indicatif::ProgressBar;
use std::time::{Duration, Instant};
use terrane_base::Digest;
use terrane_profiling::Histogram;
use terrane_render::{Camera, FrameStats, Switches};
use winit::event_loop::EventLoop;

/// The settings that a scene fixes; all others are as they are given, but for the world's own, which have their defaults.
pub fn config_of(scene: &Scene, given: &Config) -> Result<Config, GameError> {
    let args = GlobalArgs { world: Some(scene.world.clone()), seed: Some(scene.seed.clone()), ..GlobalArgs::default() };
    let Config { world, seed, seed_text, .. } = Config::from_text(&args, &scene.name, "")?;
    Ok(Config {
        world,
        seed,
        seed_text,
        view_distance_m: scene.view_distance_m,
        shadow_resolution: scene.shadow_resolution,
        values: Values::defaults(world.settings),
        ..given.clone()
    })
}

/// One run. `bar` moves by a step a frame.
pub fn run(scene: &Scene, given: &Config, switches: Switches, event_loop: &mut Option<EventLoop<()>>, bar: &ProgressBar) -> Result<Run, GameError> {
    let began = Instant::now();
    let config = config_of(scene, given)?;
    let pose = Some(scene.pose.clone()).filter(|name| !name.is_empty()).map(PoseArg::Named);
    let camera = shot::pose_camera(&config, &config.make_world()?, pose.as_ref())?;
    let desc = SessionDesc { extent: scene.size.into(), samples: scene.samples, ..SessionDesc::default() };
    let mut target = Target::open(&config, &desc, &camera, event_loop.take())?;
    let opened_ms = ms(began.elapsed());
    // An empty picture is culled, recorded and submitted like any other.
    let switches = if scene.draw { switches } else { Switches { ground: false, props: false, shadows: false, ..switches } };
    let desc_of = |camera: &Camera, frame: u32| FrameDesc { time_s: (f64::from(frame) * STEP_S) as f32, switches, ..FrameDesc::new(*camera) };
    target.first_picture(&desc_of(&camera, 0))?;
    let first_picture_ms = ms(began.elapsed());
    target.session()?.settle(&camera, |_| ())?;
    let complete_ms = ms(began.elapsed());

    let cameras = cameras(scene, &target.session()?.world, &camera);
    let (warm_up, measured) = cameras.split_at(scene.warm_up_frames as usize);
    let mut frame = 0;
    let mut pace = Pace { next: Instant::now() };
    let mut draw = |target: &mut Target, camera: &Camera| {
        if !scene.draw {
            pace.wait();
        }
        let record = target.frame(&desc_of(camera, frame), f64::from(frame) * STEP_S);
        frame += 1;
        bar.inc(1);
        record
    };
    for camera in warm_up {
        draw(&mut target, camera)?;
    }
    forget(target.session()?);
    let before = target.session()?.stream.job_stats();
    let measuring = Instant::now();
    let mut records = Vec::with_capacity(measured.len());
    for camera in measured {
        records.push(draw(&mut target, camera)?);
    }
    let measured_s = measuring.elapsed().as_secs_f64();

    let session = target.session()?;
    let after = session.stream.job_stats();
    let last = records.last().copied().unwrap_or_default();
    let mut run = summed_up(&records);
    run.start = Start { opened_ms: rounded(opened_ms), first_picture_ms: rounded(first_picture_ms), complete_ms: rounded(complete_ms) };
    run.upload.budget_bytes = config.upload_bytes_per_frame;
    run.stages = stages();
    run.visible = visible(session);
    run.chunks = ChunkReport { made: after.finished_total - before.finished_total, given_up: after.cancelled_total - before.cancelled_total, ..run.chunks };
    run.chunks.made_per_s = rounded(run.chunks.made as f64 / measured_s.max(1e-9));
    run.instances = instances(&last.stats, session.stream.resident_instances());
    run.ground = ground(&last.stats);
    run.memory = memory(session, &last);
    run.state = state(session, cameras.last().unwrap_or(&camera), &config)?;
    *event_loop = target.close()?;
    run.took_s = rounded(began.elapsed().as_secs_f64());
    Ok(run)
}

/// Frames of a flight without pictures, one each step of the simulation by the clock.
struct Pace {
    next: Instant,
}

impl Pace {
    fn wait(&mut self) {
        let now = Instant::now();
        std::thread::sleep(self.next.saturating_duration_since(now));
        // After a long frame there is no catching up.
        self.next = self.next.max(now) + Duration::from_secs_f64(STEP_S);
    }
}

/// What happened before is not of the measured frames.
fn forget(session: &mut Session) {
    terrane_profiling::reset();
    session.stream.visible().ns.reset();
    session.stream.visible().ticks.reset();
    session.meter.restart();
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// All that follows from the records of the frames alone.
fn summed_up(records: &[FrameRecord]) -> Run {
    let spread = |of: &dyn Fn(&FrameRecord) -> f64| Spread::of(records.iter().map(of).collect());
    let hitches = (0u32..).zip(records).filter_map(|(frame, record)| {
        let cause = record.hitch?.name().to_owned();
        Some(HitchReport { frame, ms: rounded(record.wall_ms), cause })
    });
    let most = |of: fn(&FrameRecord) -> u64| records.iter().map(of).max().unwrap_or(0);
    let last = records.last().copied().unwrap_or_default();
    let rows = |record: &FrameRecord| [record.wall_ms, record.cpu_ms, record.stream().cpu_ms(), record.gpu_ms().unwrap_or(0.0)];
    Run {
        frame_ms: spread(&|record| record.wall_ms),
        main_ms: spread(&|record| record.cpu_ms),
        streaming_ms: spread(&|record| record.stream().cpu_ms()),
        record_ms: spread(&|record| record.phase(Phase::Record).cpu_ms()),
        submit_ms: spread(&|record| record.phase(Phase::Submit).cpu_ms()),
        gpu_ms: Spread::of(records.iter().filter_map(FrameRecord::gpu_ms).collect()),
        passes: passes(records),
        frames: records.iter().map(|record| rows(record).map(|ms| (ms * 1e3).round() / 1e3)).collect(),
        hitches: hitches.collect(),
        chunks: ChunkReport {
            wanted: last.chunks.wanted,
            resident_max: most(|record| record.chunks.resident.into()) as u32,
            cut: last.chunks.drawn,
            drawn: last.stats.chunks_drawn,
            accepted_per_frame_max: most(|record| record.chunks.accepted.into()) as u32,
            ..ChunkReport::default()
        },
        shadows: last.stats.shadow_chunks.iter().zip(last.stats.shadow_instances).map(|(chunks, instances)| [*chunks, instances]).collect(),
        draws: last.calls.draws,
        dispatches: last.calls.dispatches,
        upload: UploadReport {
            total_bytes: records.iter().map(|record| record.stats.upload_bytes).sum(),
            per_frame_max_bytes: most(|record| record.stats.upload_bytes),
            budget_bytes: 0,
        },
        ..Run::default()
    }
}

/// Each pass in the order of the frame.
fn passes(records: &[FrameRecord]) -> Vec<Named> {
    let mut rows: Vec<(&str, Vec<f64>)> = Vec::new();
    for (name, ms) in records.iter().flat_map(|record| record.gpu.rows().iter().skip(1)) {
        match rows.iter_mut().find(|row| row.0 == *name) {
            Some(row) => row.1.push(f64::from(*ms)),
            None => rows.push((name, vec![f64::from(*ms)])),
        }
    }
    rows.into_iter().map(|(name, values)| Named { name: name.to_owned(), ms: Spread::of(values) }).collect()
}

/// The table of stages with its histograms; the GPU's are passes.
fn stages() -> Vec<StageReport> {
    let ran = terrane_profiling::stages().into_iter().filter(|stage| stage.histogram().count() > 0 && !stage.name().starts_with("gpu "));
    let ms = |ns: u64| rounded(ns as f64 * 1e-6);
    let report = |name: &str, histogram: &Histogram| StageReport {
        name: name.to_owned(),
        count: histogram.count(),
        p50_ms: ms(histogram.percentile_ns(0.5)),
        p99_ms: ms(histogram.percentile_ns(0.99)),
        max_ms: ms(histogram.max_ns()),
        total_ms: ms(histogram.total_ns()),
        buckets: histogram.buckets().map(|(low, high, count)| (ms(low), ms(high), count)).collect(),
    };
    ran.map(|stage| report(stage.name(), stage.histogram())).collect()
}

fn visible(session: &Session) -> VisibleReport {
    let visible = session.stream.visible();
    let [p50_ms, p99_ms] = [0.5, 0.99].map(|share| rounded(visible.ns.percentile_ns(share) as f64 * 1e-6));
    let [p50_frames, p99_frames] = [0.5, 0.99].map(|share| visible.ticks.percentile_ns(share) as f64);
    VisibleReport { count: visible.ns.count(), p50_ms, p99_ms, p50_frames, p99_frames }
}

fn instances(stats: &FrameStats, resident: u64) -> Counts {
    let reasons = &stats.instance_reasons;
    Counts {
        resident,
        cut: stats.instances.into(),
        drawn: stats.instances_drawn.into(),
        outside: reasons.outside.into(),
        occluded: reasons.occluded.into(),
        too_far: reasons.too_far.into(),
        thinned: reasons.thinned.into(),
        dropped: stats.instances_dropped.into(),
    }
}

fn ground(stats: &FrameStats) -> Counts {
    let reasons = &stats.chunk_reasons;
    Counts {
        resident: stats.chunks.into(),
        cut: stats.chunks.into(),
        drawn: stats.chunks_drawn.into(),
        outside: reasons.outside.into(),
        occluded: reasons.occluded.into(),
        too_far: reasons.too_far.into(),
        thinned: reasons.thinned.into(),
        dropped: stats.chunks_dropped.into(),
    }
}

fn memory(session: &Session, last: &FrameRecord) -> MemoryReport {
    let device = session.device.memory_budget();
    MemoryReport {
        device_bytes: device.used_bytes,
        device_budget_bytes: device.budget_bytes,
        allocations: session.device.memory_report().allocations as u64,
        host_bytes: crate::host_memory::used_bytes().unwrap_or(last.memory.host_bytes),
        host_budget_bytes: last.memory.host_budget_bytes,
    }
}

/// Hash of where the camera ended and, once all is there, of every chunk that is drawn from there, as the GPU has it.
fn state(session: &mut Session, end: &Camera, config: &Config) -> Result<String, GameError> {
    session.settle(end, |_| ())?;
    session.device.wait_idle()?;
    let mut digest = Digest::default();
    digest.write_u64(config.seed.0 as u64);
    end.place.cell_m.iter().for_each(|cell| digest.write_u64(*cell as u64));
    end.place.offset_m.to_array().iter().for_each(|offset| digest.write_u32(offset.to_bits()));
    [end.yaw_rad, end.pitch_rad].iter().for_each(|angle| digest.write_u32(angle.to_bits()));
    let mut cut = session.stream.cut().to_vec();
    cut.sort_unstable_by_key(|chunk| chunk.key);
    for chunk in cut {
        digest.write_u32(u32::from(chunk.key.face) << 8 | u32::from(chunk.key.lod));
        [chunk.key.x, chunk.key.y, chunk.key.z].iter().for_each(|index| digest.write_i32(*index));
        let (ground, instances) = session.renderer.read_chunk(&mut session.device, chunk.slot, chunk.instance_count)?;
        let instances = &instances[..chunk.instance_count as usize * 8];
        for word in ground.chunks_exact(4).chain(instances.chunks_exact(4)) {
            digest.write_u32(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
    Ok(digest.finish().to_string())
}
