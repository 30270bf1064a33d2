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
    sizes: Vec<[f32; 3]>,
}

impl PropStore {
    pub(crate) fn new(device: &mut Device, source: &PropSource) -> Result<PropStore, GpuError> {
        let meshes = Meshes::pack(source);
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
        let vertices = upload(device, "prop vertices", storage, PropVertex::slice_bytes(&meshes.vertices))?;
        let index_bytes: Vec<u8> = meshes.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = upload(device, "prop indices", vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST, &index_bytes)?;
        let rows = upload(device, "prop table", storage, PropRow::slice_bytes(&meshes.rows))?;
        let (vertices_index, rows_index) = (device.bind_buffer(&vertices)?, device.bind_buffer(&rows)?);
        let sizes = meshes.rows.iter().map(|row| [row.height_m, row.radius_m, row.hide_m]).collect();
        Ok(PropStore { vertices, vertices_index, indices, rows, rows_index, bucket_count: meshes.rows.len() as u32 * PROP_LODS, sizes })
    }

    pub(crate) fn bucket_count(&self) -> u32 {
        self.bucket_count
    }

    /// Height and radius of the bounding sphere of each prop at scale 1, and how far it is drawn, metres.
    pub(crate) fn sizes(&self) -> &[[f32; 3]] {
        &self.sizes
    }

    pub(crate) fn vertices_index(&self) -> u32 {
        self.vertices_index
    }

    pub(crate) fn rows_index(&self) -> u32 {
        self.rows_index
    }

    pub(crate) fn rows(&self) -> &Buffer {
        &self.rows
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
            row.height_m = row.height_m.max(mesh.height_m);
            self.indices.extend_from_slice(&mesh.indices);
            self.vertices.extend(mesh.vertices.iter().map(|vertex| PropVertex {
                position: vertex.position,
                normal: vertex.normal,
                color: u32::from_le_bytes(vertex.color),
            }));
        }
        row.radius_m = radius_m(prop, row.height_m);
        self.rows.push(row);
    }
}

/// Radius of the sphere around half the height that holds every corner of every mesh, as far as the wind carries it: in prop.vert x and z
/// sway by softness x height x sway each at most, together by sqrt(2) of it.
fn radius_m(prop: &Prop, height_m: f32) -> f32 {
    let corners = prop.lods.iter().flat_map(|mesh| &mesh.vertices);
    let reach = corners.map(|vertex| {
        let [x, y, z] = vertex.position;
        let sway_m = f32::from(vertex.color[3]) / 255.0 * y.abs() * prop.sway * std::f32::consts::SQRT_2;
        (x.hypot(z) + sway_m).hypot(y - height_m * 0.5)
    });
    reach.fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_prop_leaves_its_sphere_in_the_wind() {
        let props = terrane_worldgen::props::terrain_props(1);
        let keep = vec![[1.0; 6]; props.len()];
        let meshes = Meshes::pack(&PropSource { props: &props, keep: &keep });
        for (prop, row) in props.iter().zip(&meshes.rows) {
            for vertex in prop.lods.iter().flat_map(|mesh| &mesh.vertices) {
                for gust in 0..64 {
                    // As in prop.vert, for any time and place.
                    let (phase_x, phase_z) = (gust as f32 * 0.1, gust as f32 * 0.73);
                    let bend_m = f32::from(vertex.color[3]) / 255.0 * vertex.position[1] * row.sway;
                    let [x, y, z] = [vertex.position[0] + phase_x.sin() * bend_m, vertex.position[1], vertex.position[2] + phase_z.cos() * bend_m];
                    let reach_m = x.hypot(z).hypot(y - row.height_m * 0.5);
                    assert!(reach_m <= row.radius_m * 1.00001, "{}: {reach_m} m, its sphere {} m", prop.name, row.radius_m);
                }
            }
        }
    }
}
