//! In: descriptions of buffers. Out: buffers with memory of their own name, counted until they are destroyed.
//! Never knows: what is in them.

use crate::{Device, GpuError, MemoryKind, memory::Object};
use ash::vk;
use gpu_allocator::vulkan::Allocation;
use std::{ptr::NonNull, slice};

/// What a buffer is for.
#[derive(Clone, Copy, Debug)]
pub struct BufferDesc {
    /// Its name in tools, errors and the list of live objects.
    pub name: &'static str,
    /// Its size, at least 1.
    pub bytes: u64,
    /// How it is used.
    pub usage: vk::BufferUsageFlags,
    /// Who reads and writes it.
    pub memory: MemoryKind,
}

/// A buffer. Not `Drop`: it is destroyed or retired by name.
#[derive(Debug)]
#[must_use = "a buffer lives until it is destroyed or retired"]
pub struct Buffer {
    /// Vulkan's handle.
    pub handle: vk::Buffer,
    /// Its size.
    pub bytes: u64,
    /// Its name.
    pub name: &'static str,
    mapped: Option<Mapped>,
}

/// Where the CPU finds a buffer's bytes, as long as the buffer lives. The device owns the memory.
#[derive(Clone, Copy, Debug)]
struct Mapped(NonNull<u8>);

// SAFETY: the bytes are reached through `&Buffer` and `&mut Buffer` alone, as if the buffer owned them.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Buffer {
    /// Its bytes, for a buffer of kind `Readback` or `Upload`; empty for one that only the device sees.
    /// What the device wrote is here once the frame that wrote it is done.
    pub fn slice(&self) -> &[u8] {
        // SAFETY: the buffer is alive, so its memory is mapped and has at least its size.
        self.mapped.map_or(&[], |Mapped(start)| unsafe { slice::from_raw_parts(start.as_ptr(), self.bytes as usize) })
    }

    /// Its bytes to write, for a buffer of kind `Upload` or `Readback`; empty for one that only the device sees.
    /// A frame in flight sees what is written under it: keep one buffer for each.
    pub fn slice_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; `&mut self` makes this the only slice of it.
        self.mapped.map_or(&mut [], |Mapped(start)| unsafe { slice::from_raw_parts_mut(start.as_ptr(), self.bytes as usize) })
    }

    /// Panics when a range is not within the buffer: a bug of the caller that the device might not survive.
    pub(crate) fn check_range(&self, offset: u64, bytes: u64) {
        let end = offset.checked_add(bytes);
        assert!(end.is_some_and(|end| end <= self.bytes), "{offset} + {bytes} is beyond the {} bytes of '{}'", self.bytes, self.name);
    }
}

impl Device {
    /// Makes a buffer. A storage buffer larger than the device lets a shader see is refused by name.
    pub fn create_buffer(&mut self, desc: &BufferDesc) -> Result<Buffer, GpuError> {
        let allowed = self.info.storage_buffer_bytes_max;
        if desc.usage.contains(vk::BufferUsageFlags::STORAGE_BUFFER) && desc.bytes > allowed {
            return Err(GpuError::Limit { name: desc.name.to_owned(), limit: "maxStorageBufferRange", wanted: desc.bytes, allowed });
        }
        let bytes = desc.bytes.max(1);
        let info = vk::BufferCreateInfo::default().size(bytes).usage(desc.usage);
        // SAFETY: the device is alive and the info is complete.
        let handle = self.call("vkCreateBuffer", |device| unsafe { device.create_buffer(&info, None) })?;
        match self.back_buffer(handle, desc) {
            Ok(allocation) => {
                let mapped = allocation.mapped_ptr().map(|start| Mapped(start.cast()));
                self.objects.add_with(handle, Object { name: desc.name, allocation: Some(allocation), ..Object::default() });
                self.set_name(handle, desc.name);
                Ok(Buffer { handle, bytes, name: desc.name, mapped })
            }
            Err(error) => {
                // SAFETY: nothing uses the buffer yet.
                unsafe { self.raw().destroy_buffer(handle, None) };
                Err(error)
            }
        }
    }

    /// Ends a buffer now. The device must be done with it; else retire it.
    pub fn destroy_buffer(&mut self, buffer: Buffer) {
        // The caller says that the device is done with it, and the buffer is moved in, so nobody uses it again.
        self.end_known(buffer.handle);
    }

    fn back_buffer(&mut self, handle: vk::Buffer, desc: &BufferDesc) -> Result<Allocation, GpuError> {
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { self.raw().get_buffer_memory_requirements(handle) };
        let allocation = self.memory.allocate(&self.functions, desc.name, requirements, desc.memory.into(), true)?;
        let bound = self.call("vkBindBufferMemory", |device| {
            // SAFETY: memory and buffer are new, sizes come from the requirements.
            unsafe { device.bind_buffer_memory(handle, allocation.memory(), allocation.offset()) }
        });
        match bound {
            Ok(()) => Ok(allocation),
            Err(error) => {
                self.memory.free(allocation);
                Err(error)
            }
        }
    }
}
