//! In: zones, frames, plots. Out: the same to a Tracy server, in builds with a `profiling` feature; else nothing at all.
//! Never knows: statistics. The rest of the engine never names Tracy.

#[cfg(feature = "profiling-capture")]
use tracy_capture as client;
#[cfg(all(feature = "profiling", not(feature = "profiling-capture")))]
use tracy_window as client;

#[cfg(any(feature = "profiling", feature = "profiling-capture"))]
mod on {
    use super::client::{Client, GpuContext, GpuContextType, GpuSpan, PlotName, Span as ClientSpan};
    use super::{GpuEvent, gpu_events};
    use std::sync::{Mutex, PoisonError};

    /// A zone of this thread; its drop is its end.
    pub struct Span(Option<ClientSpan>);

    /// Begins a zone.
    #[inline]
    pub fn span(name: &'static str) -> Span {
        Span(Client::running().map(|client| client.span_alloc(Some(name), "", "", 0, 0)))
    }

    impl Span {
        /// Writes the duration that the table counts onto the zone.
        #[inline]
        pub fn measured(&self, ns: u64) {
            #[cfg(test)]
            super::seen(ns);
            if let Some(span) = &self.0 {
                span.emit_value(ns);
            }
        }
    }

    /// Connects. Zones before it are lost.
    pub fn start() {
        Client::start();
    }

    /// The end of a frame.
    pub fn frame_mark() {
        if let Some(client) = Client::running() {
            client.frame_mark();
        }
    }

    /// The client keeps a plot's name for good, so each name is made once.
    static PLOTS: Mutex<Vec<(&'static str, PlotName)>> = Mutex::new(Vec::new());

    /// A value over time.
    pub fn plot(name: &'static str, value: f64) {
        let Some(client) = Client::running() else { return };
        let mut plots = PLOTS.lock().unwrap_or_else(PoisonError::into_inner);
        let plot = match plots.iter().find(|plot| plot.0 == name) {
            Some(plot) => plot.1,
            None => {
                let plot = PlotName::new_leak(name.to_owned());
                plots.push((name, plot));
                plot
            }
        };
        client.plot(plot, value);
    }

    /// The name of this thread.
    pub fn thread_name(name: &str) {
        if let Some(client) = Client::running() {
            let Ok(name) = std::ffi::CString::new(name) else { return };
            client.set_thread_name(name.to_str().unwrap_or("thread"));
        }
    }

    /// GPU zones on Tracy's timeline.
    pub struct GpuTimeline {
        context: Option<GpuContext>,
    }

    impl GpuTimeline {
        /// `now_ticks` is the GPU's clock as close as possible to this call.
        pub fn new(name: &str, now_ticks: i64, period_ns: f32) -> GpuTimeline {
            let context = Client::running().and_then(|client| client.new_gpu_context(Some(name), GpuContextType::Vulkan, now_ticks, period_ns).ok());
            GpuTimeline { context }
        }

        /// The zones of a finished frame in the order of their beginnings: name, begin and end in ticks.
        pub fn frame(&mut self, zones: &[(&'static str, u64, u64)]) {
            let Some(context) = &self.context else { return };
            let mut open: Vec<GpuSpan> = Vec::new();
            for event in gpu_events(zones) {
                match event {
                    GpuEvent::Begin(name, ticks) => {
                        // Every frame ends all its zones, so far fewer than the client's 32,767 are open.
                        let Ok(span) = context.span_alloc(name, "", "", 0) else { return };
                        span.upload_timestamp_start(ticks as i64);
                        open.push(span);
                    }
                    GpuEvent::End(ticks) => {
                        if let Some(mut span) = open.pop() {
                            span.end_zone();
                            span.upload_timestamp_end(ticks as i64);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(not(any(feature = "profiling", feature = "profiling-capture")))]
mod off {
    /// Nothing.
    pub struct Span;

    /// Nothing.
    #[inline(always)]
    pub fn span(_name: &'static str) -> Span {
        Span
    }

    impl Span {
        /// Nothing.
        #[inline(always)]
        pub fn measured(&self, _ns: u64) {
            #[cfg(test)]
            super::seen(_ns);
        }
    }

    /// Nothing.
    pub fn start() {}

    /// Nothing.
    #[inline(always)]
    pub fn frame_mark() {}

    /// Nothing.
    #[inline(always)]
    pub fn plot(_name: &'static str, _value: f64) {}

    /// Nothing.
    pub fn thread_name(_name: &str) {}

    /// Nothing.
    pub struct GpuTimeline;

    impl GpuTimeline {
        /// Nothing.
        pub fn new(_name: &str, _now_ticks: i64, _period_ns: f32) -> GpuTimeline {
            GpuTimeline
        }

        /// Nothing.
        pub fn frame(&mut self, _zones: &[(&'static str, u64, u64)]) {}
    }
}

#[cfg(not(any(feature = "profiling", feature = "profiling-capture")))]
pub use off::*;
#[cfg(any(feature = "profiling", feature = "profiling-capture"))]
pub use on::*;

/// What Tracy is told of a frame, in the order in which it wants it.
#[cfg(any(test, feature = "profiling", feature = "profiling-capture"))]
#[derive(Clone, Copy, Debug, PartialEq)]
enum GpuEvent {
    Begin(&'static str, u64),
    /// Of the zone that began last and has not ended.
    End(u64),
}

/// Tracy nests zones by the order of their events and wants timestamps that never go back. Zones come in the order in which they
/// began; one lies in another if it begins before the other ends, and then it ends no later.
#[cfg(any(test, feature = "profiling", feature = "profiling-capture"))]
fn gpu_events(zones: &[(&'static str, u64, u64)]) -> Vec<GpuEvent> {
    let (mut events, mut open, mut last) = (Vec::with_capacity(2 * zones.len()), Vec::<u64>::new(), 0);
    for (name, begin, end) in zones.iter().copied() {
        while let Some(ended) = open.pop_if(|end| *end <= begin) {
            events.push(GpuEvent::End(ended));
            last = ended;
        }
        let begin = begin.max(last);
        let end = end.max(begin).min(open.last().copied().unwrap_or(u64::MAX));
        events.push(GpuEvent::Begin(name, begin));
        open.push(end);
        last = begin;
    }
    events.extend(open.into_iter().rev().map(GpuEvent::End));
    events
}

#[cfg(test)]
thread_local! {
    /// What Tracy's zones of this thread were given, for tests.
    pub static SEEN: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[cfg(test)]
fn seen(ns: u64) {
    SEEN.with_borrow_mut(|seen| seen.push(ns));
}

#[cfg(test)]
mod tests {
    use super::{
        GpuEvent::{Begin, End},
        gpu_events,
    };

    #[test]
    fn gpu_zones_nest_as_they_were_recorded() {
        let zones = [("frame", 0, 100), ("shadows", 10, 40), ("cull", 12, 20), ("draw", 20, 40), ("sky", 40, 90), ("next frame", 120, 130)];
        let expected = [
            Begin("frame", 0),
            Begin("shadows", 10),
            Begin("cull", 12),
            End(20),
            Begin("draw", 20),
            End(40),
            End(40),
            Begin("sky", 40),
            End(90),
            End(100),
            Begin("next frame", 120),
            End(130),
        ];
        assert_eq!(gpu_events(&zones), expected);
    }

    #[test]
    fn gpu_timestamps_never_go_back() {
        // Inner ends that come after the outer one's, ends before begins, zones without length, a begin that jumps back.
        let zones = [("frame", 5, 50), ("late", 10, 60), ("turned", 30, 20), ("empty", 50, 50), ("back", 1, 2)];
        let (mut depth, mut last) = (0, 0);
        for event in gpu_events(&zones) {
            let ticks = match event {
                Begin(_, ticks) => (ticks, depth += 1).0,
                End(ticks) => (ticks, depth -= 1).0,
            };
            assert!(ticks >= last && depth >= 0, "{event:?} after {last}");
            last = ticks;
        }
        assert_eq!(depth, 0);
    }
}
