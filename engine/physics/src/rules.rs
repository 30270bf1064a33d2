//! In: settings. Out: how large the walker is, and what it can do.
//! Never knows: where it is.

/// Size and abilities of a walker. Metres, seconds, radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Height of its capsule.
    pub height_m: f32,
    /// Radius of its capsule, at most half the height.
    pub radius_m: f32,
    /// Height of the eyes over the feet.
    pub eye_m: f32,
    /// Steps that it takes without a jump.
    pub step_m: f32,
    /// Slopes that it can climb and stand on.
    pub slope_max_rad: f32,
    /// Speed on foot.
    pub walk_m_s: f32,
    /// Speed when running.
    pub run_m_s: f32,
    /// How high it jumps.
    pub jump_m: f32,
    /// How fast it falls faster.
    pub gravity_m_s2: f32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            height_m: 1.8,
            radius_m: 0.3,
            eye_m: 1.7,
            step_m: 0.5,
            slope_max_rad: 0.872_664_6, // 50 degrees
            walk_m_s: 4.5,
            run_m_s: 9.0,
            jump_m: 1.1,
            gravity_m_s2: 18.0,
        }
    }
}
