//! In: what the system says of memory. Out: how much this program uses and how much there is.
//! Never knows: what it is used for. A system that does not say is a state: nothing is limited there.

use std::fs;

/// Share of the machine's memory that is used at most, if the settings do not say: the rest is for others.
const SHARE: f64 = 0.75;

/// Bytes of the machine's memory that this program holds; `None` where the system does not say.
pub fn used_bytes() -> Option<u64> {
    // Linux: the second number is the resident pages.
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE_BYTES)
}

/// Bytes that it may hold: what the settings say, in MiB, or most of what the machine has; `None` where the system does not say.
pub fn budget_bytes(setting_mb: u64) -> Option<u64> {
    match setting_mb {
        0 => total_bytes().map(|total| (total as f64 * SHARE) as u64),
        mb => Some(mb << 20),
    }
}

/// `statm` counts pages; nearly all Linux machines have these, and larger ones only make the count too small.
const PAGE_BYTES: u64 = 4096;

fn total_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn this_program_holds_more_with_a_large_vector_and_less_than_there_is() {
        let before = used_bytes().expect("Linux says");
        let large = vec![1u8; 64 << 20];
        let after = used_bytes().expect("Linux says");
        assert!(after >= before + (60 << 20), "{before} {after}");
        assert!(after < budget_bytes(0).expect("Linux says") && budget_bytes(100) == Some(100 << 20));
        drop(large);
    }
}
