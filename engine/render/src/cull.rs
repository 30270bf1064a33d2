//! In: the drawn cut and all resident instances. Out: indirect draws, lists of what is drawn, and counters.
//! Never knows: what is drawn with them. (Phases: cull early, cull late.)
//!
//! Each list has a volume. The early lists hold what was visible in the frame before, and what casts into each shadow cascade; once that is
//! drawn, the depth pyramid says what else can be seen, and that is the late list (Haar and Aaltonen, "GPU-driven rendering pipelines", 2015).
//! Lists are counted, summed and written in the order of chunk and instance: the same frame gives the same lists, on every device.
//!
//! No subgroup operation, no count from the GPU, no 64-bit integer: what every device can do costs nothing here, so there is one path.

use crate::{ShaderSource, bound::Bound, props::PropStore};
use terrane_gpu::{Buffer, Cmd, Device, GpuError, Pipeline, PipelineDesc, ReadbackTicket, vk};
use terrane_shaders::shared::{
    BUCKETS_MAX, CHUNKS_DRAWN_MAX, CLUSTERS_PER_CHUNK, COUNTERS, DISTANCE_BINS, DrawCommand, DrawInstance, INSTANCES_PER_CHUNK_MAX, InstanceRecord, LIST_EARLY,
    LIST_LATE, LIST_SHADOW, LISTS, RECORDS_MAX, ScenePush, VISIBILITY_WORDS,
};

/// Stages of a draw that can reach the bindless set. Any shader may name any buffer of it, so barriers cover all of them.
pub(crate) const DRAW_STAGES: vk::PipelineStageFlags2 =
    vk::PipelineStageFlags2::from_raw(vk::PipelineStageFlags2::VERTEX_SHADER.as_raw() | vk::PipelineStageFlags2::FRAGMENT_SHADER.as_raw());
const COMPUTE: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::COMPUTE_SHADER;
const STORAGE: vk::AccessFlags2 = vk::AccessFlags2::from_raw(vk::AccessFlags2::SHADER_STORAGE_READ.as_raw() | vk::AccessFlags2::SHADER_STORAGE_WRITE.as_raw());

/// Commands of a list: the ground, then a bucket each.
const LIST_COMMANDS: u32 = 1 + BUCKETS_MAX;
/// Word of the bins' buffer where the early lists' recount is, a VkDispatchIndirectCommand; three words on, the late list's.
const RECOUNT_WORD: u64 = (LISTS * DISTANCE_BINS + LISTS) as u64;
/// Then the dispatch of a workgroup an active chunk, and that of one for each of its early lists.
const ACTIVE_WORD: u64 = RECOUNT_WORD + 6;

pub(crate) struct CullPipelines {
    chunks: Pipeline,
    active: Pipeline,
    evaluate: Pipeline,
    cut: Pipeline,
    bins: Pipeline,
    cutoff: Pipeline,
    recount: Pipeline,
    scan: Pipeline,
    commands: Pipeline,
    write: Pipeline,
    ground_late: Pipeline,
    occlude: Pipeline,
}

impl CullPipelines {
    pub(crate) fn new(device: &mut Device, shaders: ShaderSource) -> Result<CullPipelines, GpuError> {
        let names = [
            "cull_chunks.comp",
            "cull_active.comp",
            "cull_evaluate.comp",
            "cull_cut.comp",
            "cull_bins.comp",
            "cull_cutoff.comp",
            "cull_recount.comp",
            "cull_scan.comp",
            "cull_commands.comp",
            "cull_write.comp",
            "cull_ground_late.comp",
            "cull_occlude.comp",
        ];
        let table = names.into_iter().map(|name| Ok(PipelineDesc::Compute { name, spirv: shaders(name)? }));
        let mut pipelines = device.create_pipelines(&table.collect::<Result<Vec<_>, GpuError>>()?)?.into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        Ok(CullPipelines {
            chunks: next(),
            active: next(),
            evaluate: next(),
            cut: next(),
            bins: next(),
            cutoff: next(),
            recount: next(),
            scan: next(),
            commands: next(),
            write: next(),
            ground_late: next(),
            occlude: next(),
        })
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        let CullPipelines { chunks, active, evaluate, cut, bins, cutoff, recount, scan, commands, write, ground_late, occlude } = self;
        for pipeline in [chunks, active, evaluate, cut, bins, cutoff, recount, scan, commands, write, ground_late, occlude] {
            device.destroy_pipeline(pipeline);
        }
    }
}

/// How many instances the lists hold; what is beyond is the farthest, and is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CullLimits {
    /// Drawn in the view.
    pub draw_instances_max: u32,
    /// Drawn in each shadow cascade.
    pub shadow_instances_max: u32,
}

impl Default for CullLimits {
    /// 20 bytes an instance: 10 MiB for the view, 2.5 MiB for each of four cascades.
    fn default() -> Self {
        CullLimits { draw_instances_max: 1 << 19, shadow_instances_max: 1 << 17 }
    }
}

pub(crate) struct Culling {
    list_chunks: Bound,
    chunk_flags: Bound,
    active_chunks: Bound,
    survivors: Bound,
    cluster_lists: Bound,
    records: Bound,
    visibility: Bound,
    draw_instances: Bound,
    commands: Bound,
    counts: Bound,
    bins: Bound,
    counters: Bound,
    bucket_count: u32,
    ticket: Option<ReadbackTicket>,
    last_counters: Vec<u32>,
}

/// What one frame culls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CullWork {
    /// Whether instances are drawn.
    pub instances: bool,
    /// Lists of the early culling: 1, or 5 with shadows.
    pub early_lists: u32,
}

impl Culling {
    pub(crate) fn new(device: &mut Device, slots: u32, bucket_count: u32, limits: CullLimits) -> Result<Culling, GpuError> {
        let word = size_of::<u32>() as u64;
        let (lists, chunks, buckets) = (u64::from(LISTS), u64::from(CHUNKS_DRAWN_MAX), u64::from(BUCKETS_MAX));
        // All slots full is the most that a cut can have.
        let records = RECORDS_MAX.min(slots.saturating_mul(INSTANCES_PER_CHUNK_MAX));
        let drawn = u64::from(limits.draw_instances_max) + (lists - 2) * u64::from(limits.shadow_instances_max);
        let culling = Culling {
            list_chunks: Bound::new(device, "chunks of the lists", lists * chunks * word)?,
            chunk_flags: Bound::new(device, "flags of the chunks", lists * chunks * word)?,
            active_chunks: Bound::new(device, "chunks with instances", (2 * chunks + 1) * word)?,
            survivors: Bound::new(device, "instances in lists", u64::from(RECORDS_MAX) * word)?,
            cluster_lists: Bound::new(device, "lists of the clusters", chunks * u64::from(CLUSTERS_PER_CHUNK) * word)?,
            records: Bound::new(device, "instance records", u64::from(records) * size_of::<InstanceRecord>() as u64)?,
            visibility: Bound::new(device, "visibility", u64::from(slots) * u64::from(VISIBILITY_WORDS) * word)?,
            draw_instances: Bound::new(device, "drawn instances", drawn * size_of::<DrawInstance>() as u64)?,
            commands: Bound::new(device, "indirect draws", lists * u64::from(LIST_COMMANDS) * size_of::<DrawCommand>() as u64)?,
            counts: Bound::new(device, "instance counts", lists * buckets * chunks * word)?,
            bins: Bound::new(device, "distance bins", (ACTIVE_WORD + 6) * word)?,
            counters: Bound::new(device, "culling counters", u64::from(COUNTERS) * word)?,
            bucket_count,
            ticket: None,
            last_counters: vec![0; COUNTERS as usize],
        };
        culling.clear(device)?;
        Ok(culling)
    }

    /// Nothing was visible before the first frame, and nothing was drawn.
    fn clear(&self, device: &mut Device) -> Result<(), GpuError> {
        let mut cmd = device.begin_frame()?;
        for bound in [&self.visibility, &self.commands, &self.counters, &self.bins, &self.chunk_flags] {
            cmd.fill_buffer(&bound.buffer, 0, bound.buffer.bytes, 0);
        }
        cmd.memory_barrier((vk::PipelineStageFlags2::CLEAR, vk::AccessFlags2::TRANSFER_WRITE), (COMPUTE, STORAGE));
        device.submit_frame(cmd)?;
        Ok(())
    }

    /// The indices of the culling's buffers and of the props that it places.
    pub(crate) fn push(&self, props: &PropStore) -> ScenePush {
        ScenePush {
            list_chunks: self.list_chunks.index,
            chunk_flags: self.chunk_flags.index,
            active_chunks: self.active_chunks.index,
            survivors: self.survivors.index,
            cluster_lists: self.cluster_lists.index,
            records: self.records.index,
            visibility: self.visibility.index,
            draw_instances: self.draw_instances.index,
            commands: self.commands.index,
            counts: self.counts.index,
            bins: self.bins.index,
            counters: self.counters.index,
            prop_vertices: props.vertices_index(),
            props: props.rows_index(),
            ..ScenePush::default()
        }
    }

    /// What was visible in the frame before, and what casts shadows.
    pub(crate) fn record_early(&self, cmd: &mut Cmd, pipelines: &CullPipelines, push: &ScenePush, work: CullWork) {
        cmd.zone_begin("cull early");
        // The lists are the frame before's until its draws have read them.
        let readers = vk::PipelineStageFlags2::DRAW_INDIRECT | DRAW_STAGES | COMPUTE | vk::PipelineStageFlags2::COPY;
        cmd.memory_barrier((readers, vk::AccessFlags2::SHADER_STORAGE_WRITE), (COMPUTE, STORAGE));
        dispatch(cmd, &pipelines.chunks, push, [1, work.early_lists]);
        // With no chunk at all, too: draws of the frame before must not stay.
        if work.instances {
            written(cmd);
            dispatch(cmd, &pipelines.active, push, [1, 1]);
            written(cmd);
            self.dispatch_active(cmd, &pipelines.evaluate, push, 1);
            self.record_list(cmd, pipelines, &ScenePush { list: LIST_EARLY, ..*push }, work.early_lists);
        }
        self.lists_ready(cmd);
        cmd.zone_end();
    }

    /// What the pyramid leaves over: seen now, not seen before.
    pub(crate) fn record_late(&self, cmd: &mut Cmd, pipelines: &CullPipelines, push: &ScenePush, work: CullWork) {
        cmd.zone_begin("cull late");
        let push = ScenePush { list: LIST_LATE, ..*push };
        written(cmd);
        dispatch(cmd, &pipelines.ground_late, &push, [1, 1]);
        if work.instances {
            written(cmd);
            self.dispatch_active(cmd, &pipelines.occlude, &push, 1);
            self.record_list(cmd, pipelines, &push, 1);
        }
        self.lists_ready(cmd);
        cmd.zone_end();
    }

    /// From counts to draws, for lists that begin at `push.list`.
    fn record_list(&self, cmd: &mut Cmd, pipelines: &CullPipelines, push: &ScenePush, lists: u32) {
        written(cmd);
        dispatch(cmd, &pipelines.cut, push, [1, lists]);
        written(cmd);
        self.dispatch_if_full(cmd, &pipelines.bins, push);
        written(cmd);
        dispatch(cmd, &pipelines.cutoff, push, [1, lists]);
        written(cmd);
        self.dispatch_if_full(cmd, &pipelines.recount, push);
        written(cmd);
        dispatch(cmd, &pipelines.scan, push, [self.bucket_count, lists]);
        written(cmd);
        dispatch(cmd, &pipelines.commands, push, [1, lists]);
        written(cmd);
        self.dispatch_active(cmd, &pipelines.write, push, lists);
    }

    /// One workgroup for each active chunk and list.
    fn dispatch_active(&self, cmd: &mut Cmd, pipeline: &Pipeline, push: &ScenePush, lists: u32) {
        cmd.bind_pipeline(pipeline);
        cmd.push(push.as_bytes());
        cmd.dispatch_indirect(&self.bins.buffer, (ACTIVE_WORD + if lists > 1 { 3 } else { 0 }) * 4);
    }

    /// One workgroup a chunk, or none.
    fn dispatch_if_full(&self, cmd: &mut Cmd, pipeline: &Pipeline, push: &ScenePush) {
        cmd.bind_pipeline(pipeline);
        cmd.push(push.as_bytes());
        cmd.dispatch_indirect(&self.bins.buffer, (RECOUNT_WORD + if push.list == LIST_LATE { 3 } else { 0 }) * 4);
    }

    /// Draws wait for the lists.
    fn lists_ready(&self, cmd: &mut Cmd) {
        cmd.memory_barrier(
            (COMPUTE, vk::AccessFlags2::SHADER_STORAGE_WRITE),
            (
                vk::PipelineStageFlags2::DRAW_INDIRECT | DRAW_STAGES | COMPUTE | vk::PipelineStageFlags2::COPY,
                vk::AccessFlags2::INDIRECT_COMMAND_READ | STORAGE | vk::AccessFlags2::TRANSFER_READ,
            ),
        );
    }

    /// The one draw of a list's ground.
    pub(crate) fn draw_ground(&self, cmd: &mut Cmd, list: u32) {
        cmd.draw_indexed_indirect(&self.commands.buffer, self.command_bytes(list), 1, size_of::<DrawCommand>() as u32);
    }

    /// One draw for each (prop, level of detail) of a list.
    pub(crate) fn draw_props(&self, cmd: &mut Cmd, list: u32) {
        let stride = size_of::<DrawCommand>() as u32;
        cmd.draw_indexed_indirect(&self.commands.buffer, self.command_bytes(list) + u64::from(stride), self.bucket_count, stride);
    }

    fn command_bytes(&self, list: u32) -> u64 {
        u64::from(list) * u64::from(LIST_COMMANDS) * size_of::<DrawCommand>() as u64
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

    /// The counters of a frame or two ago.
    pub(crate) fn counters(&self) -> &[u32] {
        &self.last_counters
    }

    pub(crate) fn drawn_instances(&self) -> &Buffer {
        &self.draw_instances.buffer
    }

    /// Instances that are in lists, by record; then how many each chunk has.
    pub(crate) fn survivors(&self) -> (&Buffer, &Buffer) {
        (&self.survivors.buffer, &self.active_chunks.buffer)
    }

    pub(crate) fn records(&self) -> &Buffer {
        &self.records.buffer
    }

    pub(crate) fn visibility(&self) -> &Buffer {
        &self.visibility.buffer
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        let Culling {
            list_chunks,
            chunk_flags,
            active_chunks,
            survivors,
            cluster_lists,
            records,
            visibility,
            draw_instances,
            commands,
            counts,
            bins,
            counters,
            ..
        } = self;
        for bound in [list_chunks, chunk_flags, active_chunks, survivors, cluster_lists, records, visibility, draw_instances, commands, counts, bins, counters]
        {
            bound.destroy(device);
        }
    }
}

/// The list of a shadow cascade.
pub(crate) fn shadow_list(cascade: u32) -> u32 {
    LIST_SHADOW + cascade
}

/// What a pass wrote, the next one sees; counts of workgroups, too.
fn written(cmd: &mut Cmd) {
    // Nothing is overwritten before its counts of workgroups were read.
    cmd.memory_barrier(
        (COMPUTE | vk::PipelineStageFlags2::DRAW_INDIRECT, vk::AccessFlags2::SHADER_STORAGE_WRITE),
        (COMPUTE | vk::PipelineStageFlags2::DRAW_INDIRECT, STORAGE | vk::AccessFlags2::INDIRECT_COMMAND_READ),
    );
}

fn dispatch(cmd: &mut Cmd, pipeline: &Pipeline, push: &ScenePush, [x, y]: [u32; 2]) {
    cmd.bind_pipeline(pipeline);
    cmd.push(push.as_bytes());
    cmd.dispatch(x, y, 1);
}
