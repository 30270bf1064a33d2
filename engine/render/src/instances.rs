//! In: the instances of a chunk. Out: one big buffer of fixed slots that stay on the GPU until their chunk goes.
//! Never knows: what an instance looks like, or which are drawn.

use crate::{Slot, ground::write_pairs};
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind, vk};
use terrane_shaders::shared::INSTANCES_PER_CHUNK_MAX;
use terrane_worldgen::scatter::Instance;

/// Bytes of a slot: 8,192 x 8 = 64 KiB.
const SLOT_BYTES: u64 = INSTANCES_PER_CHUNK_MAX as u64 * 8;

pub(crate) struct InstanceStore {
    buffer: Buffer,
    index: u32,
    bytes: Vec<u8>,
}

impl InstanceStore {
    pub(crate) fn new(device: &mut Device, slots: u32) -> Result<InstanceStore, GpuError> {
        let buffer = device.create_buffer(&BufferDesc {
            name: "instances",
            bytes: SLOT_BYTES * u64::from(slots),
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC,
            memory: MemoryKind::Device,
        })?;
        let index = device.bind_buffer(&buffer)?;
        Ok(InstanceStore { buffer, index, bytes: Vec::new() })
    }

    pub(crate) fn upload(&mut self, device: &mut Device, cmd: &mut Cmd, slot: Slot, instances: &[Instance]) -> Result<bool, GpuError> {
        assert!(instances.len() <= INSTANCES_PER_CHUNK_MAX as usize, "scatter keeps to the size of a slot");
        if instances.is_empty() {
            return Ok(true);
        }
        write_pairs(instances.iter().map(|instance| instance.words), &mut self.bytes);
        device.upload(cmd, &self.buffer, u64::from(slot.0) * SLOT_BYTES, &self.bytes)
    }

    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.index);
        device.destroy_buffer(self.buffer);
    }
}
