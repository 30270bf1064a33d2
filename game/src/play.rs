//! In: a window's events. Out: a flight through the world, until it is closed.
//! Never knows: how a frame is drawn or a chunk is made.

use crate::{
    cli::PlayArgs,
    config::Config,
    error::GameError,
    fly::{Controls, TICK_S},
    frame_report,
    input::{Action, Input},
    player::{Mode, Player, clock::Clock},
    png_out::{self, Pixels},
    screen::{Frame, Screen},
    session::{FrameDesc, SessionDesc, camera},
    settings_watch::SettingsWatcher,
    share::Share,
    shot,
};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use std::time::{Duration, Instant};
use terrane_gpu::ShowIn;
use terrane_render::{Camera, DebugView, FrameStats, Switches};
use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::{DeviceEvent, DeviceId, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    window::{CursorGrabMode, Fullscreen, Window, WindowId},
};

/// The title changes this often.
const TITLE_EVERY: Duration = Duration::from_millis(500);
/// A hidden window looks this often whether it still is.
const HIDDEN_WAIT: Duration = Duration::from_millis(50);
/// Steps of + and -.
const VIEW_DISTANCE_FACTOR: f32 = std::f32::consts::SQRT_2;
/// What + and - keep to, metres.
const VIEW_DISTANCE_RANGE_M: (f32, f32) = (512.0, 65_536.0);

/// Opens a window; without a display says so and renders a picture.
pub fn run(config: &Config, args: &PlayArgs) -> Result<(), GameError> {
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => return picture_instead(config, args, &error.to_string()),
    };
    event_loop.set_control_flow(ControlFlow::Poll);
    let mut app = App { config: config.clone(), args: args.clone(), running: None, failure: None };
    event_loop.run_app(&mut app).map_err(|error| GameError::Bug(format!("the event loop ended: {error}")))?;
    app.failure.map_or(Ok(()), Err)
}

fn picture_instead(config: &Config, args: &PlayArgs, reason: &str) -> Result<(), GameError> {
    let size = args.size.map_or((1280, 720), |size| (size.width, size.height));
    println!("No display ({reason}): rendering a picture to {} instead.", args.out.display());
    let desc = SessionDesc { extent: size, samples: args.samples.unwrap_or(4), validation: args.validation, ..SessionDesc::default() };
    shot::picture(config, args.pose.as_ref(), size, DebugView::None, &args.out, &desc)
}

struct App {
    config: Config,
    args: PlayArgs,
    running: Option<Running>,
    failure: Option<GameError>,
}

/// A window with a world in it.
struct Running {
    screen: Screen,
    /// The window's size, pixels.
    size: (u32, u32),
    player: Player,
    input: Input,
    watcher: Option<SettingsWatcher>,
    #[cfg(feature = "shaderc")]
    shaders: Option<crate::shader_watch::ShaderWatcher>,
    mouse_taken: bool,
    picture_wanted: bool,
    started: Instant,
    last_frame: Instant,
    clock: Clock,
    ticks: u64,
    frames: u64,
    title: Title,
    stats: FrameStats,
    inspection: Inspection,
    /// Goes last: the device's surface is made from it.
    window: Window,
}

/// What the F-keys have turned on and off.
#[derive(Clone, Copy, Default)]
struct Inspection {
    view: DebugView,
    switches: Switches,
    /// Where the culling was frozen.
    cull_camera: Option<Camera>,
}

struct Title {
    since: Instant,
    frames: u32,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.running.is_none() && self.failure.is_none() {
            match Running::open(event_loop, &self.config, &self.args) {
                Ok(running) => self.running = Some(running),
                Err(error) => self.fail(event_loop, error),
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(running) = &mut self.running else { return };
        let done = match &event {
            WindowEvent::CloseRequested => {
                event_loop.exit();
                Ok(())
            }
            WindowEvent::RedrawRequested => running.frame(&mut self.config),
            WindowEvent::Resized(size) => {
                running.size = (size.width, size.height);
                Ok(())
            }
            // Systems differ in whether they also tell the new size.
            WindowEvent::ScaleFactorChanged { .. } => {
                running.size = running.window.inner_size().into();
                Ok(())
            }
            _ => match running.input.event(&event) {
                Some(Action::Escape) if !running.mouse_taken => {
                    event_loop.exit();
                    Ok(())
                }
                Some(action) => running.act(action, &mut self.config),
                None => Ok(()),
            },
        };
        if self.args.frames.is_some_and(|frames| running.frames >= frames) {
            event_loop.exit();
        }
        if let Err(error) = done {
            self.fail(event_loop, error);
        }
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if let (Some(running), DeviceEvent::MouseMotion { delta: (dx, dy) }) = (&mut self.running, event)
            && running.mouse_taken
        {
            running.input.look(dx, dy);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(running) = &self.running else { return };
        event_loop.set_control_flow(if running.screen.is_hidden() { ControlFlow::wait_duration(HIDDEN_WAIT) } else { ControlFlow::Poll });
        running.window.request_redraw();
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        let Some(running) = self.running.take() else { return };
        if self.config.stats {
            frame_report::print(&running.stats);
        }
        println!("terrane play --share {}", running.share(&self.config));
        if let Err(error) = running.close() {
            self.failure.get_or_insert(error);
        }
    }
}

impl App {
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: GameError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }
}

impl Running {
    fn open(event_loop: &ActiveEventLoop, config: &Config, args: &PlayArgs) -> Result<Running, GameError> {
        let size = args.size.map_or(PhysicalSize::new(1280, 720), |size| PhysicalSize::new(size.width, size.height));
        let attributes =
            Window::default_attributes().with_title("Terrane").with_inner_size(size).with_fullscreen(args.full_screen.then_some(Fullscreen::Borderless(None)));
        let no_window = |error: &dyn std::fmt::Display| GameError::usage(format!("no window can be opened: {error}"), "`terrane shot` renders without one");
        let window = event_loop.create_window(attributes).map_err(|error| no_window(&error))?;
        let display = window.display_handle().map_err(|error| no_window(&error))?.as_raw();
        let handle = window.window_handle().map_err(|error| no_window(&error))?.as_raw();
        let size = window.inner_size().into();
        let show_in = Some(ShowIn::Window(display, handle));
        let desc = SessionDesc { extent: size, samples: args.samples.unwrap_or(4), validation: args.validation, window: show_in, ..SessionDesc::default() };
        let world = config.make_world()?;
        let start = shot::pose_camera(config, &world, args.pose.as_ref())?;
        let mode = if args.walk { Mode::Walk } else { config.start.map_or(Mode::Fly, |start| start.mode) };
        let player = Player::new(&world, &config.player, &start, mode)?;
        let screen = Screen::open(config, &desc, &start, !args.no_vsync)?;
        let now = Instant::now();
        Ok(Running {
            screen,
            size,
            player,
            input: Input::default(),
            watcher: SettingsWatcher::new(config),
            #[cfg(feature = "shaderc")]
            shaders: crate::shader_watch::ShaderWatcher::new(),
            mouse_taken: false,
            picture_wanted: false,
            started: now,
            last_frame: now,
            clock: Clock::default(),
            ticks: 0,
            frames: 0,
            title: Title { since: now, frames: 0 },
            stats: FrameStats::default(),
            inspection: Inspection::default(),
            window,
        })
    }

    /// One frame: settings that changed, the simulation's ticks, the stream, the picture.
    fn frame(&mut self, config: &mut Config) -> Result<(), GameError> {
        self.apply_new_settings(config)?;
        #[cfg(feature = "shaderc")]
        if let Some(shaders) = &mut self.shaders {
            let session = self.screen.session()?;
            shaders.poll(&mut session.device, &mut session.renderer);
        }
        self.simulate()?;
        let share = self.clock.share();
        let Inspection { view, switches, cull_camera } = self.inspection;
        let desc = FrameDesc { time_s: (self.ticks as f32 + share) * TICK_S, view, switches, cull_camera, ..FrameDesc::new(self.camera(share)) };
        match self.screen.frame(&desc, self.started.elapsed().as_secs_f64(), self.size)? {
            Frame::Shown(stats) => {
                self.stats = stats;
                // Only now is there a picture for sure: the renderer or its targets may just have been made anew.
                if std::mem::take(&mut self.picture_wanted) {
                    self.save_picture(config)?;
                }
            }
            Frame::Skipped => {}
            Frame::Hidden => {
                std::thread::sleep(HIDDEN_WAIT);
                self.size = self.window.inner_size().into();
            }
            // What it took is no time of the flight.
            Frame::Recovered => self.last_frame = Instant::now(),
        }
        self.frames += 1;
        self.tell_title(config)
    }

    /// The viewer, a share of the way from the last tick to the next.
    fn camera(&self, share: f32) -> Camera {
        let (place, yaw_rad, pitch_rad) = self.player.interpolated(share);
        Camera { yaw_rad, pitch_rad, ..camera(place, 0.0, 0.0) }
    }

    /// Ticks of fixed length, as many as time has passed, up to a few.
    fn simulate(&mut self) -> Result<(), GameError> {
        let world = &self.screen.session()?.world;
        let now = Instant::now();
        let ticks = self.clock.advance((now - self.last_frame).as_secs_f32());
        self.last_frame = now;
        self.player.prepare();
        // What the mouse did counts once, in the first tick.
        let mut controls = if ticks > 0 { self.input.take_controls() } else { Controls::default() };
        for _ in 0..ticks {
            self.player.tick(&controls, world);
            (controls.look_px, controls.wheel) = ([0.0; 2], 0.0);
        }
        self.ticks += u64::from(ticks);
        Ok(())
    }

    fn act(&mut self, action: Action, config: &mut Config) -> Result<(), GameError> {
        match action {
            Action::TakeMouse => self.take_mouse(true),
            Action::Escape => self.take_mouse(false),
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                self.window.set_fullscreen(full);
            }
            Action::Picture => self.picture_wanted = true,
            Action::ToggleWalk => self.player.set_mode(if self.player.mode() == Mode::Fly { Mode::Walk } else { Mode::Fly }),
            Action::Share => println!("{}", self.share(config)),
            Action::ShowLod => self.show(DebugView::Lod),
            Action::ShowCulling => self.show(DebugView::Culling),
            Action::FreezeCulling => {
                self.inspection.cull_camera = match self.inspection.cull_camera {
                    None => Some(self.camera(1.0)),
                    Some(_) => None,
                };
            }
            Action::Wireframe => self.inspection.switches.wireframe ^= true,
            Action::Shadows => self.inspection.switches.shadows ^= true,
            Action::Occlusion => self.inspection.switches.occlusion ^= true,
            Action::Farther => self.set_view_distance(config, config.view_distance_m * VIEW_DISTANCE_FACTOR)?,
            Action::Nearer => self.set_view_distance(config, config.view_distance_m / VIEW_DISTANCE_FACTOR)?,
        }
        Ok(())
    }

    /// World, seed, settings, place and view in one text.
    fn share(&self, config: &Config) -> String {
        Share::of(config, &self.camera(1.0), self.player.mode()).text()
    }

    /// A debug view, or the picture again.
    fn show(&mut self, view: DebugView) {
        self.inspection.view = if self.inspection.view == view { DebugView::None } else { view };
    }

    /// X11 cannot lock a pointer; confined, it stops at the edge of the window, but its movements still arrive.
    fn take_mouse(&mut self, take: bool) {
        let grab = |mode| self.window.set_cursor_grab(mode);
        self.mouse_taken = take && grab(CursorGrabMode::Locked).or_else(|_| grab(CursorGrabMode::Confined)).is_ok();
        if !self.mouse_taken {
            let _ = grab(CursorGrabMode::None);
        }
        self.window.set_cursor_visible(!self.mouse_taken);
    }

    fn set_view_distance(&mut self, config: &mut Config, metres: f32) -> Result<(), GameError> {
        let metres = metres.clamp(VIEW_DISTANCE_RANGE_M.0, VIEW_DISTANCE_RANGE_M.1).round();
        if metres == config.view_distance_m {
            return Ok(());
        }
        let changed = Config { view_distance_m: metres, ..config.clone() };
        self.rebuild(config, changed)
    }

    fn apply_new_settings(&mut self, config: &mut Config) -> Result<(), GameError> {
        match self.watcher.as_mut().and_then(SettingsWatcher::poll) {
            None => Ok(()),
            Some(Ok(changed)) => self.rebuild(config, changed),
            Some(Err(error)) => {
                // The last good settings stay.
                eprintln!("{:?}", miette::Report::new(error));
                Ok(())
            }
        }
    }

    /// The world anew with other settings; if it cannot be, the old one goes on.
    fn rebuild(&mut self, config: &mut Config, changed: Config) -> Result<(), GameError> {
        let here = self.camera(1.0);
        match self.screen.rebuild(&changed, &here)? {
            Ok(()) => {
                self.player.enter(&self.screen.session()?.world, &changed.player)?;
                *config = changed;
            }
            Err(error) => eprintln!("{:?}", miette::Report::new(error)),
        }
        self.last_frame = Instant::now();
        Ok(())
    }

    /// F12: what is on the screen, as a PNG file of its own number.
    fn save_picture(&mut self, config: &Config) -> Result<(), GameError> {
        let folder = crate::paths::pictures();
        let path = (1..10_000).map(|n| folder.join(format!("terrane-{n:04}.png"))).find(|path| !path.exists());
        let Some(path) = path else { return Ok(()) };
        let session = self.screen.session()?;
        session.device.wait_idle()?;
        let pixels = session.device.read_image(session.renderer.output())?;
        let (width, height) = session.renderer.extent();
        let Camera { place, yaw_rad, pitch_rad, .. } = self.camera(1.0);
        let [x, y, z] = place.to_f64();
        let pose = format!("{x:.2},{y:.2},{z:.2},{:.1},{:.1}", yaw_rad.to_degrees(), pitch_rad.to_degrees());
        let notes = [("Seed", config.seed.0.to_string()), ("Pose", pose), ("Share", self.share(config))];
        // A folder that cannot be written is no reason to end the flight.
        match png_out::write(&path, width, height, Pixels::Rgba8(&pixels), &notes) {
            Ok(()) => println!("{}", path.display()),
            Err(error) => eprintln!("{:?}", miette::Report::new(error)),
        }
        Ok(())
    }

    fn tell_title(&mut self, config: &Config) -> Result<(), GameError> {
        self.title.frames += 1;
        let passed = self.title.since.elapsed();
        if passed < TITLE_EVERY {
            return Ok(());
        }
        let frame_ms = passed.as_secs_f64() * 1000.0 / f64::from(self.title.frames);
        let session = self.screen.session()?;
        let (jobs, view_distance_m) = (session.stream.job_stats(), session.quality().view_distance_m);
        self.window.set_title(&format!(
            "Terrane - {} - seed {} - {:.0} fps, {frame_ms:.1} ms - {} of {} chunks drawn, {} queued - {} of {} instances drawn - {:.0} m/s - view {:.0} m",
            config.world.name,
            config.seed_text,
            1000.0 / frame_ms,
            self.stats.chunks_drawn,
            self.stats.chunks,
            jobs.queued,
            self.stats.instances_drawn,
            self.stats.instances,
            self.player.speed_m_s(),
            view_distance_m,
        ));
        self.title = Title { since: Instant::now(), frames: 0 };
        Ok(())
    }

    fn close(self) -> Result<(), GameError> {
        let messages = self.screen.close()?;
        drop(self.window);
        if messages == 0 { Ok(()) } else { Err(GameError::Bug(format!("the validation layer has {messages} messages; they are in the log"))) }
    }
}
