//! The job graph: hecs systems and chunk jobs on rayon workers.
//!
//! In: functions from components to a component, and requests with priorities. Out: finished components on entities.
//! Never knows: what a chunk is, Vulkan, windows.
//!
//! A chunk job is a pure function; the graph infers its edges from the types, so it cannot be wired wrongly:
//!
//! ```
//! use terrane_jobs::{ChunkGraph, Jobs, Made};
//! use std::sync::Arc;
//!
//! struct Height(i32);
//! struct Area(i32);
//! let graph = ChunkGraph::<i32, u32>::builder()
//!     .job("height", |scale: &i32, key: &u32| Height(scale * *key as i32))
//!     .job("area", |_: &i32, key: &u32, height: &Height| Area(height.0 * *key as i32))
//!     .build()?;
//! let mut jobs = Jobs::new(graph, Arc::new(10), 2)?;
//! let mut world = hecs::World::new();
//! let entity = world.spawn(());
//! jobs.request(entity, 3, 0)?;
//! jobs.drain_wave(&mut world);
//! assert_eq!(world.get::<&Made<Area>>(entity)?.0.0, 90);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod graph;
mod jobs;
mod lane;
mod per_worker;
mod pool;
mod queue;
mod schedule;

pub use graph::{ChunkGraph, GraphBuilder, GraphError, INPUTS_MAX, JOBS_MAX, JobFn, Made};
pub use jobs::{JobError, JobFailure, JobStats, Jobs, QUEUE_MAX, QueueFull, TickReport, jobs_in_flight};
pub use per_worker::PerWorker;
pub use pool::Pool;
pub use schedule::{Schedule, ScheduleBuilder, ScheduleError};
