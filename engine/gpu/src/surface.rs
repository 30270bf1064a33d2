//! In: a window, or none for a surface that nobody sees. Out: the surface, what it says of sizes, formats and modes, and what follows from that.
//! Never knows: images. What it says passes through here alone, so that a test can put other words into its mouth.

use crate::{GpuError, error::Check, seam::Functions};
use ash::vk;
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};

/// Where pictures are shown.
#[derive(Clone, Copy, Debug)]
pub enum ShowIn {
    /// A window. It must outlive the device.
    Window(RawDisplayHandle, RawWindowHandle),
    /// Nowhere: a surface of VK_EXT_headless_surface, for tests.
    Headless,
}

/// What a surface says instead of the truth; `None` leaves what it says. For tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceScript {
    /// Its size, pixels.
    pub extent: Option<(u32, u32)>,
    /// Fewest images and most; a most of 0 is no limit.
    pub image_counts: Option<(u32, u32)>,
    /// Its formats, in its order.
    pub formats: Option<Vec<vk::SurfaceFormatKHR>>,
    /// Its present modes, in its order.
    pub modes: Option<Vec<vk::PresentModeKHR>>,
    /// What its images can be used for.
    pub usage: Option<vk::ImageUsageFlags>,
}

pub(crate) struct Surface {
    pub handle: vk::SurfaceKHR,
    pub script: SurfaceScript,
    functions: ash::khr::surface::Instance,
    target: ShowIn,
}

impl Surface {
    pub(crate) fn new(entry: &ash::Entry, instance: &ash::Instance, target: ShowIn) -> Result<Surface, GpuError> {
        let handle = create(entry, instance, target).check("vkCreateSurfaceKHR")?;
        Ok(Surface { handle, script: SurfaceScript::default(), functions: ash::khr::surface::Instance::new(entry, instance), target })
    }

    /// Makes it anew for the same window: it was lost, and its swapchain has ended.
    pub(crate) fn renew(&mut self, functions: &Functions, entry: &ash::Entry, instance: &ash::Instance) -> Result<(), GpuError> {
        self.end();
        self.handle = functions.call("vkCreateSurfaceKHR", |_| create(entry, instance, self.target))?;
        Ok(())
    }

    pub(crate) fn end(&mut self) {
        // SAFETY: no swapchain of it is left; a null handle is destroyed as nothing.
        unsafe { self.functions.destroy_surface(std::mem::take(&mut self.handle), None) };
    }

    /// Whether a queue family can show pictures here.
    pub(crate) fn takes(&self, physical: vk::PhysicalDevice, family: u32) -> bool {
        // SAFETY: device and surface are of one instance.
        unsafe { self.functions.get_physical_device_surface_support(physical, family, self.handle) }.unwrap_or(false)
    }

    pub(crate) fn capabilities(&self, functions: &Functions, physical: vk::PhysicalDevice) -> Result<vk::SurfaceCapabilitiesKHR, GpuError> {
        // SAFETY: here and below, device and surface are alive and of one instance.
        let mut said = functions
            .call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", |_| unsafe { self.functions.get_physical_device_surface_capabilities(physical, self.handle) })?;
        if let Some((width, height)) = self.script.extent {
            said.current_extent = vk::Extent2D { width, height };
        }
        (said.min_image_count, said.max_image_count) = self.script.image_counts.unwrap_or((said.min_image_count, said.max_image_count));
        said.supported_usage_flags = self.script.usage.unwrap_or(said.supported_usage_flags);
        Ok(said)
    }

    pub(crate) fn formats(&self, functions: &Functions, physical: vk::PhysicalDevice) -> Result<Vec<vk::SurfaceFormatKHR>, GpuError> {
        // SAFETY: as above.
        let said =
            functions.call("vkGetPhysicalDeviceSurfaceFormatsKHR", |_| unsafe { self.functions.get_physical_device_surface_formats(physical, self.handle) })?;
        Ok(self.script.formats.clone().unwrap_or(said))
    }

    pub(crate) fn modes(&self, functions: &Functions, physical: vk::PhysicalDevice) -> Result<Vec<vk::PresentModeKHR>, GpuError> {
        // SAFETY: as above.
        let said = functions.call("vkGetPhysicalDeviceSurfacePresentModesKHR", |_| unsafe {
            self.functions.get_physical_device_surface_present_modes(physical, self.handle)
        })?;
        Ok(self.script.modes.clone().unwrap_or(said))
    }
}

/// Instance extensions that a surface needs; empty for none.
pub(crate) fn extensions(target: Option<ShowIn>) -> Result<Vec<*const std::ffi::c_char>, GpuError> {
    match target {
        None => Ok(Vec::new()),
        Some(ShowIn::Headless) => Ok(vec![ash::khr::surface::NAME.as_ptr(), ash::ext::headless_surface::NAME.as_ptr()]),
        Some(ShowIn::Window(display, _)) => {
            ash_window::enumerate_required_extensions(display).map(<[_]>::to_vec).check("vkEnumerateInstanceExtensionProperties")
        }
    }
}

fn create(entry: &ash::Entry, instance: &ash::Instance, target: ShowIn) -> ash::prelude::VkResult<vk::SurfaceKHR> {
    match target {
        // SAFETY: the handles are those of a window that outlives the device: the game drops it last.
        ShowIn::Window(display, window) => unsafe { ash_window::create_surface(entry, instance, display, window, None) },
        ShowIn::Headless => {
            let functions = ash::ext::headless_surface::Instance::new(entry, instance);
            // SAFETY: the instance was made with the extension.
            unsafe { functions.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) }
        }
    }
}

/// To draw and copy to; to copy from, for pictures of what is shown, where the surface allows it.
pub(crate) fn image_usage(supported: vk::ImageUsageFlags) -> vk::ImageUsageFlags {
    let wanted = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
    vk::ImageUsageFlags::COLOR_ATTACHMENT | (supported & wanted)
}

pub(crate) fn present_mode(modes: &[vk::PresentModeKHR], vsync: bool) -> vk::PresentModeKHR {
    let wanted: &[vk::PresentModeKHR] = if vsync { &[] } else { &[vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE] };
    wanted.iter().copied().find(|mode| modes.contains(mode)).unwrap_or(vk::PresentModeKHR::FIFO)
}

pub(crate) fn composite_alpha(supported: vk::CompositeAlphaFlagsKHR) -> vk::CompositeAlphaFlagsKHR {
    [vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::INHERIT, vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED]
        .into_iter()
        .find(|flag| supported.contains(*flag))
        .unwrap_or(vk::CompositeAlphaFlagsKHR::POST_MULTIPLIED)
}

/// One more than the least, so that the CPU need not wait for the compositor.
pub(crate) fn image_count(capabilities: &vk::SurfaceCapabilitiesKHR) -> u32 {
    let most = if capabilities.max_image_count == 0 { u32::MAX } else { capabilities.max_image_count };
    capabilities.min_image_count.saturating_add(1).min(most)
}

/// The surface's own size, or where it leaves that to us, the window's within the allowed range.
pub(crate) fn surface_extent(capabilities: &vk::SurfaceCapabilitiesKHR, window: (u32, u32)) -> vk::Extent2D {
    if capabilities.current_extent.width != u32::MAX {
        return capabilities.current_extent;
    }
    if window.0 == 0 || window.1 == 0 {
        return vk::Extent2D::default();
    }
    let (low, high) = (capabilities.min_image_extent, capabilities.max_image_extent);
    vk::Extent2D { width: window.0.clamp(low.width, high.width), height: window.1.clamp(low.height, high.height) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_area_gives_none() {
        let free = vk::SurfaceCapabilitiesKHR {
            current_extent: vk::Extent2D { width: u32::MAX, height: u32::MAX },
            min_image_extent: vk::Extent2D { width: 1, height: 1 },
            max_image_extent: vk::Extent2D { width: 4096, height: 4096 },
            ..Default::default()
        };
        assert_eq!(surface_extent(&free, (0, 600)), vk::Extent2D::default());
        assert_eq!(surface_extent(&free, (9000, 600)), vk::Extent2D { width: 4096, height: 600 });
    }

    #[test]
    fn one_image_more_than_the_least_if_there_may_be_so_many() {
        for ((min_image_count, max_image_count), expected) in [((1, 0), 2), ((1, 1), 1), ((2, 2), 2), ((2, 8), 3), ((u32::MAX, 0), u32::MAX)] {
            assert_eq!(image_count(&vk::SurfaceCapabilitiesKHR { min_image_count, max_image_count, ..Default::default() }), expected);
        }
    }

    #[test]
    fn without_vsync_the_fastest_mode_that_is_there() {
        let all = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::IMMEDIATE];
        assert_eq!(present_mode(&all, true), vk::PresentModeKHR::FIFO);
        assert_eq!(present_mode(&all, false), vk::PresentModeKHR::IMMEDIATE);
        assert_eq!(present_mode(&all[..1], false), vk::PresentModeKHR::FIFO);
    }
}
