//! In: which controls are held, how the mouse moved, the length of a tick. Out: where the viewer is and looks.
//! Never knows: windows, keys, or the renderer. Ticks are of fixed length, so a flight is the same on every machine.

use glam::{DVec3, Vec3};
use terrane_base::Place;

/// Length of a simulation tick, seconds.
pub const TICK_S: f32 = terrane_physics::TICK_S;
/// Slowest and fastest flight, metres a second.
pub const SPEED_RANGE_M_S: (f32, f32) = (1.0, 2_000.0);
/// Radians per pixel of mouse movement.
pub const LOOK_RAD_PER_PIXEL: f32 = 0.0022;
/// A step of the wheel changes the speed by this factor.
const WHEEL_FACTOR: f32 = 1.25;
/// Just short of straight up, where the horizon would lose its direction.
const PITCH_LIMIT_RAD: f32 = 1.55;
/// Time in which the velocity comes to 63 % of what is asked: soft starts and stops.
const EASE_S: f32 = 0.12;
/// Shift multiplies the speed.
const FAST: f32 = 6.0;

/// What the player asks for in this tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Controls {
    /// Right is positive, -1 to 1.
    pub right: f32,
    /// Up is positive.
    pub up: f32,
    /// Forward is positive.
    pub forward: f32,
    /// Several times faster.
    pub fast: bool,
    /// Mouse movement since the last tick, pixels, right and down positive.
    pub look_px: [f32; 2],
    /// Steps of the wheel since the last tick, away from the user positive.
    pub wheel: f32,
}

/// A camera that flies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flyer {
    /// Where it is.
    pub place: Place,
    /// Clockwise from north, radians.
    pub yaw_rad: f32,
    /// Upward, radians.
    pub pitch_rad: f32,
    /// Speed that full controls give, metres a second.
    pub speed_m_s: f32,
    velocity_m_s: Vec3,
    before: (Place, f32, f32),
}

impl Flyer {
    /// Stands still there.
    pub fn new(place: Place, yaw_rad: f32, pitch_rad: f32) -> Flyer {
        Flyer { place, yaw_rad, pitch_rad, speed_m_s: 30.0, velocity_m_s: Vec3::ZERO, before: (place, yaw_rad, pitch_rad) }
    }

    /// A tick in which it only looks around, and chooses its speed. Whoever carries it moves it.
    pub fn look(&mut self, controls: &Controls) {
        self.before = (self.place, self.yaw_rad, self.pitch_rad);
        self.yaw_rad = (self.yaw_rad + controls.look_px[0] * LOOK_RAD_PER_PIXEL).rem_euclid(std::f32::consts::TAU);
        self.pitch_rad = (self.pitch_rad - controls.look_px[1] * LOOK_RAD_PER_PIXEL).clamp(-PITCH_LIMIT_RAD, PITCH_LIMIT_RAD);
        self.speed_m_s = (self.speed_m_s * WHEEL_FACTOR.powf(controls.wheel)).clamp(SPEED_RANGE_M_S.0, SPEED_RANGE_M_S.1);
    }

    /// One tick of [`TICK_S`].
    pub fn tick(&mut self, controls: &Controls) {
        self.look(controls);
        let (yaw_sin, yaw_cos) = self.yaw_rad.sin_cos();
        let (pitch_sin, pitch_cos) = self.pitch_rad.sin_cos();
        let forward = Vec3::new(yaw_sin * pitch_cos, pitch_sin, -yaw_cos * pitch_cos);
        let right = Vec3::new(yaw_cos, 0.0, yaw_sin);
        let asked = forward * controls.forward + right * controls.right + Vec3::Y * controls.up;
        let speed = self.speed_m_s * if controls.fast { FAST } else { 1.0 };
        let target = asked.clamp_length_max(1.0) * speed;
        self.velocity_m_s += (target - self.velocity_m_s) * (1.0 - (-TICK_S / EASE_S).exp());
        self.place = self.place.moved_by(DVec3::from(self.velocity_m_s * TICK_S));
    }

    /// Stands still.
    pub fn stop(&mut self) {
        self.velocity_m_s = Vec3::ZERO;
    }

    /// Lifts it to at least `floor_m` metres of height.
    pub fn keep_above(&mut self, floor_m: f64) {
        let below = floor_m - self.place.to_f64()[1];
        if below > 0.0 {
            self.place = self.place.moved_by(DVec3::new(0.0, below, 0.0));
        }
    }

    /// Place, yaw and pitch at a share of the way from the last tick to this one.
    pub fn interpolated(&self, share: f32) -> (Place, f32, f32) {
        let (place, yaw, pitch) = self.before;
        let way = self.place.relative_to(place.cell_m) - place.offset_m;
        let turn = (self.yaw_rad - yaw + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI;
        (place.moved_by(DVec3::from(way * share)), yaw + turn * share, pitch + (self.pitch_rad - pitch) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flyer() -> Flyer {
        Flyer::new(Place::from_f64([0.0; 3]), 0.0, 0.0)
    }

    #[test]
    fn flies_where_it_looks() {
        let mut f = flyer();
        for _ in 0..120 {
            f.tick(&Controls { forward: 1.0, ..Controls::default() });
        }
        let [x, y, z] = f.place.to_f64();
        assert!(x.abs() < 1e-3 && y.abs() < 1e-3 && z < -50.0, "{x} {y} {z}");
    }

    #[test]
    fn stops_softly_and_wholly() {
        let mut f = flyer();
        for _ in 0..60 {
            f.tick(&Controls { up: 1.0, ..Controls::default() });
        }
        for _ in 0..120 {
            f.tick(&Controls::default());
        }
        let there = f.place;
        f.tick(&Controls::default());
        assert!((f.place.to_f64()[1] - there.to_f64()[1]).abs() < 1e-4);
    }

    #[test]
    fn speed_and_pitch_keep_their_limits() {
        let mut f = flyer();
        f.tick(&Controls { wheel: 1e3, look_px: [0.0, -1e6], ..Controls::default() });
        assert_eq!(f.speed_m_s, SPEED_RANGE_M_S.1);
        assert_eq!(f.pitch_rad, PITCH_LIMIT_RAD);
    }

    #[test]
    fn interpolation_takes_the_short_way_round() {
        let mut f = flyer();
        f.tick(&Controls { look_px: [-10.0, 0.0], ..Controls::default() });
        let (_, yaw, _) = f.interpolated(0.5);
        assert!((yaw + 0.011).abs() < 1e-4, "{yaw}");
    }
}
