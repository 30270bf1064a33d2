//! In: a physical device. Out: what it is, what it has and, by name, what it lacks.
//! Never knows: which device is used, and what for.

use crate::{
    GpuError, bindless,
    cache::CacheKey,
    features::{self, Optional, Reported},
    instance::{Root, has},
    memory::local_heap,
};
use ash::vk;
use std::ffi::{CStr, c_char};

/// What a device is, the fastest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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
    #[default]
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
#[derive(Clone, Debug, Default)]
pub struct DeviceInfo {
    /// Name that the driver gives.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Vulkan version, (major, minor, patch).
    pub api: (u32, u32, u32),
    /// Name and version of the driver.
    pub driver: String,
    /// What the baseline needs and it lacks; empty when it can be used.
    pub missing: Vec<String>,
    /// Optional features.
    pub optional: Optional,
    /// Largest buffer that a shader can see, bytes.
    pub storage_buffer_bytes_max: u64,
    /// Longest edge of an image, pixels.
    pub image_edge_max: u32,
    /// Layers of an image.
    pub image_layers_max: u32,
    /// Memory allocations at a time.
    pub allocations_max: u32,
    /// Invocations of a workgroup.
    pub workgroup_invocations_max: u32,
    /// Its local memory: the largest heap, bytes.
    pub local_memory_bytes: u64,
    /// Whether the driver tells how much memory this program may use (VK_EXT_memory_budget).
    pub memory_budget: bool,
    /// What of its own memory this program may use at the moment, bytes, where the driver tells.
    pub offered_bytes: Option<u64>,
    /// Samples a pixel that colour and depth both allow: a mask of counts.
    pub sample_counts: u32,
    /// Greatest anisotropy of a sampler.
    pub anisotropy_max: f32,
    /// Nanoseconds of a timestamp tick; 0 without timestamps.
    pub timestamp_period_ns: f32,
    pub(crate) queue_family: Option<u32>,
    pub(crate) cache_key: CacheKey,
}

impl DeviceInfo {
    /// Refuses a compute shader whose workgroups are larger than the device allows.
    pub(crate) fn check_workgroup(&self, name: &str, spirv: &[u32]) -> Result<(), GpuError> {
        let (wanted, allowed) = (invocations(spirv), u64::from(self.workgroup_invocations_max));
        match wanted <= allowed {
            true => Ok(()),
            false => Err(GpuError::Limit { name: name.to_owned(), limit: "maxComputeWorkGroupInvocations", wanted, allowed }),
        }
    }
}

/// Invocations of a workgroup: OpExecutionMode LocalSize x y z (SPIR-V specification, 3.6); 1 for a shader without.
fn invocations(spirv: &[u32]) -> u64 {
    const EXECUTION_MODE: u32 = 16;
    const LOCAL_SIZE: u32 = 17;
    let mut rest = spirv.get(5..).unwrap_or(&[]);
    while let Some(first) = rest.first() {
        let words = ((first >> 16) as usize).max(1);
        if let (EXECUTION_MODE, Some([_, LOCAL_SIZE, x, y, z])) = (first & 0xffff, rest.get(1..6)) {
            return u64::from(*x) * u64::from(*y) * u64::from(*z);
        }
        rest = rest.get(words..).unwrap_or(&[]);
    }
    1
}

/// Reads what a device says of itself; with a window, also whether it can show pictures there.
pub(crate) fn describe(root: &Root, device: vk::PhysicalDevice) -> DeviceInfo {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut indexing = vk::PhysicalDeviceDescriptorIndexingProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver).push_next(&mut indexing);
    // SAFETY: the device comes from this instance, which is alive; the chain lives across the call.
    unsafe { root.instance.get_physical_device_properties2(device, &mut properties) };
    let core = properties.properties;
    let limits = &core.limits;
    let reported = report(root, device, core.api_version);
    let queue_family = queue_family(root, device);
    // SAFETY: as above.
    let memory_budget = has(&unsafe { root.instance.enumerate_device_extension_properties(device) }, ash::ext::memory_budget::NAME);
    let heap = local_heap(&root.instance, device, memory_budget);
    DeviceInfo {
        name: text(&core.device_name),
        kind: core.device_type.into(),
        api: (vk::api_version_major(core.api_version), vk::api_version_minor(core.api_version), vk::api_version_patch(core.api_version)),
        driver: format!("{} {}", text(&driver.driver_name), text(&driver.driver_info)).trim().to_owned(),
        missing: missing(root, device, core.api_version, &reported, &indexing, queue_family),
        optional: features::optional(&reported),
        storage_buffer_bytes_max: u64::from(limits.max_storage_buffer_range),
        image_edge_max: limits.max_image_dimension2_d,
        image_layers_max: limits.max_image_array_layers,
        allocations_max: limits.max_memory_allocation_count,
        local_memory_bytes: heap.bytes,
        memory_budget,
        offered_bytes: heap.told.map(|(_, offered)| offered),
        workgroup_invocations_max: limits.max_compute_work_group_invocations,
        sample_counts: (limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts).as_raw(),
        anisotropy_max: limits.max_sampler_anisotropy,
        timestamp_period_ns: if limits.timestamp_compute_and_graphics == vk::TRUE { limits.timestamp_period } else { 0.0 },
        queue_family,
        cache_key: CacheKey::new(&core),
    }
}

/// Something that a device can be used without: a feature or extension that is not everywhere, or all of a limit but what Vulkan guarantees.
#[derive(Clone, Copy, Debug)]
pub struct Clamp {
    /// Its Vulkan name.
    pub name: &'static str,
    apply: fn(&mut DeviceInfo),
}

/// All of them; the least values are those of the specification's table "Required Limits". A portable device is used without any.
pub const CLAMPS: &[Clamp] = &[
    Clamp { name: "drawIndirectCount", apply: |info| info.optional.draw_indirect_count = false },
    Clamp { name: "samplerFilterMinmax", apply: |info| info.optional.sampler_filter_minmax = false },
    Clamp { name: "shaderInt64", apply: |info| info.optional.shader_int64 = false },
    Clamp { name: "shaderDrawParameters", apply: |info| info.optional.shader_draw_parameters = false },
    Clamp { name: "samplerAnisotropy", apply: |info| info.optional.sampler_anisotropy = false },
    Clamp { name: "fillModeNonSolid", apply: |info| info.optional.fill_mode_non_solid = false },
    Clamp { name: "VK_EXT_memory_budget", apply: |info| info.memory_budget = false },
    Clamp { name: "timestampComputeAndGraphics", apply: |info| info.timestamp_period_ns = 0.0 },
    Clamp { name: "maxStorageBufferRange", apply: |info| info.storage_buffer_bytes_max = info.storage_buffer_bytes_max.min(1 << 27) },
    Clamp { name: "maxImageDimension2D", apply: |info| info.image_edge_max = info.image_edge_max.min(4096) },
    Clamp { name: "maxImageArrayLayers", apply: |info| info.image_layers_max = info.image_layers_max.min(256) },
    Clamp { name: "maxMemoryAllocationCount", apply: |info| info.allocations_max = info.allocations_max.min(4096) },
    Clamp { name: "maxComputeWorkGroupInvocations", apply: |info| info.workgroup_invocations_max = info.workgroup_invocations_max.min(128) },
    // 1 and 4 are a mask of 0b101.
    Clamp { name: "framebufferColorSampleCounts", apply: |info| info.sample_counts &= 0b101 },
];

/// The device as the request wants to see it.
pub(crate) fn clamp(mut info: DeviceInfo, portable: bool, without: &[&str]) -> DeviceInfo {
    CLAMPS.iter().filter(|clamp| portable || without.contains(&clamp.name)).for_each(|clamp| (clamp.apply)(&mut info));
    info
}

fn missing(
    root: &Root,
    device: vk::PhysicalDevice,
    api_version: u32,
    reported: &Reported,
    indexing: &vk::PhysicalDeviceDescriptorIndexingProperties,
    queue_family: Option<u32>,
) -> Vec<String> {
    let mut missing = Vec::new();
    if api_version < vk::API_VERSION_1_3 {
        missing.push(format!("Vulkan 1.3 (it has {}.{})", vk::api_version_major(api_version), vk::api_version_minor(api_version)));
    }
    missing.extend(features::missing(reported));
    if reported.v12.descriptor_indexing == vk::TRUE {
        missing.extend(bindless::missing_limits(indexing));
    }
    if queue_family.is_none() {
        let presents = if root.surface.is_some() { ", and shows pictures in this window" } else { "" };
        missing.push(format!("a queue that draws and computes{presents}"));
    }
    // SAFETY: the device is of this instance, which is alive.
    if root.surface.is_some() && !has(&unsafe { root.instance.enumerate_device_extension_properties(device) }, ash::khr::swapchain::NAME) {
        missing.push("VK_KHR_swapchain".to_owned());
    }
    missing
}

/// The first family that draws, computes and, with a window, presents: one queue does everything.
fn queue_family(root: &Root, device: vk::PhysicalDevice) -> Option<u32> {
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the device is of this instance, which is alive.
    let families = unsafe { root.instance.get_physical_device_queue_family_properties(device) };
    (0..).zip(&families).find_map(|(index, family)| {
        let presents = root.surface.as_ref().is_none_or(|surface| surface.takes(device, index));
        (family.queue_flags.contains(wanted) && presents).then_some(index)
    })
}

/// The features of a device; an old one has none of the newer structs.
fn report(root: &Root, device: vk::PhysicalDevice, api_version: u32) -> Reported {
    let mut reported = Reported::default();
    if api_version < vk::API_VERSION_1_3 {
        // SAFETY: the device is of this instance, which is alive.
        reported.core = unsafe { root.instance.get_physical_device_features(device) };
        return reported;
    }
    let (mut v11, mut v12, mut v13) = (reported.v11, reported.v12, reported.v13);
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12).push_next(&mut v13);
    // SAFETY: as above; the chain lives across the call.
    unsafe { root.instance.get_physical_device_features2(device, &mut all) };
    reported.core = all.features;
    // The chain ends here: what is kept must not point into this function.
    let unlinked = std::ptr::null_mut();
    (v11.p_next, v12.p_next, v13.p_next) = (unlinked, unlinked, unlinked);
    Reported { v11, v12, v13, ..reported }
}

fn text(characters: &[c_char]) -> String {
    // A driver that forgets the end gets a name of all its bytes, in part unreadable.
    let bytes: Vec<u8> = characters.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::from_utf8_lossy(&bytes).into_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf_8_up_to_the_first_zero() {
        let name: Vec<c_char> = "Käte\0rest".bytes().map(|byte| byte as c_char).collect();
        assert_eq!(text(&name), "Käte");
        assert_eq!(text(&name[..4]), "Kät");
    }

    #[test]
    fn a_clamped_device_has_no_more_than_is_guaranteed() {
        let large =
            DeviceInfo { storage_buffer_bytes_max: u64::MAX, image_edge_max: 1 << 16, image_layers_max: 2048, sample_counts: 0xf, ..Default::default() };
        let small = clamp(large, true, &[]);
        assert_eq!((small.storage_buffer_bytes_max, small.image_edge_max, small.image_layers_max, small.sample_counts), (1 << 27, 4096, 256, 5));
        assert_eq!(small.optional, Optional::default());
    }
}
