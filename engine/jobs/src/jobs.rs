//! In: requests with priorities. Out: finished chunks, as components of their entities.
//! Never knows: what a job computes.
//!
//! The queue is ours and lies on the main thread; a worker has at most two chunks before it, so a change of mind is cheap. Results come
//! back by channel. Between the stages of a chunk its worker looks whether it is still wanted.

use crate::graph::{ChunkGraph, Source, Value};
use hecs::{Entity, World};
use std::{
    any::Any,
    collections::{BTreeSet, HashMap},
    fmt::Debug,
    hash::Hash,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
};
use thiserror::Error;

/// Requests that wait: sixteen times the chunks of a 4 km view (about 500).
pub const QUEUE_MAX: usize = 8192;
/// Chunks that a worker has before it: one that runs and one that is next.
const SUBMITTED_PER_WORKER: usize = 2;

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
    /// Chunks that were finished.
    pub finished_total: u64,
    /// Chunks that were given up.
    pub cancelled_total: u64,
    /// Chunks whose job panicked.
    pub failed_total: u64,
}

struct Request<K> {
    key: K,
    order: (u64, u64),
}

/// A chunk on its way through the graph.
struct Task<C, K> {
    entity: Entity,
    key: K,
    context: Arc<C>,
    graph: Arc<ChunkGraph<C, K>>,
    generation: u64,
    priority: u64,
    cancelled: Arc<AtomicBool>,
    outputs: Mutex<Vec<Option<Value>>>,
    waiting: Vec<AtomicUsize>,
    left: AtomicUsize,
    failure: Mutex<Option<(&'static str, String)>>,
    results: Sender<Arc<Task<C, K>>>,
}

struct Running {
    cancelled: Arc<AtomicBool>,
    /// Tells a task from an earlier one of the same entity.
    order: u64,
}

/// The queue, the workers and what they have.
pub struct Jobs<C, K> {
    graph: Arc<ChunkGraph<C, K>>,
    context: Arc<C>,
    generation: u64,
    workers: rayon::ThreadPool,
    threads: usize,
    queue: BTreeSet<(u64, u64, Entity)>,
    requests: HashMap<Entity, Request<K>>,
    running: HashMap<Entity, Running>,
    submitted: usize,
    next_order: u64,
    sender: Sender<Arc<Task<C, K>>>,
    receiver: Receiver<Arc<Task<C, K>>>,
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
        let (sender, receiver) = channel();
        Ok(Jobs {
            graph: Arc::new(graph),
            context,
            generation: 0,
            workers,
            threads,
            queue: BTreeSet::new(),
            requests: HashMap::new(),
            running: HashMap::new(),
            submitted: 0,
            next_order: 0,
            sender,
            receiver,
            stats: JobStats::default(),
        })
    }

    /// What jobs read beside their inputs.
    pub fn context(&self) -> &Arc<C> {
        &self.context
    }

    /// The graph, for printing.
    pub fn graph(&self) -> &ChunkGraph<C, K> {
        &self.graph
    }

    /// Later jobs read this. What runs with the old context is given up and queued again.
    pub fn set_context(&mut self, context: Arc<C>) {
        self.context = context;
        self.generation += 1;
        self.running.values().for_each(|running| running.cancelled.store(true, Ordering::Relaxed));
    }

    /// Asks for a chunk; the smallest priority comes first. A second request for an entity replaces the first.
    pub fn request(&mut self, entity: Entity, key: K, priority: u64) -> Result<(), QueueFull> {
        if self.requests.len() >= QUEUE_MAX && !self.requests.contains_key(&entity) {
            return Err(QueueFull);
        }
        self.cancel(entity);
        let order = (priority, self.next_order);
        self.next_order += 1;
        self.queue.insert((order.0, order.1, entity));
        self.requests.insert(entity, Request { key, order });
        Ok(())
    }

    /// Changes the priority of a request that waits.
    pub fn reprioritise(&mut self, entity: Entity, priority: u64) {
        if let Some(request) = self.requests.get_mut(&entity)
            && request.order.0 != priority
        {
            self.queue.remove(&(request.order.0, request.order.1, entity));
            request.order.0 = priority;
            self.queue.insert((priority, request.order.1, entity));
        }
    }

    /// Gives a chunk up, whether it waits or runs.
    pub fn cancel(&mut self, entity: Entity) {
        if let Some(request) = self.requests.remove(&entity) {
            self.queue.remove(&(request.order.0, request.order.1, entity));
            self.stats.cancelled_total += 1;
        }
        if let Some(running) = self.running.remove(&entity) {
            running.cancelled.store(true, Ordering::Relaxed);
            self.stats.cancelled_total += 1;
        }
    }

    /// Whether a chunk waits or runs.
    pub fn is_pending(&self, entity: Entity) -> bool {
        self.requests.contains_key(&entity) || self.running.contains_key(&entity)
    }

    /// Takes in what is finished and hands out what is most urgent. Never waits.
    pub fn tick(&mut self, world: &mut World) -> TickReport {
        let mut report = TickReport::default();
        while let Ok(task) = self.receiver.try_recv() {
            self.take_in(&task, world, &mut report);
        }
        self.hand_out();
        (report.queued, report.running) = (self.requests.len(), self.submitted);
        report
    }

    /// Waits until nothing waits or runs, for pictures. The caller sleeps on the channel; workers are not joined.
    pub fn drain_wave(&mut self, world: &mut World) -> TickReport {
        let mut report = TickReport::default();
        self.hand_out();
        while self.submitted > 0 {
            if let Ok(task) = self.receiver.recv() {
                self.take_in(&task, world, &mut report);
            }
            self.hand_out();
        }
        report
    }

    /// Totals since the start.
    pub fn stats(&self) -> JobStats {
        JobStats { queued: self.requests.len(), running: self.submitted, ..self.stats }
    }

    fn hand_out(&mut self) {
        while self.submitted < self.threads * SUBMITTED_PER_WORKER
            && let Some((priority, order, entity)) = self.queue.pop_first()
        {
            let Some(request) = self.requests.remove(&entity) else { continue };
            let cancelled = Arc::new(AtomicBool::new(false));
            self.running.insert(entity, Running { cancelled: Arc::clone(&cancelled), order });
            self.submitted += 1;
            let nodes = &self.graph.nodes;
            let task = Arc::new(Task {
                entity,
                key: request.key,
                context: Arc::clone(&self.context),
                graph: Arc::clone(&self.graph),
                generation: self.generation,
                priority,
                cancelled,
                outputs: Mutex::new(nodes.iter().map(|_| None).collect()),
                waiting: nodes.iter().map(|node| AtomicUsize::new(node.waits_for())).collect(),
                left: AtomicUsize::new(nodes.len()),
                failure: Mutex::new(None),
                results: self.sender.clone(),
            });
            for (index, node) in nodes.iter().enumerate() {
                if node.waits_for() == 0 {
                    let task = Arc::clone(&task);
                    self.workers.spawn(move || run_from(&task, index));
                }
            }
        }
    }

    fn take_in(&mut self, task: &Arc<Task<C, K>>, world: &mut World, report: &mut TickReport) {
        self.submitted -= 1;
        let current = self.running.get(&task.entity).is_some_and(|running| Arc::ptr_eq(&running.cancelled, &task.cancelled));
        if !current {
            return;
        }
        let order = self.running.remove(&task.entity).map_or(0, |running| running.order);
        if let Some((job, message)) = lock(&task.failure).take() {
            self.stats.failed_total += 1;
            report.failed.push(JobFailure { entity: task.entity, job, key: format!("{:?}", task.key), message });
        } else if task.generation != self.generation {
            self.queue.insert((task.priority, order, task.entity));
            self.requests.insert(task.entity, Request { key: task.key, order: (task.priority, order) });
        } else if world.contains(task.entity) {
            for (node, output) in task.graph.nodes.iter().zip(lock(&task.outputs).drain(..)) {
                output.into_iter().for_each(|value| (node.insert)(world, task.entity, value));
            }
            self.stats.finished_total += 1;
            report.finished.push(task.entity);
        }
    }
}

impl<C, K> Drop for Jobs<C, K> {
    /// What runs is given up, so that the end does not wait for work that nobody wants.
    fn drop(&mut self) {
        self.running.values().for_each(|running| running.cancelled.store(true, Ordering::Relaxed));
    }
}

/// Runs a job and then those that waited for it: the first here, the others wherever a worker is free.
fn run_from<C: Send + Sync + 'static, K: Copy + Send + Sync + 'static>(task: &Arc<Task<C, K>>, first: usize) {
    let mut next = Some(first);
    while let Some(index) = next.take() {
        let node = &task.graph.nodes[index];
        if !task.cancelled.load(Ordering::Relaxed) {
            run_one(task, index);
        }
        for dependent in node.dependents.iter().copied() {
            if task.waiting[dependent].fetch_sub(1, Ordering::AcqRel) == 1 {
                match next {
                    None => next = Some(dependent),
                    Some(_) => {
                        let task = Arc::clone(task);
                        rayon::spawn(move || run_from(&task, dependent));
                    }
                }
            }
        }
        if task.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Nobody listens at the end of the program.
            let _ = task.results.send(Arc::clone(task));
        }
    }
}

fn run_one<C, K: 'static>(task: &Task<C, K>, index: usize) {
    let node = &task.graph.nodes[index];
    let values: Vec<Option<Value>> = {
        let outputs = lock(&task.outputs);
        node.sources.iter().map(|source| if let Source::Job(from) = source { outputs[*from].clone() } else { None }).collect()
    };
    let mut inputs: Vec<&dyn Any> = Vec::with_capacity(values.len());
    for (source, value) in node.sources.iter().zip(&values) {
        match (source, value) {
            (Source::Key, _) => inputs.push(&task.key),
            (_, Some(value)) => inputs.push(value.as_ref()),
            // The job before it was given up or failed.
            _ => return,
        }
    }
    let _zone = node.stage.enter();
    match catch_unwind(AssertUnwindSafe(|| (node.run)(&task.context, &inputs))) {
        Ok(value) => lock(&task.outputs)[index] = Some(value),
        Err(panic) => {
            let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned());
            *lock(&task.failure) = Some((node.name, message));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
