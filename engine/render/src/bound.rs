//! In: a name and a size. Out: a buffer of the GPU's own that every shader finds by its index.
//! Never knows: what is in it.

use terrane_gpu::{Buffer, BufferDesc, Device, GpuError, MemoryKind, vk};

/// A buffer and its index in the bindless set.
pub(crate) struct Bound {
    pub buffer: Buffer,
    pub index: u32,
}

impl Bound {
    pub(crate) fn new(device: &mut Device, name: &'static str, bytes: u64) -> Result<Bound, GpuError> {
        let buffer = device.create_buffer(&BufferDesc {
            name,
            bytes,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::INDIRECT_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST,
            memory: MemoryKind::Device,
        })?;
        let index = device.bind_buffer(&buffer)?;
        Ok(Bound { buffer, index })
    }

    /// The device is done with it.
    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.index);
        device.destroy_buffer(self.buffer);
    }

    /// Frames in flight may still use it.
    pub(crate) fn retire(self, device: &mut Device) {
        device.retire_buffer_index(self.index);
        device.retire_buffer(self.buffer);
    }
}
