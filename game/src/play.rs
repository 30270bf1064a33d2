//! In: a window's events. Out: a flight through the world, until it is closed.
//! Never knows: how a frame is drawn or a chunk is made.

mod told;

use crate::{
    cli::PlayArgs,
    config::Config,
    error::GameError,
    fly::{Flyer, TICK_S},
    frame_report,
    input::{Action, Input},
    inspection::Inspection,
    overlay::Change,
    screen::{Frame, Screen},
    session::{FrameDesc, SessionDesc, camera},
    settings::Value,
    settings_edit,
    settings_watch::SettingsWatcher,
    shot::{self, Subject},
};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use std::time::{Duration, Instant};
use terrane_gpu::ShowIn;
use terrane_render::{Camera, FrameStats};
use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::{DeviceEvent, DeviceId, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    window::{CursorGrabMode, Fullscreen, Window, WindowId},
};

/// Ticks that one frame catches up at most; a longer pause is forgotten.
const TICKS_PER_FRAME_MAX: u32 = 4;
/// The eye stays at least this far over the ground, metres.
const EYE_OVER_GROUND_M: f64 = 1.7;
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
    shot::picture(config, &Subject { pose: args.pose.as_ref(), ..Subject::default() }, &args.out, &desc)
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
    flyer: Flyer,
    input: Input,
    watcher: Option<SettingsWatcher>,
    #[cfg(feature = "shaderc")]
    shaders: Option<crate::shader_watch::ShaderWatcher>,
    mouse_taken: bool,
    picture_wanted: bool,
    started: Instant,
    last_frame: Instant,
    unsimulated_s: f32,
    ticks: u64,
    frames: u64,
    title: Title,
    stats: FrameStats,
    inspection: Inspection,
    /// Goes last: the device's surface is made from it.
    window: Window,
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
        let taken = running.inspection.takes(&running.window, &event, running.mouse_taken);
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
            _ if taken => Ok(()),
            _ => match running.input.event(&event) {
                Some(Action::Escape) if !running.mouse_taken && running.inspection.close_keys() => Ok(()),
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
        let start = shot::pose_camera(config, &config.make_world()?, args.pose.as_ref())?;
        let screen = Screen::open(config, &desc, &start, !args.no_vsync)?;
        let now = Instant::now();
        Ok(Running {
            screen,
            size,
            flyer: Flyer::new(start.place, start.yaw_rad, start.pitch_rad),
            input: Input::default(),
            watcher: SettingsWatcher::new(config),
            #[cfg(feature = "shaderc")]
            shaders: crate::shader_watch::ShaderWatcher::new(),
            mouse_taken: false,
            picture_wanted: false,
            started: now,
            last_frame: now,
            unsimulated_s: 0.0,
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
        let share = self.unsimulated_s / TICK_S;
        let camera = self.camera(share);
        for change in self.inspection.draw(&self.window, self.screen.session()?, config, &camera) {
            self.change(change, config)?;
        }
        let Inspection { view, switches, cull_camera, .. } = self.inspection;
        let desc = FrameDesc { camera, time_s: (self.ticks as f32 + share) * TICK_S, view, switches, cull_camera };
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
        let (place, yaw_rad, pitch_rad) = self.flyer.interpolated(share);
        Camera { yaw_rad, pitch_rad, ..camera(place, 0.0, 0.0) }
    }

    /// Ticks of fixed length, as many as time has passed, up to a few.
    fn simulate(&mut self) -> Result<(), GameError> {
        let world = &self.screen.session()?.world;
        let now = Instant::now();
        self.unsimulated_s += (now - self.last_frame).as_secs_f32();
        self.last_frame = now;
        let mut ticks = 0;
        let mut controls = None;
        while self.unsimulated_s >= TICK_S && ticks < TICKS_PER_FRAME_MAX {
            // What the mouse did counts once, in the first tick.
            let controls = controls.get_or_insert_with(|| self.input.take_controls());
            self.flyer.tick(controls);
            (controls.look_px, controls.wheel) = ([0.0; 2], 0.0);
            let [x, _, z] = self.flyer.place.to_f64();
            self.flyer.keep_above(world.height_at(x, z) + EYE_OVER_GROUND_M);
            self.unsimulated_s -= TICK_S;
            ticks += 1;
        }
        self.ticks += u64::from(ticks);
        self.unsimulated_s = self.unsimulated_s.min(TICK_S);
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
            Action::Farther => self.set_view_distance(config, config.view_distance_m * VIEW_DISTANCE_FACTOR)?,
            Action::Nearer => self.set_view_distance(config, config.view_distance_m / VIEW_DISTANCE_FACTOR)?,
            _ => {
                let camera = self.camera(1.0);
                self.inspection.act(action, &camera);
            }
        }
        Ok(())
    }

    /// What the player changed in a panel. What cannot be done is told, and nothing changes.
    fn change(&mut self, change: Change, config: &mut Config) -> Result<(), GameError> {
        match change {
            Change::View(view) => self.inspection.view = view,
            Change::Switches(switches) => self.inspection.switches = switches,
            Change::Setting("view_distance_m", Value::Number(metres)) => self.set_view_distance(config, metres as f32)?,
            Change::Setting(name, value) => match config.with(name, &value) {
                Ok(changed) => {
                    self.screen.session()?.set_budgets(&changed);
                    *config = changed;
                }
                Err(error) => eprintln!("{:?}", miette::Report::new(error)),
            },
            Change::Save => {
                if let Err(error) = self.save_settings(config) {
                    eprintln!("{:?}", miette::Report::new(error));
                }
            }
        }
        Ok(())
    }

    fn save_settings(&mut self, config: &Config) -> Result<(), GameError> {
        let Some(path) = &config.settings_path else { return Ok(()) };
        let text = settings_edit::save(path, &config.live())?;
        println!("settings saved to {}", path.display());
        // What it says is what runs already.
        self.watcher.iter_mut().for_each(|watcher| watcher.wrote(&text));
        Ok(())
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
        let here = Camera { yaw_rad: self.flyer.yaw_rad, pitch_rad: self.flyer.pitch_rad, ..camera(self.flyer.place, 0.0, 0.0) };
        match self.screen.rebuild(&changed, &here)? {
            Ok(()) => *config = changed,
            Err(error) => eprintln!("{:?}", miette::Report::new(error)),
        }
        self.last_frame = Instant::now();
        Ok(())
    }

    fn close(self) -> Result<(), GameError> {
        let messages = self.screen.close()?;
        drop(self.window);
        if messages == 0 { Ok(()) } else { Err(GameError::Bug(format!("the validation layer has {messages} messages; they are in the log"))) }
    }
}
