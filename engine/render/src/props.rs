//! In: meshes of plants and stones. Out: one vertex buffer, one index buffer and a table for all of them.
//! Never knows: where instances stand.

use terrane_gpu::{Buffer, BufferDesc, Device, GpuError, MemoryKind, vk};
use terrane_shaders::shared::{BUCKETS_MAX, PROP_LODS, PROP_MEADOW, PropRow, PropVertex};
use terrane_worldgen::props::Prop;

/// The props of a world and how they thin out with the level.
pub(crate) struct PropSource<'a> {
    pub props: &'a [Prop],
    pub keep: &'a [[f32; 6]],
}

pub(crate) struct PropStore {
    vertices: Buffer,
    vertices_index: u32,
    indices: Buffer,
    rows: Buffer,
    rows_index: u32,
    bucket_count: u32,
    height_max_m: f32,
}

impl PropStore {
    pub(crate) fn new(device: &mut Device, source: &PropSource) -> Result<PropStore, GpuError> {
        let meshes = Meshes::pack(source);
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let vertices = upload(device, "prop vertices", storage, PropVertex::slice_bytes(&meshes.vertices))?;
        let index_bytes: Vec<u8> = meshes.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = upload(device, "prop indices", vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST, &index_bytes)?;
        let rows = upload(device, "prop table", storage, PropRow::slice_bytes(&meshes.rows))?;
        let (vertices_index, rows_index) = (device.bind_buffer(&vertices)?, device.bind_buffer(&rows)?);
        let height_max_m = meshes.rows.iter().map(|row| row.height_m).fold(0.0, f32::max) * SCALE_MAX;
        Ok(PropStore { vertices, vertices_index, indices, rows, rows_index, bucket_count: meshes.rows.len() as u32 * PROP_LODS, height_max_m })
    }

    pub(crate) fn bucket_count(&self) -> u32 {
        self.bucket_count
    }

    /// Over the ground, at the largest scale that an instance can have.
    pub(crate) fn height_max_m(&self) -> f32 {
        self.height_max_m
    }

    pub(crate) fn vertices_index(&self) -> u32 {
        self.vertices_index
    }

    pub(crate) fn rows_index(&self) -> u32 {
        self.rows_index
    }

    pub(crate) fn indices(&self) -> &Buffer {
        &self.indices
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.vertices_index);
        device.unbind_buffer(self.rows_index);
        device.destroy_buffer(self.vertices);
        device.destroy_buffer(self.indices);
        device.destroy_buffer(self.rows);
    }
}

/// Instances are scaled by at most this: 8 bits in 1/64.
const SCALE_MAX: f32 = 4.0;

/// A buffer needs at least one element to be bound.
fn upload(device: &mut Device, name: &'static str, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Result<Buffer, GpuError> {
    let padded = if bytes.is_empty() { &[0; 16][..] } else { bytes };
    device.create_buffer_with(&BufferDesc { name, bytes: padded.len() as u64, usage, memory: MemoryKind::Device }, padded)
}

#[derive(Default)]
struct Meshes {
    vertices: Vec<PropVertex>,
    indices: Vec<u16>,
    rows: Vec<PropRow>,
}

impl Meshes {
    fn pack(source: &PropSource) -> Meshes {
        assert!(source.props.len() as u32 * PROP_LODS <= BUCKETS_MAX, "at most {} props", BUCKETS_MAX / PROP_LODS);
        let mut meshes = Meshes::default();
        for (index, prop) in source.props.iter().enumerate() {
            let keep = source.keep.get(index).copied().unwrap_or([1.0; 6]);
            meshes.add(prop, keep);
        }
        meshes
    }

    fn add(&mut self, prop: &Prop, keep: [f32; 6]) {
        let mut row = PropRow {
            lod_distance_m: prop.lod_distance_m,
            hide_m: prop.hide_m,
            sway: prop.sway,
            flags: if prop.meadow { PROP_MEADOW } else { 0 },
            keep,
            ..PropRow::default()
        };
        for (lod, mesh) in prop.lods.iter().enumerate() {
            row.first_index[lod] = self.indices.len() as u32;
            row.index_count[lod] = mesh.indices.len() as u32;
            row.first_vertex[lod] = self.vertices.len() as u32;
            row.radius_m = row.radius_m.max(mesh.radius_m);
            row.height_m = row.height_m.max(mesh.height_m);
            self.indices.extend_from_slice(&mesh.indices);
            self.vertices.extend(mesh.vertices.iter().map(|vertex| PropVertex {
                position: vertex.position,
                normal: vertex.normal,
                color: u32::from_le_bytes(vertex.color),
            }));
        }
        self.rows.push(row);
    }
}
