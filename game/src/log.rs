//! In: the environment. Out: log lines on standard error, warnings and errors unless `TERRANE_LOG` asks for more.
//! Never knows: who logs. Standard output belongs to what commands print.

use tracing_subscriber::EnvFilter;

/// Variable that says what is logged, for instance `debug` or `terrane_gpu=trace`.
pub const VARIABLE: &str = "TERRANE_LOG";

/// Starts the log. A filter that cannot be read is told and replaced by the default.
pub fn start() {
    let asked = std::env::var(VARIABLE).unwrap_or_default();
    let filter = EnvFilter::try_new(if asked.is_empty() { "warn" } else { &asked });
    let wrong = filter.is_err();
    let filter = filter.unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().with_ansi(false);
    // A second start, as in tests, finds the log running: that is fine.
    let _ = lines.try_init();
    if wrong {
        tracing::warn!("{VARIABLE} is '{asked}', which is no filter; for instance: debug, or terrane_gpu=trace");
    }
}
