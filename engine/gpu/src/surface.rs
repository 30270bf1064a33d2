//! In: a window, or none for a surface that nobody sees. Out: the surface, and what it says of sizes, formats and modes.
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
