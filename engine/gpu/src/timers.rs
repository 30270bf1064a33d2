//! In: named phases as they are recorded. Out: GPU milliseconds a phase, some frames later, without a wait; the same to Tracy.
//! Never knows: what a phase does.

use crate::{Device, GpuError, seam::Functions};
use ash::vk;
use std::collections::HashMap;
use terrane_profiling::{GpuTimeline, Stage, stage};

/// Phases a frame, its own included; two timestamps each. Later ones are not measured.
const ZONES_MAX: usize = 64;
const QUERIES: u32 = 2 * ZONES_MAX as u32;
/// Stands for a timestamp that was not taken.
const NONE: u32 = u32::MAX;

/// The phases of one frame, and where their timestamps go.
#[derive(Default)]
pub(crate) struct FrameZones {
    /// Null where nothing is timed.
    queries: vk::QueryPool,
    zones: Vec<(&'static str, u32, u32)>,
    open: Vec<usize>,
    next: u32,
}

/// A measured phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuTiming {
    /// Name of the phase.
    pub name: &'static str,
    /// When it began, ticks of the device.
    pub begin_ticks: u64,
    /// When it ended.
    pub end_ticks: u64,
    /// How long it took.
    pub ms: f64,
}

/// The timestamps of a frame slot.
pub(crate) fn create_queries(functions: &Functions) -> Result<vk::QueryPool, GpuError> {
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(QUERIES);
    // SAFETY: the device is alive; hostQueryReset is in the baseline, and the pool is new.
    functions.call("vkCreateQueryPool", |device| unsafe {
        let pool = device.create_query_pool(&info, None)?;
        device.reset_query_pool(pool, 0, QUERIES);
        Ok(pool)
    })
}

impl FrameZones {
    pub(crate) fn new(queries: vk::QueryPool) -> FrameZones {
        FrameZones { queries, ..FrameZones::default() }
    }

    pub(crate) fn begin(&mut self, device: &ash::Device, cmd: vk::CommandBuffer, name: &'static str) {
        let query = self.stamp(device, cmd);
        self.open.push(self.zones.len());
        self.zones.push((name, query, NONE));
    }

    /// Ends the phase that began last; false if there is none.
    pub(crate) fn end(&mut self, device: &ash::Device, cmd: vk::CommandBuffer) -> bool {
        let Some(index) = self.open.pop() else { return false };
        // The end of a phase whose beginning found no room needs none either.
        if self.zones[index].1 != NONE {
            self.zones[index].2 = self.stamp(device, cmd);
        }
        true
    }

    pub(crate) fn all_ended(&self) -> bool {
        self.open.is_empty()
    }

    /// The phase that was recorded last, for the message of a lost device.
    pub(crate) fn last(&self) -> &'static str {
        self.zones.last().map_or("start of the frame", |zone| zone.0)
    }

    /// Leaves room for the ends of open phases, so that a frame with too many loses whole ones.
    fn stamp(&mut self, device: &ash::Device, cmd: vk::CommandBuffer) -> u32 {
        let reserved = self.open.iter().filter(|&&index| self.zones[index].1 != NONE).count() as u32;
        if self.queries == vk::QueryPool::null() || self.next + reserved >= QUERIES {
            return NONE;
        }
        let query = self.next;
        self.next += 1;
        // SAFETY: recording; the query was reset and is written once.
        unsafe { device.cmd_write_timestamp2(cmd, vk::PipelineStageFlags2::ALL_COMMANDS, self.queries, query) };
        query
    }

    /// Reads the timestamps of a frame that is finished, and makes ready for the next.
    pub(crate) fn collect(&mut self, device: &ash::Device, period_ns: f32) -> Vec<GpuTiming> {
        let mut timings = Vec::new();
        if self.next > 0 {
            let mut ticks = vec![0u64; self.next as usize];
            // SAFETY: the frame is finished, so its queries are available; the pool is not in use.
            let read = unsafe { device.get_query_pool_results(self.queries, 0, &mut ticks, vk::QueryResultFlags::TYPE_64) };
            if read.is_ok() {
                timings = self.zones.iter().filter_map(|zone| timing(zone, &ticks, period_ns)).collect();
            }
            // SAFETY: as above.
            unsafe { device.reset_query_pool(self.queries, 0, self.next) };
        }
        self.zones.clear();
        self.open.clear();
        self.next = 0;
        timings
    }
}

/// Hands each phase's time to the statistics that the CPU's stages are in too, and to Tracy.
#[derive(Default)]
pub(crate) struct GpuStages {
    stages: HashMap<&'static str, &'static Stage>,
    timeline: Option<GpuTimeline>,
}

impl GpuStages {
    pub(crate) fn record(&mut self, timings: &[GpuTiming]) {
        for timing in timings {
            let stage = self.stages.entry(timing.name).or_insert_with(|| {
                // Once a name: the set of phases is small and fixed.
                stage(Box::leak(format!("gpu {}", timing.name).into_boxed_str()))
            });
            stage.record_ns((timing.ms * 1e6) as u64);
        }
        if let Some(timeline) = &mut self.timeline {
            let zones: Vec<_> = timings.iter().map(|timing| (timing.name, timing.begin_ticks, timing.end_ticks)).collect();
            timeline.frame(&zones);
        }
    }
}

impl Device {
    /// Tracy places the GPU's clock beside the CPU's by one timestamp that is taken now.
    pub(crate) fn start_gpu_timeline(&mut self) {
        // In a build without Tracy the timeline is nothing, and so is the work.
        if size_of::<GpuTimeline>() == 0 || self.info.timestamp_period_ns == 0.0 {
            return;
        }
        match self.gpu_now_ticks() {
            Ok(now_ticks) => self.gpu_stages.timeline = Some(GpuTimeline::new("GPU", now_ticks as i64, self.info.timestamp_period_ns)),
            Err(error) => tracing::warn!("no GPU zones for Tracy: {error}"),
        }
    }

    fn gpu_now_ticks(&mut self) -> Result<u64, GpuError> {
        let queries = create_queries(&self.functions)?;
        let mut ticks = [0u64];
        let read = self
            .immediate(|cmd| {
                FrameZones::new(queries).stamp(&cmd.functions.device, cmd.handle);
            })
            .and_then(|()| {
                // SAFETY: the commands are done.
                self.call("vkGetQueryPoolResults", |device| unsafe { device.get_query_pool_results(queries, 0, &mut ticks, vk::QueryResultFlags::TYPE_64) })
            });
        // SAFETY: the commands are done or the device is lost.
        unsafe { self.raw().destroy_query_pool(queries, None) };
        read.map(|()| ticks[0])
    }
}

fn timing(zone: &(&'static str, u32, u32), ticks: &[u64], period_ns: f32) -> Option<GpuTiming> {
    let begin_ticks = *ticks.get(zone.1 as usize)?;
    let end_ticks = *ticks.get(zone.2 as usize)?;
    let ms = end_ticks.saturating_sub(begin_ticks) as f64 * f64::from(period_ns) * 1e-6;
    Some(GpuTiming { name: zone.0, begin_ticks, end_ticks, ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_milliseconds_and_a_missing_end_is_left_out() {
        let ticks = [1_000, 3_001_000];
        assert_eq!(timing(&("a", 0, 1), &ticks, 1.0).map(|t| t.ms), Some(3.0));
        assert_eq!(timing(&("a", 0, NONE), &ticks, 1.0), None);
    }
}
