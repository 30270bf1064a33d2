//! In: a device, the world's meshes and textures, then chunks and a scene a frame. Out: the picture in `output`.
//! Never knows: where chunks come from, or who looks at the picture.

use crate::{
    constants::{Fixed, HOLE_COLOR, draw_chunks, frame_constants},
    cull::Culling,
    ground::GroundStore,
    instances::InstanceStore,
    material::Materials,
    opaque::OpaquePass,
    props::{PropSource, PropStore},
    scene::{FrameStats, Scene, Slot},
    sky::SkyPass,
    targets::Targets,
    tonemap::TonemapPass,
};
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, Image, MemoryKind, vk};
use terrane_shaders::shared::{CHUNKS_DRAWN_MAX, DrawChunk, FrameConstants, ScenePush};
use terrane_worldgen::{GridMesh, props::Prop, scatter::Instance, texture::MaterialLayer};

/// Bytes of chunk data that one frame may send: 40 chunks of the finest level; x 60 Hz = 480 MiB/s, small beside PCIe.
pub const UPLOAD_BYTES_MAX: u64 = 8 << 20;

/// What a renderer is made from.
#[derive(Clone, Copy, Debug)]
pub struct RendererDesc<'a> {
    /// Width and height in pixels, each at least 1.
    pub extent: (u32, u32),
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// Chunks that may be resident.
    pub chunk_slots: u32,
    /// Plants and stones; an instance names one by its index.
    pub props: &'a [Prop],
    /// For each prop, the share of ranks that every scatter level keeps.
    pub keep: &'a [[f32; 6]],
    /// Grass, snow, rock.
    pub layers: &'a [MaterialLayer; 3],
}

/// Everything on the GPU that draws a world.
pub struct Renderer {
    extent: (u32, u32),
    fixed: Fixed,
    ground: GroundStore,
    instances: InstanceStore,
    props: PropStore,
    materials: Materials,
    frames: Vec<FrameBuffers>,
    culling: Culling,
    opaque: OpaquePass,
    sky: SkyPass,
    tonemap: TonemapPass,
    targets: Targets,
    free_slots: Vec<u32>,
    upload_bytes: u64,
}

/// What the CPU writes each frame; one set for each frame in flight.
struct FrameBuffers {
    constants: Buffer,
    constants_index: u32,
    chunks: Buffer,
    chunks_index: u32,
}

impl Renderer {
    /// Makes every buffer, texture and pipeline: nothing is created between frames but what a new size needs.
    pub fn new(device: &mut Device, desc: &RendererDesc) -> Result<Renderer, GpuError> {
        let materials = Materials::new(device, desc.layers)?;
        let props = PropStore::new(device, &PropSource { props: desc.props, keep: desc.keep })?;
        let ground = GroundStore::new(device, desc.chunk_slots)?;
        let instances = InstanceStore::new(device, desc.chunk_slots)?;
        let culling = Culling::new(device, props.bucket_count())?;
        let fixed = Fixed {
            prop_height_max_m: props.height_max_m(),
            bucket_count: props.bucket_count(),
            draw_instances_max: crate::cull::DRAW_INSTANCES_MAX,
            ..materials.fixed()
        };
        let frames = (0..device.frames_in_flight()).map(|_| FrameBuffers::new(device)).collect::<Result<_, _>>()?;
        Ok(Renderer {
            extent: desc.extent,
            fixed,
            ground,
            instances,
            props,
            materials,
            frames,
            culling,
            opaque: OpaquePass::new(device, desc.samples)?,
            sky: SkyPass::new(device, desc.samples)?,
            tonemap: TonemapPass::new(device)?,
            targets: Targets::new(device, desc.extent, desc.samples)?,
            free_slots: (0..desc.chunk_slots).rev().collect(),
            upload_bytes: 0,
        })
    }

    /// A slot for a chunk, or `None` when all are taken: the chunk waits until one is released.
    pub fn allocate_slot(&mut self) -> Option<Slot> {
        self.free_slots.pop().map(Slot)
    }

    /// Gives a slot back. The GPU may still read it; what is written there next waits for that on the GPU.
    pub fn release_slot(&mut self, slot: Slot) {
        debug_assert!(!self.free_slots.contains(&slot.0), "slot {} is released twice", slot.0);
        self.free_slots.push(slot.0);
    }

    /// Slots that are free.
    pub fn free_slots(&self) -> usize {
        self.free_slots.len()
    }

    /// Sends a finished chunk into its slot. False: this frame's budget is used up, offer it again in the next frame.
    pub fn accept(&mut self, device: &mut Device, cmd: &mut Cmd, slot: Slot, mesh: &GridMesh, instances: &[Instance]) -> Result<bool, GpuError> {
        let bytes = self.ground.slot_bytes() + size_of_val(instances) as u64;
        if self.upload_bytes > 0 && self.upload_bytes + bytes > UPLOAD_BYTES_MAX {
            return Ok(false);
        }
        if self.upload_bytes == 0 {
            // What earlier frames still read must be done before the copies overwrite a slot.
            cmd.memory_barrier(
                (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::SHADER_STORAGE_READ),
                (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE),
            );
        }
        let sent = self.ground.upload(device, cmd, slot, mesh)? && self.instances.upload(device, cmd, slot, instances)?;
        if sent {
            self.upload_bytes += bytes;
        }
        Ok(sent)
    }

    /// Ends the uploads of a frame that draws nothing.
    pub fn finish_uploads(&mut self, cmd: &mut Cmd) {
        self.chunks_accepted(cmd);
        self.upload_bytes = 0;
    }

    /// Records one frame. The picture is in [`output`](Self::output), ready to be copied from.
    pub fn frame(&mut self, device: &mut Device, cmd: &mut Cmd, scene: &Scene) -> Result<FrameStats, GpuError> {
        let push = self.write_frame(device, scene);
        let chunk_count = scene.chunks.len().min(CHUNKS_DRAWN_MAX as usize) as u32;

        self.chunks_accepted(cmd);
        self.culling.record(cmd, &push, chunk_count, scene.switches.props);
        self.targets.begin_opaque(cmd, HOLE_COLOR);
        if scene.switches.ground {
            self.opaque.record_ground(cmd, &push, &self.culling, &self.ground);
        }
        if scene.switches.props {
            self.opaque.record_props(cmd, &push, &self.culling, &self.props);
        }
        self.sky.record(cmd, &push);
        self.targets.end_opaque(cmd);
        self.tonemap.record(cmd, &push, &mut self.targets);
        self.culling.read_back(device, cmd)?;

        Ok(self.stats(scene))
    }

    /// The picture after the tonemap: RGBA, 8 bits, in TRANSFER_SRC_OPTIMAL after each frame.
    pub fn output(&self) -> &Image {
        self.targets.output()
    }

    /// Width and height of the picture.
    pub fn extent(&self) -> (u32, u32) {
        self.extent
    }

    /// Makes the targets anew in another size; the old ones live until the GPU is done with them.
    pub fn resize(&mut self, device: &mut Device, extent: (u32, u32)) -> Result<(), GpuError> {
        if extent == self.extent || extent.0 == 0 || extent.1 == 0 {
            return Ok(());
        }
        self.targets.resize(device, extent)?;
        self.extent = extent;
        Ok(())
    }

    /// The buffer that the drawn instances are in, and the list of visible chunks: for tests that read them back.
    pub fn drawn_instances(&self) -> &Buffer {
        self.culling.drawn_instances()
    }

    /// Ends everything. The device must be idle.
    pub fn destroy(self, device: &mut Device) {
        for frame in self.frames {
            frame.destroy(device);
        }
        self.culling.destroy(device);
        self.ground.destroy(device);
        self.instances.destroy(device);
        self.props.destroy(device);
        self.materials.destroy(device);
        self.opaque.destroy(device);
        self.sky.destroy(device);
        self.tonemap.destroy(device);
        self.targets.destroy(device);
    }

    fn write_frame(&mut self, device: &Device, scene: &Scene) -> ScenePush {
        let frame = &mut self.frames[device.frame_index()];
        let constants = frame_constants(scene, self.extent, &self.fixed);
        frame.constants.slice_mut()[..size_of::<FrameConstants>()].copy_from_slice(constants.as_bytes());
        let chunks = draw_chunks(scene);
        let bytes = DrawChunk::slice_bytes(&chunks);
        frame.chunks.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        ScenePush {
            frame: frame.constants_index,
            chunks: frame.chunks_index,
            ground: self.ground.index(),
            instances: self.instances.index(),
            source_image: self.targets.resolved_index(),
            ..self.culling.push(&self.props)
        }
    }

    /// Chunk data that was copied in this frame becomes readable.
    fn chunks_accepted(&mut self, cmd: &mut Cmd) {
        if self.upload_bytes > 0 {
            cmd.memory_barrier(
                (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE),
                (
                    vk::PipelineStageFlags2::VERTEX_SHADER | vk::PipelineStageFlags2::FRAGMENT_SHADER | vk::PipelineStageFlags2::COMPUTE_SHADER,
                    vk::AccessFlags2::SHADER_STORAGE_READ,
                ),
            );
        }
    }

    fn stats(&mut self, scene: &Scene) -> FrameStats {
        let counters = self.culling.counters();
        FrameStats {
            chunks: scene.chunks.len() as u32,
            chunks_dropped: scene.chunks.len().saturating_sub(CHUNKS_DRAWN_MAX as usize) as u32,
            instances: scene.chunks.iter().map(|chunk| chunk.instance_count).sum(),
            chunks_drawn: counters[terrane_shaders::shared::COUNTER_CHUNKS_DRAWN as usize],
            instances_drawn: counters[terrane_shaders::shared::COUNTER_INSTANCES_DRAWN as usize],
            instances_dropped: counters[terrane_shaders::shared::COUNTER_INSTANCES_DROPPED as usize],
            upload_bytes: std::mem::take(&mut self.upload_bytes),
        }
    }
}

impl FrameBuffers {
    fn new(device: &mut Device) -> Result<FrameBuffers, GpuError> {
        let constants = device.create_buffer(&BufferDesc {
            name: "frame constants",
            bytes: size_of::<FrameConstants>() as u64,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER,
            memory: MemoryKind::Upload,
        })?;
        let chunks = device.create_buffer(&BufferDesc {
            name: "drawn cut",
            bytes: size_of::<DrawChunk>() as u64 * u64::from(CHUNKS_DRAWN_MAX),
            usage: vk::BufferUsageFlags::STORAGE_BUFFER,
            memory: MemoryKind::Upload,
        })?;
        let (constants_index, chunks_index) = (device.bind_buffer(&constants)?, device.bind_buffer(&chunks)?);
        Ok(FrameBuffers { constants, constants_index, chunks, chunks_index })
    }

    fn destroy(self, device: &mut Device) {
        device.unbind_buffer(self.constants_index);
        device.unbind_buffer(self.chunks_index);
        device.destroy_buffer(self.constants);
        device.destroy_buffer(self.chunks);
    }
}
