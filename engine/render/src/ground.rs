//! In: packed chunk meshes. Out: one big buffer of fixed slots, and the index buffer that all chunks share.
//! Never knows: levels, cameras, or which slot holds what.

use crate::Slot;
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind, vk};
use terrane_shaders::shared::{GROUND_INDICES, GROUND_INDICES_HALF, GROUND_INDICES_QUARTER, GROUND_VERTICES};
use terrane_worldgen::GridMesh;

/// Bytes of a vertex.
const VERTEX_BYTES: u64 = 8;
/// Bytes of a slot: 129 x 129 x 8 = 133,128.
const SLOT_BYTES: u64 = GROUND_VERTICES as u64 * VERTEX_BYTES;

pub(crate) struct GroundStore {
    vertices: Buffer,
    vertices_index: u32,
    indices: Buffer,
}

impl GroundStore {
    pub(crate) fn new(device: &mut Device, slots: u32) -> Result<GroundStore, GpuError> {
        let vertices = device.create_buffer(&BufferDesc {
            name: "ground vertices",
            bytes: SLOT_BYTES * u64::from(slots),
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC,
            memory: MemoryKind::Device,
        })?;
        let mut index_data = terrane_worldgen::grid_indices();
        assert_eq!(index_data.len(), GROUND_INDICES as usize, "the shared index buffer and the shaders agree");
        for (stride, count) in [(2, GROUND_INDICES_HALF), (4, GROUND_INDICES_QUARTER)] {
            let indices = terrane_worldgen::quad_indices(stride);
            assert_eq!(indices.len(), count as usize, "the shared index buffer and the shaders agree");
            index_data.extend(indices);
        }
        let bytes: Vec<u8> = index_data.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = device.create_buffer_with(
            &BufferDesc {
                name: "ground indices",
                bytes: bytes.len() as u64,
                usage: vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
                memory: MemoryKind::Device,
            },
            &bytes,
        )?;
        let vertices_index = device.bind_buffer(&vertices)?;
        Ok(GroundStore { vertices, vertices_index, indices })
    }

    pub(crate) fn upload(&self, device: &mut Device, cmd: &mut Cmd, slot: Slot, mesh: &GridMesh) -> Result<bool, GpuError> {
        assert_eq!(mesh.vertices.len(), GROUND_VERTICES as usize, "a chunk mesh has 129 x 129 vertices");
        let write = |bytes: &mut [u8]| write_pairs(mesh.vertices.iter().copied(), bytes);
        device.upload_with(cmd, &self.vertices, u64::from(slot.0) * SLOT_BYTES, SLOT_BYTES, write)
    }

    pub(crate) fn slot_bytes(&self) -> u64 {
        SLOT_BYTES
    }

    pub(crate) fn index(&self) -> u32 {
        self.vertices_index
    }

    pub(crate) fn vertices(&self) -> &Buffer {
        &self.vertices
    }

    pub(crate) fn indices(&self) -> &Buffer {
        &self.indices
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.vertices_index);
        device.destroy_buffer(self.vertices);
        device.destroy_buffer(self.indices);
    }
}

/// Words as bytes, straight to where the device takes them from.
pub(crate) fn write_pairs(pairs: impl Iterator<Item = [u32; 2]>, bytes: &mut [u8]) {
    for (out, pair) in bytes.chunks_exact_mut(8).zip(pairs) {
        out[..4].copy_from_slice(&pair[0].to_le_bytes());
        out[4..].copy_from_slice(&pair[1].to_le_bytes());
    }
}
