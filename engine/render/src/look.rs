//! In: nothing. Out: the light, air and masks of a world as plain numbers.
//! Never knows: which world it is, or how the shaders use them.

use glam::Vec3;

/// How a world is lit and what its ground shows. Colours are linear; radiance is relative to a sunlit white wall of about 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Height of the sun over the horizon, degrees.
    pub sun_height_deg: f32,
    /// Direction of the sun, degrees clockwise from north.
    pub sun_azimuth_deg: f32,
    /// Irradiance of the sun.
    pub sun_color: Vec3,
    /// Strength of the glow around it.
    pub sun_glow: Vec3,
    /// Sky overhead.
    pub sky_zenith: Vec3,
    /// Sky low over the horizon.
    pub sky_horizon: Vec3,
    /// The band at the horizon, which far ground fades into.
    pub sky_haze: Vec3,
    /// Light from the ground, relative to the sky's.
    pub bounce: Vec3,
    /// At the view distance, how much of a far thing is still seen through the haze, 0 to 1.
    pub haze_at_view_distance: f32,
    /// Extinction per channel, green about 1: blue fades first, so shades turn blue with distance.
    pub haze_extinction: Vec3,
    /// Height over which the air thins to 37 %, metres.
    pub haze_height_m: f32,
    /// 0 none to 1.
    pub cloud_amount: f32,
    /// Scale before the tonemap.
    pub exposure: f32,
    /// Power of the display curve.
    pub contrast: f32,
    /// 1 leaves colours.
    pub saturation: f32,
    /// Snow begins at this height, metres.
    pub snow_offset_m: f32,
    /// And is whole this much higher, metres.
    pub snow_contrast_m: f32,
    /// Rock is whole where the normal's y is below this.
    pub rock_low: f32,
    /// And gone above this.
    pub rock_high: f32,
    /// Trees end about here, metres.
    pub tree_line_m: f32,
    /// Forest begins at this cover, 0 to 1.
    pub forest_cover_low: f32,
    /// And is closed at this.
    pub forest_cover_high: f32,
    /// Colour of the walls between tiles.
    pub wall_color: Vec3,
    /// Colour that water scatters.
    pub water_color: Vec3,
    /// What water absorbs of red, green and blue, 1/m.
    pub water_absorption: Vec3,
}

impl Default for Look {
    /// A clear evening in the mountains.
    fn default() -> Self {
        Look {
            sun_height_deg: 21.0,
            sun_azimuth_deg: 250.0,
            sun_color: Vec3::new(7.4, 5.7, 3.8),
            sun_glow: Vec3::new(0.62, 0.44, 0.26),
            sky_zenith: Vec3::new(0.10, 0.23, 0.60),
            sky_horizon: Vec3::new(0.36, 0.55, 0.82),
            sky_haze: Vec3::new(0.86, 0.78, 0.70),
            bounce: Vec3::new(0.34, 0.30, 0.20),
            haze_at_view_distance: 0.42,
            haze_extinction: Vec3::new(0.72, 0.98, 1.35),
            haze_height_m: 900.0,
            cloud_amount: 1.0,
            exposure: 1.0,
            contrast: 1.28,
            saturation: 1.22,
            snow_offset_m: 420.0,
            snow_contrast_m: 160.0,
            rock_low: 0.70,
            rock_high: 0.86,
            tree_line_m: 400.0,
            forest_cover_low: 0.45,
            forest_cover_high: 0.7,
            wall_color: Vec3::new(0.30, 0.19, 0.11),
            water_color: Vec3::new(0.05, 0.26, 0.28),
            water_absorption: Vec3::new(0.55, 0.16, 0.13),
        }
    }
}

impl Look {
    /// Unit vector towards the sun.
    pub fn sun_direction(&self) -> Vec3 {
        let (height_sin, height_cos) = self.sun_height_deg.to_radians().sin_cos();
        let (azimuth_sin, azimuth_cos) = self.sun_azimuth_deg.to_radians().sin_cos();
        Vec3::new(azimuth_sin * height_cos, height_sin, -azimuth_cos * height_cos)
    }

    /// Extinction per metre at height zero, so that `haze_at_view_distance` holds in level air for green light.
    pub fn haze_density(&self, view_distance_m: f32) -> f32 {
        -self.haze_at_view_distance.clamp(0.001, 1.0).ln() / view_distance_m.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sun_stands_where_the_compass_says() {
        let east = Look { sun_height_deg: 0.0, sun_azimuth_deg: 90.0, ..Look::default() }.sun_direction();
        assert!(east.distance(Vec3::X) < 1e-6);
        let up = Look { sun_height_deg: 90.0, ..Look::default() }.sun_direction();
        assert!(up.distance(Vec3::Y) < 1e-6);
    }

    #[test]
    fn haze_holds_its_figure_at_the_view_distance() {
        let look = Look { haze_at_view_distance: 0.1, ..Look::default() };
        assert!(((-look.haze_density(4000.0) * 4000.0).exp() - 0.1).abs() < 1e-5);
    }
}
