//! In: a seed. Out: tufts of grass and a flower.
//! Never knows: the tint of the meadow, which the renderer adds.

use super::PropMesh;
use super::build::{Builder, Corner, Dice, heading};
use glam::Vec3;

/// How a kind of grass grows.
pub(super) struct Tuft {
    blades: u32,
    height_m: [f32; 2],
    half_width_m: f32,
    /// How far a tip hangs out, in heights.
    lean: [f32; 2],
    body: Vec3,
    tip: Vec3,
}

pub(super) const LOW: Tuft = Tuft {
    blades: 9,
    height_m: [0.20, 0.36],
    half_width_m: 0.011,
    lean: [0.25, 0.95],
    body: Vec3::new(0.078, 0.106, 0.043),
    tip: Vec3::new(0.122, 0.142, 0.058),
};
pub(super) const TALL: Tuft = Tuft {
    blades: 8,
    height_m: [0.36, 0.60],
    half_width_m: 0.010,
    lean: [0.15, 0.65],
    body: Vec3::new(0.084, 0.107, 0.043),
    tip: Vec3::new(0.150, 0.148, 0.070),
};

struct Blade {
    root: Vec3,
    heading: Vec3,
    height_m: f32,
    lean: f32,
    half_width_m: f32,
    /// Root, body, tip.
    color: [Vec3; 3],
}

/// Levels draw the same blades: all with three segments, half with two and twice as wide, three as single triangles.
pub(super) fn tuft(seed: u32, kind: &Tuft) -> [PropMesh; 3] {
    let blades = blades(seed, kind);
    [(kind.blades, 3, 1.0), (kind.blades.div_ceil(2), 2, 1.8), (4, 1, 3.2)].map(|(count, segments, widen)| {
        let mut builder = Builder::default();
        for i in 0..count {
            // Spread over the whole tuft, so that the outline stays.
            let blade = &blades[(i * kind.blades / count) as usize];
            add_blade(&mut builder, &Blade { half_width_m: blade.half_width_m * widen, ..*blade }, segments);
        }
        builder.finish()
    })
}

fn blades(seed: u32, kind: &Tuft) -> Vec<Blade> {
    let mut dice = Dice(seed);
    (0..kind.blades)
        .map(|i| {
            let angle = (i as f32 + dice.between(-0.35, 0.35)) * (std::f32::consts::TAU / kind.blades as f32);
            let out = heading(angle);
            // The middle stands upright and high, the rim leans out.
            let rim = dice.roll();
            let light = dice.between(0.85, 1.15);
            let yellow = dice.between(0.0, 0.35);
            let body = kind.body.lerp(kind.tip, yellow) * light;
            Blade {
                root: out * (0.015 + 0.055 * rim),
                heading: heading(angle + dice.between(-0.7, 0.7)),
                height_m: kind.height_m[1] + (kind.height_m[0] - kind.height_m[1]) * (rim * 0.7 + 0.3 * dice.roll()),
                lean: kind.lean[0] + (kind.lean[1] - kind.lean[0]) * rim,
                half_width_m: kind.half_width_m * dice.between(0.8, 1.2),
                color: [body * Vec3::new(0.42, 0.46, 0.50), body, kind.tip * light],
            }
        })
        .collect()
}

/// A strip that narrows to a point and bends over by its own weight.
fn add_blade(builder: &mut Builder, blade: &Blade, segments: u16) {
    let side = Vec3::new(-blade.heading.z, 0.0, blade.heading.x);
    let spine = |t: f32| {
        let out = blade.lean * blade.height_m * t * t;
        let droop = 1.0 - 0.22 * blade.lean * t * t;
        blade.root + blade.heading * out + Vec3::Y * (blade.height_m * t * droop)
    };
    let color = |t: f32| if t < 0.5 { blade.color[0].lerp(blade.color[1], t * 2.0) } else { blade.color[1].lerp(blade.color[2], t * 2.0 - 1.0) };
    // Mostly up: a tuft is lit like the ground that it stands on, and a little like a round body.
    let normal = |t: f32| Vec3::Y * 0.9 + blade.heading * (0.25 + 0.30 * t);
    let corner = |t: f32, across: f32| Corner {
        at: spine(t) + side * (across * blade.half_width_m),
        normal: normal(t) + side * (across * 0.25),
        color: color(t),
        soft: 0.25 + 0.75 * t,
    };
    let widths = [1.0, 0.92, 0.62];
    let mut last = [builder.corner(corner(0.0, -widths[0])), builder.corner(corner(0.0, widths[0]))];
    for segment in 1..segments {
        let t = segment as f32 / segments as f32;
        let width = widths[segment as usize];
        let next = [builder.corner(corner(t, -width)), builder.corner(corner(t, width))];
        builder.triangle(last[0], last[1], next[0]);
        builder.triangle(last[1], next[1], next[0]);
        last = next;
    }
    let tip = builder.corner(corner(1.0, 0.0));
    builder.triangle(last[0], last[1], tip);
}

struct Head {
    petals: u32,
    radius_m: f32,
    petal: Vec3,
    heart: Vec3,
}

const HEADS: [Head; 3] = [
    Head { petals: 7, radius_m: 0.026, petal: Vec3::new(0.62, 0.61, 0.55), heart: Vec3::new(0.55, 0.36, 0.04) },
    Head { petals: 5, radius_m: 0.019, petal: Vec3::new(0.56, 0.40, 0.05), heart: Vec3::new(0.36, 0.22, 0.03) },
    Head { petals: 5, radius_m: 0.022, petal: Vec3::new(0.16, 0.10, 0.36), heart: Vec3::new(0.42, 0.36, 0.30) },
];

/// Five stalks with heads of three kinds over a few blades. The far levels keep the specks of colour.
pub(super) fn flower(seed: u32) -> [PropMesh; 3] {
    const KINDS: [usize; 5] = [0, 2, 0, 1, 2];
    // The meadow does not tint it, so its leaves have a meadow's green by themselves.
    const TINT: Vec3 = Vec3::new(1.0, 1.05, 0.64);
    let leaves = blades(seed ^ 0x1eaf, &Tuft { blades: 5, height_m: [0.14, 0.24], body: LOW.body * TINT, tip: LOW.tip * TINT, ..LOW });
    [0, 1, 2].map(|lod: usize| {
        let mut builder = Builder::default();
        let mut dice = Dice(seed);
        for leaf in leaves.iter().step_by(lod + 1) {
            let segments = if lod == 0 { 3 } else { 1 };
            add_blade(&mut builder, &Blade { half_width_m: leaf.half_width_m * [1.0, 2.0, 3.4][lod], ..*leaf }, segments);
        }
        for (i, kind) in KINDS.into_iter().enumerate() {
            let angle = i as f32 * 2.4 + dice.between(-0.4, 0.4);
            let out = heading(angle);
            let stalk = Blade {
                root: out * 0.02,
                heading: out,
                height_m: dice.between(0.26, 0.42),
                lean: dice.between(0.15, 0.45),
                half_width_m: 0.004,
                color: [Vec3::new(0.04, 0.06, 0.025), Vec3::new(0.075, 0.105, 0.04), Vec3::new(0.085, 0.115, 0.045)],
            };
            if lod < 2 {
                add_blade(&mut builder, &Blade { half_width_m: stalk.half_width_m * (1.0 + lod as f32), ..stalk }, 2 - lod as u16);
            }
            if lod < 2 || i % 2 == 0 {
                let tip = stalk.root + out * (stalk.lean * stalk.height_m) + Vec3::Y * (stalk.height_m * (1.0 - 0.22 * stalk.lean));
                add_head(&mut builder, &HEADS[kind], tip, (Vec3::Y + out * 0.55).normalize(), lod);
            }
        }
        builder.finish()
    })
}

/// Petals around a heart, a little cupped; far away a triangle of the same area and colour.
fn add_head(builder: &mut Builder, head: &Head, at: Vec3, up: Vec3, lod: usize) {
    let (u, v) = up.any_orthonormal_pair();
    let around = |turn: f32| u * turn.cos() + v * turn.sin();
    let step = std::f32::consts::TAU / head.petals as f32;
    let corner = |at: Vec3, color: Vec3| Corner { at, normal: up, color, soft: 0.8 };
    if lod > 0 {
        let reach = head.radius_m * [1.0, 1.35, 1.5][lod];
        let color = head.petal.lerp(head.heart, 0.15);
        builder.loose_triangle([0.0, 2.1, 4.2].map(|turn| corner(at + around(turn) * reach, color)));
        return;
    }
    for petal in 0..head.petals {
        let turn = petal as f32 * step;
        let rim = |shift: f32| at + around(turn + shift * step) * head.radius_m + up * (head.radius_m * 0.25);
        builder.loose_triangle([corner(at, head.petal.lerp(head.heart, 0.6)), corner(rim(-0.42), head.petal), corner(rim(0.42), head.petal)]);
    }
    let heart = head.radius_m * 0.42;
    let lifted = at + up * (head.radius_m * 0.16);
    let points: [Vec3; 4] = std::array::from_fn(|i| lifted + around(i as f32 * std::f32::consts::FRAC_PI_2) * heart);
    builder.loose_triangle([points[0], points[1], points[2]].map(|point| corner(point, head.heart)));
    builder.loose_triangle([points[0], points[2], points[3]].map(|point| corner(point, head.heart)));
}
