//! In: settings, a window or none. Out: a world that can be looked at: device, renderer and stream together.
//! Never knows: input, files. `play` and `shot` and the tests of pictures all draw through this.

use crate::{
    config::Config,
    error::GameError,
    host_memory,
    measure::{FrameRecord, Meter, Phase},
    plan::{Art, Plan, count_rebuild, tell_step},
    quality::Quality,
    stream::{Progress, Stream},
    worlds::WorldInstance,
};
use terrane_gpu::{Cmd, Device, Fault, GpuError, ShowIn};
use terrane_render::{Camera, CullLimits, DebugView, FrameStats, Look, NoiseCheck, OverlayPicture, Renderer, Scene, Switches};
use terrane_worldgen::rings::Viewer;

/// Vertical angle of view, degrees.
const FOV_Y_DEG: f32 = 60.0;
/// Nearest distance that is drawn, metres.
const NEAR_M: f32 = 0.1;
/// Share of a slow frame that chunks may take to go to the GPU: 1/32 of a second that a software driver draws are thirty chunks.
const ACCEPT_SHARE: f64 = 1.0 / 32.0;
/// A device that is lost is opened anew this often; one that is lost again after that is broken.
pub const REBUILDS_MAX: u32 = 2;

/// What a session is opened with.
#[derive(Clone, Debug, Default)]
pub struct SessionDesc {
    /// Size of the picture, pixels.
    pub extent: (u32, u32),
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// Whether Vulkan's use is checked.
    pub validation: bool,
    /// Where pictures are shown; nowhere without.
    pub window: Option<ShowIn>,
    /// Whether shaders are checked too while they run. Very slow.
    pub gpu_assisted: bool,
    /// For tests: features and limits without which the device is used, by name.
    pub without: Vec<&'static str>,
    /// For tests: calls that are to fail on the first device, on the one after it, ...
    pub faults: Vec<Vec<Fault>>,
    /// Capacities of what is drawn.
    pub limits: CullLimits,
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
    /// What is drawn over the picture; nothing while it is empty.
    pub overlay: OverlayPicture,
    /// What frames cost.
    pub meter: Meter,
    pub(crate) plan: Plan,
    pub(crate) morph_ranges_m: Vec<(f32, f32)>,
    /// The counters of the last frame that was recorded.
    pub(crate) last_stats: FrameStats,
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
    /// What is done and drawn.
    pub switches: Switches,
    /// Where the culling looks from, if it is frozen there.
    pub cull_camera: Option<Camera>,
    /// For tests: scales the distances at which props change their mesh, thin out and end.
    pub prop_distance_scale: f32,
}

impl FrameDesc {
    /// The plain picture from a camera.
    pub fn new(camera: Camera) -> FrameDesc {
        FrameDesc { camera, time_s: 0.0, view: DebugView::None, switches: Switches::default(), cull_camera: None, prop_distance_scale: 1.0 }
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
        let (art, quality) = (Art::draw(&world), Quality::full(config.view_distance_m));
        Plan { config: config.clone(), desc: desc.clone(), world, art, quality, rebuilds: 0, messages: 0 }.open()
    }

    /// The same device with another view distance or other settings. What was made is made anew.
    pub fn rebuild(&mut self, config: &Config) -> Result<(), GameError> {
        let world = config.make_world()?;
        self.device.wait_idle()?;
        let art = self.plan.art.clone().for_world(&world);
        let desc = self.plan.desc.clone();
        let mut plan = Plan {
            config: config.clone(),
            desc,
            world,
            art,
            quality: Quality::full(config.view_distance_m),
            rebuilds: self.plan.rebuilds,
            messages: self.plan.messages,
        };
        // The new one first: if it cannot be made, the old one goes on. Until then there are both, which the budget allows for that moment.
        // There is one ring for staging: it counts once.
        let of_this = self.device.memory_budget().used_bytes - self.device.staging_local_bytes();
        let both = config.device_memory_bytes().map(|bytes| bytes + of_this);
        self.device.set_memory_bytes_max(both);
        let made = plan.make_within_memory(&mut self.device);
        self.device.set_memory_bytes_max(match made {
            Ok(_) => config.device_memory_bytes(),
            Err(_) => self.plan.config.device_memory_bytes(),
        });
        let (stream, renderer) = made?;
        std::mem::replace(&mut self.renderer, renderer).destroy(&mut self.device);
        (self.stream, self.look, self.world, self.plan) = (stream, plan.world.look, plan.world.clone(), plan);
        self.morph_ranges_m = self.stream.morph_ranges_m();
        Ok(())
    }

    /// Other budgets of memory and upload from now on; nothing is made anew. Above a smaller budget the world steps down.
    pub fn set_budgets(&mut self, config: &Config) {
        self.renderer.set_upload_bytes_max(config.upload_bytes_per_frame);
        self.device.set_memory_bytes_max(config.device_memory_bytes());
        self.meter.set_host_memory_mb(config.host_memory_mb);
        let ours = &mut self.plan.config;
        ours.upload_bytes_per_frame = config.upload_bytes_per_frame;
        (ours.device_memory_mb, ours.host_memory_mb) = (config.device_memory_mb, config.host_memory_mb);
    }

    /// Goes on after an error that ended a frame: on a new device if this one is lost, with less if memory is short. The world, its settings and
    /// the size of the picture stay; all chunks are asked for again. Any other error, or one too many, is given back, and the session has ended.
    /// A swapchain of this session must have ended before.
    pub fn recover(self, error: GameError) -> Result<Session, GameError> {
        let Session { mut device, renderer, stream, mut plan, look, overlay, .. } = self;
        // Workers end while the device does.
        drop(stream);
        // What is in flight is dropped: a device that cannot be waited for is lost, and a lost one is idle.
        let _ = device.wait_idle();
        renderer.destroy(&mut device);
        let recovered = match (error, plan.quality.lower()) {
            (GameError::Gpu(GpuError::DeviceLost { zone }), _) => {
                plan.messages += device.destroy()?;
                plan.rebuilds = count_rebuild(&zone, plan.rebuilds)?;
                plan.open()
            }
            (GameError::Gpu(GpuError::OutOfMemory { name, .. }), Some(lower)) => {
                plan.quality = lower;
                tell_step(&name, lower);
                plan.on_device(device)
            }
            (error, _) => {
                device.destroy()?;
                Err(error)
            }
        };
        recovered.map(|session| Session { look, overlay, ..session })
    }

    /// Whether an error is one that `recover` may help with.
    pub fn can_recover(error: &GameError) -> bool {
        matches!(error, GameError::Gpu(GpuError::DeviceLost { .. } | GpuError::OutOfMemory { .. }))
    }

    /// Which budget is used up, if one is: to be asked about once a second. `recover` from it gives something up.
    pub fn memory_short(&self) -> Option<GameError> {
        let short = |name: &str, bytes| Some(GpuError::OutOfMemory { name: name.to_owned(), bytes }.into());
        let device = self.device.memory_budget();
        if device.used_bytes > device.budget_bytes {
            return short("the budget of the device's memory", device.budget_bytes);
        }
        match (host_memory::used_bytes(), host_memory::budget_bytes(self.plan.config.host_memory_mb)) {
            (Some(used), Some(budget)) if used > budget => short("the budget of the host's memory", budget),
            _ => None,
        }
    }

    /// What the world is drawn with: less than was asked for when memory is short.
    pub fn quality(&self) -> Quality {
        self.plan.quality
    }

    /// The names of its plants and stones, in their order.
    pub fn prop_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.plan.art.prop_names()
    }

    /// How often the device was lost and opened anew.
    pub fn rebuilds(&self) -> u32 {
        self.plan.rebuilds
    }

    /// Makes the picture another size. Outside a frame.
    pub fn resize(&mut self, extent: (u32, u32)) -> Result<(), GameError> {
        self.device.all_or_nothing(|device| self.renderer.resize(device, extent))?;
        self.plan.desc.extent = self.renderer.extent();
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
                self.meter.restart();
                return Ok(());
            }
            let cmd = self.device.begin_frame()?;
            self.submit_without_picture(cmd)?;
            // Workers make more while this thread sleeps a little; a window's frame would sleep in its present.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// The first part of a frame: what is wanted from there, what is finished, what will be drawn. `now_s` is the time of the simulation.
    pub fn tick(&mut self, camera: &Camera, now_s: f64) {
        let task = self.meter.begin(Phase::Tick);
        let viewer = self.viewer(camera);
        self.stream.tick(viewer, now_s);
        self.meter.end(Phase::Tick, task);
    }

    /// The second: waits until the GPU is done with the frame whose buffers this one takes.
    pub fn begin_frame(&mut self) -> Result<Cmd, GameError> {
        let task = self.meter.begin(Phase::Wait);
        let cmd = self.device.begin_frame()?;
        self.meter.end(Phase::Wait, task);
        Ok(cmd)
    }

    /// A whole frame that is shown nowhere, from the tick to its submission; what it cost and did.
    pub fn frame(&mut self, desc: &FrameDesc, now_s: f64) -> Result<&FrameRecord, GameError> {
        self.tick(&desc.camera, now_s);
        let mut cmd = self.begin_frame()?;
        let stats = self.record(&mut cmd, desc)?;
        let task = self.meter.begin(Phase::Submit);
        self.device.submit_frame(cmd)?;
        self.meter.end(Phase::Submit, task);
        Ok(self.end_frame(stats))
    }

    /// The same without a picture: chunks come and go, and nothing is drawn.
    pub fn stream_frame(&mut self, camera: &Camera, now_s: f64) -> Result<&FrameRecord, GameError> {
        self.tick(camera, now_s);
        let mut cmd = self.begin_frame()?;
        self.accept(&mut cmd)?;
        let upload_bytes = self.renderer.finish_uploads(&mut cmd);
        let task = self.meter.begin(Phase::Submit);
        self.device.submit_frame(cmd)?;
        self.meter.end(Phase::Submit, task);
        Ok(self.end_frame(FrameStats { upload_bytes, ..FrameStats::default() }))
    }

    /// The end of a frame whose picture is on its way: all that is known of it.
    pub fn end_frame(&mut self, stats: FrameStats) -> &FrameRecord {
        terrane_profiling::frame_mark();
        self.meter.end_frame(&self.device, stats, self.stream.states())
    }

    /// A frame that draws nothing: finished chunks move to the GPU.
    pub fn submit_without_picture(&mut self, mut cmd: Cmd) -> Result<(), GameError> {
        self.stream.accept(&mut self.device, &mut cmd, &mut self.renderer, None)?;
        self.renderer.finish_uploads(&mut cmd);
        self.device.submit_frame(cmd)?;
        self.plot_stream();
        Ok(())
    }

    /// Records one frame: what is finished moves to the GPU, then everything is drawn.
    pub fn record(&mut self, cmd: &mut Cmd, desc: &FrameDesc) -> Result<FrameStats, GameError> {
        self.accept(cmd)?;
        let task = self.meter.begin(Phase::Record);
        let viewer = self.viewer(&desc.camera);
        let scene = Scene {
            camera: desc.camera,
            cull_camera: desc.cull_camera,
            eye_m: viewer.eye_m,
            chunks: self.stream.cut(),
            morph_range_m: &self.morph_ranges_m,
            view_distance_m: self.plan.quality.view_distance_m,
            look: self.look,
            time_s: desc.time_s,
            view: desc.view,
            switches: Switches { shadows: desc.switches.shadows && self.plan.config.shadow_resolution > 0, ..desc.switches },
            prop_distance_scale: desc.prop_distance_scale,
            overlay: (!self.overlay.primitives.is_empty()).then_some(&self.overlay),
        };
        let stats = self.renderer.frame(&mut self.device, cmd, &scene)?;
        self.meter.end(Phase::Record, task);
        self.meter.recorded(cmd.calls());
        self.last_stats = stats;
        self.plot_stream();
        Ok(stats)
    }

    /// Chunks go to the GPU, for as long as the settings say, or a share of a slow frame.
    fn accept(&mut self, cmd: &mut Cmd) -> Result<(), GameError> {
        let task = self.meter.begin(Phase::Accept);
        let frame_ms = self.meter.last().map_or(0.0, |record| record.wall_ms);
        let ms_max = self.plan.config.accept_ms_per_frame.max(frame_ms * ACCEPT_SHARE);
        self.stream.accept(&mut self.device, cmd, &mut self.renderer, Some(ms_max))?;
        self.meter.end(Phase::Accept, task);
        Ok(())
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
        drop(self.stream);
        // A lost device still ends in order.
        let idle = self.device.wait_idle();
        self.renderer.destroy(&mut self.device);
        let messages = self.plan.messages + self.device.destroy()?;
        idle?;
        Ok(messages)
    }
}
