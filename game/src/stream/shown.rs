//! In: a stream. Out: its jobs, systems and sizes, as the overlay draws them.
//! Never knows: how they are drawn.

use super::Stream;
use terrane_jobs::JobInfo;
use terrane_profiling::Stage;

impl Stream {
    /// The jobs of a chunk, with what they read and how long they take.
    pub fn jobs(&self) -> impl Iterator<Item = JobInfo> + '_ {
        self.state.jobs.graph().jobs()
    }

    /// What runs on the main thread in each tick, in its order.
    pub fn systems(&self) -> impl Iterator<Item = &'static Stage> + '_ {
        self.schedule.stages()
    }

    /// Edge of a chunk of level `lod`, metres.
    pub fn edge_m(&self, lod: u8) -> f64 {
        self.state.rings.edge_m(lod)
    }
}
