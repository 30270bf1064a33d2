//! In: a device, the world's meshes and textures, then chunks and a scene a frame. Out: the picture in `output`.
//! Never knows: where chunks come from, or who looks at the picture.

mod read_back;

use crate::{
    ShaderSource, built_in_shaders,
    constants::{Fixed, HOLE_COLOR, culls_occluded, draw_chunks, draws_shadows, frame_constants},
    cull::{CullLimits, CullPipelines, CullWork, Culling, DRAW_STAGES},
    ground::GroundStore,
    instances::InstanceStore,
    material::Materials,
    opaque::OpaquePass,
    overlay::{OverlayPass, OverlayStore},
    props::{PropSource, PropStore},
    pyramid::{Pyramid, PyramidPipelines},
    scene::{FrameStats, Reasons, Scene, Slot},
    shadow::{ShadowMap, ShadowPipelines},
    sky::SkyPass,
    targets::Targets,
    tonemap::TonemapPass,
    water::WaterPass,
};
use terrane_gpu::{Buffer, BufferDesc, Cmd, Device, GpuError, Image, MemoryKind, vk};
use terrane_shaders::shared::{
    CASCADES, CHUNK_QUADS, CHUNKS_DRAWN_MAX, COUNTER_BUCKETS, COUNTER_CHUNKS, COUNTER_INSTANCES, COUNTER_LIST_CHUNKS, COUNTER_LIST_DROPPED,
    COUNTER_LIST_INSTANCES, DrawChunk, FrameConstants, INSTANCES_PER_CHUNK_MAX, LIST_EARLY, LIST_LATE, LIST_SHADOW, LISTS, PROP_LODS, ScenePush,
};
use terrane_worldgen::{GridMesh, props::Prop, scatter::Instance, texture::MaterialLayer};

/// Bytes of chunk data that one frame may send at most: 40 chunks of the finest level; x 60 Hz = 480 MiB/s, small beside PCIe.
pub const UPLOAD_BYTES_MAX: u64 = 8 << 20;

/// What a renderer is made from.
#[derive(Clone, Copy, Debug)]
pub struct RendererDesc<'a> {
    /// Width and height in pixels, each at least 1.
    pub extent: (u32, u32),
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// Texels along the edge of each shadow cascade; no more than the device allows.
    pub shadow_edge: u32,
    /// Capacities of the lists of drawn instances.
    pub limits: CullLimits,
    /// Chunks that may be resident.
    pub chunk_slots: u32,
    /// Bytes of chunk data that one frame may send; one chunk always may. At most [`UPLOAD_BYTES_MAX`].
    pub upload_bytes_max: u64,
    /// Plants and stones; an instance names one by its index.
    pub props: &'a [Prop],
    /// For each prop, the share of ranks that every scatter level keeps.
    pub keep: &'a [[f32; 6]],
    /// What the ground is.
    pub ground: GroundDesc<'a>,
}

/// What the ground of a world is.
#[derive(Clone, Copy, Debug)]
pub enum GroundDesc<'a> {
    /// A smooth height field of chunks of 128 m with three layers of textures: grass, snow, rock.
    Layers(&'a [MaterialLayer; 3]),
    /// Square tiles with colours and water between them: so many along the edge of a chunk, at most 64, of 1 m at the finest level.
    Tiles(u32),
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
    samples: u32,
    culling: Culling,
    pyramid: Pyramid,
    shadows: ShadowMap,
    pipelines: Pipelines,
    targets: Targets,
    overlay: OverlayStore,
    instances_left_out: u32,
    /// Whose constants were written last.
    last_frame: usize,
    free_slots: Vec<u32>,
    upload_bytes: u64,
    upload_bytes_max: u64,
}

/// Every pipeline of the frame, phase by phase.
struct Pipelines {
    cull: CullPipelines,
    shadows: ShadowPipelines,
    opaque: OpaquePass,
    pyramid: PyramidPipelines,
    sky: SkyPass,
    /// Where a world has water.
    water: Option<WaterPass>,
    tonemap: TonemapPass,
    overlay: OverlayPass,
}

impl Pipelines {
    fn new(device: &mut Device, samples: u32, tiles: bool, shaders: ShaderSource) -> Result<Pipelines, GpuError> {
        Ok(Pipelines {
            cull: CullPipelines::new(device, shaders)?,
            shadows: ShadowPipelines::new(device, shaders)?,
            opaque: OpaquePass::new(device, samples, tiles, shaders)?,
            pyramid: PyramidPipelines::new(device, samples, shaders)?,
            sky: SkyPass::new(device, samples, shaders)?,
            water: tiles.then(|| WaterPass::new(device, samples, shaders)).transpose()?,
            tonemap: TonemapPass::new(device, shaders)?,
            overlay: OverlayPass::new(device, shaders)?,
        })
    }

    fn destroy(self, device: &mut Device) {
        self.cull.destroy(device);
        self.shadows.destroy(device);
        self.opaque.destroy(device);
        self.pyramid.destroy(device);
        self.sky.destroy(device);
        if let Some(water) = self.water {
            water.destroy(device);
        }
        self.tonemap.destroy(device);
        self.overlay.destroy(device);
    }
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
        let (layers, tiles) = match desc.ground {
            GroundDesc::Layers(layers) => (Some(layers), 0),
            GroundDesc::Tiles(tiles) => (None, tiles),
        };
        let materials = Materials::new(device, layers)?;
        let props = PropStore::new(device, &PropSource { props: desc.props, keep: desc.keep })?;
        let ground = GroundStore::new(device, desc.chunk_slots)?;
        let instances = InstanceStore::new(device, desc.chunk_slots)?;
        let culling = Culling::new(device, desc.chunk_slots, props.bucket_count(), desc.limits)?;
        let shadows = ShadowMap::new(device, desc.shadow_edge)?;
        let fixed = Fixed {
            bucket_count: props.bucket_count(),
            limits: desc.limits,
            shadow_edge: shadows.edge(),
            shadow_image: shadows.index(),
            tiles,
            // A tile is two steps wide: itself, and the seam to the next.
            ground_quads: if tiles > 0 { 2 * tiles } else { CHUNK_QUADS as u32 },
            step_m: if tiles > 0 { 0.5 } else { 1.0 },
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
            samples: desc.samples,
            culling,
            pyramid: Pyramid::new(device, desc.extent)?,
            shadows,
            instances_left_out: 0,
            last_frame: 0,
            pipelines: Pipelines::new(device, desc.samples, tiles > 0, &built_in_shaders)?,
            targets: Targets::new(device, desc.extent, desc.samples)?,
            overlay: OverlayStore::new(device.frames_in_flight()),
            free_slots: (0..desc.chunk_slots).rev().collect(),
            upload_bytes: 0,
            upload_bytes_max: desc.upload_bytes_max.min(UPLOAD_BYTES_MAX),
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

    /// How many bytes of chunk data each frame may send from now on, up to [`UPLOAD_BYTES_MAX`]; one chunk always may be sent.
    pub fn set_upload_bytes_max(&mut self, bytes: u64) {
        self.upload_bytes_max = bytes.min(UPLOAD_BYTES_MAX);
    }

    /// Sends a finished chunk into its slot. False: this frame's budget is used up, offer it again in the next frame.
    pub fn accept(&mut self, device: &mut Device, cmd: &mut Cmd, slot: Slot, mesh: &GridMesh, instances: &[Instance]) -> Result<bool, GpuError> {
        let bytes = self.ground.slot_bytes() + size_of_val(instances) as u64;
        if self.upload_bytes > 0 && self.upload_bytes + bytes > self.upload_bytes_max {
            return Ok(false);
        }
        if self.upload_bytes == 0 {
            // What earlier frames still read must be done before the copies overwrite a slot.
            cmd.memory_barrier(
                (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::SHADER_STORAGE_READ),
                (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE),
            );
        }
        let sent = self.ground.upload(device, cmd, slot, mesh)? && self.instances.upload(device, cmd, slot, instances, self.props.sizes())?;
        if sent {
            self.upload_bytes += bytes;
        }
        Ok(sent)
    }

    /// Ends the uploads of a frame that draws nothing: their bytes.
    pub fn finish_uploads(&mut self, cmd: &mut Cmd) -> u64 {
        self.chunks_accepted(cmd);
        std::mem::take(&mut self.upload_bytes)
    }

    /// Records one frame. The picture is in [`output`](Self::output), ready to be copied from.
    pub fn frame(&mut self, device: &mut Device, cmd: &mut Cmd, scene: &Scene) -> Result<FrameStats, GpuError> {
        let push = self.write_frame(device, scene);

        let shadows = draws_shadows(scene);
        let work = CullWork { instances: scene.switches.props, early_lists: if shadows { LISTS - 1 } else { 1 } };
        let stores = (&self.ground, &self.props);
        let Pipelines { cull, shadows: shadow_pipelines, opaque, pyramid, sky, water, tonemap, overlay } = &self.pipelines;

        self.chunks_accepted(cmd);
        self.overlay.prepare(device, cmd, scene.overlay, self.extent)?;
        self.culling.record_early(cmd, cull, &push, work);
        match shadows {
            true => self.shadows.record(cmd, shadow_pipelines, &push, &self.culling, stores, &scene.switches),
            false => self.shadows.skip(cmd),
        }
        let occlusion = culls_occluded(scene);
        self.targets.begin_opaque(cmd, HOLE_COLOR, !occlusion);
        opaque.record(cmd, &push, &self.culling, stores, &scene.switches, LIST_EARLY);
        if occlusion {
            self.targets.pause_opaque(cmd);
            // While the culling is frozen, so is what it sees.
            if scene.cull_camera.is_none() {
                self.pyramid.record(cmd, pyramid, &ScenePush { source_image: self.targets.depth_index(), ..push });
            }
            self.culling.record_late(cmd, cull, &push, work);
            self.targets.resume_opaque(cmd);
            opaque.record(cmd, &push, &self.culling, stores, &scene.switches, LIST_LATE);
        }
        sky.record(cmd, &push);
        if let Some(water) = water {
            water.record(cmd, &push, scene.chunks.len().min(CHUNKS_DRAWN_MAX as usize) as u32);
        }
        self.targets.end_opaque(cmd);
        tonemap.record(cmd, &push, &mut self.targets);
        overlay.record(cmd, &self.overlay);
        self.targets.end_output(cmd);
        self.culling.read_back(device, cmd)?;

        Ok(FrameStats { draws: cmd.calls().draws, ..self.stats(scene) })
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
        self.pyramid.resize(device, extent)?;
        self.extent = extent;
        Ok(())
    }

    /// What a slot holds: the bytes of its vertices and of its first instances. Waits for the GPU. For digests.
    pub fn read_chunk(&self, device: &mut Device, slot: Slot, instances: u32) -> Result<(Vec<u8>, Vec<u8>), GpuError> {
        let (slot, slot_bytes) = (u64::from(slot.0), self.ground.slot_bytes());
        let ground = device.read_buffer(self.ground.vertices(), slot * slot_bytes, slot_bytes)?;
        Ok((ground, device.read_buffer(self.instances.buffer(), slot * u64::from(INSTANCES_PER_CHUNK_MAX) * 8, u64::from(instances.max(1)) * 8)?))
    }

    /// Instances drawn in the view, by prop and level of detail; of a frame or two ago.
    pub fn drawn_by_prop(&self) -> Vec<[u32; PROP_LODS as usize]> {
        let counters = self.culling.counters();
        let of_list = |list: u32| &counters[(COUNTER_BUCKETS + list * terrane_shaders::shared::BUCKETS_MAX) as usize..];
        let (early, late) = (of_list(LIST_EARLY), of_list(LIST_LATE));
        let lods = PROP_LODS as usize;
        (0..self.fixed.bucket_count as usize / lods).map(|prop| std::array::from_fn(|lod| early[prop * lods + lod] + late[prop * lods + lod])).collect()
    }

    /// Makes every pipeline anew from other shaders. On an error the old ones stay. Waits for the GPU.
    pub fn reload_shaders(&mut self, device: &mut Device, shaders: ShaderSource) -> Result<(), GpuError> {
        let pipelines = Pipelines::new(device, self.samples, self.fixed.tiles > 0, shaders)?;
        device.wait_idle()?;
        std::mem::replace(&mut self.pipelines, pipelines).destroy(device);
        Ok(())
    }

    /// Ends everything. The device must be idle.
    pub fn destroy(self, device: &mut Device) {
        for frame in self.frames {
            frame.destroy(device);
        }
        self.culling.destroy(device);
        self.pyramid.destroy(device);
        self.shadows.destroy(device);
        self.ground.destroy(device);
        self.instances.destroy(device);
        self.props.destroy(device);
        self.materials.destroy(device);
        self.pipelines.destroy(device);
        self.targets.destroy(device);
        self.overlay.destroy(device);
    }

    fn write_frame(&mut self, device: &Device, scene: &Scene) -> ScenePush {
        self.last_frame = device.frame_index();
        let frame = &mut self.frames[self.last_frame];
        let constants = frame_constants(scene, self.extent, &self.fixed, self.pyramid.shape());
        frame.constants.slice_mut()[..size_of::<FrameConstants>()].copy_from_slice(constants.as_bytes());
        let (chunks, left_out) = draw_chunks(scene, self.instances.bounds(), &self.fixed);
        self.instances_left_out = left_out;
        let bytes = DrawChunk::slice_bytes(&chunks);
        frame.chunks.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        ScenePush {
            frame: frame.constants_index,
            chunks: frame.chunks_index,
            ground: self.ground.index(),
            instances: self.instances.index(),
            clusters: self.instances.clusters_index(),
            source_image: self.targets.resolved_index(),
            pyramid: self.pyramid.index(),
            ..self.culling.push(&self.props)
        }
    }

    /// Chunk data that was copied in this frame becomes readable.
    fn chunks_accepted(&self, cmd: &mut Cmd) {
        if self.upload_bytes > 0 {
            cmd.memory_barrier(
                (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE),
                (DRAW_STAGES | vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::SHADER_STORAGE_READ),
            );
        }
    }

    fn stats(&mut self, scene: &Scene) -> FrameStats {
        let counters = self.culling.counters();
        let (early, late) = (LIST_EARLY as usize, LIST_LATE as usize);
        let of_lists = |first: u32| &counters[first as usize..(first + LISTS) as usize];
        let (chunks, instances, dropped) = (of_lists(COUNTER_LIST_CHUNKS), of_lists(COUNTER_LIST_INSTANCES), of_lists(COUNTER_LIST_DROPPED));
        let of_cascades = |lists: &[u32]| std::array::from_fn::<_, { CASCADES as usize }, _>(|cascade| lists[LIST_SHADOW as usize + cascade]);
        FrameStats {
            chunks: scene.chunks.len() as u32,
            chunks_dropped: scene.chunks.len().saturating_sub(CHUNKS_DRAWN_MAX as usize) as u32,
            instances: scene.chunks.iter().map(|chunk| chunk.instance_count).sum(),
            chunks_drawn: chunks[early] + chunks[late],
            instances_drawn: instances[early] + instances[late],
            instances_dropped: dropped[early] + dropped[late] + self.instances_left_out,
            chunk_reasons: Reasons::of(&counters[COUNTER_CHUNKS as usize..]),
            instance_reasons: Reasons::of(&counters[COUNTER_INSTANCES as usize..]),
            shadow_chunks: of_cascades(chunks),
            shadow_instances: of_cascades(instances),
            shadow_instances_dropped: of_cascades(dropped),
            upload_bytes: std::mem::take(&mut self.upload_bytes),
            draws: 0,
            texture_bytes: self.materials.bytes(),
            overlay_draws: self.overlay.draw_count(),
            overlay_bytes: self.overlay.sent_bytes(),
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
