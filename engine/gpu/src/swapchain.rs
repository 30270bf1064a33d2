//! In: the window's surface. Out: images to show, and what became of each attempt, as states.
//! Never knows: what is shown. A window without area or out of date is a state; only a lost surface or device is an error.

use crate::{Device, GpuError, image::all_of};
use ash::vk;

/// Images to show in turn, for the surface that the device was opened with.
pub struct Swapchain {
    functions: ash::khr::swapchain::Device,
    handle: vk::SwapchainKHR,
    images: Vec<(vk::Image, vk::ImageView)>,
    /// One for each image: an image's semaphore is free again when the image is acquired again.
    present_semaphores: Vec<vk::Semaphore>,
    extent: vk::Extent2D,
    format: vk::SurfaceFormatKHR,
    vsync: bool,
}

/// An image that can be drawn to.
#[derive(Clone, Copy, Debug)]
pub struct Acquired {
    /// The image; its content is undefined.
    pub image: vk::Image,
    /// A view of it, to draw to.
    pub view: vk::ImageView,
    /// Its size.
    pub extent: vk::Extent2D,
    index: u32,
}

/// What became of asking for an image.
#[derive(Clone, Copy, Debug)]
pub enum Acquire {
    /// Here it is.
    Image(Acquired),
    /// The window has changed: recreate, then ask again.
    OutOfDate,
    /// The window has no area: nothing to draw.
    Hidden,
}

/// What became of showing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// It is shown.
    Shown,
    /// The window has changed: recreate before the next frame.
    OutOfDate,
}

impl Swapchain {
    /// For a window of `extent` pixels; an area of zero waits for `recreate`.
    pub fn new(device: &mut Device, extent: (u32, u32), vsync: bool) -> Result<Swapchain, GpuError> {
        let functions = ash::khr::swapchain::Device::new(&device.root.instance, device.raw());
        let mut swapchain = Swapchain {
            functions,
            handle: vk::SwapchainKHR::null(),
            images: Vec::new(),
            present_semaphores: Vec::new(),
            extent: vk::Extent2D::default(),
            format: vk::SurfaceFormatKHR::default(),
            vsync,
        };
        match swapchain.recreate(device, extent) {
            Ok(()) => Ok(swapchain),
            Err(error) => {
                swapchain.release(device);
                Err(error)
            }
        }
    }

    /// Makes it anew in the window's size. Waits for the GPU: a window is not resized often.
    pub fn recreate(&mut self, device: &mut Device, extent: (u32, u32)) -> Result<(), GpuError> {
        device.wait_idle()?;
        let (surface, loader) = device.root.surface.as_ref().map(|s| (s.handle, s.functions.clone())).ok_or(GpuError::SurfaceLost)?;
        let physical = device.physical;
        // SAFETY: here and below, surface and device are alive.
        let capabilities =
            device.call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", |_| unsafe { loader.get_physical_device_surface_capabilities(physical, surface) })?;
        self.extent = surface_extent(&capabilities, extent);
        if self.extent.width == 0 || self.extent.height == 0 {
            self.release(device);
            return Ok(());
        }
        // SAFETY: as above.
        let formats = device.call("vkGetPhysicalDeviceSurfaceFormatsKHR", |_| unsafe { loader.get_physical_device_surface_formats(physical, surface) })?;
        // SAFETY: as above.
        let modes =
            device.call("vkGetPhysicalDeviceSurfacePresentModesKHR", |_| unsafe { loader.get_physical_device_surface_present_modes(physical, surface) })?;
        self.format = choose_format(&formats);
        let made = self.create(device, surface, &capabilities, present_mode(&modes, self.vsync));
        // Half a swapchain is none.
        made.inspect_err(|_| self.release(device))
    }

    fn create(
        &mut self,
        device: &mut Device,
        surface: vk::SurfaceKHR,
        capabilities: &vk::SurfaceCapabilitiesKHR,
        mode: vk::PresentModeKHR,
    ) -> Result<(), GpuError> {
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(image_count(capabilities))
            .image_format(self.format.format)
            .image_color_space(self.format.color_space)
            .image_extent(self.extent)
            .image_array_layers(1)
            .image_usage(image_usage(capabilities.supported_usage_flags))
            .pre_transform(capabilities.current_transform)
            .composite_alpha(composite_alpha(capabilities.supported_composite_alpha))
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(self.handle);
        // SAFETY: the surface is alive; the old swapchain is this one's and idle.
        let handle = device.call("vkCreateSwapchainKHR", |_| unsafe { self.functions.create_swapchain(&info, None) })?;
        self.release(device);
        self.handle = handle;
        device.objects.add(handle, "swapchain");
        // SAFETY: the swapchain is new.
        let images = device.call("vkGetSwapchainImagesKHR", |_| unsafe { self.functions.get_swapchain_images(handle) })?;
        for image in images {
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format.format)
                .subresource_range(all_of(vk::ImageAspectFlags::COLOR));
            // SAFETY: the device and the image are alive.
            let view = device.call("vkCreateImageView", |device| unsafe { device.create_image_view(&info, None) })?;
            self.images.push((image, view));
            // SAFETY: the device is alive.
            let semaphore = device.call("vkCreateSemaphore", |device| unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) })?;
            self.present_semaphores.push(semaphore);
        }
        Ok(())
    }

    /// The next image to draw to, after [`Device::begin_frame`] and before the frame is shown; once a frame.
    pub fn acquire(&mut self, device: &Device) -> Result<Acquire, GpuError> {
        if self.handle == vk::SwapchainKHR::null() {
            return Ok(Acquire::Hidden);
        }
        let semaphore = device.acquire_semaphore();
        let acquired = device.functions.raw_call("vkAcquireNextImageKHR", |_| {
            // SAFETY: the frame slot's semaphore is unsignalled: its last frame is done.
            unsafe { self.functions.acquire_next_image(self.handle, ACQUIRE_NS, semaphore, vk::Fence::null()) }
        });
        match acquired {
            // A suboptimal image can still be shown, and its semaphore is signalled: it must be used.
            Ok((index, _suboptimal)) => {
                let (image, view) = self.images[index as usize];
                Ok(Acquire::Image(Acquired { image, view, extent: self.extent, index }))
            }
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => Ok(Acquire::OutOfDate),
            Err(result) if is_out_of_date(result) => Ok(Acquire::OutOfDate),
            Err(result) => Err(device.functions.error("vkAcquireNextImageKHR", result)),
        }
    }

    /// Format of its images.
    pub fn format(&self) -> vk::Format {
        self.format.format
    }

    /// Size in pixels; zero while the window has no area.
    pub fn extent(&self) -> (u32, u32) {
        (self.extent.width, self.extent.height)
    }

    /// Whether values written to it are taken as linear and encoded.
    pub fn is_srgb(&self) -> bool {
        is_srgb(self.format.format)
    }

    /// Ends it. Waits for the GPU.
    pub fn destroy(mut self, device: &mut Device) {
        // A device that cannot be waited for is lost, and a lost one is idle.
        let _ = device.wait_idle();
        self.release(device);
    }

    pub(crate) fn present_semaphore(&self, acquired: &Acquired) -> vk::Semaphore {
        self.present_semaphores[acquired.index as usize]
    }

    pub(crate) fn present(&mut self, device: &Device, acquired: &Acquired) -> Result<Presented, GpuError> {
        let (semaphores, swapchains, indices) = ([self.present_semaphore(acquired)], [self.handle], [acquired.index]);
        let info = vk::PresentInfoKHR::default().wait_semaphores(&semaphores).swapchains(&swapchains).image_indices(&indices);
        // SAFETY: the frame that signals the semaphore was submitted.
        match device.functions.raw_call("vkQueuePresentKHR", |_| unsafe { self.functions.queue_present(device.queue, &info) }) {
            Ok(false) => Ok(Presented::Shown),
            Ok(true) => Ok(Presented::OutOfDate),
            Err(result) if is_out_of_date(result) => Ok(Presented::OutOfDate),
            Err(result) => Err(device.functions.error("vkQueuePresentKHR", result)),
        }
    }

    fn release(&mut self, device: &mut Device) {
        // SAFETY: the device is idle.
        unsafe {
            self.present_semaphores.drain(..).for_each(|semaphore| device.raw().destroy_semaphore(semaphore, None));
            self.images.drain(..).for_each(|(_, view)| device.raw().destroy_image_view(view, None));
            if self.handle != vk::SwapchainKHR::null() {
                device.objects.remove(self.handle);
                self.functions.destroy_swapchain(self.handle, None);
            }
        }
        self.handle = vk::SwapchainKHR::null();
    }
}

/// The window has another size, or another program took the full screen.
fn is_out_of_date(result: vk::Result) -> bool {
    matches!(result, vk::Result::ERROR_OUT_OF_DATE_KHR | vk::Result::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT)
}

/// To draw and copy to; to copy from, for pictures of what is shown, where the surface allows it.
fn image_usage(supported: vk::ImageUsageFlags) -> vk::ImageUsageFlags {
    let wanted = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
    vk::ImageUsageFlags::COLOR_ATTACHMENT | (supported & wanted)
}

/// Waits this long for an image; a compositor that holds them all longer is treated like a changed window.
const ACQUIRE_NS: u64 = 1_000_000_000;

fn is_srgb(format: vk::Format) -> bool {
    matches!(format, vk::Format::B8G8R8A8_SRGB | vk::Format::R8G8B8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32)
}

/// Eight bits a channel without conversion first: the picture is encoded already. Never one of another colour space if avoidable.
fn choose_format(formats: &[vk::SurfaceFormatKHR]) -> vk::SurfaceFormatKHR {
    let rank = |format: &vk::SurfaceFormatKHR| {
        let space = u32::from(format.color_space != vk::ColorSpaceKHR::SRGB_NONLINEAR) * 10;
        space
            + match format.format {
                vk::Format::B8G8R8A8_UNORM => 0,
                vk::Format::R8G8B8A8_UNORM => 1,
                vk::Format::A8B8G8R8_UNORM_PACK32 => 2,
                format if is_srgb(format) => 3,
                _ => 4,
            }
    };
    formats.iter().copied().min_by_key(rank).unwrap_or_default()
}

fn present_mode(modes: &[vk::PresentModeKHR], vsync: bool) -> vk::PresentModeKHR {
    let wanted: &[vk::PresentModeKHR] = if vsync { &[] } else { &[vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE] };
    wanted.iter().copied().find(|mode| modes.contains(mode)).unwrap_or(vk::PresentModeKHR::FIFO)
}

fn composite_alpha(supported: vk::CompositeAlphaFlagsKHR) -> vk::CompositeAlphaFlagsKHR {
    [vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::INHERIT, vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED]
        .into_iter()
        .find(|flag| supported.contains(*flag))
        .unwrap_or(vk::CompositeAlphaFlagsKHR::POST_MULTIPLIED)
}

/// One more than the least, so that the CPU need not wait for the compositor.
fn image_count(capabilities: &vk::SurfaceCapabilitiesKHR) -> u32 {
    let most = if capabilities.max_image_count == 0 { u32::MAX } else { capabilities.max_image_count };
    (capabilities.min_image_count + 1).min(most)
}

/// The surface's own size, or where it leaves that to us, the window's within the allowed range.
fn surface_extent(capabilities: &vk::SurfaceCapabilitiesKHR, window: (u32, u32)) -> vk::Extent2D {
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
    fn formats_in_any_order_give_the_same_choice() {
        let format = |format, color_space| vk::SurfaceFormatKHR { format, color_space };
        let srgb = vk::ColorSpaceKHR::SRGB_NONLINEAR;
        let mut formats = [
            format(vk::Format::A2B10G10R10_UNORM_PACK32, srgb),
            format(vk::Format::B8G8R8A8_SRGB, srgb),
            format(vk::Format::B8G8R8A8_UNORM, vk::ColorSpaceKHR::DISPLAY_P3_NONLINEAR_EXT),
            format(vk::Format::R8G8B8A8_UNORM, srgb),
        ];
        for _ in 0..formats.len() {
            formats.rotate_left(1);
            assert_eq!(choose_format(&formats), format(vk::Format::R8G8B8A8_UNORM, srgb));
        }
    }

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
    fn without_vsync_the_fastest_mode_that_is_there() {
        let all = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::IMMEDIATE];
        assert_eq!(present_mode(&all, true), vk::PresentModeKHR::FIFO);
        assert_eq!(present_mode(&all, false), vk::PresentModeKHR::IMMEDIATE);
        assert_eq!(present_mode(&all[..1], false), vk::PresentModeKHR::FIFO);
    }
}
