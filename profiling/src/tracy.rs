//! In: zones, frames, plots. Out: the same to a Tracy server, in builds with a `profiling` feature; else nothing at all.
//! Never knows: statistics. The rest of the engine never names Tracy.

#[cfg(feature = "profiling-capture")]
use tracy_capture as client;
#[cfg(all(feature = "profiling", not(feature = "profiling-capture")))]
use tracy as client;

#[cfg(any(feature = "profiling", feature = "profiling-capture"))]
mod on {
    use super::client::{Client, GpuContext, GpuContextType, GpuSpan, PlotName, Span as ClientSpan};

    /// A zone of this thread.
    pub struct Span(#[expect(dead_code, reason = "its drop is its end")] Option<ClientSpan>);

    /// Begins a zone.
    pub fn span(name: &'static str) -> Span {
        Span(Client::running().map(|client| client.span_alloc(Some(name), "", "", 0, 0)))
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
            client.plot(PlotName::new_leak(name.to_owned()), value);
        }
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

        /// The zones of a finished frame: name, begin and end in ticks, nested ones after the one around them.
        pub fn frame(&mut self, zones: &[(&'static str, u64, u64)]) {
            let Some(context) = &self.context else { return };
            let mut open: Vec<(GpuSpan, u64)> = Vec::new();
            // Timestamps must arrive in their order: ends of earlier zones before later begins.
            for (name, begin, end) in zones {
                close_until(&mut open, *begin);
                if let Ok(mut span) = context.span_alloc(name, "", "", 0) {
                    span.end_zone();
                    span.upload_timestamp_start(*begin as i64);
                    open.push((span, *end));
                }
            }
            close_until(&mut open, u64::MAX);
        }
    }

    fn close_until(open: &mut Vec<(GpuSpan, u64)>, ticks: u64) {
        while let Some((span, end)) = open.pop_if(|(_, end)| *end <= ticks) {
            span.upload_timestamp_end(end as i64);
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
