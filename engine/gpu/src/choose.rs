//! In: the devices of this machine and what the user asked for. Out: the one to use, or why there is none.
//! Never knows: how a device is opened.

use crate::{DeviceInfo, GpuError, Refused};

/// Index of the device to use: what `wanted` names (its number, or a part of its name, whatever the case), else the first of the best kind.
pub(crate) fn choose(devices: &[DeviceInfo], wanted: Option<&str>) -> Result<usize, GpuError> {
    let refused = |indices: &[usize]| GpuError::NoDevice {
        refused: indices.iter().map(|&i| Refused { device: devices[i].name.clone(), missing: devices[i].missing.clone() }).collect(),
    };
    let candidates: Vec<usize> = match wanted {
        None => (0..devices.len()).collect(),
        Some(text) => named(devices, text),
    };
    if candidates.is_empty() && !devices.is_empty() {
        let available = devices.iter().map(|device| device.name.clone()).collect();
        return Err(GpuError::NoDriverMatch { wanted: wanted.unwrap_or_default().to_owned(), available });
    }
    let usable = candidates.iter().copied().filter(|&i| devices[i].missing.is_empty());
    usable.min_by_key(|&i| (devices[i].kind, i)).ok_or_else(|| refused(&candidates))
}

/// A number that is one of theirs means that device; anything else is a part of a name.
fn named(devices: &[DeviceInfo], text: &str) -> Vec<usize> {
    if let Ok(index) = text.trim().parse()
        && index < devices.len()
    {
        return vec![index];
    }
    let part = text.to_lowercase();
    let has = |device: &DeviceInfo| device.name.to_lowercase().contains(&part) || device.driver.to_lowercase().contains(&part);
    (0..devices.len()).filter(|&i| has(&devices[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceKind;

    fn device(name: &str, kind: DeviceKind, missing: &[&str]) -> DeviceInfo {
        let missing = missing.iter().map(|m| (*m).to_owned()).collect();
        DeviceInfo { name: name.into(), kind, missing, ..DeviceInfo::default() }
    }

    #[test]
    fn a_card_of_its_own_comes_first_if_it_can_be_used() {
        let devices = [
            device("soft", DeviceKind::Cpu, &[]),
            device("chip", DeviceKind::Integrated, &[]),
            device("old card", DeviceKind::Discrete, &["synchronization2"]),
            device("card", DeviceKind::Discrete, &[]),
        ];
        assert_eq!(choose(&devices, None).expect("one"), 3);
        assert_eq!(choose(&devices[..3], None).expect("one"), 1);
    }

    #[test]
    fn kinds_come_in_the_order_that_is_fastest() {
        use DeviceKind::{Cpu, Discrete, Integrated, Other, Virtual};
        let mut kinds = [Other, Cpu, Virtual, Integrated, Discrete];
        kinds.sort();
        assert_eq!(kinds, [Discrete, Integrated, Virtual, Cpu, Other]);
    }

    #[test]
    fn a_number_within_a_name_is_not_taken_for_it() {
        let devices = [device("RTX 3081", DeviceKind::Discrete, &[]), device("soft", DeviceKind::Cpu, &[])];
        assert_eq!(choose(&devices, Some("1")).expect("numbered"), 1);
        assert_eq!(choose(&devices, Some("3081")).expect("named"), 0);
    }

    #[test]
    fn the_user_may_name_or_number_one() {
        let devices = [device("Soft Pipe", DeviceKind::Cpu, &[]), device("Card", DeviceKind::Discrete, &[])];
        assert_eq!(choose(&devices, Some("soft")).expect("named"), 0);
        assert_eq!(choose(&devices, Some("0")).expect("numbered"), 0);
        let error = choose(&devices, Some("radeon")).expect_err("there is none").to_string();
        assert!(error.contains("'radeon'") && error.contains("Soft Pipe, Card"), "{error}");
    }

    #[test]
    fn a_named_device_that_lacks_something_is_refused_by_name() {
        let devices = [device("Old", DeviceKind::Cpu, &["scalarBlockLayout"]), device("Card", DeviceKind::Discrete, &[])];
        let error = choose(&devices, Some("old")).expect_err("it lacks something").to_string();
        assert!(error.contains("Old lacks scalarBlockLayout"), "{error}");
    }
}
