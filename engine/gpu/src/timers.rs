//! In: named phases as they are recorded. Out: GPU milliseconds a phase, some frames later, without a wait.
//! Never knows: what a phase does.

use crate::{GpuError, error::Check};
use ash::vk;

/// Phases a frame; two timestamps each.
const ZONES_MAX: usize = 32;

/// The timestamps of one frame.
pub(crate) struct FrameZones {
    pool: vk::QueryPool,
    enabled: bool,
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

impl FrameZones {
    pub(crate) fn new(device: &ash::Device, enabled: bool) -> Result<FrameZones, GpuError> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2 * ZONES_MAX as u32);
        // SAFETY: the device is alive; hostQueryReset is in the baseline.
        let pool = unsafe {
            let pool = device.create_query_pool(&info, None).check("vkCreateQueryPool")?;
            device.reset_query_pool(pool, 0, 2 * ZONES_MAX as u32);
            pool
        };
        Ok(FrameZones { pool, enabled, zones: Vec::with_capacity(ZONES_MAX), open: Vec::new(), next: 0 })
    }

    /// A recorder for commands that nobody times.
    pub(crate) fn none() -> FrameZones {
        FrameZones { pool: vk::QueryPool::null(), enabled: false, zones: Vec::new(), open: Vec::new(), next: 0 }
    }

    pub(crate) fn begin(&mut self, device: &ash::Device, cmd: vk::CommandBuffer, name: &'static str) {
        self.open.push(self.zones.len());
        self.zones.push((name, u32::MAX, u32::MAX));
        let query = self.stamp(device, cmd);
        if let Some(zone) = self.zones.last_mut() {
            zone.1 = query;
        }
    }

    pub(crate) fn end(&mut self, device: &ash::Device, cmd: vk::CommandBuffer) {
        let Some(index) = self.open.pop() else { return };
        let query = self.stamp(device, cmd);
        self.zones[index].2 = query;
    }

    /// The phase that was recorded last, for the message of a lost device.
    pub(crate) fn last(&self) -> &'static str {
        self.zones.last().map_or("start of the frame", |zone| zone.0)
    }

    fn stamp(&mut self, device: &ash::Device, cmd: vk::CommandBuffer) -> u32 {
        if !self.enabled || self.next >= 2 * ZONES_MAX as u32 {
            return u32::MAX;
        }
        let query = self.next;
        self.next += 1;
        // SAFETY: recording; the query was reset and is written once.
        unsafe { device.cmd_write_timestamp2(cmd, vk::PipelineStageFlags2::ALL_COMMANDS, self.pool, query) };
        query
    }

    /// Reads the timestamps of a frame that is finished, and makes ready for the next.
    pub(crate) fn collect(&mut self, device: &ash::Device, period_ns: f32) -> Vec<GpuTiming> {
        let mut timings = Vec::new();
        if self.enabled && self.next > 0 {
            let mut ticks = vec![0u64; self.next as usize];
            // SAFETY: the frame is finished, so its queries are available; the pool is not in use.
            let read = unsafe { device.get_query_pool_results(self.pool, 0, &mut ticks, vk::QueryResultFlags::TYPE_64) };
            if read.is_ok() {
                timings = self.zones.iter().filter_map(|zone| timing(zone, &ticks, period_ns)).collect();
            }
            // SAFETY: as above.
            unsafe { device.reset_query_pool(self.pool, 0, self.next) };
        }
        self.zones.clear();
        self.open.clear();
        self.next = 0;
        timings
    }

    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the device is idle.
        unsafe { device.destroy_query_pool(self.pool, None) };
    }
}

/// Hands each phase's time to the statistics that the CPU's stages are in too.
#[derive(Default)]
pub(crate) struct GpuStages {
    stages: std::collections::HashMap<&'static str, &'static terrane_profiling::Stage>,
}

impl GpuStages {
    pub(crate) fn record(&mut self, timings: &[GpuTiming]) {
        for timing in timings {
            let stage = self.stages.entry(timing.name).or_insert_with(|| {
                // Once a name: the set of phases is small and fixed.
                terrane_profiling::stage(Box::leak(format!("gpu {}", timing.name).into_boxed_str()))
            });
            stage.record_ns((timing.ms * 1e6) as u64);
        }
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
        assert_eq!(timing(&("a", 0, u32::MAX), &ticks, 1.0), None);
    }
}
