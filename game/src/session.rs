//! In: settings, a window or none. Out: a world that can be looked at: device, renderer and stream together.
//! Never knows: input, files. `play` and `shot` and the tests of pictures all draw through this.

use crate::{
    chunk_graph::ChunkContext,
    config::Config,
    error::GameError,
    paths,
    stream::{Progress, Stream},
    worlds::WorldInstance,
};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};
use terrane_gpu::{Cmd, Device, DeviceRequest, Validation};
use terrane_render::{Camera, DebugView, FrameStats, Look, NoiseCheck, Renderer, RendererDesc, Scene, Switches, built_in_shaders};
use terrane_worldgen::rings::{RingParams, Viewer};

/// Vertical angle of view, degrees.
const FOV_Y_DEG: f32 = 60.0;
/// Nearest distance that is drawn, metres.
const NEAR_M: f32 = 0.1;
/// Slots beyond what the rings can need: chunks that are given back are free one frame later.
const SPARE_SLOTS: usize = 32;

/// What a session is opened with.
#[derive(Clone, Debug, Default)]
pub struct SessionDesc {
    /// Size of the picture, pixels.
    pub extent: (u32, u32),
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// Whether Vulkan's use is checked.
    pub validation: bool,
    /// The window to show pictures in.
    pub window: Option<(RawDisplayHandle, RawWindowHandle)>,
}

/// A world that can be looked at.
pub struct Session {
    /// The GPU.
    pub device: Device,
    /// What draws.
    pub renderer: Renderer,
    /// Where chunks come from.
    pub stream: Stream,
    /// The world.
    pub world: WorldInstance,
    /// Its light; changes apply to the next frame.
    pub look: Look,
    /// Whether the GPU may generate; else the CPU does.
    pub noise_check: NoiseCheck,
    view_distance_m: f32,
    samples: u32,
    morph_ranges_m: Vec<(f32, f32)>,
    record_stage: &'static terrane_profiling::Stage,
}

/// What one frame shows.
#[derive(Clone, Copy, Debug)]
pub struct FrameDesc {
    /// The viewer.
    pub camera: Camera,
    /// Seconds since the start, for wind and clouds.
    pub time_s: f32,
    /// What is painted.
    pub view: DebugView,
    /// Optimisations.
    pub switches: Switches,
}

impl FrameDesc {
    /// The plain picture from a camera.
    pub fn new(camera: Camera) -> FrameDesc {
        FrameDesc { camera, time_s: 0.0, view: DebugView::None, switches: Switches::default() }
    }
}

/// A camera at a place with the usual angle of view; degrees.
pub fn camera(place: terrane_base::Place, yaw_deg: f64, pitch_deg: f64) -> Camera {
    Camera { place, yaw_rad: yaw_deg.to_radians() as f32, pitch_rad: pitch_deg.to_radians() as f32, fov_y_rad: FOV_Y_DEG.to_radians(), near_m: NEAR_M }
}

impl Session {
    /// Opens the device, draws the textures, starts the workers.
    pub fn open(config: &Config, desc: &SessionDesc) -> Result<Session, GameError> {
        Session::open_world(config, config.make_world()?, desc)
    }

    /// The same with a world that is in no table: tests bring their own.
    pub fn open_world(config: &Config, world: WorldInstance, desc: &SessionDesc) -> Result<Session, GameError> {
        let mut device = Device::new(&DeviceRequest {
            driver: config.driver.as_deref(),
            validation: if desc.validation { Validation::On } else { Validation::Off },
            window: desc.window,
            cache_dir: paths::cache(),
            ..DeviceRequest::default()
        })?;
        let noise_check = NoiseCheck::at_start(&mut device, &built_in_shaders);
        let stream = make_stream(config, &world)?;
        let renderer = make_renderer(&mut device, &world, &stream, desc.extent, desc.samples)?;
        let morph_ranges_m = stream.morph_ranges_m();
        let (look, view_distance_m, samples) = (world.look, config.view_distance_m, desc.samples);
        Ok(Session {
            device,
            renderer,
            stream,
            look,
            noise_check,
            world,
            view_distance_m,
            samples,
            morph_ranges_m,
            record_stage: terrane_profiling::stage("record frame"),
        })
    }

    /// The same device with another view distance or other settings. What was made is made anew.
    pub fn rebuild(&mut self, config: &Config) -> Result<(), GameError> {
        let world = config.make_world()?;
        let stream = make_stream(config, &world)?;
        self.device.wait_idle()?;
        let extent = self.renderer.extent();
        // The new one first: if it does not fit, the old one goes on.
        let renderer = make_renderer(&mut self.device, &world, &stream, extent, self.samples)?;
        std::mem::replace(&mut self.renderer, renderer).destroy(&mut self.device);
        (self.stream, self.look, self.world, self.view_distance_m) = (stream, world.look, world, config.view_distance_m);
        self.morph_ranges_m = self.stream.morph_ranges_m();
        Ok(())
    }

    /// The viewer of a camera: its height over the ground counts as distance.
    pub fn viewer(&self, camera: &Camera) -> Viewer {
        let [x, y, z] = camera.place.to_f64();
        Viewer { place: camera.place, eye_m: (y - self.world.height_at(x, z)).max(0.0) as f32 }
    }

    /// Makes everything that is wanted from here resident, with `progress` told now and then. For pictures.
    pub fn settle(&mut self, camera: &Camera, progress: impl FnMut(Progress)) -> Result<(), GameError> {
        self.stream_until(camera, Stream::is_complete, progress)
    }

    /// Makes the coarsest level resident: from then on the ground has no hole.
    pub fn settle_whole(&mut self, camera: &Camera) -> Result<(), GameError> {
        self.stream_until(camera, Stream::is_whole, |_| ())
    }

    fn stream_until(&mut self, camera: &Camera, done: fn(&Stream) -> bool, mut progress: impl FnMut(Progress)) -> Result<(), GameError> {
        let viewer = self.viewer(camera);
        loop {
            self.stream.tick(viewer, 0.0);
            if let Some(failure) = self.stream.take_failures().first() {
                return Err(GameError::Bug(format!("the job '{}' of chunk {} panicked: {}", failure.job, failure.key, failure.message)));
            }
            progress(self.stream.progress());
            if done(&self.stream) {
                // Late arrivals have long grown when a picture is taken.
                self.stream.tick(viewer, f64::from(u32::MAX));
                return Ok(());
            }
            let cmd = self.device.begin_frame()?;
            self.submit_without_picture(cmd)?;
            // Workers make more while this thread sleeps a little; a window's frame would sleep in its present.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// A frame that draws nothing: finished chunks move to the GPU.
    pub fn submit_without_picture(&mut self, mut cmd: Cmd) -> Result<(), GameError> {
        self.stream.accept(&mut self.device, &mut cmd, &mut self.renderer)?;
        self.renderer.finish_uploads(&mut cmd);
        self.device.submit_frame(cmd)?;
        self.plot_stream();
        Ok(())
    }

    /// Records one frame: what is finished moves to the GPU, then everything is drawn.
    pub fn record(&mut self, cmd: &mut Cmd, desc: &FrameDesc) -> Result<FrameStats, GameError> {
        let _zone = self.record_stage.enter();
        let viewer = self.viewer(&desc.camera);
        self.stream.accept(&mut self.device, cmd, &mut self.renderer)?;
        let scene = Scene {
            camera: desc.camera,
            eye_m: viewer.eye_m,
            chunks: self.stream.cut(),
            morph_range_m: &self.morph_ranges_m,
            view_distance_m: self.view_distance_m,
            look: self.look,
            time_s: desc.time_s,
            view: desc.view,
            switches: desc.switches,
        };
        let stats = self.renderer.frame(&mut self.device, cmd, &scene)?;
        self.plot_stream();
        terrane_profiling::plot("instances drawn", f64::from(stats.instances_drawn));
        terrane_profiling::plot("upload bytes", stats.upload_bytes as f64);
        Ok(stats)
    }

    /// Where the stream is, on the profiler's time axis.
    fn plot_stream(&self) {
        terrane_profiling::plot("chunks queued", self.stream.job_stats().queued as f64);
        terrane_profiling::plot("chunks resident", self.stream.progress().resident as f64);
    }

    /// Draws one frame and reads it: RGBA, row by row from the top.
    pub fn picture(&mut self, desc: &FrameDesc) -> Result<Vec<u8>, GameError> {
        let mut cmd = self.device.begin_frame()?;
        self.record(&mut cmd, desc)?;
        let value = self.device.submit_frame(cmd)?;
        self.device.wait(value)?;
        terrane_profiling::frame_mark();
        Ok(self.device.read_image(self.renderer.output())?)
    }

    /// Ends everything; what was forgotten is an error. Gives the number of validation messages.
    pub fn close(mut self) -> Result<u64, GameError> {
        self.device.wait_idle()?;
        self.renderer.destroy(&mut self.device);
        drop(self.stream);
        Ok(self.device.destroy()?)
    }
}

fn make_stream(config: &Config, world: &WorldInstance) -> Result<Stream, GameError> {
    let params = RingParams::new(config.world.shape, config.view_distance_m);
    Stream::new(ChunkContext::new(world.clone()), params, config.threads)
}

fn make_renderer(device: &mut Device, world: &WorldInstance, stream: &Stream, extent: (u32, u32), samples: u32) -> Result<Renderer, GameError> {
    let (layers, props) = {
        let _zone = terrane_profiling::stage("draw textures").enter();
        ((world.layers)(world.art_seed), (world.props)(world.art_seed))
    };
    let keep = keep_of_props(world, props.len());
    let chunk_slots = (stream.slots_max() + SPARE_SLOTS) as u32;
    Ok(Renderer::new(device, &RendererDesc { extent, samples, chunk_slots, props: &props, keep: &keep, layers: &layers })?)
}

/// For each prop, the shares that its kind keeps at each level.
fn keep_of_props(world: &WorldInstance, count: usize) -> Vec<[f32; 6]> {
    let mut keep = vec![[0.0f32; 6]; count];
    for kind in &world.scatter_kinds {
        for prop in kind.props[0]..kind.props[0].saturating_add(kind.props[1].max(1)) {
            if let Some(shares) = keep.get_mut(usize::from(prop)) {
                shares.iter_mut().zip(kind.keep).for_each(|(share, kept)| *share = share.max(kept));
            }
        }
    }
    keep
}
