//! In: this machine, this program, the settings. Out: the head of a report: where, when and of what it is.
//! Never knows: scenes.

use super::report::Head;
use crate::{config::Config, error::GameError};
use std::{collections::BTreeMap, fs, process::Command, thread, time::SystemTime};
use terrane_gpu::{Device, DeviceRequest, Validation};

/// The head; opens the device for a moment to ask its name.
pub fn head(config: &Config) -> Result<Head, GameError> {
    let request = DeviceRequest { driver: config.driver.as_deref(), validation: Validation::Off, portable: config.portable, ..DeviceRequest::default() };
    let device = Device::new(&request)?;
    let info = device.info().clone();
    device.destroy()?;
    let (major, minor, patch) = info.api;
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    Ok(Head {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit_changed: commit.is_some() && git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty()),
        commit: commit.unwrap_or_else(|| "unknown".to_owned()),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        date: date(SystemTime::now()),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processor: processor(),
        processors: thread::available_parallelism().map_or(1, |count| count.get()) as u32,
        memory_bytes: line_of("/proc/meminfo", "MemTotal:").and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib << 10),
        load: fs::read_to_string("/proc/loadavg").ok().and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or(-1.0),
        device: info.name,
        device_kind: format!("{:?}", info.kind),
        driver: info.driver,
        vulkan: format!("{major}.{minor}.{patch}"),
        settings: settings(config),
        binary_bytes: std::env::current_exe().and_then(fs::metadata).map_or(0, |found| found.len()),
    })
}

/// What is the same in all scenes.
fn settings(config: &Config) -> BTreeMap<String, String> {
    let rows = [
        ("threads", config.threads.to_string()),
        ("isa", config.isa.to_string()),
        ("frames_in_flight", config.frames_in_flight.to_string()),
        ("upload_kb_per_frame", (config.upload_bytes_per_frame >> 10).to_string()),
        ("accept_ms_per_frame", config.accept_ms_per_frame.to_string()),
        ("device_memory_mb", config.device_memory_mb.to_string()),
        ("host_memory_mb", config.host_memory_mb.to_string()),
        ("portable", config.portable.to_string()),
    ];
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What git says of the tree that the program was built from, if it is still there.
fn git(args: &[&str]) -> Option<String> {
    let said = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(args).output().ok()?;
    said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

fn processor() -> String {
    let name = line_of("/proc/cpuinfo", "model name").map(|text| text.trim_start_matches([' ', '\t', ':']).to_owned());
    name.unwrap_or_else(|| "unknown".to_owned())
}

fn line_of(path: &str, start: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(start)).map(|rest| rest.trim().to_owned())
}

/// Year-month-day hour:minute, UTC; days to dates after Hinnant, "chrono-compatible low-level date algorithms".
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn seconds_become_dates() {
        for (seconds, wanted) in
            [(0, "1970-01-01 00:00"), (951_782_399, "2000-02-28 23:59"), (951_782_400, "2000-02-29 00:00"), (1_796_126_400, "2026-12-01 12:00")]
        {
            assert_eq!(date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), wanted);
        }
    }
}
