//! In: the drawn cut and all resident instances. Out: indirect draws, lists of what is drawn, and counters.
//! Never knows: what is drawn with them. (Phase: cull early. First form: frustum and distance.)

use crate::{props::PropStore, shader::spirv};
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind, Pipeline, PipelineDesc, ReadbackTicket, vk};
use terrane_shaders::shared::{BUCKETS_MAX, CHUNKS_DRAWN_MAX, COUNTERS, DrawCommand, DrawInstance, ScenePush};

/// Instances that one frame can draw; 20 bytes each. What is beyond is the farthest, and is counted.
pub(crate) const DRAW_INSTANCES_MAX: u32 = 1 << 19;

pub(crate) struct Culling {
    chunks: Pipeline,
    count: Pipeline,
    scan: Pipeline,
    write: Pipeline,
    visible_chunks: Bound,
    draw_instances: Bound,
    commands: Bound,
    counts: Bound,
    bucket_first: Bound,
    counters: Bound,
    bucket_count: u32,
    ticket: Option<ReadbackTicket>,
    last_counters: [u32; COUNTERS as usize],
}

/// A buffer and its index in the bindless set.
struct Bound {
    buffer: Buffer,
    index: u32,
}

impl Culling {
    pub(crate) fn new(device: &mut Device, bucket_count: u32) -> Result<Culling, GpuError> {
        let names = ["cull_chunks.comp", "cull_count.comp", "cull_scan.comp", "cull_write.comp"];
        let table = names.into_iter().map(|name| Ok(PipelineDesc::Compute { name, spirv: spirv(name)? }));
        let mut pipelines = device.create_pipelines(&table.collect::<Result<Vec<_>, GpuError>>()?)?.into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        let word = size_of::<u32>() as u64;
        let chunks = u64::from(CHUNKS_DRAWN_MAX);
        Ok(Culling {
            chunks: next(),
            count: next(),
            scan: next(),
            write: next(),
            visible_chunks: Bound::new(device, "visible chunks", chunks * word)?,
            draw_instances: Bound::new(device, "drawn instances", u64::from(DRAW_INSTANCES_MAX) * size_of::<DrawInstance>() as u64)?,
            commands: Bound::new(device, "indirect draws", u64::from(1 + BUCKETS_MAX) * size_of::<DrawCommand>() as u64)?,
            counts: Bound::new(device, "instance counts", chunks * u64::from(BUCKETS_MAX) * word)?,
            bucket_first: Bound::new(device, "bucket starts", u64::from(BUCKETS_MAX) * word)?,
            counters: Bound::new(device, "culling counters", u64::from(COUNTERS) * word)?,
            bucket_count,
            ticket: None,
            last_counters: [0; COUNTERS as usize],
        })
    }

    /// The indices of the culling's buffers and of the props that it places.
    pub(crate) fn push(&self, props: &PropStore) -> ScenePush {
        ScenePush {
            visible_chunks: self.visible_chunks.index,
            draw_instances: self.draw_instances.index,
            commands: self.commands.index,
            counts: self.counts.index,
            bucket_first: self.bucket_first.index,
            counters: self.counters.index,
            prop_vertices: props.vertices_index(),
            props: props.rows_index(),
            ..ScenePush::default()
        }
    }

    pub(crate) fn record(&self, cmd: &mut Cmd, push: &ScenePush, chunk_count: u32, instances: bool) {
        cmd.zone_begin("cull");
        // The lists are the frame before's until its draws have read them.
        let compute = vk::PipelineStageFlags2::COMPUTE_SHADER;
        // Fragments too: they read storage buffers of the one bindless array, and validation cannot tell which.
        let drawing = vk::PipelineStageFlags2::VERTEX_SHADER | vk::PipelineStageFlags2::FRAGMENT_SHADER;
        let storage = vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::SHADER_STORAGE_WRITE;
        cmd.memory_barrier(
            (
                vk::PipelineStageFlags2::DRAW_INDIRECT | drawing | compute | vk::PipelineStageFlags2::COPY,
                vk::AccessFlags2::SHADER_STORAGE_WRITE,
            ),
            (compute, storage),
        );
        self.dispatch(cmd, &self.chunks, push, 1);
        if instances && chunk_count > 0 {
            let written = (compute, vk::AccessFlags2::SHADER_STORAGE_WRITE);
            // They share no word, but validation sees one bindless array that both use.
            cmd.memory_barrier(written, (compute, storage));
            self.dispatch(cmd, &self.count, push, chunk_count);
            cmd.memory_barrier(written, (compute, storage));
            self.dispatch(cmd, &self.scan, push, 1);
            cmd.memory_barrier(written, (compute, storage));
            self.dispatch(cmd, &self.write, push, chunk_count);
        }
        cmd.memory_barrier(
            (compute, vk::AccessFlags2::SHADER_STORAGE_WRITE),
            (
                vk::PipelineStageFlags2::DRAW_INDIRECT | drawing | vk::PipelineStageFlags2::COPY,
                vk::AccessFlags2::INDIRECT_COMMAND_READ | vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::TRANSFER_READ,
            ),
        );
        cmd.zone_end();
    }

    fn dispatch(&self, cmd: &mut Cmd, pipeline: &Pipeline, push: &ScenePush, groups: u32) {
        cmd.bind_pipeline(pipeline);
        cmd.push(push.as_bytes());
        cmd.dispatch(groups, 1, 1);
    }

    /// The one draw of the ground.
    pub(crate) fn draw_ground(&self, cmd: &mut Cmd) {
        cmd.draw_indexed_indirect(&self.commands.buffer, 0, 1, size_of::<DrawCommand>() as u32);
    }

    /// One draw for each (prop, level of detail).
    pub(crate) fn draw_props(&self, cmd: &mut Cmd) {
        let stride = size_of::<DrawCommand>() as u32;
        cmd.draw_indexed_indirect(&self.commands.buffer, u64::from(stride), self.bucket_count, stride);
    }

    /// Asks for the counters of this frame, unless the last request is still on its way.
    pub(crate) fn read_back(&mut self, device: &mut Device, cmd: &mut Cmd) -> Result<(), GpuError> {
        if let Some(ticket) = self.ticket {
            let Some(bytes) = device.poll_readback(ticket)? else { return Ok(()) };
            for (counter, word) in self.last_counters.iter_mut().zip(bytes.chunks_exact(4)) {
                *counter = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            }
        }
        self.ticket = device.readback(cmd, &self.counters.buffer, 0, u64::from(COUNTERS) * 4)?;
        Ok(())
    }

    pub(crate) fn counters(&self) -> [u32; COUNTERS as usize] {
        self.last_counters
    }

    pub(crate) fn drawn_instances(&self) -> &Buffer {
        &self.draw_instances.buffer
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        for pipeline in [self.chunks, self.count, self.scan, self.write] {
            device.destroy_pipeline(pipeline);
        }
        for bound in [self.visible_chunks, self.draw_instances, self.commands, self.counts, self.bucket_first, self.counters] {
            device.unbind_buffer(bound.index);
            device.destroy_buffer(bound.buffer);
        }
    }
}

impl Bound {
    fn new(device: &mut Device, name: &'static str, bytes: u64) -> Result<Bound, GpuError> {
        let buffer = device.create_buffer(&BufferDesc {
            name,
            bytes,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::INDIRECT_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST,
            memory: MemoryKind::Device,
        })?;
        let index = device.bind_buffer(&buffer)?;
        Ok(Bound { buffer, index })
    }
}
