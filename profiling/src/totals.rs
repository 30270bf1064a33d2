//! In: zones and frames as they end. Out: how many there were since the start, and how long ago that was: what a capture of the whole run holds.
//! Never knows: names or durations. Forgetting the table (`reset`) forgets nothing here.

use crate::{stage::stages, tracy};
use std::{
    io::{self, Write},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

static FRAMES: AtomicU64 = AtomicU64::new(0);
static STARTED: OnceLock<Instant> = OnceLock::new();

/// All of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Frame marks.
    pub frames: u64,
    /// Zones of the CPU that have ended.
    pub zones: u64,
    /// Since the start.
    pub seconds: f64,
}

/// Connects to Tracy, in builds with one. Zones before it are lost to it.
pub fn start() {
    STARTED.get_or_init(Instant::now);
    tracy::start();
}

/// The end of a frame.
pub fn frame_mark() {
    FRAMES.fetch_add(1, Relaxed);
    tracy::frame_mark();
}

/// What there was since the start.
pub fn totals() -> Totals {
    Totals {
        frames: FRAMES.load(Relaxed),
        zones: stages().iter().map(|stage| stage.ended()).sum(),
        seconds: STARTED.get().map_or(0.0, |started| started.elapsed().as_secs_f64()),
    }
}

/// The table and the totals as CSV: a line for each stage, and before them one for the whole run, which a capture is compared with.
pub fn write_csv(out: &mut dyn Write) -> io::Result<()> {
    let Totals { frames, zones, seconds } = totals();
    writeln!(out, "# whole run: frames {frames}, zones {zones}, seconds {seconds:.3}")?;
    writeln!(out, "stage,count,p50_ms,p99_ms,max_ms,total_ms")?;
    for row in crate::table() {
        // Names are words; a comma in one would be ours to see.
        writeln!(out, "{},{},{:.6},{:.6},{:.6},{:.6}", row.name, row.count, row.p50_ms, row.p99_ms, row.max_ms, row.total_ms)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_count_on_when_the_table_is_forgotten() {
        start();
        let work = crate::stage("totals");
        let before = totals();
        drop(work.enter());
        work.histogram().reset();
        drop(work.enter());
        // A time from elsewhere is no zone.
        work.record_ns(1_000);
        frame_mark();
        let after = totals();
        assert_eq!(after.frames - before.frames, 1);
        assert!(after.zones - before.zones >= 2 && work.ended() == 2, "{before:?} {after:?}");
        assert!(after.seconds >= before.seconds);
        let mut csv = Vec::new();
        write_csv(&mut csv).expect("a vector takes it");
        let csv = String::from_utf8(csv).expect("ASCII");
        assert!(csv.starts_with("# whole run: frames ") && csv.contains("\ntotals,2,"), "{csv}");
    }
}
