//! In: what buffers and images require. Out: pieces of device memory of their name; the list of what is alive.
//! Never knows: what is in them. Few large blocks are taken from the driver and shared out (gpu-allocator).

use crate::{Device, DeviceInfo, DeviceKind, GpuError, seam::Functions};
use ash::vk::{self, Handle};
use gpu_allocator::{
    AllocationError, AllocationSizes, MemoryLocation,
    vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc},
};
use std::{collections::BTreeMap, mem::ManuallyDrop};

const MIB: u64 = 1 << 20;
/// Blocks of a device with memory of its own: 3 GiB are 48 of them, of the 256 that the design allows and the 4,096 of Vulkan.
const BLOCK_BYTES: u64 = 64 * MIB;
/// Blocks where memory is the host's: what is taken and not used is missed by others.
const SHARED_BLOCK_BYTES: u64 = 16 * MIB;
/// Blocks that the CPU writes or reads: the staging ring (32 MiB) has one of its own.
const HOST_BLOCK_BYTES: u64 = 16 * MIB;

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

impl From<MemoryKind> for MemoryLocation {
    fn from(kind: MemoryKind) -> Self {
        match kind {
            MemoryKind::Device => MemoryLocation::GpuOnly,
            MemoryKind::Upload => MemoryLocation::CpuToGpu,
            MemoryKind::Readback => MemoryLocation::GpuToCpu,
        }
    }
}

/// What the allocator holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// In use, bytes.
    pub used_bytes: u64,
    /// Taken from the driver, bytes.
    pub reserved_bytes: u64,
    /// Blocks taken from the driver.
    pub allocations: usize,
}

impl Device {
    /// Bytes of device memory in use and reserved, and the number of allocations from the driver.
    pub fn memory_report(&self) -> MemoryReport {
        let report = self.memory.allocator.generate_report();
        MemoryReport { used_bytes: report.total_allocated_bytes, reserved_bytes: report.total_capacity_bytes, allocations: report.blocks.len() }
    }

    /// The bytes of memory in use, by name, the largest first.
    pub fn memory_by_name(&self) -> Vec<(String, u64)> {
        let mut bytes = BTreeMap::<String, u64>::new();
        for allocation in self.memory.allocator.generate_report().allocations {
            *bytes.entry(allocation.name).or_default() += allocation.size;
        }
        let mut rows: Vec<_> = bytes.into_iter().collect();
        rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        rows
    }
}

/// The allocator. Not ended by being dropped: its blocks may be in use by the GPU then.
pub(crate) struct Memory {
    allocator: ManuallyDrop<Allocator>,
}

impl Memory {
    pub(crate) fn new(instance: &ash::Instance, device: &ash::Device, physical: vk::PhysicalDevice, info: &DeviceInfo) -> Result<Memory, GpuError> {
        let block_bytes = if info.kind == DeviceKind::Discrete { BLOCK_BYTES } else { SHARED_BLOCK_BYTES };
        let desc = AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.clone(),
            physical_device: physical,
            debug_settings: Default::default(),
            buffer_device_address: false,
            // Each new block is twice the last, so that a large world needs few.
            allocation_sizes: AllocationSizes::new(block_bytes, HOST_BLOCK_BYTES)
                .with_max_device_memblock_size(4 * block_bytes)
                .with_max_host_memblock_size(4 * HOST_BLOCK_BYTES),
        };
        let allocator = Allocator::new(&desc).map_err(|error| allocation_error("the allocator", 0, &error))?;
        Ok(Memory { allocator: ManuallyDrop::new(allocator) })
    }

    /// `linear` is true for buffers and false for images: some devices keep them apart.
    pub(crate) fn allocate(
        &mut self,
        functions: &Functions,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation, GpuError> {
        if functions.fault("vkAllocateMemory").is_some() {
            return Err(GpuError::OutOfMemory { name: name.to_owned(), bytes: requirements.size });
        }
        let desc = AllocationCreateDesc { name, requirements, location, linear, allocation_scheme: AllocationScheme::GpuAllocatorManaged };
        self.allocator.allocate(&desc).map_err(|error| allocation_error(name, requirements.size, &error))
    }

    pub(crate) fn free(&mut self, allocation: Allocation) {
        if let Err(error) = self.allocator.free(allocation) {
            tracing::error!("memory could not be freed: {error}");
        }
    }

    /// Gives all memory back. Called once, before the device ends; nothing is allocated later.
    pub(crate) fn end(&mut self) {
        // SAFETY: called once, by the two places that end a device, both of which then drop this without touching it.
        unsafe { ManuallyDrop::drop(&mut self.allocator) };
    }
}

fn allocation_error(name: &str, bytes: u64, error: &AllocationError) -> GpuError {
    tracing::warn!("allocation of '{name}' ({bytes} bytes) failed: {error}");
    GpuError::OutOfMemory { name: name.to_owned(), bytes }
}

/// An object that is alive, and what goes with it.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub name: &'static str,
    pub allocation: Option<Allocation>,
    pub views: Vec<vk::ImageView>,
    /// Later ones have greater numbers; given when it is added.
    pub number: u64,
}

/// The objects that are alive, by type and handle (a handle alone may be that of two objects); empty at the end or the end is an error.
#[derive(Debug, Default)]
pub(crate) struct LiveObjects {
    objects: BTreeMap<(i32, u64), Object>,
    made: u64,
}

impl LiveObjects {
    pub(crate) fn add<H: Handle>(&mut self, handle: H, name: &'static str) {
        self.add_with(handle, Object { name, ..Object::default() });
    }

    /// The same for one with memory and views.
    pub(crate) fn add_with<H: Handle>(&mut self, handle: H, object: Object) {
        let number = self.made;
        self.made += 1;
        self.objects.insert((H::TYPE.as_raw(), handle.as_raw()), Object { number, ..object });
    }

    pub(crate) fn remove<H: Handle>(&mut self, handle: H) {
        let known = self.take(H::TYPE, handle.as_raw());
        debug_assert!(known.is_some(), "an object is destroyed that was not alive");
    }

    pub(crate) fn take(&mut self, kind: vk::ObjectType, handle: u64) -> Option<Object> {
        self.objects.remove(&(kind.as_raw(), handle))
    }

    pub(crate) fn has(&self, kind: vk::ObjectType, handle: u64) -> bool {
        self.objects.contains_key(&(kind.as_raw(), handle))
    }

    pub(crate) fn count(&self) -> usize {
        self.objects.len()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.objects.values().map(|object| object.name.to_owned()).collect()
    }

    /// Number that the next object gets.
    pub(crate) fn next_number(&self) -> u64 {
        self.made
    }

    /// Types and handles of those with this number or a later one.
    pub(crate) fn since(&self, number: u64) -> Vec<(vk::ObjectType, u64)> {
        let later = self.objects.iter().filter(|(_, object)| object.number >= number);
        later.map(|((kind, handle), _)| (vk::ObjectType::from_raw(*kind), *handle)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_types_may_share_a_handle() {
        let mut objects = LiveObjects::default();
        objects.add(vk::Buffer::from_raw(7), "a buffer");
        objects.add(vk::Image::from_raw(7), "an image");
        assert_eq!(objects.count(), 2);
        objects.remove(vk::Buffer::from_raw(7));
        assert_eq!(objects.names(), ["an image"]);
        assert!(objects.since(2).is_empty() && objects.since(1).len() == 1);
    }
}
