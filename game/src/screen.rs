//! In: where the viewer is, the size of a window. Out: the world in that window, frame after frame.
//! Never knows: events, keys, files. A window that changes or hides, a surface or a device that is lost, memory that is short: all are states
//! that it gets over; what is left is an error.

use crate::{
    config::Config,
    error::GameError,
    measure::Phase,
    session::{FrameDesc, Session, SessionDesc},
    worlds::WorldInstance,
};
use terrane_gpu::{Acquire, GpuError, Presented, Swapchain};
use terrane_render::{Camera, FrameStats};

/// Frames between two looks at how much memory is used: about a second.
const MEMORY_EVERY: u64 = 64;

/// A session and the window that it is seen in.
pub struct Screen {
    /// `None` after an error that it did not get over.
    open: Option<(Session, Swapchain)>,
    vsync: bool,
    window: (u32, u32),
    /// The swapchain no longer fits the window.
    stale: bool,
    frames: u64,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame {
    /// It is in the window.
    Shown(FrameStats),
    /// It is not: the window just changed, or another program holds its images. The next one will be.
    Skipped,
    /// The window has no area.
    Hidden,
    /// The device was lost or memory was short; the world is there again, on a new device or with less.
    Recovered,
}

impl Screen {
    /// Opens a session for a window of `desc.extent` pixels, with the ground around the camera made.
    pub fn open(config: &Config, desc: &SessionDesc, start: &Camera, vsync: bool) -> Result<Screen, GameError> {
        Screen::open_world(config, config.make_world()?, desc, start, vsync)
    }

    /// The same with a world that is in no table: tests bring their own.
    pub fn open_world(config: &Config, world: WorldInstance, desc: &SessionDesc, start: &Camera, vsync: bool) -> Result<Screen, GameError> {
        let window = desc.extent;
        let desc = SessionDesc { extent: (window.0.max(1), window.1.max(1)), ..desc.clone() };
        let session = Session::open_world(config, world, &desc)?;
        let mut screen = Screen { open: None, vsync, window, stale: false, frames: 0 };
        match screen.settle(session, start) {
            Err(error) if Session::can_recover(&error) && screen.open.is_some() => screen.recover(error, start)?,
            Err(error) => return screen.close().and(Err(error)),
            Ok(()) => {}
        }
        Ok(screen)
    }

    /// The world that is shown.
    pub fn session(&mut self) -> Result<&mut Session, GameError> {
        self.open.as_mut().map(|(session, _)| session).ok_or_else(ended)
    }

    /// Whether the window has no area.
    pub fn is_hidden(&self) -> bool {
        self.open.as_ref().is_some_and(|(_, swapchain)| swapchain.extent() == (0, 0))
    }

    /// One frame for a window of that many pixels: chunks move on, the picture is drawn and shown.
    pub fn frame(&mut self, desc: &FrameDesc, now_s: f64, window: (u32, u32)) -> Result<Frame, GameError> {
        self.stale |= window != self.window;
        self.window = window;
        self.frames += 1;
        match self.try_frame(desc, now_s) {
            Err(error) if Session::can_recover(&error) => self.recover(error, &desc.camera).map(|()| Frame::Recovered),
            done => done,
        }
    }

    /// Another world, or other settings. If it cannot be made, the old one goes on, and the error says why.
    pub fn rebuild(&mut self, config: &Config, camera: &Camera) -> Result<Result<(), GameError>, GameError> {
        match self.session()?.rebuild(config) {
            Ok(()) => {}
            Err(GameError::Gpu(error @ GpuError::DeviceLost { .. })) => return self.recover(error.into(), camera).map(Ok),
            Err(error) => return Ok(Err(error)),
        }
        match self.session()?.settle_whole(camera) {
            Err(error) if Session::can_recover(&error) => self.recover(error, camera)?,
            done => done?,
        }
        Ok(Ok(()))
    }

    /// Ends everything; what was forgotten is an error. Gives the number of validation messages.
    pub fn close(self) -> Result<u64, GameError> {
        let Some((mut session, swapchain)) = self.open else { return Ok(0) };
        swapchain.destroy(&mut session.device);
        session.close()
    }

    fn try_frame(&mut self, desc: &FrameDesc, now_s: f64) -> Result<Frame, GameError> {
        let (session, swapchain) = self.open.as_mut().ok_or_else(ended)?;
        if self.frames.is_multiple_of(MEMORY_EVERY)
            && let Some(short) = session.memory_short()
            && session.quality().lower().is_some()
        {
            return Err(short);
        }
        if std::mem::take(&mut self.stale) {
            swapchain.recreate(&mut session.device, self.window)?;
            session.resize(swapchain.extent())?;
        }
        session.tick(&desc.camera, now_s);
        for failure in session.stream.take_failures() {
            tracing::error!("the job '{}' of chunk {} panicked: {}", failure.job, failure.key, failure.message);
        }
        let mut cmd = session.begin_frame()?;
        let not_shown = match swapchain.acquire(&mut session.device)? {
            Acquire::Image(acquired) => {
                let stats = session.record(&mut cmd, desc)?;
                let task = session.meter.begin(Phase::Submit);
                swapchain.show(&mut session.device, &mut cmd, session.renderer.output(), &acquired)?;
                self.stale = session.device.submit_and_present(cmd, swapchain, &acquired)? == Presented::OutOfDate;
                session.meter.end(Phase::Submit, task);
                session.end_frame(stats);
                return Ok(Frame::Shown(stats));
            }
            Acquire::OutOfDate => Frame::Skipped,
            Acquire::Busy => {
                session.submit_without_picture(cmd)?;
                return Ok(Frame::Skipped);
            }
            Acquire::Hidden => Frame::Hidden,
        };
        session.submit_without_picture(cmd)?;
        // Time without an image is no frame's.
        session.meter.restart();
        // A hidden window is asked each time whether it still is: not every system tells.
        self.stale = true;
        Ok(not_shown)
    }

    /// Gets over an error, which may take more than one attempt; each is counted, so there is an end.
    fn recover(&mut self, mut error: GameError, camera: &Camera) -> Result<(), GameError> {
        loop {
            let Some((mut session, swapchain)) = self.open.take() else { return Err(error) };
            swapchain.destroy(&mut session.device);
            match self.settle(session.recover(error)?, camera) {
                Err(again) if Session::can_recover(&again) && self.open.is_some() => error = again,
                done => return done,
            }
        }
    }

    /// Takes a session in: a swapchain for it, and the coarsest ground, so that there is no hole.
    fn settle(&mut self, mut session: Session, camera: &Camera) -> Result<(), GameError> {
        let swapchain = match Swapchain::new(&mut session.device, self.window, self.vsync) {
            Ok(swapchain) => swapchain,
            Err(error) => {
                let error = GameError::from(error);
                return match Session::can_recover(&error) {
                    true => self.settle(session.recover(error)?, camera),
                    false => session.close().and(Err(error)),
                };
            }
        };
        self.stale = false;
        let extent = swapchain.extent();
        let (session, _) = self.open.insert((session, swapchain));
        session.resize(extent).and_then(|()| session.settle_whole(camera))
    }
}

fn ended() -> GameError {
    GameError::Bug("the session has ended, and a frame was asked for".to_owned())
}
