//! In: settings, a world, what a session is opened with. Out: the device and all that is on it, as often as it has to be made.
//! Never knows: frames. A device that is lost meanwhile is opened again; what does not fit in its memory is made smaller.

use crate::{
    chunk_graph::ChunkContext,
    config::Config,
    error::GameError,
    measure::Meter,
    paths,
    quality::Quality,
    session::{REBUILDS_MAX, Session, SessionDesc},
    stream::Stream,
    worlds::{Ground, WorldInstance},
};
use std::sync::Arc;
use terrane_gpu::{Device, DeviceRequest, GpuError, Validation};
use terrane_render::{FrameStats, GroundDesc, NoiseCheck, OverlayPicture, Renderer, RendererDesc, built_in_shaders};
use terrane_worldgen::{props::Prop, texture::MaterialLayer};

/// The least shadow map: without shadows there still is one, which nobody draws or reads.
const SHADOW_EDGE_MIN: u32 = 16;

/// All that a session is made from, so that it can be made again.
pub(crate) struct Plan {
    pub config: Config,
    pub desc: SessionDesc,
    pub world: WorldInstance,
    pub art: Art,
    pub quality: Quality,
    /// How often a lost device was opened again.
    pub rebuilds: u32,
    /// Messages of the validation layer on the devices before this one.
    pub messages: u64,
}

impl Plan {
    /// Opens a device and everything on it; on a new one if it is lost meanwhile.
    pub(crate) fn open(mut self) -> Result<Session, GameError> {
        loop {
            let device = match self.open_device() {
                Ok(device) => device,
                Err(GpuError::DeviceLost { zone }) => {
                    self.rebuilds = count_rebuild(&zone, self.rebuilds)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            match self.make(device) {
                Ok((device, stream, renderer)) => return Ok(self.session(device, stream, renderer)),
                Err(GameError::Gpu(GpuError::DeviceLost { zone })) => self.rebuilds = count_rebuild(&zone, self.rebuilds)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Everything on a device that is there already.
    pub(crate) fn on_device(mut self, device: Device) -> Result<Session, GameError> {
        match self.make(device) {
            Ok((device, stream, renderer)) => Ok(self.session(device, stream, renderer)),
            Err(GameError::Gpu(GpuError::DeviceLost { zone })) => {
                self.rebuilds = count_rebuild(&zone, self.rebuilds)?;
                self.open()
            }
            Err(error) => Err(error),
        }
    }

    fn open_device(&self) -> Result<Device, GpuError> {
        let (config, desc) = (&self.config, &self.desc);
        Device::new(&DeviceRequest {
            driver: config.driver.as_deref(),
            validation: match (desc.validation, desc.gpu_assisted) {
                (_, true) => Validation::GpuAssisted,
                (true, false) => Validation::On,
                (false, false) => Validation::Off,
            },
            window: desc.window,
            frames_in_flight: config.frames_in_flight,
            cache_dir: paths::cache(),
            portable: config.portable,
            without: &desc.without,
            memory_bytes_max: config.device_memory_bytes(),
            faults: desc.faults.get(self.rebuilds as usize).map_or(&[], Vec::as_slice),
            ..DeviceRequest::default()
        })
    }

    /// Stream and renderer, with as much as there is memory for. The device ends if there is not enough for anything.
    fn make(&mut self, mut device: Device) -> Result<(Device, Stream, Renderer), GameError> {
        match self.make_within_memory(&mut device) {
            Ok((stream, renderer)) => Ok((device, stream, renderer)),
            Err(error) => {
                // The reason is told, not what else is wrong with a device that could not be used.
                let _ = device.destroy();
                Err(error)
            }
        }
    }

    pub(crate) fn make_within_memory(&mut self, device: &mut Device) -> Result<(Stream, Renderer), GameError> {
        loop {
            let stream = self.make_stream()?;
            match device.all_or_nothing(|device| self.make_renderer(device, &stream)) {
                Ok(renderer) => return Ok((stream, renderer)),
                Err(GpuError::OutOfMemory { name, bytes }) => {
                    self.quality = self.quality.lower().ok_or_else(|| GpuError::OutOfMemory { name: name.clone(), bytes })?;
                    tell_step(&name, self.quality);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn make_stream(&self) -> Result<Stream, GameError> {
        let params = self.world.ring_params(self.quality.view_distance_m);
        Stream::new(ChunkContext::new(self.world.clone()), params, self.config.threads)
    }

    fn make_renderer(&self, device: &mut Device, stream: &Stream) -> Result<Renderer, GpuError> {
        let (Art { layers, props, .. }, desc) = (&self.art, &self.desc);
        let keep = self.world.keep_of_props(props.len());
        let chunk_slots = stream.slots_max() as u32 + self.quality.spare_slots;
        let shadow_edge = self.config.shadow_resolution.max(SHADOW_EDGE_MIN);
        let (extent, samples, limits) = (desc.extent, desc.samples, self.quality.limits(desc.limits));
        let (upload_bytes_max, staging_bytes) = self.quality.upload_bytes(self.config.upload_bytes_per_frame);
        let ground = match layers {
            Layers::Drawn(layers, _) => GroundDesc::Layers(layers),
            Layers::None { tiles } => GroundDesc::Tiles(*tiles),
        };
        device.set_staging_bytes(staging_bytes)?;
        Renderer::new(device, &RendererDesc { extent, samples, shadow_edge, limits, chunk_slots, upload_bytes_max, props, keep: &keep, ground })
    }

    fn session(self, mut device: Device, stream: Stream, renderer: Renderer) -> Session {
        let noise_check = NoiseCheck::at_start(&mut device, &built_in_shaders);
        let (world, look, morph_ranges_m) = (self.world.clone(), self.world.look, stream.morph_ranges_m());
        let meter = Meter::new(self.config.host_memory_mb);
        Session {
            device,
            renderer,
            stream,
            world,
            look,
            noise_check,
            meter,
            overlay: OverlayPicture::default(),
            plan: self,
            morph_ranges_m,
            last_stats: FrameStats::default(),
        }
    }
}

/// What a world's textures and plants look like: drawn once, and kept because a device may have to be filled again.
#[derive(Clone)]
pub(crate) struct Art {
    layers: Layers,
    props: Arc<[Prop]>,
    seed: u32,
    draw_props: fn(u32) -> Vec<Prop>,
}

/// The textures of the ground, and what drew them.
#[derive(Clone)]
enum Layers {
    Drawn(Arc<[MaterialLayer; 3]>, fn(u32) -> [MaterialLayer; 3]),
    /// A ground of tiles has none.
    None {
        tiles: u32,
    },
}

impl Layers {
    fn draw(ground: &Ground, seed: u32) -> Layers {
        match ground {
            Ground::Layers(draw) => Layers::Drawn(Arc::new(draw(seed)), *draw),
            Ground::Tiles(ground) => Layers::None { tiles: ground.tiles },
        }
    }

    fn are_of(&self, ground: &Ground) -> bool {
        match (self, ground) {
            (Layers::Drawn(_, drawn_by), Ground::Layers(draw)) => std::ptr::fn_addr_eq(*drawn_by, *draw),
            (Layers::None { tiles }, Ground::Tiles(ground)) => *tiles == ground.tiles,
            _ => false,
        }
    }
}

impl Art {
    pub(crate) fn draw(world: &WorldInstance) -> Art {
        let _zone = terrane_profiling::stage("draw textures").enter();
        let seed = world.art_seed;
        Art { layers: Layers::draw(&world.ground, seed), props: (world.props)(seed).into(), seed, draw_props: world.props }
    }

    pub(crate) fn prop_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.props.iter().map(|prop| prop.name)
    }

    /// The same if it is that world's, else drawn anew.
    pub(crate) fn for_world(self, world: &WorldInstance) -> Art {
        let by_same = self.layers.are_of(&world.ground) && std::ptr::fn_addr_eq(self.draw_props, world.props);
        let same = by_same && self.seed == world.art_seed;
        if same { self } else { Art::draw(world) }
    }
}

/// Says that a device is lost, and whether it is opened again.
pub(crate) fn count_rebuild(zone: &str, rebuilds: u32) -> Result<u32, GameError> {
    if rebuilds >= REBUILDS_MAX {
        return Err(GameError::DeviceLost { zone: zone.to_owned(), rebuilds });
    }
    tracing::warn!("the GPU was lost during '{zone}' and is opened again, {} of {REBUILDS_MAX} times", rebuilds + 1);
    Ok(rebuilds + 1)
}

pub(crate) fn tell_step(what: &str, lower: Quality) {
    tracing::warn!(
        "memory is short ({what}): step {} down, with {} spare slots and a view distance of {} m",
        lower.steps,
        lower.spare_slots,
        lower.view_distance_m
    );
}
