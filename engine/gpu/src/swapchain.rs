//! In: a surface, pictures. Out: the pictures shown, and what became of each attempt, as states.
//! Never knows: what they show. A window without area, out of date, busy or lost is a state; only a lost device is an error.

use crate::{
    Cmd, Device, GpuError, Image, ImageBarrier, ImageDesc,
    image::all_of,
    surface::{composite_alpha, image_count, image_usage, present_mode, surface_extent},
    surface_format::{Encoding, choose_format, encoding},
};
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
    /// The surface must be made anew before the swapchain.
    surface_lost: bool,
    /// The size for which a suboptimal result has led to a new swapchain: one that stays suboptimal is used as it is.
    suboptimal: Option<vk::Extent2D>,
    /// The picture as light, for a surface that encodes by itself.
    light: Option<Image>,
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
    /// The window has changed, or its surface is gone: recreate, then ask again.
    OutOfDate,
    /// None is free: the compositor holds them all. Ask again in the next frame.
    Busy,
    /// The window has no area: nothing to draw.
    Hidden,
}

/// What became of showing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// It is shown.
    Shown,
    /// The window has changed, or its surface is gone: recreate before the next frame.
    OutOfDate,
}

/// Waits this long for an image; a window that is covered may get none for hours, and still must answer to its close button.
const ACQUIRE_NS: u64 = 100_000_000;
/// What a raw copy of an encoded picture is in a format that knows of the encoding.
const LIGHT_FORMAT: vk::Format = vk::Format::R8G8B8A8_SRGB;
const COPY: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_TRANSFER;

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
            surface_lost: false,
            suboptimal: None,
            light: None,
        };
        match swapchain.recreate(device, extent) {
            Ok(()) => Ok(swapchain),
            Err(error) => {
                swapchain.release(device);
                Err(error)
            }
        }
    }

    /// Makes it anew in the window's size, and the surface too if that was lost. Waits for the GPU: a window is not resized often.
    pub fn recreate(&mut self, device: &mut Device, extent: (u32, u32)) -> Result<(), GpuError> {
        device.wait_idle()?;
        let made = match self.renew_surface(device).and_then(|()| self.create(device, extent)) {
            // It was lost while it was asked: once more, with a new one.
            Err(GpuError::SurfaceLost) => {
                self.surface_lost = true;
                self.renew_surface(device).and_then(|()| self.create(device, extent))
            }
            made => made,
        };
        // Half a swapchain is none.
        made.inspect_err(|_| self.release(device))
    }

    fn renew_surface(&mut self, device: &mut Device) -> Result<(), GpuError> {
        if !self.surface_lost {
            return Ok(());
        }
        self.release(device);
        let functions = std::sync::Arc::clone(&device.functions);
        device.root.renew_surface(&functions)?;
        self.surface_lost = false;
        let takes = device.root.surface.as_ref().is_some_and(|surface| surface.takes(device.physical, device.queue_family));
        if takes { Ok(()) } else { Err(GpuError::SurfaceRefused { lacks: "this device's queue: the window moved to another device".to_owned() }) }
    }

    fn create(&mut self, device: &mut Device, window: (u32, u32)) -> Result<(), GpuError> {
        let surface = device.root.surface.as_ref().ok_or(GpuError::SurfaceLost)?;
        let capabilities = surface.capabilities(&device.functions, device.physical)?;
        let extent = surface_extent(&capabilities, window);
        if extent.width == 0 || extent.height == 0 {
            self.release(device);
            return Ok(());
        }
        let formats = surface.formats(&device.functions, device.physical)?;
        let modes = surface.modes(&device.functions, device.physical)?;
        if !capabilities.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST) {
            return Err(GpuError::SurfaceRefused { lacks: "images that can be copied to (VK_IMAGE_USAGE_TRANSFER_DST_BIT)".to_owned() });
        }
        let format = choose_format(&formats, |format| device.supports_format(format, vk::FormatFeatureFlags::BLIT_DST))?;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface.handle)
            .min_image_count(image_count(&capabilities))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(image_usage(capabilities.supported_usage_flags))
            .pre_transform(capabilities.current_transform)
            .composite_alpha(composite_alpha(capabilities.supported_composite_alpha))
            .present_mode(present_mode(&modes, self.vsync))
            .clipped(true)
            .old_swapchain(self.handle);
        // SAFETY: the surface is alive; the old swapchain is this one's and idle.
        let handle = device.call("vkCreateSwapchainKHR", |_| unsafe { self.functions.create_swapchain(&info, None) })?;
        self.release(device);
        (self.handle, self.extent, self.format) = (handle, extent, format);
        device.objects.add(handle, "swapchain");
        self.take_images(device)
    }

    /// A view and a semaphore for each of its images.
    fn take_images(&mut self, device: &Device) -> Result<(), GpuError> {
        // SAFETY: the swapchain is new.
        let images = device.call("vkGetSwapchainImagesKHR", |_| unsafe { self.functions.get_swapchain_images(self.handle) })?;
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

    /// The next image to draw to, after [`Device::begin_frame`] and before the frame is submitted; once a frame.
    /// If the frame is then submitted without being shown, recreate: the image is not given back otherwise.
    pub fn acquire(&mut self, device: &mut Device) -> Result<Acquire, GpuError> {
        if self.handle == vk::SwapchainKHR::null() {
            return Ok(if self.surface_lost { Acquire::OutOfDate } else { Acquire::Hidden });
        }
        if device.give_up_acquired()? {
            // A frame was given up after it had got an image, which only a new swapchain gives back.
            return Ok(Acquire::OutOfDate);
        }
        let semaphore = device.acquire_semaphore();
        let acquired = match device.functions.fault("vkAcquireNextImageKHR") {
            // SAFETY: the frame slot's semaphore is unsignalled: its last frame is done.
            None | Some(vk::Result::SUBOPTIMAL_KHR) => unsafe { self.functions.acquire_next_image(self.handle, ACQUIRE_NS, semaphore, vk::Fence::null()) },
            Some(result) => Err(result),
        };
        match acquired {
            // A suboptimal image can still be shown, and its semaphore is signalled: it must be used.
            Ok((index, _suboptimal)) => {
                device.acquire_pending();
                let (image, view) = self.images[index as usize];
                Ok(Acquire::Image(Acquired { image, view, extent: self.extent, index }))
            }
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => Ok(Acquire::Busy),
            Err(result) if self.is_out_of_date(result) => Ok(Acquire::OutOfDate),
            Err(result) => Err(device.functions.error("vkAcquireNextImageKHR", result)),
        }
    }

    /// Copies a picture over the acquired image, which is then ready to be presented. The picture is encoded with the sRGB curve, 8 bits a
    /// channel, in TRANSFER_SRC_OPTIMAL and visible to copies; it looks the same whatever the surface's format is.
    pub fn show(&mut self, device: &mut Device, cmd: &mut Cmd, picture: &Image, acquired: &Acquired) -> Result<(), GpuError> {
        let light = match encoding(self.format) {
            Encoding::Encoded => None,
            Encoding::Linear => Some(self.light(device, picture.extent)?),
        };
        let (undefined, from, to) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let (read, written) = ((COPY, vk::AccessFlags2::TRANSFER_READ), (COPY, vk::AccessFlags2::TRANSFER_WRITE));
        cmd.zone_begin("copy to window");
        if let Some(light) = light {
            // The same bytes, now known to be encoded: the copy after this decodes them, and writing to the window encodes them again.
            cmd.image_barriers(&[barrier(light.handle, undefined, to, read, written)]);
            cmd.copy_image(picture, light);
            cmd.image_barriers(&[barrier(light.handle, to, from, written, read)]);
        }
        let all = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::NONE);
        cmd.image_barriers(&[barrier(acquired.image, undefined, to, all, written)]);
        cmd.blit(light.map_or(picture.handle, |light| light.handle), picture.extent, acquired.image, acquired.extent);
        cmd.image_barriers(&[barrier(acquired.image, to, vk::ImageLayout::PRESENT_SRC_KHR, written, (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE))]);
        cmd.zone_end();
        Ok(())
    }

    /// The image between, of the picture's size.
    fn light(&mut self, device: &mut Device, extent: vk::Extent2D) -> Result<&Image, GpuError> {
        if self.light.as_ref().is_none_or(|light| light.extent != extent) {
            // Every image has a view, which needs a use of its own.
            let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED;
            let (name, width, height) = ("picture as light", extent.width, extent.height);
            let desc = ImageDesc { name, width, height, mips: 1, layers: 1, samples: 1, format: LIGHT_FORMAT, usage, array_view: false };
            let new = device.create_image(&desc)?;
            if let Some(old) = self.light.replace(new) {
                device.retire_image(old);
            }
        }
        self.light.as_ref().ok_or(GpuError::SurfaceLost)
    }

    /// Format of its images.
    pub fn format(&self) -> vk::Format {
        self.format.format
    }

    /// Size in pixels; zero while the window has no area.
    pub fn extent(&self) -> (u32, u32) {
        if self.handle == vk::SwapchainKHR::null() { (0, 0) } else { (self.extent.width, self.extent.height) }
    }

    /// Images that it has.
    pub fn image_count(&self) -> usize {
        self.images.len()
    }

    /// Ends it. Waits for the GPU.
    pub fn destroy(mut self, device: &mut Device) {
        // A device that cannot be waited for is lost, and a lost one is idle.
        let _ = device.wait_idle();
        self.release(device);
        if let Some(light) = self.light.take() {
            device.destroy_image(light);
        }
    }

    pub(crate) fn present_semaphore(&self, acquired: &Acquired) -> vk::Semaphore {
        self.present_semaphores[acquired.index as usize]
    }

    pub(crate) fn present(&mut self, device: &Device, acquired: &Acquired) -> Result<Presented, GpuError> {
        let (semaphores, swapchains, indices) = ([self.present_semaphore(acquired)], [self.handle], [acquired.index]);
        let info = vk::PresentInfoKHR::default().wait_semaphores(&semaphores).swapchains(&swapchains).image_indices(&indices);
        // Presenting waits for its semaphore even when it fails, so a planned failure does too.
        // SAFETY: the frame that signals the semaphore was submitted.
        let presented = device.functions.call_before_fault("vkQueuePresentKHR", || unsafe { self.functions.queue_present(device.queue, &info) });
        match presented {
            Ok(false) => Ok(Presented::Shown),
            Ok(true) => Ok(self.presented_suboptimal()),
            Err(vk::Result::SUBOPTIMAL_KHR) => Ok(self.presented_suboptimal()),
            Err(result) if self.is_out_of_date(result) => Ok(Presented::OutOfDate),
            Err(result) => Err(device.functions.error("vkQueuePresentKHR", result)),
        }
    }

    fn presented_suboptimal(&mut self) -> Presented {
        if self.suboptimal == Some(self.extent) {
            return Presented::Shown;
        }
        self.suboptimal = Some(self.extent);
        Presented::OutOfDate
    }

    /// The window has another size, another program took the full screen, or the surface is gone.
    fn is_out_of_date(&mut self, result: vk::Result) -> bool {
        self.surface_lost |= result == vk::Result::ERROR_SURFACE_LOST_KHR;
        matches!(result, vk::Result::ERROR_OUT_OF_DATE_KHR | vk::Result::ERROR_SURFACE_LOST_KHR | vk::Result::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT)
    }

    fn release(&mut self, device: &mut Device) {
        if device.functions.is_hung() {
            return;
        }
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

fn barrier(image: vk::Image, old_layout: vk::ImageLayout, new_layout: vk::ImageLayout, src: crate::Access, dst: crate::Access) -> ImageBarrier {
    ImageBarrier { image, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drivers may still wait for an image's semaphore when the next image is presented; those of the tests never do, and no layer tells.
    #[test]
    #[ignore = "needs a Vulkan driver"]
    fn each_image_has_a_semaphore_of_its_own() {
        let mut device = Device::new(&crate::DeviceRequest { window: Some(crate::ShowIn::Headless), ..Default::default() }).expect("a device");
        let swapchain = Swapchain::new(&mut device, (16, 16), true).expect("a swapchain");
        let of = |index: usize| {
            let (image, view) = swapchain.images[index];
            swapchain.present_semaphore(&Acquired { image, view, extent: swapchain.extent, index: index as u32 })
        };
        let semaphores: std::collections::HashSet<_> = (0..swapchain.image_count()).map(of).collect();
        assert!(semaphores.len() == swapchain.image_count() && semaphores.len() > 1, "{semaphores:?}");
        swapchain.destroy(&mut device);
        device.destroy().expect("nothing is left");
    }
}
