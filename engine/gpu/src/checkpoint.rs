//! In: something that makes many objects and may fail half-way. Out: all of them, or none.
//! Never knows: what they are for. Whoever makes a renderer need not undo its first half by hand.

use crate::Device;
use ash::vk::{self, Handle};

/// What a device holds at a moment.
struct Checkpoint {
    /// Objects with a later number were made later.
    number: u64,
    /// Indices that were free.
    free: [Vec<u32>; 6],
}

impl Device {
    /// Makes several objects; if that fails, those that were already made end, with their indices. Outside a frame: waits for the GPU then.
    pub fn all_or_nothing<T, E>(&mut self, make: impl FnOnce(&mut Device) -> Result<T, E>) -> Result<T, E> {
        let before = Checkpoint { number: self.objects.next_number(), free: self.bindless.free_indices() };
        make(self).inspect_err(|_| self.roll_back(before))
    }

    fn roll_back(&mut self, before: Checkpoint) {
        // A device that cannot be waited for is lost, and a lost one is idle.
        let _ = self.wait_idle();
        self.end_all_retired();
        self.end_objects_since(before.number);
        self.bindless.free_since(&before.free);
    }

    /// Ends what was made since, but for the device's own buffers.
    pub(crate) fn end_objects_since(&mut self, number: u64) {
        let own: Vec<u64> = self.staging.own_handles().chain(self.readbacks.own_handles()).map(Handle::as_raw).collect();
        for (kind, handle) in self.objects.since(number) {
            if kind == vk::ObjectType::BUFFER && own.contains(&handle) {
                continue;
            }
            self.end_object(kind, handle);
        }
    }

    /// Ends an object of which only its handle is known. The device must be done with it.
    pub(crate) fn end_object(&mut self, kind: vk::ObjectType, handle: u64) {
        let Some(object) = self.objects.take(kind, handle).filter(|_| !self.functions.is_hung()) else { return };
        let device = &self.functions.device;
        // SAFETY: the object was alive and is no longer listed; the device is done with it; views go before their image.
        unsafe {
            object.views.iter().for_each(|view| device.destroy_image_view(*view, None));
            match kind {
                vk::ObjectType::BUFFER => device.destroy_buffer(vk::Buffer::from_raw(handle), None),
                vk::ObjectType::IMAGE => device.destroy_image(vk::Image::from_raw(handle), None),
                vk::ObjectType::PIPELINE => device.destroy_pipeline(vk::Pipeline::from_raw(handle), None),
                vk::ObjectType::SWAPCHAIN_KHR => {
                    ash::khr::swapchain::Device::new(&self.root.instance, device).destroy_swapchain(vk::SwapchainKHR::from_raw(handle), None)
                }
                _ => {}
            }
        }
        if let Some(allocation) = object.allocation {
            self.memory.free(allocation);
        }
    }

    /// The same with a check that it was there.
    pub(crate) fn end_known<H: Handle + Copy>(&mut self, handle: H) {
        debug_assert!(self.objects.has(H::TYPE, handle.as_raw()), "an object is destroyed that was not alive");
        self.end_object(H::TYPE, handle.as_raw());
    }
}
