//! In: chunks, in the order in which they are handed out. Out: the same, with their outputs, as they are done.
//! Never knows: priorities, the hecs world.
//!
//! A worker that has begun takes chunk after chunk from the lane until it is empty, without a lock. It runs a chunk's jobs itself, one after
//! the other; only if some worker has nothing to do it gives away what can run side by side.

use crate::{
    graph::{ChunkGraph, INPUTS_MAX, Source, Value},
    queue::Place,
};
use crossbeam_queue::ArrayQueue;
use hecs::Entity;
use std::{
    any::Any,
    hint::spin_loop,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering, fence},
    },
    thread::{self, Thread},
};

/// What the jobs of all chunks share, until the context changes.
pub(crate) struct Shared<C, K> {
    pub graph: Arc<ChunkGraph<C, K>>,
    pub context: Arc<C>,
    pub generation: u64,
}

/// A chunk on its way through the graph.
pub(crate) struct Task<C, K> {
    pub entity: Entity,
    pub key: K,
    pub place: Place,
    pub shared: Arc<Shared<C, K>>,
    pub cancelled: AtomicBool,
    pub failure: OnceLock<(&'static str, String)>,
    slots: Box<[Slot]>,
    left: AtomicUsize,
}

/// A job of a chunk.
#[derive(Default)]
struct Slot {
    output: OnceLock<Value>,
    /// Jobs that it waits for.
    waiting: AtomicUsize,
}

/// Between the main thread and its workers.
pub(crate) struct Lane<C, K> {
    waiting: ArrayQueue<Arc<Task<C, K>>>,
    /// Workers that take from the lane.
    active: AtomicUsize,
    threads: usize,
    done: ArrayQueue<Arc<Task<C, K>>>,
    /// So many done chunks wake who sleeps for them; 0 when nobody does.
    wake_at: AtomicUsize,
    sleeper: Mutex<Option<Thread>>,
}

/// Looks at an empty lane before a worker leaves it: about 2 us, what it costs to wake one.
const SPINS: usize = 40;

impl<C, K> Task<C, K> {
    pub fn new(entity: Entity, key: K, place: Place, shared: Arc<Shared<C, K>>) -> Task<C, K> {
        let slots = shared.graph.nodes.iter().map(|_| Slot::default()).collect();
        let (cancelled, failure) = (AtomicBool::new(false), OnceLock::new());
        let mut task = Task { entity, key, place, shared, cancelled, failure, slots, left: AtomicUsize::new(0) };
        task.reset();
        task
    }

    /// Makes it ready to run, whatever it was before.
    pub fn reset(&mut self) {
        for (slot, node) in self.slots.iter_mut().zip(&self.shared.graph.nodes) {
            slot.output.take();
            *slot.waiting.get_mut() = node.waits_for;
        }
        *self.left.get_mut() = self.slots.len();
        *self.cancelled.get_mut() = false;
        self.failure.take();
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// What its jobs made, in their order in the graph.
    pub fn outputs(&self) -> impl Iterator<Item = Option<Value>> {
        self.slots.iter().map(|slot| slot.output.get().cloned())
    }
}

impl<C: Send + Sync + 'static, K: Send + Sync + 'static> Lane<C, K> {
    /// For so many workers, with places for so many chunks that are not taken back.
    pub fn new(threads: usize, places: usize) -> Lane<C, K> {
        Lane {
            waiting: ArrayQueue::new(places),
            active: AtomicUsize::new(0),
            threads,
            done: ArrayQueue::new(places),
            wake_at: AtomicUsize::new(0),
            sleeper: Mutex::new(None),
        }
    }

    /// No worker has taken these yet.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn push(&self, task: Arc<Task<C, K>>) {
        assert!(self.waiting.push(task).is_ok(), "the lane has a place for each chunk that is handed out");
    }

    /// A chunk that is done or was given up. Never waits.
    pub fn take_done(&self) -> Option<Arc<Task<C, K>>> {
        self.done.pop()
    }

    /// Sleeps until so many are done. Waking costs more than a small chunk, so who has many to wait for is woken once.
    pub fn wait_done(&self, count: usize) {
        if (0..SPINS).any(|_| self.done.len() >= count || (spin_loop(), false).1) {
            return;
        }
        *self.sleeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
        self.wake_at.store(count, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        while self.done.len() < count {
            thread::park();
        }
        self.wake_at.store(0, Ordering::SeqCst);
    }

    fn send(&self, task: Arc<Task<C, K>>) {
        assert!(self.done.push(task).is_ok(), "a chunk that is done has the place that was kept for it");
        // Who goes to sleep says so before it looks a last time; so one of the two sees the other.
        fence(Ordering::SeqCst);
        let wake_at = self.wake_at.load(Ordering::SeqCst);
        if wake_at > 0 && self.done.len() >= wake_at && self.wake_at.swap(0, Ordering::SeqCst) > 0 {
            // The lock ends before the sleeper wakes and takes it. The name stays: a worker that is late with its call for an earlier sleep
            // wakes a later one in vain, and must not take away who is to be called then.
            let sleeper = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner).clone();
            sleeper.inspect(Thread::unpark);
        }
    }

    /// Calls workers to what was pushed.
    pub fn call(self: &Arc<Self>, workers: &rayon::ThreadPool) {
        // A worker that leaves says so before it looks a last time; this looks for it after it pushed. So one of the two sees the other.
        fence(Ordering::SeqCst);
        for _ in 0..self.waiting.len().min(self.threads) {
            if !self.enlist() {
                return;
            }
            let lane = Arc::clone(self);
            workers.spawn(move || lane.work());
        }
    }

    /// Counts one more worker, if there is one.
    fn enlist(&self) -> bool {
        let more = |active| (active < self.threads).then_some(active + 1);
        self.active.fetch_update(Ordering::SeqCst, Ordering::Relaxed, more).is_ok()
    }

    fn work(self: &Arc<Self>) {
        loop {
            while let Some(task) = self.pop_soon() {
                let ready = task.shared.graph.roots;
                self.run(task, ready);
                // What it gave away and nobody took.
                while rayon::yield_local() == Some(rayon::Yield::Executed) {}
            }
            self.active.fetch_sub(1, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            if self.waiting.is_empty() || !self.enlist() {
                return;
            }
        }
    }

    fn pop_soon(&self) -> Option<Arc<Task<C, K>>> {
        for _ in 0..SPINS {
            if let Some(task) = self.waiting.pop() {
                return Some(task);
            }
            spin_loop();
        }
        None
    }

    /// Runs the jobs that are ready, a bit each, and all that become ready through them. Who runs the last job of a chunk sends it.
    fn run(self: &Arc<Self>, task: Arc<Task<C, K>>, mut ready: u64) {
        while ready != 0 {
            let index = ready.trailing_zeros() as usize;
            ready &= ready - 1;
            if ready != 0 && self.active.load(Ordering::Relaxed) < self.threads {
                let (lane, task, given) = (Arc::clone(self), Arc::clone(&task), ready);
                ready = 0;
                rayon::spawn(move || lane.run(task, given));
            }
            if !task.cancelled.load(Ordering::Relaxed) {
                task.run_job(index);
            }
            for dependent in &task.shared.graph.nodes[index].dependents {
                if task.slots[*dependent].waiting.fetch_sub(1, Ordering::AcqRel) == 1 {
                    ready |= 1 << dependent;
                }
            }
            if task.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                return self.send(task);
            }
        }
    }
}

impl<C, K: 'static> Task<C, K> {
    fn run_job(&self, index: usize) {
        let node = &self.shared.graph.nodes[index];
        let mut inputs: [&dyn Any; INPUTS_MAX] = [&(); INPUTS_MAX];
        for (input, source) in inputs.iter_mut().zip(&node.sources) {
            *input = match source {
                Source::Key => &self.key,
                Source::Job(from) => match self.slots[*from].output.get() {
                    Some(value) => value.as_ref(),
                    // The job before it was given up or failed.
                    None => return,
                },
            };
        }
        let _zone = node.stage.enter();
        match catch_unwind(AssertUnwindSafe(|| (node.run)(&self.shared.context, &inputs))) {
            // Each job runs once, so its place is free.
            Ok(value) => drop(self.slots[index].output.set(value)),
            // The first failure of a chunk is the one that is told.
            Err(panic) => drop(self.failure.set((node.name, message(&*panic)))),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
