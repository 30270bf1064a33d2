//! In: the instances of a chunk. Out: one big buffer of fixed slots that stay on the GPU until their chunk goes.
//! Never knows: what an instance looks like, or which are drawn.

use crate::{Slot, ground::write_pairs};
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind, vk};
use terrane_shaders::shared::INSTANCES_PER_CHUNK_MAX;
use terrane_worldgen::scatter::Instance;

/// Bytes of a slot: 8,192 x 8 = 64 KiB.
const SLOT_BYTES: u64 = INSTANCES_PER_CHUNK_MAX as u64 * 8;

/// How far the spheres of a chunk's instances reach beyond its ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct InstanceBounds {
    pub top_m: f32,
    pub bottom_m: f32,
    pub reach_m: f32,
}

impl InstanceBounds {
    /// `sizes`: height and radius of each prop at scale 1, metres.
    fn of(instances: &[Instance], sizes: &[[f32; 2]]) -> InstanceBounds {
        let mut bounds = InstanceBounds::default();
        for instance in instances {
            let [height_m, radius_m] = sizes.get(usize::from(instance.prop())).map_or([0.0; 2], |size| size.map(|metres| metres * instance.scale()));
            bounds.top_m = bounds.top_m.max(height_m * 0.5 + radius_m);
            bounds.bottom_m = bounds.bottom_m.max(radius_m - height_m * 0.5);
            bounds.reach_m = bounds.reach_m.max(radius_m);
        }
        bounds
    }
}

pub(crate) struct InstanceStore {
    buffer: Buffer,
    index: u32,
    bytes: Vec<u8>,
    bounds: Vec<InstanceBounds>,
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
        Ok(InstanceStore { buffer, index, bytes: Vec::new(), bounds: vec![InstanceBounds::default(); slots as usize] })
    }

    /// `sizes`: height and radius of each prop at scale 1, metres.
    pub(crate) fn upload(&mut self, device: &mut Device, cmd: &mut Cmd, slot: Slot, instances: &[Instance], sizes: &[[f32; 2]]) -> Result<bool, GpuError> {
        assert!(instances.len() <= INSTANCES_PER_CHUNK_MAX as usize, "scatter keeps to the size of a slot");
        self.bounds[slot.0 as usize] = InstanceBounds::of(instances, sizes);
        if instances.is_empty() {
            return Ok(true);
        }
        write_pairs(instances.iter().map(|instance| instance.words), &mut self.bytes);
        device.upload(cmd, &self.buffer, u64::from(slot.0) * SLOT_BYTES, &self.bytes)
    }

    /// By slot.
    pub(crate) fn bounds(&self) -> &[InstanceBounds] {
        &self.bounds
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.index);
        device.destroy_buffer(self.buffer);
    }
}
