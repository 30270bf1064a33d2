//! In: what Vulkan refused. Out: what a user can do about it.
//! Never knows: exit codes; the game maps these to them.

use ash::vk;
use std::fmt::Write;
use thiserror::Error;

/// A device that was looked at and why it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Name that its driver gives it.
    pub device: String,
    /// Features and limits that it lacks, by their Vulkan names.
    pub missing: Vec<String>,
}

/// Why the GPU cannot do what was asked.
#[derive(Clone, Debug, Error)]
pub enum GpuError {
    /// There is no Vulkan loader on this machine.
    #[error(
        "no Vulkan loader found ({reason}). Install it: on Debian and Ubuntu the package libvulkan1, elsewhere the GPU vendor's driver. `tools/setup` does it"
    )]
    NoLoader {
        /// What the dynamic linker said.
        reason: String,
    },
    /// No device can be used.
    #[error("{}", no_device(refused))]
    NoDevice {
        /// Every device that was found.
        refused: Vec<Refused>,
    },
    /// `--driver` names none of the devices.
    #[error("no device matches the driver '{wanted}'. Found: {}. Give a part of one of these names, or its number from 0", list(available))]
    NoDriverMatch {
        /// What was asked for.
        wanted: String,
        /// Names of the devices.
        available: Vec<String>,
    },
    /// Validation was asked for and its layer is missing.
    #[error(
        "the layer VK_LAYER_KHRONOS_validation is not installed, and validation was asked for. On Debian and Ubuntu it is in the package vulkan-validationlayers"
    )]
    NoLayer,
    /// The device or the host has no memory left.
    #[error("out of memory for '{name}' ({bytes} bytes). A smaller --view-distance needs less")]
    OutOfMemory {
        /// What it was for.
        name: String,
        /// How much.
        bytes: u64,
    },
    /// Something is larger than the device allows.
    #[error("'{name}' needs {wanted} and the device allows {allowed} ({limit}). A smaller --view-distance needs less")]
    Limit {
        /// What it was for.
        name: String,
        /// The Vulkan name of the limit.
        limit: &'static str,
        /// What it needs.
        wanted: u64,
        /// What there is.
        allowed: u64,
    },
    /// The device is gone: reset, unplugged, or hung.
    #[error("the GPU was lost during '{zone}'")]
    DeviceLost {
        /// The last phase that was recorded.
        zone: String,
    },
    /// The window's surface is gone.
    #[error("the window's surface was lost")]
    SurfaceLost,
    /// The window's surface cannot show what the engine makes.
    #[error("the window's surface cannot be used, it lacks {lacks}. `terrane shot` renders without a window")]
    SurfaceRefused {
        /// What.
        lacks: String,
    },
    /// A shader that comes with the program is damaged.
    #[error("shader '{name}': {reason}")]
    Shader {
        /// Which.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Objects that were never destroyed: a bug in the program.
    #[error("{} GPU objects are alive at the end: {}", names.len(), list(names))]
    Leaked {
        /// Their names.
        names: Vec<String>,
    },
    /// Everything else.
    #[error("Vulkan: {call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn no_device(refused: &[Refused]) -> String {
    if refused.is_empty() {
        return "no Vulkan device found. Install a driver for your GPU, or Mesa's software driver (on Debian and Ubuntu the package mesa-vulkan-drivers, \
                version 23 or later; on Debian 12 from backports). `tools/setup` does it"
            .to_owned();
    }
    let mut text = "no Vulkan device can be used:".to_owned();
    for device in refused {
        let _ = write!(text, "\n  {} lacks {}", device.device, device.missing.join(", "));
    }
    text.push_str("\nA newer driver may have them; Mesa's software driver (version 23 or later) does");
    text
}

/// The error that a result means, where `zone` is what was last recorded.
pub(crate) fn vulkan_error(call: &'static str, zone: &str, result: vk::Result) -> GpuError {
    match result {
        vk::Result::ERROR_DEVICE_LOST => GpuError::DeviceLost { zone: zone.to_owned() },
        vk::Result::ERROR_SURFACE_LOST_KHR => GpuError::SurfaceLost,
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => GpuError::OutOfMemory { name: call.to_owned(), bytes: 0 },
        result => GpuError::Vulkan { call, result },
    }
}

/// Names the call that a result came from.
pub(crate) trait Check<T> {
    fn check(self, call: &'static str) -> Result<T, GpuError>;
}

impl<T> Check<T> for Result<T, vk::Result> {
    fn check(self, call: &'static str) -> Result<T, GpuError> {
        self.map_err(|result| vulkan_error(call, call, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_device_is_named_with_what_it_lacks() {
        let error = GpuError::NoDevice {
            refused: vec![Refused { device: "llvmpipe (old)".into(), missing: vec!["runtimeDescriptorArray".into(), "synchronization2".into()] }],
        };
        let text = error.to_string();
        assert!(text.contains("llvmpipe (old) lacks runtimeDescriptorArray, synchronization2"), "{text}");
    }

    #[test]
    fn no_device_at_all_says_what_to_install() {
        assert!(GpuError::NoDevice { refused: vec![] }.to_string().contains("mesa-vulkan-drivers"));
    }

    #[test]
    fn a_lost_device_names_the_phase() {
        let error = vulkan_error("vkQueueSubmit2", "opaque", vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(error.to_string(), "the GPU was lost during 'opaque'");
    }
}
