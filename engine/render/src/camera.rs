//! In: where the viewer stands and looks, the shape of the picture. Out: matrices, axes and frustum planes relative to the camera.
//! Never knows: the world's origin. Everything is taken relative to the camera before it becomes f32.

use glam::{Mat4, Vec3, Vec4};
use terrane_base::Place;

/// A pinhole camera.
///
/// Yaw 0 looks north (-z), yaw 90 degrees east (+x); a positive pitch looks up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is.
    pub place: Place,
    /// Turn about the vertical axis, radians, clockwise seen from above.
    pub yaw_rad: f32,
    /// Turn up, radians, within +-90 degrees.
    pub pitch_rad: f32,
    /// Vertical angle of view, radians.
    pub fov_y_rad: f32,
    /// Nearest distance that is drawn, metres.
    pub near_m: f32,
}

/// The camera's axes and what follows from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// To the right, unit.
    pub right: Vec3,
    /// Up in the picture, unit.
    pub up: Vec3,
    /// Where it looks, unit.
    pub forward: Vec3,
    /// Half width and half height of the picture at distance 1.
    pub half_extent: [f32; 2],
    /// Camera-relative metres to clip space: reversed Z (near 1, infinity 0), y down as Vulkan wants it.
    pub projection: Mat4,
    /// Left, right, bottom, top, near; normals inward, `dot(n, p) + w >= 0` is inside.
    pub frustum: [Vec4; 5],
}

impl Camera {
    /// The unit vector that it looks along.
    pub fn forward(&self) -> Vec3 {
        let (yaw_sin, yaw_cos) = self.yaw_rad.sin_cos();
        let (pitch_sin, pitch_cos) = self.pitch_rad.sin_cos();
        Vec3::new(yaw_sin * pitch_cos, pitch_sin, -yaw_cos * pitch_cos)
    }

    /// Axes, projection and frustum for a picture of `width` x `height` pixels.
    pub fn view(&self, width: u32, height: u32) -> View {
        let forward = self.forward();
        let (yaw_sin, yaw_cos) = self.yaw_rad.sin_cos();
        let right = Vec3::new(yaw_cos, 0.0, yaw_sin);
        let up = right.cross(forward);
        let half_y = (self.fov_y_rad * 0.5).tan();
        let half_x = half_y * width.max(1) as f32 / height.max(1) as f32;
        let rotation = Mat4::from_cols(
            Vec4::new(right.x, up.x, -forward.x, 0.0),
            Vec4::new(right.y, up.y, -forward.y, 0.0),
            Vec4::new(right.z, up.z, -forward.z, 0.0),
            Vec4::W,
        );
        let perspective = Mat4::from_cols(
            Vec4::new(1.0 / half_x, 0.0, 0.0, 0.0),
            Vec4::new(0.0, -1.0 / half_y, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, self.near_m, 0.0),
        );
        let side = |axis: Vec3, half: f32| (axis + forward * half).normalize().extend(0.0);
        View {
            right,
            up,
            forward,
            half_extent: [half_x, half_y],
            projection: perspective * rotation,
            frustum: [side(right, half_x), side(-right, half_x), side(up, half_y), side(-up, half_y), forward.extend(-self.near_m)],
        }
    }
}

impl View {
    /// Pixel (x right, y down) and distance of a camera-relative point; `None` behind the near plane.
    pub fn pixel(&self, point: Vec3, width: u32, height: u32) -> Option<[f32; 2]> {
        let clip = self.projection * point.extend(1.0);
        if clip.w <= 0.0 {
            return None;
        }
        let ndc = clip.truncate() / clip.w;
        Some([(ndc.x * 0.5 + 0.5) * width as f32, (ndc.y * 0.5 + 0.5) * height as f32])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(yaw: f32, pitch: f32) -> Camera {
        Camera { place: Place::from_f64([0.0; 3]), yaw_rad: yaw, pitch_rad: pitch, fov_y_rad: 1.0, near_m: 0.1 }
    }

    #[test]
    fn looks_where_the_angles_say() {
        assert!(camera(0.0, 0.0).forward().distance(Vec3::NEG_Z) < 1e-6);
        assert!(camera(std::f32::consts::FRAC_PI_2, 0.0).forward().distance(Vec3::X) < 1e-6);
        assert!(camera(0.0, std::f32::consts::FRAC_PI_2).forward().distance(Vec3::Y) < 1e-6);
    }

    #[test]
    fn picture_is_upright_and_not_mirrored() {
        let view = camera(0.3, -0.2).view(200, 100);
        let ahead = view.forward * 10.0;
        let center = view.pixel(ahead, 200, 100).expect("in front");
        assert!((center[0] - 100.0).abs() < 1e-3 && (center[1] - 50.0).abs() < 1e-3);
        assert!(view.pixel(ahead + view.right, 200, 100).expect("in front")[0] > 100.0);
        assert!(view.pixel(ahead + Vec3::Y, 200, 100).expect("in front")[1] < 50.0);
        assert_eq!(view.pixel(-ahead, 200, 100), None);
    }

    #[test]
    fn frustum_agrees_with_the_projection() {
        let view = camera(1.1, 0.4).view(320, 180);
        for i in 0..2000 {
            let h = |k: u32| (terrane_base::hash::pcg(i * 3 + k) >> 8) as f32 / 8388608.0 - 1.0;
            let p = Vec3::new(h(0), h(1), h(2)) * 50.0;
            let inside = view.frustum.iter().all(|plane| plane.truncate().dot(p) + plane.w >= 0.0);
            let clip = view.projection * p.extend(1.0);
            let expected = clip.w >= 0.1 && clip.x.abs() <= clip.w && clip.y.abs() <= clip.w;
            let margin = view.frustum.iter().map(|plane| (plane.truncate().dot(p) + plane.w).abs()).fold(f32::MAX, f32::min);
            assert!(inside == expected || margin < 1e-3, "point {p}");
        }
    }
}
