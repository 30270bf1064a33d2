//! In: nothing. Out: what is known of one frame: a plain value.
//! Never knows: who measures it or who looks at it.

use terrane_gpu::{CmdCalls, GpuTiming};
use terrane_profiling::Cost;
use terrane_render::FrameStats;

/// GPU passes of a frame; later ones are left out.
pub const PASSES_MAX: usize = 32;

/// Parts of a frame on the main thread, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// What is wanted, what workers get, what is drawn.
    Tick,
    /// For a frame of the GPU to end, so that its buffers can be written again.
    Wait,
    /// Finished chunks are copied to where the GPU takes them from.
    Accept,
    /// Commands are recorded.
    Record,
    /// They are handed to the GPU, and the picture to the window.
    Submit,
}

impl Phase {
    /// All, in their order.
    pub const ALL: [Phase; 5] = [Phase::Tick, Phase::Wait, Phase::Accept, Phase::Record, Phase::Submit];

    /// Its name as a zone and as a row of tables.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Tick => "stream tick",
            Phase::Wait => "wait for GPU",
            Phase::Accept => "accept chunks",
            Phase::Record => "record frame",
            Phase::Submit => "submit frame",
        }
    }
}

/// Why a frame was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hitch {
    /// Chunks: what is wanted, what came in, what was copied.
    Streaming,
    /// The GPU was not done with an earlier frame.
    Gpu,
    /// Recording the commands.
    Recording,
    /// Submitting and presenting.
    Presenting,
    /// The rest of the loop: events, settings, the simulation.
    Outside,
    /// This thread wanted to run and did not: other threads had the processors.
    NotScheduled,
}

impl Hitch {
    /// All.
    pub const ALL: [Hitch; 6] = [Hitch::Streaming, Hitch::Gpu, Hitch::Recording, Hitch::Presenting, Hitch::Outside, Hitch::NotScheduled];

    /// A word or two for it.
    pub fn name(self) -> &'static str {
        match self {
            Hitch::Streaming => "streaming",
            Hitch::Gpu => "GPU",
            Hitch::Recording => "recording",
            Hitch::Presenting => "presenting",
            Hitch::Outside => "outside",
            Hitch::NotScheduled => "not scheduled",
        }
    }
}

/// How many chunks are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkStates {
    /// Wanted; the others are parts of it, but for what only waits to be given back.
    pub wanted: u32,
    /// Of these, the finest at their place: what the cut becomes when all is there.
    pub leaves: u32,
    /// Wait for a worker.
    pub queued: u32,
    /// With a worker.
    pub running: u32,
    /// Made; they wait for the GPU.
    pub ready: u32,
    /// The GPU has them.
    pub resident: u32,
    /// In the cut.
    pub drawn: u32,
    /// Went to the GPU in this frame.
    pub accepted: u32,
}

/// Memory in use, and its budgets, bytes; 0 where the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Of the device.
    pub device_bytes: u64,
    /// What may be used of it.
    pub device_budget_bytes: u64,
    /// Of the host.
    pub host_bytes: u64,
    /// What may be used of it.
    pub host_budget_bytes: u64,
}

/// GPU passes with their milliseconds; those of a frame or two ago.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    rows: [(&'static str, f32); PASSES_MAX],
    count: usize,
}

impl Default for Passes {
    fn default() -> Passes {
        Passes { rows: [("", 0.0); PASSES_MAX], count: 0 }
    }
}

impl Passes {
    pub(super) fn of(timings: &[GpuTiming]) -> Passes {
        let mut passes = Passes::default();
        for timing in timings.iter().take(PASSES_MAX) {
            passes.rows[passes.count] = (timing.name, timing.ms as f32);
            passes.count += 1;
        }
        passes
    }

    /// Name and milliseconds, in the order in which they began. The first is the whole frame; none if the device does not tell.
    pub fn rows(&self) -> &[(&'static str, f32)] {
        &self.rows[..self.count]
    }

    /// Milliseconds of the whole frame.
    pub fn frame_ms(&self) -> Option<f32> {
        self.rows().first().map(|row| row.1)
    }
}

/// What one frame cost and what it did.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameRecord {
    /// Its number, from 0.
    pub frame: u64,
    /// From the end of the frame before to its end.
    pub wall_ms: f64,
    /// What the main thread computed meanwhile.
    pub cpu_ms: f64,
    /// By [`Phase`].
    pub phases: [Cost; Phase::ALL.len()],
    /// What the GPU took.
    pub gpu: Passes,
    /// What was drawn and uploaded.
    pub stats: FrameStats,
    /// Calls that make the GPU draw and compute.
    pub calls: CmdCalls,
    /// Where chunks are.
    pub chunks: ChunkStates,
    /// Memory; looked up now and then.
    pub memory: MemoryUse,
    /// Whether it was too long, and why.
    pub hitch: Option<Hitch>,
}

impl FrameRecord {
    /// What a phase took.
    pub fn phase(&self, phase: Phase) -> Cost {
        self.phases[phase as usize]
    }

    /// What chunks cost the main thread: the tick and what was accepted.
    pub fn stream(&self) -> Cost {
        let mut cost = self.phase(Phase::Tick);
        cost += self.phase(Phase::Accept);
        cost
    }

    /// Milliseconds of the GPU's frame; `None` where the device does not tell.
    pub fn gpu_ms(&self) -> Option<f64> {
        self.gpu.frame_ms().map(f64::from)
    }

    /// Wall-clock milliseconds outside all phases.
    pub(super) fn outside_ms(&self) -> f64 {
        self.wall_ms - self.phases.iter().map(Cost::wall_ms).sum::<f64>()
    }

    /// The same numbers on the profiler's time axis.
    pub(super) fn plot(&self) {
        let plot = terrane_profiling::plot;
        plot("frame ms", self.wall_ms);
        plot("main thread ms", self.cpu_ms);
        plot("streaming ms", self.stream().cpu_ms());
        plot("instances drawn", f64::from(self.stats.instances_drawn));
        plot("chunks drawn", f64::from(self.stats.chunks_drawn));
        plot("upload bytes", self.stats.upload_bytes as f64);
        plot("device MiB", (self.memory.device_bytes >> 20) as f64);
        plot("host MiB", (self.memory.host_bytes >> 20) as f64);
        if let Some(ms) = self.gpu_ms() {
            plot("GPU ms", ms);
        }
    }
}
