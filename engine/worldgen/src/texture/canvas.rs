//! In: strokes with a colour and a height. Out: texels of a tile that wraps, painted from below to above.
//! Never knows: what a stroke stands for.

use super::TEXTURE_EDGE;
use super::tile::Texel;
use glam::{Vec2, Vec3};

/// Texels that strokes are painted on.
pub(super) struct Canvas {
    pub texels: Vec<Texel>,
}

/// A tapering line of two ends, in texels. What lies under it is covered.
#[derive(Clone, Copy)]
pub(super) struct Stroke {
    pub from: Vec2,
    pub to: Vec2,
    /// Half widths at the ends.
    pub half_width: [f32; 2],
    pub color: [Vec3; 2],
    pub height: [f32; 2],
    /// How much higher the middle of the line is than its sides.
    pub bulge: f32,
    pub smoothness: f32,
}

impl Canvas {
    /// Covers what is under the stroke; its rim is blended by how much of a texel it covers.
    pub(super) fn paint(&mut self, stroke: &Stroke) {
        let reach = stroke.half_width[0].max(stroke.half_width[1]) + 1.0;
        let (low, high) = (stroke.from.min(stroke.to) - reach, stroke.from.max(stroke.to) + reach);
        let along = stroke.to - stroke.from;
        let length_sq = along.length_squared().max(1e-4);
        for y in low.y.floor() as i32..=high.y.ceil() as i32 {
            for x in low.x.floor() as i32..=high.x.ceil() as i32 {
                let offset = Vec2::new(x as f32, y as f32) - stroke.from;
                let t = (offset.dot(along) / length_sq).clamp(0.0, 1.0);
                let half = stroke.half_width[0] + (stroke.half_width[1] - stroke.half_width[0]) * t;
                let distance = (offset - along * t).length();
                let covered = (half + 0.5 - distance).clamp(0.0, 1.0);
                if covered > 0.0 {
                    self.cover(x, y, covered, distance / (half + 0.5), t, stroke);
                }
            }
        }
    }

    fn cover(&mut self, x: i32, y: i32, covered: f32, aside: f32, t: f32, stroke: &Stroke) {
        let wrap = |axis: i32| axis.rem_euclid(TEXTURE_EDGE as i32) as usize;
        let texel = &mut self.texels[wrap(y) * TEXTURE_EDGE + wrap(x)];
        let height = stroke.height[0] + (stroke.height[1] - stroke.height[0]) * t + stroke.bulge * (1.0 - aside * aside);
        texel.color = texel.color.lerp(stroke.color[0].lerp(stroke.color[1], t), covered);
        texel.height += (height - texel.height) * covered;
        texel.smoothness += (stroke.smoothness - texel.smoothness) * covered;
    }
}
