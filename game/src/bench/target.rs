//! In: a session's description, a window or none. Out: frames in it, each with its record.
//! Never knows: scenes or reports.

use crate::{
    config::Config,
    error::GameError,
    measure::FrameRecord,
    screen::{Frame, Screen},
    session::{FrameDesc, Session, SessionDesc},
};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use std::time::Duration;
use terrane_gpu::ShowIn;
use terrane_render::Camera;
use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoop},
    platform::pump_events::{EventLoopExtPumpEvents, PumpStatus},
    window::{Window, WindowId},
};

/// A frame that found no image to draw into is tried again so often.
const ATTEMPTS_MAX: u32 = 1000;

/// Where frames go.
pub enum Target {
    /// Nowhere.
    Headless(Box<Session>),
    /// Into a window.
    Window(Box<Shown>),
}

/// A window with its loop. The screen goes first: its surface is made from the window.
pub struct Shown {
    screen: Screen,
    app: App,
    event_loop: EventLoop<()>,
}

#[derive(Default)]
struct App {
    size: (u32, u32),
    window: Option<Window>,
    failure: Option<String>,
    closed: bool,
}

impl App {
    fn make_window(&mut self, event_loop: &ActiveEventLoop) {
        if self.window.is_none() && self.failure.is_none() {
            let attributes = Window::default_attributes().with_title("Terrane - bench").with_inner_size(PhysicalSize::new(self.size.0, self.size.1));
            match event_loop.create_window(attributes) {
                Ok(window) => self.window = Some(window),
                Err(error) => self.failure = Some(error.to_string()),
            }
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.make_window(event_loop);
    }

    /// The loop of a second scene goes on without being resumed.
    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        self.make_window(event_loop);
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.closed = true,
            WindowEvent::Resized(size) => self.size = size.into(),
            _ => {}
        }
    }
}

impl Target {
    /// Opens a session, with the ground around the camera made.
    pub fn open(config: &Config, desc: &SessionDesc, start: &Camera, event_loop: Option<EventLoop<()>>) -> Result<Target, GameError> {
        if let Some(event_loop) = event_loop {
            return Shown::open(config, desc, start, event_loop).map(|shown| Target::Window(Box::new(shown)));
        }
        let mut session = Session::open(config, desc)?;
        match session.settle_whole(start) {
            Ok(()) => Ok(Target::Headless(Box::new(session))),
            Err(error) => session.close().and(Err(error)),
        }
    }

    /// The world in it.
    pub fn session(&mut self) -> Result<&mut Session, GameError> {
        match self {
            Target::Headless(session) => Ok(session),
            Target::Window(shown) => shown.screen.session(),
        }
    }

    /// The first picture, waited for.
    pub fn first_picture(&mut self, desc: &FrameDesc) -> Result<(), GameError> {
        self.frame(desc, 0.0)?;
        self.session()?.device.wait_idle()?;
        Ok(())
    }

    /// One frame.
    pub fn frame(&mut self, desc: &FrameDesc, now_s: f64) -> Result<FrameRecord, GameError> {
        match self {
            Target::Headless(session) => session.frame(desc, now_s).copied(),
            Target::Window(shown) => shown.frame(desc, now_s),
        }
    }

    /// Ends it; what was forgotten is an error. The loop goes back: a program can have only one.
    pub fn close(self) -> Result<Option<EventLoop<()>>, GameError> {
        match self {
            Target::Headless(session) => session.close().map(|_| None),
            Target::Window(shown) => {
                let Shown { screen, app, event_loop } = *shown;
                screen.close()?;
                drop(app);
                Ok(Some(event_loop))
            }
        }
    }
}

/// The loop that a window needs; once a program.
pub fn event_loop() -> Result<EventLoop<()>, GameError> {
    EventLoop::new().map_err(|error| no_window(&error))
}

fn no_window(error: &dyn std::fmt::Display) -> GameError {
    GameError::usage(format!("no window can be opened: {error}"), "without --window none is needed")
}

impl Shown {
    fn open(config: &Config, desc: &SessionDesc, start: &Camera, mut event_loop: EventLoop<()>) -> Result<Shown, GameError> {
        let mut app = App { size: desc.extent, ..App::default() };
        event_loop.pump_app_events(Some(Duration::ZERO), &mut app);
        let window = app.window.as_ref().ok_or_else(|| no_window(&app.failure.as_deref().unwrap_or("the system makes none")))?;
        let display = window.display_handle().map_err(|error| no_window(&error))?.as_raw();
        let handle = window.window_handle().map_err(|error| no_window(&error))?.as_raw();
        let desc = SessionDesc { extent: window.inner_size().into(), window: Some(ShowIn::Window(display, handle)), ..desc.clone() };
        // Without a wait for the screen's refresh: what is measured is what a frame takes.
        let screen = Screen::open(config, &desc, start, false)?;
        app.size = desc.extent;
        Ok(Shown { screen, app, event_loop })
    }

    fn frame(&mut self, desc: &FrameDesc, now_s: f64) -> Result<FrameRecord, GameError> {
        for _ in 0..ATTEMPTS_MAX {
            let status = self.event_loop.pump_app_events(Some(Duration::ZERO), &mut self.app);
            if self.app.closed || matches!(status, PumpStatus::Exit(_)) {
                return Err(GameError::usage("the window was closed before the scenes were done", ""));
            }
            if let Frame::Shown(_) = self.screen.frame(desc, now_s, self.app.size)? {
                return Ok(self.screen.session()?.meter.last().copied().unwrap_or_default());
            }
        }
        Err(GameError::usage(format!("the window took no picture in {ATTEMPTS_MAX} attempts"), "is it hidden? without --window none is needed"))
    }
}
