//! In: nothing. Out: what a report says, as values that become JSON and come back from it. docs/BENCH.md says what each field means.
//! Never knows: how it was measured or how it is shown.

use super::scene::Scene;
use crate::error::GameError;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, path::Path};

/// Number of the form that this program writes and reads. A change of meaning gets another number.
pub const SCHEMA: u32 = 1;

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where, when and of what.
    pub head: Head,
    /// Scenes with their runs.
    pub scenes: Vec<SceneReport>,
    /// Chunks a second by the number of workers, world by world.
    pub growth: Vec<Growth>,
}

/// Where, when and of what a report is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the program.
    pub version: String,
    /// Commit of the tree it was built from; "unknown" outside of one.
    pub commit: String,
    /// Whether the tree had changes that were not committed.
    pub commit_changed: bool,
    /// "release" or "debug".
    pub build: String,
    /// Day and time, UTC.
    pub date: String,
    /// Operating system and architecture.
    pub system: String,
    /// Name of the processor.
    pub processor: String,
    /// Threads that it runs at a time.
    pub processors: u32,
    /// Memory of the machine, bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// Other programs' load before the run: processes that want to run, mean of a minute; negative if unknown.
    pub load: f64,
    /// The device.
    pub device: String,
    /// Its kind: "Cpu" is a software driver.
    pub device_kind: String,
    /// Its driver with version.
    pub driver: String,
    /// Version of Vulkan that it offers.
    pub vulkan: String,
    /// Settings that matter, as text.
    pub settings: BTreeMap<String, String>,
    /// Size of the program's file.
    pub binary_bytes: u64,
}

/// A scene and its runs, one a repeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneReport {
    /// The scene.
    pub scene: Scene,
    /// What was turned off, if this is one half of a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Runs in the order in which they were made, those of other scenes between them.
    pub runs: Vec<Run>,
}

impl SceneReport {
    /// Its name with what was turned off.
    pub fn title(&self) -> String {
        match &self.without {
            Some(without) => format!("{} without {without}", self.scene.name),
            None => self.scene.name.clone(),
        }
    }
}

/// One run of a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Hash of where the camera ended and of all that the GPU has of the chunks drawn there. Equal worlds have equal ones.
    pub state: String,
    /// Milliseconds from nothing.
    pub start: Start,
    /// Wall-clock milliseconds of a frame, end to end.
    pub frame_ms: Spread,
    /// The main thread's CPU milliseconds of a frame.
    pub main_ms: Spread,
    /// Of these, for chunks.
    pub streaming_ms: Spread,
    /// Of these, for recording commands.
    pub record_ms: Spread,
    /// Of these, for submitting them.
    pub submit_ms: Spread,
    /// Milliseconds of the GPU's frame; empty where the device does not tell.
    pub gpu_ms: Spread,
    /// GPU milliseconds by pass.
    pub passes: Vec<Named>,
    /// Each frame: wall-clock, main thread, streaming, GPU milliseconds; thousandths.
    pub frames: Vec<[f64; 4]>,
    /// Frames that were too long.
    pub hitches: Vec<HitchReport>,
    /// Stages of the CPU: wall-clock milliseconds.
    pub stages: Vec<StageReport>,
    /// From wanted to visible.
    pub visible: VisibleReport,
    /// Chunks.
    pub chunks: ChunkReport,
    /// Instances, by what became of them; of the last frame.
    pub instances: Counts,
    /// The ground of chunks, the same.
    pub ground: Counts,
    /// Chunks and instances drawn into each shadow cascade; of the last frame.
    pub shadows: Vec<[u32; 2]>,
    /// Draws that the CPU recorded in the last frame; an indirect one counts once.
    pub draws: u32,
    /// Dispatches, the same.
    pub dispatches: u32,
    /// Bytes of chunks.
    pub upload: UploadReport,
    /// Memory at the end.
    pub memory: MemoryReport,
    /// What all of it took, seconds.
    pub took_s: f64,
}

/// Milliseconds from the start of the program's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The device is open, textures are drawn, pipelines are made.
    pub opened_ms: f64,
    /// The ground is there without a hole, and the first picture is drawn.
    pub first_picture_ms: f64,
    /// Every chunk is there.
    pub complete_ms: f64,
}

/// How values are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many; 0 is none, and then the others say nothing.
    pub count: u64,
    /// Half are not larger.
    pub p50: f64,
    /// 95 in 100.
    pub p95: f64,
    /// 99 in 100.
    pub p99: f64,
    /// 999 in 1,000.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
}

impl Spread {
    /// Of values; sorts them.
    pub fn of(mut values: Vec<f64>) -> Spread {
        use crate::measure::percentile;
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let [p50, p95, p99, p999, max] = [0.5, 0.95, 0.99, 0.999, 1.0].map(|share| rounded(percentile(&mut values, share)));
        Spread { count: values.len() as u64, p50, p95, p99, p999, max, mean: rounded(mean) }
    }
}

/// Milliseconds to the ten-thousandth: what is finer is noise, and reports stay small.
pub fn rounded(ms: f64) -> f64 {
    (ms * 1e4).round() / 1e4
}

/// A name and its spread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Milliseconds.
    pub ms: Spread,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub count: u64,
    /// Half were not longer, to within 1/16.
    pub p50_ms: f64,
    /// 99 in 100 were not longer.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// All together.
    pub total_ms: f64,
    /// From, to (ms), how many: buckets that hold something.
    pub buckets: Vec<(f64, f64, u64)>,
}

/// A frame that was too long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitchReport {
    /// Which of the measured ones.
    pub frame: u32,
    /// How long.
    pub ms: f64,
    /// What grew most.
    pub cause: String,
}

/// How long chunks took from being wanted for the picture to being in it; those that were not there before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VisibleReport {
    /// How many.
    pub count: u64,
    /// Half were not slower.
    pub p50_ms: f64,
    /// 99 in 100.
    pub p99_ms: f64,
    /// The same in frames.
    pub p50_frames: f64,
    /// The same in frames.
    pub p99_frames: f64,
}

/// Chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChunkReport {
    /// Wanted at the end.
    pub wanted: u32,
    /// The most that the GPU had.
    pub resident_max: u32,
    /// In the cut at the end.
    pub cut: u32,
    /// Drawn in the last frame.
    pub drawn: u32,
    /// Made while frames were measured.
    pub made: u64,
    /// Given up meanwhile.
    pub given_up: u64,
    /// Made a second meanwhile.
    pub made_per_s: f64,
    /// Sent to the GPU in one frame at most.
    pub accepted_per_frame_max: u32,
}

/// What became of things in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// On the GPU; for the ground, chunks of the cut.
    pub resident: u64,
    /// In the cut.
    pub cut: u64,
    /// Drawn.
    pub drawn: u64,
    /// Outside of the view.
    pub outside: u64,
    /// Behind something else.
    pub occluded: u64,
    /// Farther than their kind is drawn.
    pub too_far: u64,
    /// Thinned out with the distance.
    pub thinned: u64,
    /// Seen, but there was no room.
    pub dropped: u64,
}

/// Bytes of chunks that went to the GPU while frames were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UploadReport {
    /// All.
    pub total_bytes: u64,
    /// In one frame at most.
    pub per_frame_max_bytes: u64,
    /// What one frame may send.
    pub budget_bytes: u64,
}

/// Memory at the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Of the device.
    pub device_bytes: u64,
    /// Its budget.
    pub device_budget_bytes: u64,
    /// Allocations from the driver.
    pub allocations: u64,
    /// Of the host.
    pub host_bytes: u64,
    /// Its budget.
    pub host_budget_bytes: u64,
}

/// Chunks a second by the number of workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The world.
    pub world: String,
    /// Workers.
    pub threads: u32,
    /// Chunks that were made.
    pub chunks: u32,
    /// Chunks a second, the median of all repeats.
    pub chunks_per_s: f64,
}

impl Report {
    /// Reads a report; one of another form is refused by its number.
    pub fn read(path: &Path) -> Result<Report, GameError> {
        let text = fs::read_to_string(path).map_err(GameError::file("read the report", path))?;
        let wrong = |what: String| GameError::usage(format!("{} is no report of `terrane bench`: {what}", path.display()), "report.json in --out is one");
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(schema) if schema == u64::from(SCHEMA) => serde_json::from_value(value).map_err(|error| wrong(error.to_string())),
            Some(schema) => Err(wrong(format!("its form is number {schema}, this program reads number {SCHEMA}"))),
            None => Err(wrong("it does not say its form in `schema`".to_owned())),
        }
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<(), GameError> {
        let text = serde_json::to_string(self).map_err(|error| GameError::Bug(format!("a report cannot be written as JSON: {error}")))?;
        fs::write(path, text).map_err(GameError::file("write the report", path))
    }
}
