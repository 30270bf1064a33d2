//! In: a window with a world in it. Out: its title, and pictures of it as files.
//! Never knows: events, keys.

use super::{Running, TITLE_EVERY, Title};
use crate::{
    config::Config,
    error::GameError,
    png_out::{self, Pixels},
};
use std::time::Instant;

impl Running {
    /// F12: what is on the screen, as a PNG file of its own number.
    pub(super) fn save_picture(&mut self, config: &Config) -> Result<(), GameError> {
        let folder = crate::paths::pictures();
        let path = (1..10_000).map(|n| folder.join(format!("terrane-{n:04}.png"))).find(|path| !path.exists());
        let Some(path) = path else { return Ok(()) };
        let session = self.screen.session()?;
        session.device.wait_idle()?;
        let pixels = session.device.read_image(session.renderer.output())?;
        let (width, height) = session.renderer.extent();
        let [x, y, z] = self.flyer.place.to_f64();
        let pose = format!("{x:.2},{y:.2},{z:.2},{:.1},{:.1}", self.flyer.yaw_rad.to_degrees(), self.flyer.pitch_rad.to_degrees());
        let notes = [("Seed", config.seed.0.to_string()), ("Pose", pose)];
        // A folder that cannot be written is no reason to end the flight.
        match png_out::write(&path, width, height, Pixels::Rgba8(&pixels), &notes) {
            Ok(()) => println!("{}", path.display()),
            Err(error) => eprintln!("{:?}", miette::Report::new(error)),
        }
        Ok(())
    }

    /// The title tells what a glance should.
    pub(super) fn tell_title(&mut self, config: &Config) -> Result<(), GameError> {
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
            self.flyer.speed_m_s,
            view_distance_m,
        ));
        self.title = Title { since: Instant::now(), frames: 0 };
        Ok(())
    }
}
