//! In: a program and where. Out: its layers, computed by the GPU.
//! Never knows: what is made from them. It waits for the GPU: for start-up and tests.

use crate::{FieldProgram, ShaderSource, field_program::words};
use terrane_gpu::{Access, Buffer, BufferDesc, Device, GpuError, MemoryKind, Pipeline, PipelineDesc, vk};
use terrane_shaders::{
    macros::slice_bytes,
    shared_field::{FIELD_GROUP, FIELD_NOTHING, FieldPlace, FieldPush},
};
use terrane_worldgen::GridArea;

const COMPUTED: Access = (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::SHADER_STORAGE_WRITE);
const HOST_READ: Access = (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ);
/// Samples of one run: 65,535 groups, the least that every device dispatches.
pub const SAMPLES_MAX: usize = 65_535 * FIELD_GROUP as usize;

/// Evaluates fields on the GPU, with the bits of the CPU.
pub struct FieldRunner {
    pipeline: Pipeline,
}

/// A place on the lattice of metres, and how far it is moved along each axis, 2^-16 m.
pub fn field_place([x_m, y_m, z_m]: [i64; 3], units: [i32; 3]) -> FieldPlace {
    FieldPlace { x_m: words(x_m as u64), y_m: words(y_m as u64), z_m: words(z_m as u64), units }
}

impl FieldRunner {
    /// Makes the pipeline.
    pub fn new(device: &mut Device, shaders: ShaderSource) -> Result<FieldRunner, GpuError> {
        let desc = PipelineDesc::Compute { name: "field", spirv: shaders("field.comp")? };
        Ok(FieldRunner { pipeline: device.create_pipelines(&[desc])?.remove(0) })
    }

    /// The layers over an area, one after the other, each row by row: `z * edge + x`.
    pub fn area(&self, device: &mut Device, program: &FieldProgram, area: &GridArea) -> Result<Vec<u32>, GpuError> {
        let place = FieldPush {
            places: FIELD_NOTHING,
            count: (area.edge * area.edge) as u32,
            edge: area.edge as u32,
            step_m: area.step_m,
            x_m: words(area.x_m as u64),
            z_m: words(area.z_m as u64),
            ..FieldPush::default()
        };
        self.run(device, program, &[], place)
    }

    /// The layers at places, one after the other.
    pub fn places(&self, device: &mut Device, program: &FieldProgram, places: &[FieldPlace]) -> Result<Vec<u32>, GpuError> {
        self.run(device, program, places, FieldPush { count: places.len() as u32, ..FieldPush::default() })
    }

    /// Ends the pipeline.
    pub fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.pipeline);
    }

    fn run(&self, device: &mut Device, program: &FieldProgram, places: &[FieldPlace], push: FieldPush) -> Result<Vec<u32>, GpuError> {
        assert!(push.count as usize <= SAMPLES_MAX, "{} samples in a run; {SAMPLES_MAX} are allowed", push.count);
        let mut buffers = Buffers::default();
        let result = self.run_with(device, &mut buffers, program, places, push);
        buffers.destroy(device);
        result
    }

    fn run_with(
        &self,
        device: &mut Device,
        buffers: &mut Buffers,
        program: &FieldProgram,
        places: &[FieldPlace],
        push: FieldPush,
    ) -> Result<Vec<u32>, GpuError> {
        let table: Vec<u8> = program.table.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let push = FieldPush {
            nodes: buffers.upload(device, "field nodes", slice_bytes(&program.nodes))?,
            nodes_count: program.nodes.len() as u32,
            octaves: buffers.upload(device, "field octaves", slice_bytes(&program.octaves))?,
            worn: buffers.upload(device, "field worn octaves", slice_bytes(&program.worn))?,
            table: buffers.upload(device, "field curves", &table)?,
            places: if push.places == FIELD_NOTHING { FIELD_NOTHING } else { buffers.upload(device, "field places", slice_bytes(places))? },
            target: buffers.add(device, "field layers", u64::from(program.layers) * u64::from(push.count) * 4, MemoryKind::Readback)?,
            ..push
        };
        device.immediate(|cmd| {
            cmd.bind_pipeline(&self.pipeline);
            cmd.push(push.as_bytes());
            cmd.dispatch(push.count.div_ceil(FIELD_GROUP), 1, 1);
            cmd.memory_barrier(COMPUTED, HOST_READ);
        })?;
        let target = buffers.list.last().map_or(&[][..], |(buffer, _)| buffer.slice());
        let word = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(target.chunks_exact(4).map(word).take((program.layers * push.count) as usize).collect())
    }
}

/// Buffers of one run with their indices.
#[derive(Default)]
struct Buffers {
    list: Vec<(Buffer, Option<u32>)>,
}

impl Buffers {
    fn upload(&mut self, device: &mut Device, name: &'static str, bytes: &[u8]) -> Result<u32, GpuError> {
        let index = self.add(device, name, bytes.len() as u64, MemoryKind::Upload)?;
        if let Some((buffer, _)) = self.list.last_mut() {
            buffer.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        }
        Ok(index)
    }

    fn add(&mut self, device: &mut Device, name: &'static str, bytes: u64, memory: MemoryKind) -> Result<u32, GpuError> {
        // An empty table is one word that nobody reads.
        let desc = BufferDesc { name, bytes: bytes.max(4), usage: vk::BufferUsageFlags::STORAGE_BUFFER, memory };
        let buffer = device.create_buffer(&desc)?;
        self.list.push((buffer, None));
        let Some((buffer, index)) = self.list.last_mut() else { unreachable!("just pushed") };
        Ok(*index.insert(device.bind_buffer(buffer)?))
    }

    fn destroy(self, device: &mut Device) {
        for (buffer, index) in self.list {
            index.into_iter().for_each(|index| device.unbind_buffer(index));
            device.destroy_buffer(buffer);
        }
    }
}
