//! In: an hour of the day. Out: sun or moon, sky and air of the low-poly world.
//! Never knows: which hour it is; nothing here moves by itself.

use glam::Vec3;
use terrane_render::Look;

/// The light of an hour, as painted; hours between two are mixed.
struct Hour {
    at_h: f32,
    /// Of the sun or, in the night, of the moon.
    light: [f32; 3],
    glow: [f32; 3],
    zenith: [f32; 3],
    horizon: [f32; 3],
    haze: [f32; 3],
}

const NIGHT: Hour = Hour {
    at_h: 0.0,
    light: [0.34, 0.44, 0.66],
    glow: [0.01, 0.012, 0.02],
    zenith: [0.010, 0.018, 0.045],
    horizon: [0.030, 0.050, 0.095],
    haze: [0.050, 0.070, 0.110],
};

/// When the sun rises and sets; then nothing shines, and sun and moon change places.
const SUNRISE_H: f32 = 6.0;
const SUNSET_H: f32 = 19.0;
/// Highest that the sun stands, and how high the moon does all night, degrees.
const NOON_DEG: f32 = 62.0;
const MOON_DEG: f32 = 38.0;
/// Lowest that either shines from, degrees: below, shadows have no end.
const LOW_DEG: f32 = 1.5;
/// Degrees that the sun goes on in an hour.
const TURN_DEG: f32 = 15.0;

const DAY: [Hour; 9] = [
    Hour { at_h: 5.0, ..NIGHT },
    Hour { at_h: SUNRISE_H, light: [0.0; 3], glow: [0.30, 0.16, 0.10], zenith: [0.05, 0.10, 0.22], horizon: [0.30, 0.30, 0.36], haze: [0.62, 0.42, 0.34] },
    Hour { at_h: 6.8, light: [4.6, 2.7, 1.4], glow: [0.56, 0.36, 0.20], zenith: [0.12, 0.28, 0.50], horizon: [0.56, 0.62, 0.66], haze: [1.06, 0.80, 0.56] },
    // A clear morning.
    Hour { at_h: 8.5, light: [7.6, 6.1, 4.2], glow: [0.40, 0.33, 0.22], zenith: [0.17, 0.42, 0.72], horizon: [0.60, 0.76, 0.82], haze: [1.12, 0.98, 0.74] },
    Hour { at_h: 12.5, light: [7.8, 7.2, 6.0], glow: [0.22, 0.22, 0.20], zenith: [0.16, 0.40, 0.78], horizon: [0.58, 0.78, 0.92], haze: [1.00, 1.00, 0.92] },
    Hour { at_h: 17.0, light: [7.2, 5.4, 3.4], glow: [0.46, 0.34, 0.20], zenith: [0.15, 0.36, 0.64], horizon: [0.60, 0.70, 0.76], haze: [1.12, 0.92, 0.66] },
    Hour { at_h: 18.3, light: [4.4, 2.2, 1.0], glow: [0.66, 0.36, 0.18], zenith: [0.10, 0.20, 0.40], horizon: [0.56, 0.48, 0.50], haze: [1.04, 0.64, 0.42] },
    Hour { at_h: SUNSET_H, light: [0.0; 3], glow: [0.26, 0.13, 0.10], zenith: [0.04, 0.08, 0.18], horizon: [0.22, 0.20, 0.28], haze: [0.46, 0.28, 0.26] },
    Hour { at_h: 20.0, ..NIGHT },
];

/// The look of an hour, 0 to 24; `sunrise_deg` is where the sun rises, clockwise from north.
pub fn look_at(hour: f32, sunrise_deg: f32) -> Look {
    let next = DAY.iter().position(|row| row.at_h > hour).unwrap_or(DAY.len());
    let (before, after) = (if next == 0 { &NIGHT } else { &DAY[next - 1] }, DAY.get(next).unwrap_or(&NIGHT));
    let after_h = if next == DAY.len() { 24.0 } else { after.at_h };
    let t = ((hour - before.at_h) / (after_h - before.at_h).max(1e-3)).clamp(0.0, 1.0);
    let mix = |of: fn(&Hour) -> [f32; 3]| Vec3::from_array(of(before)).lerp(Vec3::from_array(of(after)), t);
    let (sun_height_deg, sun_azimuth_deg) = direction_at(hour, sunrise_deg);
    Look {
        sun_height_deg,
        sun_azimuth_deg,
        sun_color: mix(|hour| hour.light),
        sun_glow: mix(|hour| hour.glow),
        sky_zenith: mix(|hour| hour.zenith),
        sky_horizon: mix(|hour| hour.horizon),
        sky_haze: mix(|hour| hour.haze),
        ..Look::default()
    }
}

/// Height and direction of what shines, degrees.
fn direction_at(hour: f32, sunrise_deg: f32) -> (f32, f32) {
    let day = (hour - SUNRISE_H) / (SUNSET_H - SUNRISE_H);
    if (0.0..=1.0).contains(&day) {
        let height = (day * std::f32::consts::PI).sin() * NOON_DEG;
        return (height.max(LOW_DEG), (sunrise_deg + (hour - SUNRISE_H) * TURN_DEG).rem_euclid(360.0));
    }
    let since_sunset = (hour - SUNSET_H).rem_euclid(24.0);
    (MOON_DEG, (sunrise_deg + since_sunset * TURN_DEG).rem_euclid(360.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_rises_climbs_and_sets_and_the_light_never_jumps() {
        let mut before = look_at(0.0, 90.0);
        for step in 1..=2400 {
            let hour = step as f32 / 100.0;
            let now = look_at(hour, 90.0);
            assert!((LOW_DEG..=90.0).contains(&now.sun_height_deg) && (0.0..360.0).contains(&now.sun_azimuth_deg));
            for (a, b) in [(before.sun_color, now.sun_color), (before.sky_zenith, now.sky_zenith), (before.sky_haze, now.sky_haze)] {
                assert!(a.distance(b) < 0.12, "at {hour}: {a} to {b}");
            }
            // Where sun and moon change places, neither shines.
            if before.sun_direction().distance(now.sun_direction()) > 0.02 {
                assert!(before.sun_color.length().min(now.sun_color.length()) < 0.1, "at {hour}");
            }
            before = now;
        }
        assert!(look_at(8.5, 90.0).sun_height_deg < look_at(12.5, 90.0).sun_height_deg);
        assert_eq!(look_at(24.0, 90.0).sky_zenith, look_at(0.0, 90.0).sky_zenith, "a day ends where it began");
    }
}
