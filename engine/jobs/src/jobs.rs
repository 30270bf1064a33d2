//! In: requests with priorities. Out: finished chunks, as components of their entities.
//! Never knows: what a job computes.
//!
//! The queue is ours and lies on the main thread; workers have only the most urgent chunks before them, so a change of mind is cheap.
//! Results come back through a queue. Between the jobs of a chunk its worker looks whether it is still wanted. The main thread takes no lock
//! that a worker holds.

use crate::{
    graph::ChunkGraph,
    lane::{Lane, Shared, Task},
    queue::{Place, Queue, State},
};
use hecs::{Entity, EntityBuilder, World};
use std::{fmt::Debug, hash::Hash, sync::Arc};
use thiserror::Error;

/// Requests that wait: sixteen times the chunks of a 4 km view (about 500).
pub const QUEUE_MAX: usize = 8192;
/// Chunks that a worker has before it when each takes longer than a tick: one that runs and one that is next.
const PER_WORKER_MIN: usize = 2;
/// When chunks take less, so many that a worker has work until the next tick: 32 x 60 Hz = 1,920 chunks/s of 0.5 ms.
const PER_WORKER_MAX: usize = 32;
/// Chunks that are handed out and not taken in: at most 128 x 0.4 MiB = 51 MiB of results; more only where workers are more than 64.
const HANDED_OUT_MAX: usize = 128;
/// The same while the main thread does nothing but wait: the fewer times it is woken the better, and all results are wanted at once.
const HANDED_OUT_WAVE_MAX: usize = 512;

/// The queue holds [`QUEUE_MAX`] requests already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the job queue is full ({QUEUE_MAX} requests): ask again when some are done")]
pub struct QueueFull;

/// Workers cannot be had.
#[derive(Debug, Error)]
#[error("{threads} worker threads cannot be started: {reason}. A smaller --threads needs fewer")]
pub struct JobError {
    threads: usize,
    reason: String,
}

/// A job that panicked: a bug, contained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFailure {
    /// Whose chunk.
    pub entity: Entity,
    /// The job.
    pub job: &'static str,
    /// The key, printed.
    pub key: String,
    /// What it said.
    pub message: String,
}

/// What a tick did.
#[derive(Debug, Default)]
pub struct TickReport {
    /// All outputs of these are components now.
    pub finished: Vec<Entity>,
    /// These panicked.
    pub failed: Vec<JobFailure>,
    /// Requests that wait.
    pub queued: usize,
    /// Chunks that workers have.
    pub running: usize,
}

/// Totals since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobStats {
    /// Requests that wait.
    pub queued: usize,
    /// Chunks that workers have.
    pub running: usize,
    /// Chunks that no worker has begun, of these.
    pub in_lane: usize,
    /// Chunks that workers may have at present.
    pub running_max: usize,
    /// Chunks that were finished.
    pub finished_total: u64,
    /// Chunks that were given up.
    pub cancelled_total: u64,
    /// Chunks that a new context made stale, and that were queued again.
    pub stale_total: u64,
    /// Chunks whose job panicked.
    pub failed_total: u64,
}

/// The queue, the workers and what they have.
pub struct Jobs<C, K> {
    shared: Arc<Shared<C, K>>,
    workers: rayon::ThreadPool,
    threads: usize,
    queue: Queue<K, Arc<Task<C, K>>>,
    lane: Arc<Lane<C, K>>,
    /// Handed out and not taken in, the given-up ones too.
    handed_out: usize,
    handed_out_max: usize,
    /// Whether the last tick handed out all that it might.
    was_full: bool,
    next_order: u64,
    /// Tasks that are done with, to be filled again.
    spare: Vec<Arc<Task<C, K>>>,
    components: EntityBuilder,
    stats: JobStats,
}

impl<C, K> Jobs<C, K>
where
    C: Send + Sync + 'static,
    K: Copy + Ord + Hash + Debug + Send + Sync + 'static,
{
    /// Workers of its own for a graph; `threads` of them, at least one.
    pub fn new(graph: ChunkGraph<C, K>, context: Arc<C>, threads: usize) -> Result<Jobs<C, K>, JobError> {
        let threads = threads.max(1);
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("terrane-worker-{index}"))
            .start_handler(|index| terrane_profiling::thread_name(&format!("worker {index}")))
            .build()
            .map_err(|error| JobError { threads, reason: error.to_string() })?;
        Ok(Jobs {
            shared: Arc::new(Shared { graph: Arc::new(graph), context, generation: 0 }),
            workers,
            threads,
            queue: Queue::new(),
            lane: Arc::new(Lane::new(threads, HANDED_OUT_WAVE_MAX.max(least(threads)))),
            handed_out: 0,
            handed_out_max: least(threads),
            was_full: false,
            next_order: 0,
            spare: Vec::new(),
            components: EntityBuilder::new(),
            stats: JobStats::default(),
        })
    }

    /// What jobs read beside their inputs.
    pub fn context(&self) -> &Arc<C> {
        &self.shared.context
    }

    /// The graph, for printing.
    pub fn graph(&self) -> &ChunkGraph<C, K> {
        &self.shared.graph
    }

    /// Later jobs read this. What runs with the old context is given up and queued again; what is finished stays until it is
    /// requested anew.
    pub fn set_context(&mut self, context: Arc<C>) {
        let graph = Arc::clone(&self.shared.graph);
        self.shared = Arc::new(Shared { graph, context, generation: self.shared.generation + 1 });
        self.queue.running().for_each(|task| task.cancel());
        self.spare.clear();
    }

    /// Asks for a chunk; the smallest priority comes first. A second request for an entity replaces the first.
    pub fn request(&mut self, entity: Entity, key: K, priority: u64) -> Result<(), QueueFull> {
        if self.queue.waiting() >= QUEUE_MAX && !matches!(self.queue.get(entity), Some(State::Waiting(..))) {
            return Err(QueueFull);
        }
        let replaced = self.queue.push(entity, Place { priority, order: self.next_order }, key);
        self.next_order += 1;
        self.give_up(replaced);
        Ok(())
    }

    /// Changes the priority of a request that waits; cheap enough for every request each tick.
    pub fn reprioritise(&mut self, entity: Entity, priority: u64) {
        self.queue.reprioritise(entity, priority);
    }

    /// Gives a chunk up, whether it waits or runs.
    pub fn cancel(&mut self, entity: Entity) {
        let state = self.queue.remove(entity);
        self.give_up(state);
    }

    /// Whether a chunk waits or runs.
    pub fn is_pending(&self, entity: Entity) -> bool {
        self.queue.get(entity).is_some()
    }

    /// Takes in what is finished, at most what was handed out before, and hands out what is most urgent. Never waits.
    pub fn tick(&mut self, world: &mut World) -> TickReport {
        self.fit_to_workers();
        let mut report = TickReport::default();
        while let Some(task) = self.lane.take_done() {
            self.take_in(task, world, &mut report);
        }
        self.hand_out(self.handed_out_max);
        self.was_full = self.handed_out >= self.handed_out_max;
        (report.queued, report.running) = (self.queue.waiting(), self.handed_out);
        report
    }

    /// Waits until nothing waits or runs, for pictures. The caller sleeps; workers are not joined.
    pub fn drain_wave(&mut self, world: &mut World) -> TickReport {
        let mut report = TickReport::default();
        let places = HANDED_OUT_WAVE_MAX.max(least(self.threads));
        self.hand_out(places);
        while self.handed_out > 0 {
            // While something waits, the lane is filled up before it is empty.
            let (more, all) = (places / 2, self.handed_out);
            self.lane.wait_done(if self.queue.waiting() > 0 { more.clamp(1, all) } else { all });
            while let Some(task) = self.lane.take_done() {
                self.take_in(task, world, &mut report);
            }
            self.hand_out(places);
        }
        report
    }

    /// Totals since the start.
    pub fn stats(&self) -> JobStats {
        let (queued, running) = (self.queue.waiting(), self.handed_out);
        JobStats { queued, running, in_lane: self.lane.len(), running_max: self.handed_out_max, ..self.stats }
    }

    /// Workers that ran out of chunks since the last tick get more ahead; those that left half of it get less.
    fn fit_to_workers(&mut self) {
        let left = self.lane.len();
        if left == 0 && self.was_full {
            self.handed_out_max = (self.handed_out_max * 2).min(most(self.threads));
        } else if left > self.handed_out_max / 2 {
            self.handed_out_max = (self.handed_out_max / 2).max(least(self.threads));
        }
    }

    fn give_up(&mut self, state: Option<State<K, Arc<Task<C, K>>>>) {
        self.stats.cancelled_total += u64::from(state.is_some());
        if let Some(State::Running(task)) = state {
            task.cancel();
        }
    }

    fn hand_out(&mut self, places: usize) {
        let before = self.handed_out;
        let (shared, spare, lane) = (&self.shared, &mut self.spare, &self.lane);
        let mut begin = |entity, place, key| {
            let task = filled(spare.pop(), shared, entity, place, key);
            lane.push(Arc::clone(&task));
            task
        };
        while self.handed_out < places && self.queue.begin(&mut begin) {
            self.handed_out += 1;
        }
        if self.handed_out > before {
            self.lane.call(&self.workers);
        }
    }

    fn take_in(&mut self, task: Arc<Task<C, K>>, world: &mut World, report: &mut TickReport) {
        self.handed_out -= 1;
        // Given up meanwhile, and perhaps requested again.
        if self.queue.end(task.entity, |running| Arc::ptr_eq(running, &task)) {
            if task.shared.generation != self.shared.generation {
                self.stats.stale_total += 1;
                self.queue.push(task.entity, task.place, task.key);
            } else if let Some((job, message)) = task.failure.get() {
                self.stats.failed_total += 1;
                let (key, message) = (format!("{:?}", task.key), message.clone());
                report.failed.push(JobFailure { entity: task.entity, job, key, message });
            } else if self.insert(&task, world) {
                self.stats.finished_total += 1;
                report.finished.push(task.entity);
            } else {
                self.stats.cancelled_total += 1;
            }
        }
        self.keep(task);
    }

    /// Makes the outputs components; false if the entity is gone meanwhile and needs them no more.
    fn insert(&mut self, task: &Task<C, K>, world: &mut World) -> bool {
        for (node, output) in task.shared.graph.nodes.iter().zip(task.outputs()) {
            output.into_iter().for_each(|value| (node.add)(&mut self.components, value));
        }
        world.insert(task.entity, self.components.build()).is_ok()
    }

    fn keep(&mut self, mut task: Arc<Task<C, K>>) {
        // A worker that gave some of its jobs away may still hold it for a moment.
        if task.shared.generation == self.shared.generation
            && let Some(done) = Arc::get_mut(&mut task)
        {
            done.reset();
            self.spare.push(task);
        }
    }
}

impl<C, K> Drop for Jobs<C, K> {
    /// What runs is given up, so that the end does not wait for work that nobody wants.
    fn drop(&mut self) {
        self.queue.running().for_each(|task| task.cancel());
    }
}

/// A spare task filled again, or a new one.
fn filled<C, K>(spare: Option<Arc<Task<C, K>>>, shared: &Arc<Shared<C, K>>, entity: Entity, place: Place, key: K) -> Arc<Task<C, K>> {
    let Some(mut spare) = spare else { return Arc::new(Task::new(entity, key, place, Arc::clone(shared))) };
    let task = Arc::get_mut(&mut spare).expect("only this thread holds a spare task");
    (task.entity, task.place, task.key) = (entity, place, key);
    spare
}

/// Chunks that so many workers may have at a time: when each takes longer than a tick, and when they run dry between ticks.
pub fn jobs_in_flight(threads: usize) -> (usize, usize) {
    (least(threads), most(threads))
}

fn least(threads: usize) -> usize {
    threads * PER_WORKER_MIN
}

fn most(threads: usize) -> usize {
    (threads * PER_WORKER_MAX).min(HANDED_OUT_MAX).max(least(threads))
}
