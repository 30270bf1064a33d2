//! In: a seed. Out: conifers: a trunk and whorls of drooping branches.
//! Never knows: the forest around them.

use super::PropMesh;
use super::build::{Builder, Corner, Dice, heading};
use glam::Vec3;
use std::f32::consts::TAU;

/// How a kind of conifer grows.
pub(super) struct Conifer {
    height_m: f32,
    crown_radius_m: f32,
    /// Height of the lowest branches, as a share.
    crown_base: f32,
    whorls: u32,
    branches: u32,
    /// Fall of a low branch, in lengths; the top ones rise.
    droop: f32,
    needle: Vec3,
    shoot: Vec3,
}

pub(super) const SPRUCE: Conifer = Conifer {
    height_m: 13.5,
    crown_radius_m: 2.7,
    crown_base: 0.13,
    whorls: 21,
    branches: 10,
    droop: 0.52,
    needle: Vec3::new(0.034, 0.056, 0.030),
    shoot: Vec3::new(0.076, 0.100, 0.044),
};
pub(super) const FIR: Conifer = Conifer {
    height_m: 10.5,
    crown_radius_m: 1.9,
    crown_base: 0.15,
    whorls: 19,
    branches: 10,
    droop: 0.34,
    needle: Vec3::new(0.036, 0.060, 0.038),
    shoot: Vec3::new(0.070, 0.100, 0.056),
};

/// The lowest needles end above the ground.
const CLEARANCE_M: f32 = 0.15;
const BARK: Vec3 = Vec3::new(0.085, 0.062, 0.045);

/// Radius of the stem near the ground, as a share of the height.
const STEM_RADIUS: f32 = 0.0165;

/// Radius and height of what is solid about it: the stem, as far up as anyone could come.
pub(super) fn trunk_of(kind: &Conifer) -> (f32, f32) {
    (kind.height_m * STEM_RADIUS * 1.1, kind.height_m * 0.5)
}

/// The first level has every branch; the others have torn skirts, many and few.
pub(super) fn conifer(seed: u32, kind: &Conifer) -> [PropMesh; 3] {
    let tree = Tree { kind, seed };
    [tree.near(), tree.middle(), tree.far()]
}

struct Tree<'a> {
    kind: &'a Conifer,
    seed: u32,
}

struct Branch {
    root: Vec3,
    out: Vec3,
    length_m: f32,
    /// Share of the crown's height: 0 at its base.
    up: f32,
    droop: f32,
    light: f32,
    /// Where along the branch its two sides are widest.
    edge: [f32; 2],
}

impl Tree<'_> {
    fn near(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 6, 3);
        self.core(&mut builder, 7);
        for branch in self.branches(self.kind.whorls, self.kind.branches) {
            self.bough(&mut builder, &branch);
        }
        self.leader(&mut builder);
        builder.finish()
    }

    fn middle(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 3, 1);
        self.skirts(&mut builder, 10, 10);
        self.leader(&mut builder);
        builder.finish()
    }

    fn far(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 3, 1);
        self.skirts(&mut builder, 5, 6);
        builder.finish()
    }

    /// The stem leans and bends a little.
    fn stem(&self, share: f32) -> Vec3 {
        let mut dice = Dice(self.seed ^ 0x57e);
        let lean = heading(dice.roll() * TAU) * (0.012 * self.kind.height_m);
        let bend = heading(dice.roll() * TAU) * (0.010 * self.kind.height_m);
        lean * share + bend * (share * 4.0).sin() * share + Vec3::Y * (share * self.kind.height_m)
    }

    fn trunk(&self, builder: &mut Builder, sides: u16, segments: u32) {
        let radius_m = self.kind.height_m * STEM_RADIUS;
        let top = 0.93;
        let path: Vec<(Vec3, f32)> = (0..=segments)
            .map(|i| {
                let share = i as f32 / segments as f32;
                let flare = if i == 0 { 1.25 } else { 1.0 };
                (self.stem(share * top), radius_m * flare * (1.0 - 0.88 * share))
            })
            .collect();
        builder.tube(&path, sides, &|share, _| BARK * (1.0 - 0.55 * share.min(0.6) / 0.6));
    }

    /// Dark twigs around the stem, which keep the sky from showing through the middle of the tree.
    fn core(&self, builder: &mut Builder, sides: u32) {
        let base = self.kind.crown_base + 0.03;
        let top = self.corner(self.stem(0.90), Vec3::Y, self.kind.needle * 0.40, 0.4);
        let mut dice = Dice(self.seed ^ 0xc04e);
        let rim: Vec<Corner> = (0..sides)
            .map(|side| {
                let out = heading(side as f32 / sides as f32 * TAU);
                let at = self.stem(base + dice.between(-0.015, 0.03)) + out * (self.kind.crown_radius_m * dice.between(0.20, 0.38));
                self.corner(at, out + Vec3::Y * 0.3, self.kind.needle * 0.24, 0.3)
            })
            .collect();
        for side in 0..sides as usize {
            builder.loose_triangle([rim[(side + 1) % rim.len()], rim[side], top]);
        }
    }

    /// Share of the crown's radius at a share of its height: a belly below, a slender top.
    fn profile(&self, up: f32) -> f32 {
        (1.0 - up).powf(0.82) * (0.80 + 0.20 * (up * 6.0).min(1.0))
    }

    fn branches(&self, whorls: u32, branches: u32) -> Vec<Branch> {
        let mut dice = Dice(self.seed ^ 0xb4a);
        let mut all = Vec::new();
        for whorl in 0..whorls {
            let mut turn = dice.roll() * TAU;
            // Whorls stand closer together towards the top.
            let even = (whorl as f32 + dice.between(-0.18, 0.18)) / whorls as f32;
            let up = (1.0 - (1.0 - even.clamp(0.0, 1.0)).powf(1.3)).min(0.97);
            let count = if up > 0.6 { branches * 7 / 10 } else { branches };
            for _ in 0..count {
                turn += TAU / count as f32 * dice.between(0.82, 1.18);
                let level = (up + dice.between(-0.022, 0.022)).clamp(0.0, 0.97);
                let share = self.kind.crown_base + (1.0 - self.kind.crown_base) * level;
                all.push(Branch {
                    root: self.stem(share),
                    out: heading(turn),
                    length_m: self.kind.crown_radius_m * self.profile(level) * dice.between(0.78, 1.16) + 0.15,
                    up: level,
                    droop: self.kind.droop * (1.05 - 1.0 * level) * dice.between(0.8, 1.25) - 0.02,
                    light: dice.between(0.80, 1.18),
                    edge: [dice.between(0.40, 0.90), dice.between(0.40, 0.90)],
                });
            }
        }
        all
    }

    /// Two panes that hang from a rib: one side low, one high, so that from anywhere some show their face and some their edge.
    fn bough(&self, builder: &mut Builder, branch: &Branch) {
        let length = branch.length_m;
        let side = Vec3::new(-branch.out.z, 0.0, branch.out.x);
        let rib = |t: f32| branch.root + branch.out * (length * t) - Vec3::Y * (length * branch.droop * t * (0.55 + 0.45 * t));
        let root = builder.corner(self.needles(branch, rib(0.05) + Vec3::Y * (0.08 * length), 0.0));
        let tip = builder.corner(self.needles(branch, rib(1.0), 1.0));
        for (sign, reach) in [(-1.0, branch.edge[0]), (1.0, branch.edge[1])] {
            let fall = 0.10 + 0.55 * (reach - 0.40);
            let at = rib(reach) + side * (length * 0.235 * sign) - Vec3::Y * (length * fall + 0.05);
            let edge = builder.corner(self.needles(branch, at, 0.25 + 0.5 * reach));
            builder.triangle(root, edge, tip);
        }
    }

    /// Torn fans around the stem, one over the other.
    fn skirts(&self, builder: &mut Builder, count: u32, sides: usize) {
        let mut dice = Dice(self.seed ^ 0xfa4);
        for skirt in 0..count {
            let even = |i: f32| 1.0 - (1.0 - i / count as f32).max(0.0).powf(1.15);
            self.skirt(builder, even(skirt as f32), even(skirt as f32 + 1.9), sides, &mut dice);
        }
    }

    /// From a rim at `up` to a point on the stem at `top`, both shares of the crown.
    fn skirt(&self, builder: &mut Builder, up: f32, top: f32, sides: usize, dice: &mut Dice) {
        let stem = |level: f32| self.stem(self.kind.crown_base + (1.0 - self.kind.crown_base) * level);
        let radius = self.kind.crown_radius_m * self.profile(up) + 0.15;
        let like = |out, light| Branch { root: Vec3::ZERO, out, length_m: radius, up, droop: 0.0, light, edge: [0.6; 2] };
        let apex = self.needles(&like(Vec3::X, 0.95), stem(top), 0.3);
        let first = dice.roll() * TAU;
        let rim: Vec<Corner> = (0..sides)
            .map(|i| {
                let out = heading(first + (i as f32 + dice.between(-0.3, 0.3)) / sides as f32 * TAU);
                let long = if i % 2 == 0 { dice.between(0.86, 1.10) } else { dice.between(0.52, 0.74) };
                let fall = radius * long * self.kind.droop * (1.05 - up) * dice.between(0.7, 1.1);
                let branch = like(out, dice.between(0.82, 1.12));
                Corner { normal: out * 0.8 + Vec3::Y * 0.62, ..self.needles(&branch, stem(up) + out * (radius * long) - Vec3::Y * fall, 0.86 * long) }
            })
            .collect();
        for i in 0..sides {
            let next = rim[(i + 1) % sides];
            builder.loose_triangle([next, rim[i], Corner { normal: rim[i].normal + next.normal + Vec3::Y * 0.4, ..apex }]);
        }
    }

    /// The top shoot, a thin spike.
    fn leader(&self, builder: &mut Builder) {
        let top = self.stem(1.0);
        let base = self.stem(0.93);
        for turn in [0.0, TAU / 4.0] {
            let side = heading(turn) * (0.022 * self.kind.height_m);
            let low = |sign: f32| self.corner(base + side * sign, side * sign + Vec3::Y * 0.2, self.kind.needle, 0.7);
            builder.loose_triangle([low(-1.0), low(1.0), self.corner(top, Vec3::Y, self.kind.shoot, 0.8)]);
        }
    }

    /// `t` runs from the stem, where no light comes, to the young shoots at the rim.
    fn needles(&self, branch: &Branch, at: Vec3, t: f32) -> Corner {
        let at = at.max(Vec3::new(f32::MIN, CLEARANCE_M, f32::MIN));
        let stem = Vec3::new(branch.root.x, at.y, branch.root.z);
        let out = (at - stem).normalize_or(branch.out);
        let open = (0.26 + 0.74 * t.powf(1.3)) * (0.66 + 0.34 * branch.up);
        let color = self.kind.needle.lerp(self.kind.shoot, (t * t * 0.75).min(1.0)) * (open * branch.light);
        self.corner(at, out * (0.35 + 0.5 * t) + Vec3::Y * 0.62, color, 0.12 + 0.5 * t)
    }

    fn corner(&self, at: Vec3, normal: Vec3, color: Vec3, soft: f32) -> Corner {
        Corner { at, normal, color, soft }
    }
}
