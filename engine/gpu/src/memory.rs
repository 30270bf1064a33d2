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

/// How much of the device's own memory this program uses, and how much it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Buffers and images, bytes.
    pub used_bytes: u64,
    /// What the request allows, or most of what the device has for them at the moment.
    pub budget_bytes: u64,
    /// Whether the driver tells that moment (VK_EXT_memory_budget); else the budget is a share of the size of the memory.
    pub told_by_driver: bool,
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

    /// The budget of the device's own memory, as it is now: other programs change it.
    pub fn memory_budget(&self) -> MemoryBudget {
        self.memory.budget()
    }

    /// Sets what the request said of memory.
    pub fn set_memory_bytes_max(&mut self, bytes: Option<u64>) {
        self.memory.bytes_max = bytes;
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

/// Share of what a driver offers this program that is used: it changes from moment to moment.
const OFFERED_SHARE: f64 = 0.9;
/// Share of the memory's size that is used where the driver tells nothing: others use it too.
const SIZE_SHARE: f64 = 0.8;

/// The allocator. Not ended by being dropped: its blocks may be in use by the GPU then.
pub(crate) struct Memory {
    allocator: ManuallyDrop<Allocator>,
    /// Pieces in the device's own memory, bytes.
    local_bytes: u64,
    bytes_max: Option<u64>,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    told_by_driver: bool,
}

impl Memory {
    pub(crate) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical: vk::PhysicalDevice,
        info: &DeviceInfo,
        bytes_max: Option<u64>,
    ) -> Result<Memory, GpuError> {
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
        let (instance, told_by_driver) = (instance.clone(), info.memory_budget);
        Ok(Memory { allocator: ManuallyDrop::new(allocator), local_bytes: 0, bytes_max, instance, physical, told_by_driver })
    }

    fn budget(&self) -> MemoryBudget {
        let heap = local_heap(&self.instance, self.physical, self.told_by_driver);
        // What the driver counts beyond our pieces - blocks that are partly used, pipelines, its own - is not there for them.
        let offered = heap.told.map(|(used, offered)| offered.saturating_sub(used.saturating_sub(self.local_bytes)));
        let budget_bytes = budget_bytes(heap.bytes, offered, self.bytes_max);
        MemoryBudget { used_bytes: self.local_bytes, budget_bytes, told_by_driver: self.told_by_driver }
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
        if location == MemoryLocation::GpuOnly && self.local_bytes + requirements.size > self.budget().budget_bytes {
            return Err(GpuError::OutOfMemory { name: name.to_owned(), bytes: requirements.size });
        }
        let desc = AllocationCreateDesc { name, requirements, location, linear, allocation_scheme: AllocationScheme::GpuAllocatorManaged };
        let allocation = self.allocator.allocate(&desc).map_err(|error| allocation_error(name, requirements.size, &error))?;
        self.local_bytes += local_bytes(&allocation);
        Ok(allocation)
    }

    pub(crate) fn free(&mut self, allocation: Allocation) {
        self.local_bytes -= local_bytes(&allocation);
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

/// What a request allows, or most of what a heap has for this program.
fn budget_bytes(heap_bytes: u64, offered_bytes: Option<u64>, bytes_max: Option<u64>) -> u64 {
    let most = offered_bytes.map_or(heap_bytes as f64 * SIZE_SHARE, |offered| offered as f64 * OFFERED_SHARE);
    bytes_max.unwrap_or(u64::MAX).min(most as u64)
}

impl DeviceInfo {
    /// What of its own memory this program would use at most, bytes; `bytes_max` is what the user allows.
    pub fn memory_budget_bytes(&self, bytes_max: Option<u64>) -> u64 {
        budget_bytes(self.local_memory_bytes, self.offered_bytes, bytes_max)
    }
}

/// Bytes of a piece if it is in the device's own memory.
fn local_bytes(allocation: &Allocation) -> u64 {
    if allocation.memory_properties().contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) { allocation.size() } else { 0 }
}

/// The memory that worlds are kept in.
pub(crate) struct LocalHeap {
    /// Its size.
    pub bytes: u64,
    /// Bytes that this program uses, and that it may use, if the driver tells.
    pub told: Option<(u64, u64)>,
}

/// The largest heap of the device's own memory.
pub(crate) fn local_heap(instance: &ash::Instance, physical: vk::PhysicalDevice, told_by_driver: bool) -> LocalHeap {
    let mut told = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceMemoryProperties2::default();
    if told_by_driver {
        all = all.push_next(&mut told);
    }
    // SAFETY: the physical device is of the instance, which is alive; the chain lives across the call.
    unsafe { instance.get_physical_device_memory_properties2(physical, &mut all) };
    let memory = all.memory_properties;
    let local = memory.memory_heaps_as_slice().iter().enumerate().filter(|(_, heap)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let (index, bytes) = local.map(|(index, heap)| (index, heap.size)).max_by_key(|(_, size)| *size).unwrap_or((0, 0));
    LocalHeap { bytes, told: told_by_driver.then(|| (told.heap_usage[index], told.heap_budget[index])) }
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

    /// Bytes of the device's own memory that one has.
    pub(crate) fn local_bytes(&self, kind: vk::ObjectType, handle: u64) -> u64 {
        self.objects.get(&(kind.as_raw(), handle)).and_then(|object| object.allocation.as_ref()).map_or(0, local_bytes)
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
