//! In: zones, frames, plots. Out: the same to a Tracy server, in builds with a `profiling` feature; else nothing at all.
//! Never knows: statistics. The rest of the engine never names Tracy.

#[cfg(feature = "profiling-capture")]
use tracy_capture as client;
#[cfg(all(feature = "profiling", not(feature = "profiling-capture")))]
use tracy_window as client;

#[cfg(any(feature = "profiling", feature = "profiling-capture"))]
mod on {
    use super::client::{Client, GpuContext, GpuContextType, GpuSpan, PlotName, Span as ClientSpan};
    use crate::stage::Sink;
    use std::{
        panic::Location,
        sync::{Mutex, PoisonError},
    };

    /// A zone of this thread; it ends when this is dropped.
    #[must_use = "the zone ends when it is dropped"]
    pub struct Span(Option<ClientSpan>);

    /// Begins a zone at the place of the caller.
    #[track_caller]
    pub fn span(name: &'static str) -> Span {
        let place = Location::caller();
        Span(Client::running().map(|client| client.span_alloc(Some(name), "", place.file(), place.line(), 0)))
    }

    impl Sink for Span {
        fn end(&mut self, ns: u64) {
            if let Some(span) = self.0.take() {
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

    /// A value over time.
    pub fn plot(name: &'static str, value: f64) {
        if let Some(client) = Client::running() {
            client.plot(plot_name(name), value);
        }
    }

    /// The client wants names that end in a zero: each is made once and kept for good. There are a dozen plots.
    fn plot_name(name: &'static str) -> PlotName {
        static NAMES: Mutex<Vec<(&'static str, PlotName)>> = Mutex::new(Vec::new());
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = names.iter().find(|(known, _)| *known == name) {
            return *known;
        }
        let made = PlotName::new_leak(name.to_owned());
        names.push((name, made));
        made
    }

    /// The name of this thread; up to a zero, if there is one in it.
    pub fn thread_name(name: &str) {
        if let Some(client) = Client::running() {
            client.set_thread_name(name.split('\0').next().unwrap_or_default());
        }
    }

    /// GPU zones on Tracy's timeline.
    pub struct GpuTimeline {
        context: Option<GpuContext>,
    }

    impl GpuTimeline {
        /// `now_ticks` is the GPU's clock as close as possible to this call. Tracy takes 255 timelines; more show nothing.
        pub fn new(name: &str, now_ticks: i64, period_ns: f32) -> GpuTimeline {
            let context = Client::running();
            let context = context.and_then(|client| client.new_gpu_context(Some(name), GpuContextType::Vulkan, now_ticks, period_ns).ok());
            GpuTimeline { context }
        }

        /// The zones of a finished frame: name, begin and end in ticks, nested ones after the one around them.
        pub fn frame(&mut self, zones: &[(&'static str, u64, u64)]) {
            let Some(context) = &self.context else { return };
            let mut open: Vec<(GpuSpan, u64)> = Vec::new();
            // Tracy nests by the order of calls and wants timestamps in their order, so everything is told in the order it happened.
            for (name, begin, end) in zones {
                close_until(&mut open, *begin);
                // No span is left only when 32,767 are open: then this one is not shown.
                if let Ok(span) = context.span_alloc(name, "", "", 0) {
                    span.upload_timestamp_start(*begin as i64);
                    open.push((span, *end));
                }
            }
            close_until(&mut open, u64::MAX);
        }
    }

    fn close_until(open: &mut Vec<(GpuSpan, u64)>, ticks: u64) {
        while let Some((mut span, end)) = open.pop_if(|(_, end)| *end <= ticks) {
            span.end_zone();
            span.upload_timestamp_end(end as i64);
        }
    }
}

#[cfg(not(any(feature = "profiling", feature = "profiling-capture")))]
mod off {
    use crate::stage::Sink;

    /// Nothing.
    #[must_use = "the zone ends when it is dropped"]
    pub struct Span;

    /// Nothing.
    #[inline(always)]
    pub fn span(_name: &'static str) -> Span {
        Span
    }

    impl Sink for Span {
        #[inline(always)]
        fn end(&mut self, _ns: u64) {}
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
