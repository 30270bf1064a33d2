//! In: the beginning and end of named pieces of work. Out: a row of statistics for each name; and the same to Tracy.
//! Never knows: what the work is. A zone is measured once; the table counts the duration and Tracy's zone carries it as its value.

use crate::{Histogram, thread_cpu_ns, tracy};
use std::{
    io::{self, Write},
    ops::AddAssign,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// A named kind of work, with all its durations.
#[derive(Debug)]
pub struct Stage {
    name: &'static str,
    histogram: Histogram,
}

/// Work that is going on; it ends when this is dropped.
#[must_use = "the zone ends when it is dropped"]
pub struct Zone {
    stage: &'static Stage,
    /// None once it is counted.
    started: Option<Instant>,
    tracy: tracy::Span,
}

/// Work of which the caller wants to know what it took, on the wall's clock and on this thread's.
#[must_use = "the task ends when it is ended or dropped"]
pub struct Task {
    zone: Zone,
    cpu_began_ns: u64,
}

/// What a piece of work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// From its beginning to its end.
    pub wall_ns: u64,
    /// What this thread computed meanwhile: without waiting, and without what other programs took.
    pub cpu_ns: u64,
}

impl Cost {
    /// The same in milliseconds.
    pub fn wall_ms(&self) -> f64 {
        self.wall_ns as f64 * 1e-6
    }

    /// The same in milliseconds.
    pub fn cpu_ms(&self) -> f64 {
        self.cpu_ns as f64 * 1e-6
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.wall_ns += other.wall_ns;
        self.cpu_ns += other.cpu_ns;
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct StageRow {
    /// Name of the stage.
    pub name: &'static str,
    /// How often it ran.
    pub count: u64,
    /// Half were not longer.
    pub p50_ms: f64,
    /// 99 in 100 were not longer.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// All together.
    pub total_ms: f64,
}

static STAGES: Mutex<Vec<&'static Stage>> = Mutex::new(Vec::new());

/// The stage of that name; made at its first use and kept for good. Keep the reference: looking it up takes a lock.
pub fn stage(name: &'static str) -> &'static Stage {
    let mut stages = STAGES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stage) = stages.iter().find(|stage| stage.name == name) {
        return stage;
    }
    let stage: &'static Stage = Box::leak(Box::new(Stage { name, histogram: Histogram::default() }));
    stages.push(stage);
    stage
}

impl Stage {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Begins a piece of this work on this thread.
    pub fn enter(&'static self) -> Zone {
        Zone { stage: self, started: Some(Instant::now()), tracy: tracy::span(self.name) }
    }

    /// The same for work whose cost goes on to a caller: that is the duration that the table and Tracy have.
    pub fn begin(&'static self) -> Task {
        Task { zone: self.enter(), cpu_began_ns: thread_cpu_ns() }
    }

    /// Adds a duration that was measured elsewhere, on the GPU for instance.
    pub fn record_ns(&self, ns: u64) {
        self.histogram.record(ns);
    }

    /// Its durations.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    fn row(&self) -> StageRow {
        let ms = |ns: u64| ns as f64 * 1e-6;
        StageRow {
            name: self.name,
            count: self.histogram.count(),
            p50_ms: ms(self.histogram.percentile_ns(0.5)),
            p99_ms: ms(self.histogram.percentile_ns(0.99)),
            max_ms: ms(self.histogram.max_ns()),
            total_ms: ms(self.histogram.total_ns()),
        }
    }
}

impl Zone {
    /// Counts it, once.
    fn finish(&mut self) -> u64 {
        let Some(started) = self.started.take() else { return 0 };
        let ns = started.elapsed().as_nanos() as u64;
        self.stage.record_ns(ns);
        self.tracy.measured(ns);
        ns
    }
}

impl Drop for Zone {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Task {
    /// Ends it.
    pub fn end(mut self) -> Cost {
        let cpu_ns = thread_cpu_ns().saturating_sub(self.cpu_began_ns);
        Cost { wall_ns: self.zone.finish(), cpu_ns }
    }
}

/// Every stage, in the order of their first use.
pub fn stages() -> Vec<&'static Stage> {
    STAGES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A row for each stage that ran, in the order of their first use.
pub fn table() -> Vec<StageRow> {
    let stages = STAGES.lock().unwrap_or_else(PoisonError::into_inner);
    stages.iter().filter(|stage| stage.histogram.count() > 0).map(|stage| stage.row()).collect()
}

/// Prints the table.
pub fn print_table(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:<24} {:>9} {:>10} {:>10} {:>10} {:>12}", "stage", "count", "p50 ms", "p99 ms", "max ms", "total ms")?;
    for row in table() {
        writeln!(out, "{:<24} {:>9} {:>10.4} {:>10.4} {:>10.4} {:>12.2}", row.name, row.count, row.p50_ms, row.p99_ms, row.max_ms, row.total_ms)?;
    }
    Ok(())
}

/// Forgets all durations; the stages stay.
pub fn reset() {
    let stages = STAGES.lock().unwrap_or_else(PoisonError::into_inner);
    stages.iter().for_each(|stage| stage.histogram.reset());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_one_duration_of_its_stage() {
        let work = stage("a zone is one duration");
        {
            let _zone = work.enter();
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        work.record_ns(1_000);
        let row = work.row();
        assert_eq!(row.count, 2);
        assert!(row.max_ms >= 3.0 && row.total_ms >= row.max_ms, "{row:?}");
    }

    #[test]
    fn the_table_and_tracy_have_the_same_durations() {
        let work = stage("feeds both");
        tracy::SEEN.take();
        for _ in 0..100 {
            let _outer = work.enter();
            let _inner = work.enter();
        }
        let seen = tracy::SEEN.take();
        let table = work.histogram();
        assert_eq!((seen.len() as u64, seen.iter().sum(), seen.iter().copied().max()), (table.count(), table.total_ns(), Some(table.max_ns())));
        assert!(table.total_ns() > 0);
    }

    #[test]
    fn a_task_hands_on_the_duration_that_the_table_and_tracy_have() {
        let work = stage("handed on");
        tracy::SEEN.take();
        let task = work.begin();
        let busy = Instant::now();
        while busy.elapsed().as_micros() < 2_000 {
            std::hint::black_box(0);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        let cost = task.end();
        assert_eq!((work.histogram().count(), work.histogram().total_ns()), (1, cost.wall_ns));
        assert_eq!(tracy::SEEN.take(), [cost.wall_ns]);
        // Sleep is no work of this thread.
        assert!(cost.wall_ms() >= 22.0 && cost.cpu_ms() < cost.wall_ms() - 15.0, "{cost:?}");
        let dropped = work.begin();
        drop(dropped);
        assert_eq!(work.histogram().count(), 2);
    }

    #[test]
    fn a_name_is_one_stage() {
        assert!(std::ptr::eq(stage("same"), stage("same")));
        assert!(!std::ptr::eq(stage("same"), stage("other")));
    }

    #[test]
    fn the_table_leaves_out_what_never_ran() {
        stage("never ran");
        stage("ran once").record_ns(2_000_000);
        let mut text = Vec::new();
        print_table(&mut text).expect("a vector takes it");
        let text = String::from_utf8(text).expect("ASCII");
        assert!(text.contains("ran once") && !text.contains("never ran"));
    }
}
