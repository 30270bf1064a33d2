//! In: where the viewer is, what the GPU has room for. Out: chunks asked for, made, resident, and the cut of them that is drawn.
//! Never knows: how a chunk is made or drawn. Everything here is on the main thread and costs microseconds.
//!
//! A chunk is an entity: it is wanted, its jobs add `Made<...>` components, and when the GPU has it these go and `Resident` comes.

use crate::{
    chunk_graph::{self, ArrangedInstances, ChunkContext, Instances},
    error::GameError,
    measure::ChunkStates,
};
use hecs::{Entity, World};
use std::{collections::HashMap, sync::Arc, time::Instant};
use terrane_base::ChunkKey;
use terrane_gpu::{Cmd, Device};
use terrane_jobs::{JobFailure, JobStats, Jobs, Made, Schedule};
use terrane_profiling::{Histogram, thread_cpu_ns};
use terrane_render::{CutChunk, Renderer, Slot};
use terrane_worldgen::{
    GridMesh, Samples,
    rings::{RingParams, Rings, Viewer, Wanted},
    tiles::TileCorners,
};

/// What a late arrival takes to grow from its parent's shape into its own, seconds.
const ARRIVAL_S: f64 = 0.5;

/// So many chunks that wait for the GPU get all the time that a frame has for them: as many as a crossing of a border of the coarsest level asks for.
const BACKLOG_CHUNKS: f64 = 64.0;
/// And few get this share of it: at 60 frames a second and 50 us a chunk still 180 chunks/s, more than twice what 300 m/s need.
const BACKLOG_SHARE_MIN: f64 = 0.3;

/// How urgent a wanted chunk is, and since when somebody waits for it.
#[derive(Clone, Copy, Debug)]
struct Demand {
    /// Smaller first.
    priority: u64,
    /// When and in which tick it became the chunk that should be drawn at its place while it was not there yet.
    awaited: Option<(Instant, u64)>,
}

/// The GPU has this chunk.
#[derive(Clone, Copy, Debug)]
struct Resident {
    slot: Slot,
    height_min_m: f32,
    height_max_m: f32,
    instance_count: u32,
}

/// All jobs of this chunk are done; it waits for the GPU.
#[derive(Clone, Copy, Debug)]
struct Ready;

/// Where chunks come from and go.
pub struct Stream {
    state: State,
    schedule: Schedule<State>,
}

struct State {
    ecs: World,
    jobs: Jobs<ChunkContext, ChunkKey>,
    rings: Rings,
    viewer: Viewer,
    now_s: f64,
    entities: HashMap<ChunkKey, Entity>,
    wanted: Vec<Wanted>,
    ready: Vec<(u64, ChunkKey, Entity)>,
    released: Vec<Slot>,
    cut: Vec<ChunkKey>,
    drawn: Vec<CutChunk>,
    /// Chunks of the cut, with when they began to grow out of their parent; none if they need not.
    arrivals: HashMap<ChunkKey, Option<f64>>,
    failures: Vec<JobFailure>,
    leaves: usize,
    ticks: u64,
    accepted: u32,
    visible: Visible,
}

/// How long a chunk takes from being wanted for the picture to being in it; of those that were not there when they became wanted.
#[derive(Debug, Default)]
pub struct Visible {
    /// Nanoseconds.
    pub ns: Histogram,
    /// The same in ticks; what a machine that draws slowly takes is comparable only so.
    pub ticks: Histogram,
}

/// Where a wanted chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkState {
    /// In the queue or with a worker.
    Pending,
    /// Made; it waits for the GPU.
    Ready,
    /// The GPU has it.
    Resident,
    /// It is in the cut.
    Drawn,
}

/// How far a wave is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Chunks that are wanted.
    pub wanted: usize,
    /// Of these, the GPU has.
    pub resident: usize,
}

impl Stream {
    /// A stream for a world; `threads` workers.
    pub fn new(context: Arc<ChunkContext>, params: RingParams, threads: usize) -> Result<Stream, GameError> {
        let rings = Rings::new(params).map_err(|error| GameError::usage(error.to_string(), ""))?;
        let jobs = chunk_graph::jobs(context, threads)?;
        let schedule = Schedule::builder()
            .system("rings", &["viewer"], &["wanted"], State::find_wanted)
            .system("retire chunks", &["wanted"], &["chunks", "released"], State::retire)
            .system("request chunks", &["wanted", "chunks"], &["queue"], State::request)
            .system("collect jobs", &["queue"], &["ready"], State::collect)
            .system("cut", &["viewer", "chunks"], &["cut"], State::find_cut)
            .build()
            .map_err(|error| GameError::Bug(error.to_string()))?;
        let state = State {
            ecs: World::new(),
            jobs,
            rings,
            viewer: Viewer { place: terrane_base::Place::from_f64([0.0; 3]), eye_m: 0.0 },
            now_s: 0.0,
            entities: HashMap::new(),
            wanted: Vec::new(),
            ready: Vec::new(),
            released: Vec::new(),
            cut: Vec::new(),
            drawn: Vec::new(),
            arrivals: HashMap::new(),
            failures: Vec::new(),
            leaves: 0,
            ticks: 0,
            accepted: 0,
            visible: Visible::default(),
        };
        Ok(Stream { state, schedule })
    }

    /// Slots that the rings can need at a time.
    pub fn slots_max(&self) -> usize {
        self.state.rings.chunks_max()
    }

    /// One tick: what is wanted from here, what is finished, what is drawn. `now_s` is the time of the simulation.
    pub fn tick(&mut self, viewer: Viewer, now_s: f64) {
        (self.state.viewer, self.state.now_s) = (viewer, now_s);
        self.state.ticks += 1;
        self.schedule.run(&mut self.state);
    }

    /// Hands finished chunks to the GPU, the most urgent first, until its budget for this frame is used up, or so many milliseconds of this
    /// thread's time if there is a limit; one chunk always goes. A few that arrive together are spread over frames: only many get all the time.
    pub fn accept(&mut self, device: &mut Device, cmd: &mut Cmd, renderer: &mut Renderer, cpu_ms_max: Option<f64>) -> Result<(), GameError> {
        let state = &mut self.state;
        let share = (state.ready.len() as f64 / BACKLOG_CHUNKS).clamp(BACKLOG_SHARE_MIN, 1.0);
        let until_ns = cpu_ms_max.map(|ms| thread_cpu_ns() + (ms * share * 1e6) as u64);
        state.accepted = 0;
        state.released.drain(..).for_each(|slot| renderer.release_slot(slot));
        state.ready.sort_unstable_by(|a, b| b.cmp(a));
        while let Some((_, key, entity)) = state.ready.last().copied() {
            if state.entities.get(&key) == Some(&entity) && !state.accept_one(entity, device, cmd, renderer)? {
                break;
            }
            state.ready.pop();
            if until_ns.is_some_and(|until_ns| thread_cpu_ns() >= until_ns) {
                break;
            }
        }
        Ok(())
    }

    /// Waits until every chunk that is asked for is made. For pictures; a frame never waits.
    pub fn wait_for_jobs(&mut self) {
        let report = self.state.jobs.drain_wave(&mut self.state.ecs);
        self.state.take_report(report.finished, report.failed);
    }

    /// The cut that is drawn, near to far.
    pub fn cut(&self) -> &[CutChunk] {
        &self.state.drawn
    }

    /// Where each level morphs, metres.
    pub fn morph_ranges_m(&self) -> Vec<(f32, f32)> {
        (0..self.state.rings.levels()).map(|lod| self.state.rings.morph_range_m(lod)).collect()
    }

    /// How much of what is wanted is there.
    pub fn progress(&self) -> Progress {
        let resident = self.state.ecs.query::<&Resident>().iter().count();
        Progress { wanted: self.state.wanted.len(), resident }
    }

    /// Whether everything that is wanted is there.
    pub fn is_complete(&self) -> bool {
        let progress = self.progress();
        progress.wanted > 0 && progress.resident >= progress.wanted
    }

    /// Whether the coarsest level is there: then the ground has no hole.
    pub fn is_whole(&self) -> bool {
        let resident = |key: &ChunkKey| self.state.is_resident(*key);
        !self.state.rings.roots().is_empty() && self.state.rings.roots().iter().all(resident)
    }

    /// Instances in the slots of all resident chunks.
    pub fn resident_instances(&self) -> u64 {
        self.state.ecs.query::<&Resident>().iter().map(|resident| u64::from(resident.instance_count)).sum()
    }

    /// How many chunks are where.
    pub fn states(&self) -> ChunkStates {
        let (state, jobs) = (&self.state, self.state.jobs.stats());
        ChunkStates {
            wanted: state.wanted.len() as u32,
            leaves: state.leaves as u32,
            queued: jobs.queued as u32,
            running: jobs.running as u32,
            ready: state.ready.len() as u32,
            resident: self.progress().resident as u32,
            drawn: state.drawn.len() as u32,
            accepted: state.accepted,
        }
    }

    /// Every wanted chunk and where it is, most urgent first.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkKey, ChunkState)> + '_ {
        self.state.wanted.iter().map(|wanted| (wanted.key, self.state.state_of(wanted.key)))
    }

    /// How long chunks took to be seen, since the start or the last `reset` of its histograms.
    pub fn visible(&self) -> &Visible {
        &self.state.visible
    }

    /// Totals of the job queue.
    pub fn job_stats(&self) -> JobStats {
        self.state.jobs.stats()
    }

    /// Jobs that panicked since the last call: bugs, contained.
    pub fn take_failures(&mut self) -> Vec<JobFailure> {
        std::mem::take(&mut self.state.failures)
    }

    /// Jobs and systems in DOT.
    pub fn dot(&self) -> String {
        format!("{}{}", self.state.jobs.graph().dot(), self.schedule.dot())
    }
}

impl State {
    fn find_wanted(&mut self) {
        self.rings.wanted(&self.viewer, &mut self.wanted);
        self.leaves = self.wanted.iter().filter(|wanted| wanted.leaf).count();
    }

    /// Chunks that nobody wants any more go, with whatever is under way for them.
    fn retire(&mut self) {
        let wanted: std::collections::HashSet<ChunkKey> = self.wanted.iter().map(|wanted| wanted.key).collect();
        let (ecs, jobs, released) = (&mut self.ecs, &mut self.jobs, &mut self.released);
        self.entities.retain(|key, entity| {
            if wanted.contains(key) {
                return true;
            }
            jobs.cancel(*entity);
            released.extend(ecs.get::<&Resident>(*entity).ok().map(|resident| resident.slot));
            // It is in the table, so it is alive.
            let _ = ecs.despawn(*entity);
            false
        });
    }

    fn request(&mut self) {
        let now = (Instant::now(), self.ticks);
        for wanted in &self.wanted {
            match self.entities.get(&wanted.key) {
                Some(entity) => {
                    self.jobs.reprioritise(*entity, wanted.priority);
                    let is_here = self.ecs.satisfies::<&Resident>(*entity);
                    if let Ok(mut demand) = self.ecs.get::<&mut Demand>(*entity) {
                        demand.priority = wanted.priority;
                        demand.awaited = match (wanted.leaf, demand.awaited) {
                            (false, _) => None,
                            (true, None) if !is_here => Some(now),
                            (true, awaited) => awaited,
                        };
                    }
                }
                None => {
                    let demand = Demand { priority: wanted.priority, awaited: wanted.leaf.then_some(now) };
                    let entity = self.ecs.spawn((wanted.key, demand));
                    if self.jobs.request(entity, wanted.key, wanted.priority).is_err() {
                        // The queue is full: the least urgent wait for a later tick.
                        let _ = self.ecs.despawn(entity);
                        break;
                    }
                    self.entities.insert(wanted.key, entity);
                }
            }
        }
    }

    fn collect(&mut self) {
        let report = self.jobs.tick(&mut self.ecs);
        self.take_report(report.finished, report.failed);
    }

    fn take_report(&mut self, finished: Vec<Entity>, failed: Vec<JobFailure>) {
        for entity in finished {
            let about = self.ecs.query_one::<(&ChunkKey, &Demand)>(entity).get().ok().map(|(key, demand)| (demand.priority, *key));
            if let Some((priority, key)) = about
                && self.ecs.insert_one(entity, Ready).is_ok()
            {
                self.ready.push((priority, key, entity));
            }
        }
        self.failures.extend(failed);
    }

    fn accept_one(&mut self, entity: Entity, device: &mut Device, cmd: &mut Cmd, renderer: &mut Renderer) -> Result<bool, GameError> {
        let Some(slot) = renderer.allocate_slot() else { return Ok(false) };
        let resident = {
            let (Ok(mesh), Ok(instances)) = (self.ecs.get::<&Made<GridMesh>>(entity), self.ecs.get::<&Made<ArrangedInstances>>(entity)) else {
                renderer.release_slot(slot);
                return Ok(true);
            };
            if !renderer.accept(device, cmd, slot, &mesh.0, &instances.0.0)? {
                renderer.release_slot(slot);
                return Ok(false);
            }
            Resident { slot, height_min_m: mesh.0.height_min_m, height_max_m: mesh.0.height_max_m, instance_count: instances.0.0.len() as u32 }
        };
        let _ = self.ecs.remove::<(Made<GridMesh>, Made<Instances>, Made<ArrangedInstances>, Ready)>(entity);
        // One of them, by the kind of ground.
        let _ = self.ecs.remove_one::<Made<Samples>>(entity);
        let _ = self.ecs.remove_one::<Made<TileCorners>>(entity);
        let _ = self.ecs.insert_one(entity, resident);
        self.accepted += 1;
        Ok(true)
    }

    fn find_cut(&mut self) {
        let before = std::mem::take(&mut self.arrivals);
        let mut cut = std::mem::take(&mut self.cut);
        self.rings.cut(&self.viewer, &|key| self.is_resident(key), &mut cut);
        self.drawn.clear();
        for key in &cut {
            let began_s = match before.get(key) {
                Some(began_s) => *began_s,
                // It takes over from its parent: from the parent's shape.
                None => before.contains_key(&key.parent()).then_some(self.now_s),
            };
            let morph_min = began_s.map_or(0.0, |began_s| 1.0 - ((self.now_s - began_s) / ARRIVAL_S).clamp(0.0, 1.0));
            if !before.contains_key(key) {
                self.count_visible(*key);
            }
            self.arrivals.insert(*key, began_s.filter(|_| morph_min > 0.0));
            self.drawn.extend(self.cut_chunk(*key, morph_min as f32));
        }
        self.cut = cut;
    }

    /// It is drawn now and was not before.
    fn count_visible(&mut self, key: ChunkKey) {
        let Some(entity) = self.entities.get(&key) else { return };
        if let Ok(mut demand) = self.ecs.get::<&mut Demand>(*entity)
            && let Some((since, tick)) = demand.awaited.take()
        {
            self.visible.ns.record(since.elapsed().as_nanos() as u64);
            self.visible.ticks.record(self.ticks - tick);
        }
    }

    fn state_of(&self, key: ChunkKey) -> ChunkState {
        let Some(entity) = self.entities.get(&key) else { return ChunkState::Pending };
        match (self.arrivals.contains_key(&key), self.is_resident(key), self.ecs.satisfies::<&Ready>(*entity)) {
            (true, ..) => ChunkState::Drawn,
            (_, true, _) => ChunkState::Resident,
            (_, _, true) => ChunkState::Ready,
            _ => ChunkState::Pending,
        }
    }

    fn cut_chunk(&self, key: ChunkKey, morph_min: f32) -> Option<CutChunk> {
        let resident = self.ecs.get::<&Resident>(*self.entities.get(&key)?).ok()?;
        Some(CutChunk {
            slot: resident.slot,
            key,
            morph_min,
            height_min_m: resident.height_min_m,
            height_max_m: resident.height_max_m,
            instance_count: resident.instance_count,
        })
    }

    fn is_resident(&self, key: ChunkKey) -> bool {
        self.entities.get(&key).is_some_and(|entity| self.ecs.satisfies::<&Resident>(*entity))
    }
}
