//! In: the devices of this machine and what the user asked for. Out: the one to use, or why there is none.
//! Never knows: how a device is opened.

use crate::{GpuError, Refused, features::{self, Optional, Reported}};
use ash::vk;

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A card of its own.
    Discrete,
    /// Part of the processor.
    Integrated,
    /// Passed through to a virtual machine.
    Virtual,
    /// A driver that computes on the processor.
    Cpu,
    /// Something else.
    Other,
}

impl From<vk::PhysicalDeviceType> for DeviceKind {
    fn from(kind: vk::PhysicalDeviceType) -> Self {
        match kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
            vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
            _ => DeviceKind::Other,
        }
    }
}

/// What is known of a device before it is opened.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Name that the driver gives.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Vulkan version, (major, minor, patch).
    pub api: (u32, u32, u32),
    /// Name and version of the driver.
    pub driver: String,
    /// Features of the baseline that it lacks; empty when it can be used.
    pub missing: Vec<String>,
    /// Optional features.
    pub optional: Optional,
    /// Largest buffer that a shader can see, bytes.
    pub storage_buffer_bytes_max: u64,
    /// Memory allocations at a time.
    pub allocations_max: u32,
    /// Its local memory, bytes.
    pub local_memory_bytes: u64,
    /// Samples a pixel that colour and depth both allow: a mask of counts.
    pub sample_counts: u32,
    /// Nanoseconds of a timestamp tick; 0 without timestamps.
    pub timestamp_period_ns: f32,
}

/// Index of the device to use: what `wanted` names (a part of the name, whatever its case, or a number), else the first of the best kind.
pub(crate) fn choose(devices: &[DeviceInfo], wanted: Option<&str>) -> Result<usize, GpuError> {
    let refused = |indices: &[usize]| GpuError::NoDevice {
        refused: indices.iter().map(|&i| Refused { device: devices[i].name.clone(), missing: devices[i].missing.clone() }).collect(),
    };
    let candidates: Vec<usize> = match wanted {
        None => (0..devices.len()).collect(),
        Some(text) => {
            let matches = |(i, device): (usize, &DeviceInfo)| {
                let named = device.name.to_lowercase().contains(&text.to_lowercase()) || device.driver.to_lowercase().contains(&text.to_lowercase());
                (named || text.parse() == Ok(i)).then_some(i)
            };
            devices.iter().enumerate().filter_map(matches).collect()
        }
    };
    if candidates.is_empty() && !devices.is_empty() {
        let available = devices.iter().map(|device| device.name.clone()).collect();
        return Err(GpuError::NoDriverMatch { wanted: wanted.unwrap_or_default().to_owned(), available });
    }
    let usable = candidates.iter().copied().filter(|&i| devices[i].missing.is_empty());
    usable.min_by_key(|&i| (devices[i].kind, i)).ok_or_else(|| refused(&candidates))
}

/// Reads what a device says of itself.
pub(crate) fn describe(instance: &ash::Instance, device: vk::PhysicalDevice) -> DeviceInfo {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the device comes from this instance, which is alive.
    unsafe { instance.get_physical_device_properties2(device, &mut properties) };
    let core = properties.properties;
    let text = |name: &[std::ffi::c_char]| -> String {
        name.iter().take_while(|c| **c != 0).map(|c| char::from(*c as u8)).collect()
    };
    let api = (vk::api_version_major(core.api_version), vk::api_version_minor(core.api_version), vk::api_version_patch(core.api_version));
    let reported = report(instance, device, core.api_version);
    let mut missing = features::missing(&reported);
    if core.api_version < vk::API_VERSION_1_3 {
        missing.insert(0, format!("Vulkan 1.3 (it has {}.{})", api.0, api.1));
    }
    // SAFETY: as above.
    let memory = unsafe { instance.get_physical_device_memory_properties(device) };
    let local = memory.memory_heaps_as_slice().iter().filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    DeviceInfo {
        name: text(&core.device_name),
        kind: core.device_type.into(),
        api,
        driver: format!("{} {}", text(&driver.driver_name), text(&driver.driver_info)).trim().to_owned(),
        missing,
        optional: features::optional(&reported),
        storage_buffer_bytes_max: u64::from(core.limits.max_storage_buffer_range),
        allocations_max: core.limits.max_memory_allocation_count,
        local_memory_bytes: local.map(|heap| heap.size).sum(),
        sample_counts: (core.limits.framebuffer_color_sample_counts & core.limits.framebuffer_depth_sample_counts).as_raw(),
        timestamp_period_ns: if core.limits.timestamp_compute_and_graphics == vk::TRUE { core.limits.timestamp_period } else { 0.0 },
    }
}

/// The features of a device; an old one has none of the newer structs.
fn report(instance: &ash::Instance, device: vk::PhysicalDevice, api_version: u32) -> Reported {
    let mut reported = Reported::default();
    if api_version < vk::API_VERSION_1_3 {
        // SAFETY: the device comes from this instance, which is alive.
        reported.core = unsafe { instance.get_physical_device_features(device) };
        return reported;
    }
    let (mut v11, mut v12, mut v13) = (reported.v11, reported.v12, reported.v13);
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12).push_next(&mut v13);
    // SAFETY: as above; the chain lives across the call.
    unsafe { instance.get_physical_device_features2(device, &mut all) };
    reported.core = all.features;
    let unlinked = std::ptr::null_mut();
    (v11.p_next, v12.p_next, v13.p_next) = (unlinked, unlinked, unlinked);
    Reported { v11, v12, v13, ..reported }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: DeviceKind, missing: &[&str]) -> DeviceInfo {
        DeviceInfo {
            name: name.into(),
            kind,
            api: (1, 3, 0),
            driver: "test".into(),
            missing: missing.iter().map(|m| (*m).to_owned()).collect(),
            optional: Optional::default(),
            storage_buffer_bytes_max: 1 << 27,
            allocations_max: 4096,
            local_memory_bytes: 1 << 30,
            sample_counts: 5,
            timestamp_period_ns: 1.0,
        }
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
