//! In: descriptions of buffers and images. Out: the same, with memory of their own name, counted until they are destroyed.
//! Never knows: what is in them.

use crate::{Device, GpuError, error::Check};
use ash::vk::{self, Handle};
use gpu_allocator::{
    MemoryLocation,
    vulkan::{Allocation, AllocationCreateDesc, AllocationScheme},
};
use std::collections::BTreeMap;

/// Who reads and writes a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// The device alone.
    Device,
    /// The CPU writes, the device reads.
    Upload,
    /// The device writes, the CPU reads.
    Readback,
}

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
pub struct Buffer {
    /// Vulkan's handle.
    pub handle: vk::Buffer,
    /// Its size.
    pub bytes: u64,
    /// Its name.
    pub name: &'static str,
    allocation: Allocation,
}

/// What an image is for.
#[derive(Clone, Copy, Debug)]
pub struct ImageDesc {
    /// Its name in tools, errors and the list of live objects.
    pub name: &'static str,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Levels of its mip chain.
    pub mips: u32,
    /// Layers.
    pub layers: u32,
    /// Samples a pixel.
    pub samples: u32,
    /// Format.
    pub format: vk::Format,
    /// How it is used.
    pub usage: vk::ImageUsageFlags,
    /// Whether shaders see a 2D array, also with one layer.
    pub array_view: bool,
}

/// An image with a view of all of it. Not `Drop`: it is destroyed or retired by name.
#[derive(Debug)]
pub struct Image {
    /// Vulkan's handle.
    pub handle: vk::Image,
    /// All mips and layers.
    pub view: vk::ImageView,
    /// Format.
    pub format: vk::Format,
    /// Size of mip 0.
    pub extent: vk::Extent2D,
    /// Mips.
    pub mips: u32,
    /// Layers.
    pub layers: u32,
    /// Its name.
    pub name: &'static str,
    allocation: Allocation,
}

impl Buffer {
    /// Its bytes, for a buffer of kind `Readback` or `Upload`; empty for one that only the device sees.
    pub fn slice(&self) -> &[u8] {
        self.allocation.mapped_slice().map_or(&[], |bytes| &bytes[..self.bytes as usize])
    }

    /// Its bytes to write, for a buffer of kind `Upload` or `Readback`; empty for one that only the device sees.
    pub fn slice_mut(&mut self) -> &mut [u8] {
        let bytes = self.bytes as usize;
        self.allocation.mapped_slice_mut().map_or(&mut [], |slice| &mut slice[..bytes])
    }
}

/// The objects that are alive, by handle; empty at the end or the end is an error.
#[derive(Debug, Default)]
pub(crate) struct LiveObjects {
    names: BTreeMap<u64, &'static str>,
}

impl LiveObjects {
    pub(crate) fn add(&mut self, handle: impl Handle, name: &'static str) {
        self.names.insert(handle.as_raw(), name);
    }

    pub(crate) fn remove(&mut self, handle: impl Handle) {
        let known = self.names.remove(&handle.as_raw());
        debug_assert!(known.is_some(), "an object is destroyed that was not alive");
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.names.values().map(|name| (*name).to_owned()).collect()
    }
}

impl Device {
    /// Makes a buffer. A storage buffer larger than the device lets a shader see is refused by name.
    pub fn create_buffer(&mut self, desc: &BufferDesc) -> Result<Buffer, GpuError> {
        let allowed = self.info.storage_buffer_bytes_max;
        if desc.usage.contains(vk::BufferUsageFlags::STORAGE_BUFFER) && desc.bytes > allowed {
            return Err(GpuError::Limit { name: desc.name.to_owned(), limit: "maxStorageBufferRange", wanted: desc.bytes, allowed });
        }
        let info = vk::BufferCreateInfo::default().size(desc.bytes.max(1)).usage(desc.usage);
        // SAFETY: the device is alive and the info is complete.
        let handle = unsafe { self.raw().create_buffer(&info, None) }.check("vkCreateBuffer")?;
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { self.raw().get_buffer_memory_requirements(handle) };
        let location = match desc.memory {
            MemoryKind::Device => MemoryLocation::GpuOnly,
            MemoryKind::Upload => MemoryLocation::CpuToGpu,
            MemoryKind::Readback => MemoryLocation::GpuToCpu,
        };
        let allocation = match self.allocate(desc.name, requirements, location, true) {
            Ok(allocation) => allocation,
            Err(error) => {
                // SAFETY: nothing uses the buffer yet.
                unsafe { self.raw().destroy_buffer(handle, None) };
                return Err(error);
            }
        };
        // SAFETY: memory and buffer are new, sizes come from the requirements.
        unsafe { self.raw().bind_buffer_memory(handle, allocation.memory(), allocation.offset()) }.check("vkBindBufferMemory")?;
        self.objects.add(handle, desc.name);
        self.set_name(handle, desc.name);
        Ok(Buffer { handle, bytes: desc.bytes, name: desc.name, allocation })
    }

    /// Makes an image and a view of all of it.
    pub fn create_image(&mut self, desc: &ImageDesc) -> Result<Image, GpuError> {
        let extent = vk::Extent2D { width: desc.width.max(1), height: desc.height.max(1) };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(desc.format)
            .extent(extent.into())
            .mip_levels(desc.mips)
            .array_layers(desc.layers)
            .samples(vk::SampleCountFlags::from_raw(desc.samples))
            .usage(desc.usage);
        // SAFETY: the device is alive and the info is complete.
        let handle = unsafe { self.raw().create_image(&info, None) }.check("vkCreateImage")?;
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { self.raw().get_image_memory_requirements(handle) };
        let allocation = match self.allocate(desc.name, requirements, MemoryLocation::GpuOnly, false) {
            Ok(allocation) => allocation,
            Err(error) => {
                // SAFETY: nothing uses the image yet.
                unsafe { self.raw().destroy_image(handle, None) };
                return Err(error);
            }
        };
        // SAFETY: memory and image are new, sizes come from the requirements.
        unsafe { self.raw().bind_image_memory(handle, allocation.memory(), allocation.offset()) }.check("vkBindImageMemory")?;
        let depth = desc.usage.contains(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
        let view_info = vk::ImageViewCreateInfo::default()
            .image(handle)
            .view_type(if desc.array_view { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D })
            .format(desc.format)
            .subresource_range(all_of(if depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }));
        // SAFETY: the image is bound to memory.
        let view = unsafe { self.raw().create_image_view(&view_info, None) }.check("vkCreateImageView")?;
        self.objects.add(handle, desc.name);
        self.set_name(handle, desc.name);
        Ok(Image { handle, view, format: desc.format, extent, mips: desc.mips, layers: desc.layers, name: desc.name, allocation })
    }

    /// Ends a buffer now. The device must be done with it; else retire it.
    pub fn destroy_buffer(&mut self, buffer: Buffer) {
        self.objects.remove(buffer.handle);
        // SAFETY: the caller says that the device is done with it, and the buffer is moved in, so nobody uses it again.
        unsafe { self.raw().destroy_buffer(buffer.handle, None) };
        self.free(buffer.allocation);
    }

    /// Ends an image now. The device must be done with it; else retire it.
    pub fn destroy_image(&mut self, image: Image) {
        self.objects.remove(image.handle);
        // SAFETY: as for buffers; the view goes first.
        unsafe {
            self.raw().destroy_image_view(image.view, None);
            self.raw().destroy_image(image.handle, None);
        }
        self.free(image.allocation);
    }

    fn allocate(&mut self, name: &'static str, requirements: vk::MemoryRequirements, location: MemoryLocation, linear: bool) -> Result<Allocation, GpuError> {
        let desc = AllocationCreateDesc { name, requirements, location, linear, allocation_scheme: AllocationScheme::GpuAllocatorManaged };
        let allocator = self.allocator.as_mut().expect("the allocator lives as long as the device");
        allocator.allocate(&desc).map_err(|error| {
            tracing::warn!("allocation of '{name}' failed: {error}");
            GpuError::OutOfMemory { name: name.to_owned(), bytes: requirements.size }
        })
    }

    fn free(&mut self, allocation: Allocation) {
        let allocator = self.allocator.as_mut().expect("the allocator lives as long as the device");
        if let Err(error) = allocator.free(allocation) {
            tracing::error!("memory could not be freed: {error}");
        }
    }

    /// Bytes of device memory in use and reserved, and the number of allocations from the driver.
    pub fn memory_report(&self) -> MemoryReport {
        let Some(allocator) = &self.allocator else { return MemoryReport::default() };
        let report = allocator.generate_report();
        MemoryReport {
            used_bytes: report.total_allocated_bytes,
            reserved_bytes: report.total_capacity_bytes,
            allocations: report.blocks.len(),
        }
    }
}

/// What the allocator holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// In use.
    pub used_bytes: u64,
    /// Taken from the driver.
    pub reserved_bytes: u64,
    /// Blocks taken from the driver.
    pub allocations: usize,
}

pub(crate) fn all_of(aspect_mask: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}
