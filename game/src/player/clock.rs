//! In: how long a frame took. Out: how many ticks of fixed length it is worth, and where between two ticks its picture is.
//! Never knows: what a tick does.

use crate::fly::TICK_S;

/// Ticks that one frame catches up at most; a longer pause is forgotten.
const TICKS_PER_FRAME_MAX: u32 = 4;

/// Time that has passed and is not simulated yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    unsimulated_s: f32,
}

impl Clock {
    /// Takes in the time of a frame, seconds; gives the ticks to do.
    pub fn advance(&mut self, frame_s: f32) -> u32 {
        self.unsimulated_s += frame_s;
        let ticks = ((self.unsimulated_s / TICK_S) as u32).min(TICKS_PER_FRAME_MAX);
        self.unsimulated_s = (self.unsimulated_s - ticks as f32 * TICK_S).clamp(0.0, TICK_S);
        ticks
    }

    /// Where the picture is between the last tick but one and the last, 0 to 1.
    pub fn share(&self) -> f32 {
        self.unsimulated_s / TICK_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_of_frames_gives_sixty_ticks_a_second_and_a_long_pause_is_forgotten() {
        for frames in [30, 60, 144, 1000] {
            let mut clock = Clock::default();
            let ticks: u32 = (0..10 * frames).map(|_| clock.advance(1.0 / frames as f32)).sum();
            assert!((598..=601).contains(&ticks), "{frames}: {ticks}");
            assert!((0.0..=1.0).contains(&clock.share()));
        }
        let mut clock = Clock::default();
        assert_eq!(clock.advance(100.0), TICKS_PER_FRAME_MAX);
        assert!(clock.advance(0.0) <= 1);
    }
}
