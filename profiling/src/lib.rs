//! Stage statistics and the facade of Tracy.
//!
//! In: named pieces of work. Out: count, p50, p99, maximum and total of each, with and without Tracy.
//! Never knows: what the work is.
//!
//! ```
//! let meshing = terrane_profiling::stage("meshing");
//! {
//!     let _zone = meshing.enter();
//!     // the work
//! }
//! assert_eq!(meshing.histogram().count(), 1);
//! ```
#![forbid(unsafe_code)]

mod histogram;
mod stage;
mod tracy;

pub use histogram::Histogram;
pub use stage::{Cost, Stage, StageRow, Task, Zone, print_table, reset, stage, stages, table};
pub use tracy::{GpuTimeline, frame_mark, plot, start, thread_name};

/// CPU time of the calling thread in nanoseconds; on systems without such a clock, wall-clock time.
pub fn thread_cpu_ns() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
    }
}
