//! In: a renderer that has drawn a frame. Out: what it drew from and what it decided, read back.
//! Never knows: what a test makes of it. Nothing here is called in play.

use super::Renderer;
use crate::twin::{Twin, mesh_of};
use terrane_gpu::{Buffer, Cmd, Device, GpuError, Pipeline};
use terrane_shaders::shared::{CHUNKS_DRAWN_MAX, DrawChunk, FrameConstants, INSTANCES_PER_CHUNK_MAX, InstanceRecord, PropRow, ScenePush, VISIBILITY_WORDS};

impl Renderer {
    /// The buffer that the drawn instances are in, for tests that read them back: the early list, then the late one.
    pub fn drawn_instances(&self) -> &Buffer {
        self.culling.drawn_instances()
    }

    /// The records of the cut's instances, for tests that read them back.
    pub fn instance_records(&self) -> &Buffer {
        self.culling.records()
    }

    /// The depth pyramid, for tests that read it back.
    pub fn depth_pyramid(&self) -> &Buffer {
        self.pyramid.buffer()
    }

    /// Copies every instance of the last frame's cut, and decides nothing: what a culling is measured by. `pipeline` is `copy_instances.comp`.
    pub fn record_instance_copy(&self, cmd: &mut Cmd, pipeline: &Pipeline, chunk_count: u32) {
        let frame = &self.frames[self.last_frame];
        let push = ScenePush { frame: frame.constants_index, chunks: frame.chunks_index, instances: self.instances.index(), ..self.culling.push(&self.props) };
        cmd.zone_begin("copy instances");
        cmd.bind_pipeline(pipeline);
        cmd.push(push.as_bytes());
        cmd.dispatch(chunk_count, 1, 1);
        cmd.zone_end();
    }

    /// The depth of the last frame, every sample, row by row; reversed, 0 is infinitely far. Waits for the GPU. For tests.
    pub fn read_depth(&mut self, device: &mut Device) -> Result<Vec<f32>, GpuError> {
        device.wait_idle()?;
        let frame = &self.frames[self.last_frame];
        let push = ScenePush { frame: frame.constants_index, source_image: self.targets.depth_index(), ..ScenePush::default() };
        crate::pyramid::read_depth(device, self.samples, self.targets.depth_drawn(), &push, self.extent)
    }

    /// All that decided what the last frame drew, for a comparison with the CPU's own verdict. Waits for the GPU. For tests.
    pub fn twin(&self, device: &mut Device) -> Result<Twin, GpuError> {
        device.wait_idle()?;
        let frame = &self.frames[self.last_frame];
        let constants = *FrameConstants::read_slice(&frame.constants.slice()[..size_of::<FrameConstants>()]).first().expect("one struct");
        let bytes = &frame.chunks.slice()[..constants.chunk_count as usize * size_of::<DrawChunk>()];
        let mut twin = Twin { constants, chunks: DrawChunk::read_slice(bytes), ..Twin::default() };
        let all = |device: &mut Device, buffer: &Buffer| device.read_buffer(buffer, 0, buffer.bytes);
        twin.props = PropRow::read_slice(&all(device, self.props.rows())?);
        twin.pyramid = words(&all(device, self.pyramid.buffer())?).map(f32::from_bits).collect();
        let (survivors, survivor_counts) = self.culling.survivors();
        twin.survivors = words(&all(device, survivors)?).collect();
        twin.survivor_counts = words(&all(device, survivor_counts)?).skip(CHUNKS_DRAWN_MAX as usize + 1).collect();
        twin.records = InstanceRecord::read_slice(&all(device, self.culling.records())?);
        for chunk in &twin.chunks {
            let slot = u64::from(chunk.slot);
            let mut of_slot = |buffer: &Buffer, bytes: u64| device.read_buffer(buffer, slot * bytes, bytes);
            let ground = of_slot(self.ground.vertices(), self.ground.slot_bytes())?;
            let instances = of_slot(self.instances.buffer(), u64::from(INSTANCES_PER_CHUNK_MAX) * 8)?;
            let visibility = of_slot(self.culling.visibility(), u64::from(VISIBILITY_WORDS) * 4)?;
            twin.ground.push(mesh_of(pairs(&ground)));
            twin.instances.push(pairs(&instances));
            twin.visibility.push(words(&visibility).collect());
        }
        Ok(twin)
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

fn pairs(bytes: &[u8]) -> Vec<[u32; 2]> {
    let words: Vec<u32> = words(bytes).collect();
    words.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}
