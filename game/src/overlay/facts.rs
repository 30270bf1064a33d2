//! In: a session. Out: what the panels show, as plain values.
//! Never knows: egui. The numbers are those of the meter, of the table of stages and of the stream; nothing is measured for the overlay alone.

use crate::{
    config::Config,
    measure::{FrameRecord, Hitch},
    session::Session,
    stream::ChunkState,
};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};
use terrane_base::ChunkKey;
use terrane_profiling::Stage;
use terrane_render::Camera;

/// Times "now" are means over this long: shorter, and nobody can read them.
const WATCH_EVERY: Duration = Duration::from_millis(500);

/// What the panels show.
pub struct Facts<'a> {
    /// World, seed, device, size of the picture.
    pub head: String,
    /// The last frames, the oldest first.
    pub frames: &'a VecDeque<FrameRecord>,
    /// Hitches since the start, by [`Hitch`].
    pub hitches: [u64; Hitch::ALL.len()],
    /// The jobs of a chunk.
    pub jobs: Vec<JobFact>,
    /// What runs on the main thread in each tick.
    pub systems: Vec<StageFact>,
    /// Milliseconds from wanted to seen: half of all chunks, 99 of 100.
    pub visible_ms: [f64; 2],
    /// Chunks that were finished, given up, and whose job panicked.
    pub totals: [u64; 3],
    /// Drawn instances of each prop, by level of detail.
    pub props: Vec<(&'static str, [u32; 3])>,
    /// What is around the viewer.
    pub map: MapFacts,
}

/// A kind of work and what it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageFact {
    /// Its name.
    pub name: &'static str,
    /// How often it ran.
    pub count: u64,
    /// How often it ran a second, lately.
    pub per_s: f64,
    /// The mean of late; none if it did not run.
    pub now_ms: Option<f64>,
    /// Half of all were not longer.
    pub p50_ms: f64,
    /// 99 of 100 were not longer.
    pub p99_ms: f64,
    /// How many go on at this moment.
    pub running: u32,
}

/// A job of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFact {
    /// What it takes.
    pub stage: StageFact,
    /// The jobs that make what it reads, by their place in the list; none for the chunk's key.
    pub inputs: Vec<Option<usize>>,
}

/// Chunks around the viewer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFacts {
    /// Wanted chunks; filled only while somebody looks at the map.
    pub chunks: Vec<(ChunkKey, ChunkState)>,
    /// Edge of a chunk, metres, by level.
    pub edges_m: Vec<f64>,
    /// How far each level reaches, metres.
    pub rings_m: Vec<f32>,
    /// Where the viewer is, metres: x and z.
    pub viewer_m: [f64; 2],
    /// Clockwise from north, radians.
    pub yaw_rad: f32,
    /// Angle of view across, radians.
    pub fov_x_rad: f32,
    /// How far one sees, metres.
    pub view_distance_m: f32,
}

/// Watches the table of stages.
pub struct Watch {
    since: Instant,
    rows: Vec<(&'static Stage, StageFact, u64)>,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { since: Instant::now(), rows: Vec::new() }
    }
}

impl Watch {
    /// Looks at the table again, if it is time.
    pub fn poll(&mut self) {
        let passed = self.since.elapsed();
        if passed < WATCH_EVERY && !self.rows.is_empty() {
            return;
        }
        self.since = Instant::now();
        self.rows = terrane_profiling::stages().into_iter().map(|stage| self.row(stage, passed.as_secs_f64())).collect();
    }

    fn row(&self, stage: &'static Stage, passed_s: f64) -> (&'static Stage, StageFact, u64) {
        let (histogram, ms) = (stage.histogram(), |ns: u64| ns as f64 * 1e-6);
        let (count, total_ns) = (histogram.count(), histogram.total_ns());
        let before = self.rows.iter().find(|row| row.0.name() == stage.name()).map_or((0, 0), |row| (row.1.count, row.2));
        let fresh = count.saturating_sub(before.0);
        let fact = StageFact {
            name: stage.name(),
            count,
            // The first look has no earlier one to compare with.
            per_s: if self.rows.is_empty() { 0.0 } else { fresh as f64 / passed_s },
            now_ms: (fresh > 0).then(|| ms(total_ns.saturating_sub(before.1)) / fresh as f64),
            p50_ms: ms(histogram.percentile_ns(0.5)),
            p99_ms: ms(histogram.percentile_ns(0.99)),
            running: 0,
        };
        (stage, fact, total_ns)
    }

    fn fact(&self, stage: &'static Stage) -> StageFact {
        let known = self.rows.iter().find(|row| row.0.name() == stage.name()).map_or(StageFact::default(), |row| row.1);
        StageFact { name: stage.name(), running: stage.running(), ..known }
    }
}

impl Facts<'_> {
    /// All that a session tells. `with_map`: somebody looks at the map.
    pub fn of<'a>(session: &'a Session, config: &Config, camera: &Camera, watch: &mut Watch, with_map: bool) -> Facts<'a> {
        watch.poll();
        let (stream, (width, height)) = (&session.stream, session.renderer.extent());
        let ms = |share| stream.visible().ns.percentile_ns(share) as f64 * 1e-6;
        let jobs = stream.job_stats();
        Facts {
            head: format!("{}  seed {}  {width} x {height}  {}", config.world.name, config.seed_text, session.device.info().name),
            frames: session.meter.history(),
            hitches: *session.meter.hitches(),
            jobs: stream.jobs().map(|job| JobFact { stage: watch.fact(job.stage), inputs: job.inputs }).collect(),
            systems: stream.systems().map(|stage| watch.fact(stage)).collect(),
            visible_ms: [ms(0.5), ms(0.99)],
            totals: [jobs.finished_total, jobs.cancelled_total, jobs.failed_total],
            props: session.prop_names().zip(session.renderer.drawn_by_prop()).collect(),
            map: map_facts(session, camera, with_map),
        }
    }

    /// The last frame.
    pub fn last(&self) -> FrameRecord {
        self.frames.back().copied().unwrap_or_default()
    }
}

fn map_facts(session: &Session, camera: &Camera, with_chunks: bool) -> MapFacts {
    let (stream, (width, height)) = (&session.stream, session.renderer.extent());
    let ranges = stream.morph_ranges_m();
    let [x_m, _, z_m] = camera.place.to_f64();
    let [half_x, _] = camera.view(width, height).half_extent;
    MapFacts {
        chunks: if with_chunks { stream.chunks().collect() } else { Vec::new() },
        edges_m: (0..ranges.len()).map(|lod| stream.edge_m(lod as u8)).collect(),
        rings_m: ranges.iter().map(|range| range.1).collect(),
        viewer_m: [x_m, z_m],
        yaw_rad: camera.yaw_rad,
        fov_x_rad: 2.0 * half_x.atan(),
        view_distance_m: session.quality().view_distance_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_is_the_mean_of_what_came_since_the_last_look() {
        let stage = terrane_profiling::stage("watched");
        (0..10).for_each(|_| stage.record_ns(1_000_000));
        let mut watch = Watch::default();
        watch.poll();
        assert_eq!((watch.fact(stage).count, watch.fact(stage).now_ms), (10, Some(1.0)));
        // Not yet time: what comes is not seen.
        (0..2).for_each(|_| stage.record_ns(4_000_000));
        watch.poll();
        assert_eq!(watch.fact(stage).count, 10);
        watch.since -= WATCH_EVERY;
        watch.poll();
        let fact = watch.fact(stage);
        assert_eq!((fact.count, fact.now_ms), (12, Some(4.0)));
        assert!(fact.per_s > 3.0 && fact.per_s < 4.1, "{fact:?}");
        watch.since -= WATCH_EVERY;
        watch.poll();
        assert_eq!((watch.fact(stage).now_ms, watch.fact(stage).per_s), (None, 0.0));
        let _zone = stage.enter();
        assert_eq!(watch.fact(stage).running, 1);
    }
}
