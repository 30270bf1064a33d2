//! In: what each part of a frame took, what was drawn, where chunks are. Out: one record a frame, which the profiler's plots, the overlay, the
//! report of `bench` and the checks all read; and which frames were too long, and why.
//! Never knows: who looks at it. What it costs is a few microseconds a frame, and no byte of memory beyond its fixed history.

mod record;

pub use record::{ChunkStates, FrameRecord, Hitch, MemoryUse, PASSES_MAX, Passes, Phase};

use crate::host_memory;
use std::{collections::VecDeque, time::Instant};
use terrane_gpu::{CmdCalls, Device};
use terrane_profiling::{Stage, Task, stage, thread_cpu_ns};
use terrane_render::FrameStats;

/// Records that are kept: ten seconds at 60 frames a second, 600 x 1.3 KiB = 0.8 MiB.
pub const HISTORY_FRAMES: usize = 600;
/// Frames that a hitch is compared with.
const RECENT_FRAMES: usize = 120;
/// With fewer frames there is no telling what is usual.
const RECENT_FRAMES_MIN: usize = 20;
/// A hitch takes at least this many times the median of the recent frames,
const HITCH_FACTOR: f64 = 2.0;
/// and this much more than it.
const HITCH_MS: f64 = 4.0;
/// Memory is looked up this often: the system's answer is a file to read.
const MEMORY_EVERY: u64 = 32;

/// Collects the parts of frames.
pub struct Meter {
    stages: [&'static Stage; Phase::ALL.len()],
    /// The frame that goes on.
    now: FrameRecord,
    ended: Instant,
    ended_cpu_ns: u64,
    history: VecDeque<FrameRecord>,
    memory: MemoryUse,
    host_memory_mb: u64,
    hitches: [u64; Hitch::ALL.len()],
}

impl Meter {
    /// For a program that may use so much of the host's memory, MiB (0: most of it).
    pub fn new(host_memory_mb: u64) -> Meter {
        Meter {
            stages: Phase::ALL.map(|phase| stage(phase.name())),
            now: FrameRecord::default(),
            ended: Instant::now(),
            ended_cpu_ns: thread_cpu_ns(),
            history: VecDeque::with_capacity(HISTORY_FRAMES),
            memory: MemoryUse::default(),
            host_memory_mb,
            hitches: [0; Hitch::ALL.len()],
        }
    }

    /// Begins a phase; [`end`](Self::end) ends it.
    pub fn begin(&self, phase: Phase) -> Task {
        self.stages[phase as usize].begin()
    }

    /// Ends a phase: its cost is the duration that the table of stages and the profiler have.
    pub fn end(&mut self, phase: Phase, task: Task) {
        self.now.phases[phase as usize] += task.end();
    }

    /// What was recorded for this frame.
    pub fn recorded(&mut self, calls: CmdCalls) {
        self.now.calls = calls;
    }

    /// What happens from here on belongs to the next frame: after a pause that is no frame.
    pub fn restart(&mut self) {
        (self.ended, self.ended_cpu_ns) = (Instant::now(), thread_cpu_ns());
        self.now.phases = Default::default();
    }

    /// Ends a frame.
    pub fn end_frame(&mut self, device: &Device, stats: FrameStats, chunks: ChunkStates) -> &FrameRecord {
        if self.now.frame.is_multiple_of(MEMORY_EVERY) {
            self.memory = memory_use(device, self.host_memory_mb);
        }
        let (ended, ended_cpu_ns) = (Instant::now(), thread_cpu_ns());
        let mut record = self.now;
        record.wall_ms = (ended - self.ended).as_secs_f64() * 1e3;
        record.cpu_ms = ended_cpu_ns.saturating_sub(self.ended_cpu_ns) as f64 * 1e-6;
        (record.stats, record.chunks, record.memory) = (stats, chunks, self.memory);
        record.gpu = Passes::of(device.gpu_timings());
        record.hitch = self.judge(&record);
        record.plot();
        (self.ended, self.ended_cpu_ns) = (ended, ended_cpu_ns);
        self.now = FrameRecord { frame: record.frame + 1, ..FrameRecord::default() };
        self.keep(record)
    }

    /// The last frames, the oldest first.
    pub fn history(&self) -> &VecDeque<FrameRecord> {
        &self.history
    }

    /// The last frame.
    pub fn last(&self) -> Option<&FrameRecord> {
        self.history.back()
    }

    /// Hitches since the start, by [`Hitch`].
    pub fn hitches(&self) -> &[u64; Hitch::ALL.len()] {
        &self.hitches
    }

    fn keep(&mut self, record: FrameRecord) -> &FrameRecord {
        if let Some(hitch) = record.hitch {
            self.hitches[hitch as usize] += 1;
        }
        if self.history.len() == HISTORY_FRAMES {
            self.history.pop_front();
        }
        self.history.push_back(record);
        self.history.back().expect("it was just pushed")
    }

    fn judge(&self, record: &FrameRecord) -> Option<Hitch> {
        let recent = self.history.len().saturating_sub(RECENT_FRAMES);
        if self.history.len() < RECENT_FRAMES_MIN {
            return None;
        }
        let median = |of: fn(&FrameRecord) -> f64| median_of(self.history.range(recent..).map(of));
        let usual_ms = median(|frame| frame.wall_ms);
        let is_long = record.wall_ms > usual_ms * HITCH_FACTOR && record.wall_ms > usual_ms + HITCH_MS;
        is_long.then(|| cause(record, median))
    }
}

/// What of a frame grew most beyond the usual.
fn cause(record: &FrameRecord, median: impl Fn(fn(&FrameRecord) -> f64) -> f64) -> Hitch {
    type Part = (Hitch, fn(&FrameRecord) -> f64, Option<fn(&FrameRecord) -> f64>);
    // Wall-clock time and, where nothing but computing is to be done, computing time.
    let parts: [Part; 5] = [
        (Hitch::Streaming, |frame| frame.stream().wall_ms(), Some(|frame| frame.stream().cpu_ms())),
        (Hitch::Gpu, |frame| frame.phase(Phase::Wait).wall_ms(), None),
        (Hitch::Recording, |frame| frame.phase(Phase::Record).wall_ms(), Some(|frame| frame.phase(Phase::Record).cpu_ms())),
        (Hitch::Presenting, |frame| frame.phase(Phase::Submit).wall_ms(), None),
        (Hitch::Outside, |frame| frame.outside_ms(), None),
    ];
    let grown = |of: fn(&FrameRecord) -> f64| of(record) - median(of);
    let most = parts.iter().max_by(|a, b| grown(a.1).total_cmp(&grown(b.1)));
    match most {
        Some((_, wall, Some(cpu))) if grown(*cpu) < grown(*wall) / 2.0 => Hitch::NotScheduled,
        Some((hitch, ..)) => *hitch,
        None => Hitch::Outside,
    }
}

fn memory_use(device: &Device, host_memory_mb: u64) -> MemoryUse {
    let of_device = device.memory_budget();
    MemoryUse {
        device_bytes: of_device.used_bytes,
        device_budget_bytes: of_device.budget_bytes,
        host_bytes: host_memory::used_bytes().unwrap_or(0),
        host_budget_bytes: host_memory::budget_bytes(host_memory_mb).unwrap_or(0),
    }
}

/// The median of at most as many values as a hitch is compared with; no memory is taken.
fn median_of(values: impl Iterator<Item = f64>) -> f64 {
    let mut kept = [0.0; RECENT_FRAMES];
    let mut count = 0;
    for value in values.take(RECENT_FRAMES) {
        kept[count] = value;
        count += 1;
    }
    percentile(&mut kept[..count], 0.5)
}

/// The value that a share of all (0 to 1) does not exceed; 0 without any. Sorts them.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let index = (values.len() as f64 * share).ceil() as usize;
    values.get(index.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrane_profiling::Cost;

    fn cost(wall_ms: f64, cpu_ms: f64) -> Cost {
        Cost { wall_ns: (wall_ms * 1e6) as u64, cpu_ns: (cpu_ms * 1e6) as u64 }
    }

    /// A frame of 10 ms: 1 ms of each phase but 2 ms of waiting, 4 ms outside.
    fn usual() -> FrameRecord {
        let mut phases = [cost(1.0, 1.0); Phase::ALL.len()];
        phases[Phase::Wait as usize] = cost(2.0, 0.1);
        FrameRecord { wall_ms: 10.0, cpu_ms: 5.0, phases, ..FrameRecord::default() }
    }

    fn meter() -> Meter {
        let mut meter = Meter::new(0);
        (0..60).for_each(|_| _ = meter.keep(usual()));
        meter
    }

    fn longer(phase: Phase, wall_ms: f64, cpu_ms: f64) -> FrameRecord {
        let mut record = usual();
        record.phases[phase as usize] += cost(wall_ms, cpu_ms);
        record.wall_ms += wall_ms;
        record
    }

    #[test]
    fn a_hitch_is_told_with_what_grew_most() {
        let meter = meter();
        for (record, wanted) in [
            (longer(Phase::Tick, 30.0, 28.0), Some(Hitch::Streaming)),
            (longer(Phase::Accept, 30.0, 20.0), Some(Hitch::Streaming)),
            (longer(Phase::Accept, 30.0, 2.0), Some(Hitch::NotScheduled)),
            (longer(Phase::Wait, 30.0, 0.0), Some(Hitch::Gpu)),
            (longer(Phase::Record, 30.0, 29.0), Some(Hitch::Recording)),
            (longer(Phase::Submit, 30.0, 1.0), Some(Hitch::Presenting)),
            (FrameRecord { wall_ms: 40.0, ..usual() }, Some(Hitch::Outside)),
            (longer(Phase::Wait, 9.0, 0.0), None),
        ] {
            assert_eq!(meter.judge(&record), wanted, "{record:?}");
        }
    }

    #[test]
    fn a_short_frame_is_no_hitch_however_many_times_the_usual_and_neither_is_one_of_the_first() {
        let mut meter = Meter::new(0);
        assert_eq!(meter.judge(&longer(Phase::Wait, 100.0, 0.0)), None);
        (0..60).for_each(|_| _ = meter.keep(FrameRecord { wall_ms: 1.0, ..FrameRecord::default() }));
        assert_eq!(meter.judge(&FrameRecord { wall_ms: 4.5, ..FrameRecord::default() }), None);
        assert!(meter.judge(&FrameRecord { wall_ms: 5.5, ..FrameRecord::default() }).is_some());
    }

    #[test]
    fn the_history_has_an_end_and_hitches_are_counted() {
        let mut meter = meter();
        (0..HISTORY_FRAMES as u64 + 10).for_each(|frame| _ = meter.keep(FrameRecord { frame, ..usual() }));
        assert_eq!((meter.history().len(), meter.last().map(|record| record.frame)), (HISTORY_FRAMES, Some(HISTORY_FRAMES as u64 + 9)));
        meter.keep(FrameRecord { hitch: Some(Hitch::Gpu), ..usual() });
        assert_eq!(meter.hitches()[Hitch::Gpu as usize], 1);
    }

    #[test]
    fn the_cost_of_a_phase_is_what_its_stage_counts() {
        let mut meter = Meter::new(0);
        let of_stage = stage(Phase::Record.name()).histogram();
        let before = of_stage.total_ns();
        for _ in 0..3 {
            let task = meter.begin(Phase::Record);
            std::thread::sleep(std::time::Duration::from_millis(1));
            meter.end(Phase::Record, task);
        }
        assert_eq!(meter.now.phase(Phase::Record).wall_ns, of_stage.total_ns() - before);
    }

    #[test]
    fn percentiles_are_values_that_were_there() {
        let mut values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| percentile(&mut values, share)), [1.0, 3.0, 5.0, 5.0]);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }
}
