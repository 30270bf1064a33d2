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
    crown_base: 0.07,
    whorls: 13,
    branches: 7,
    droop: 0.52,
    needle: Vec3::new(0.034, 0.056, 0.030),
    shoot: Vec3::new(0.076, 0.100, 0.044),
};
pub(super) const FIR: Conifer = Conifer {
    height_m: 10.5,
    crown_radius_m: 1.9,
    crown_base: 0.10,
    whorls: 12,
    branches: 7,
    droop: 0.34,
    needle: Vec3::new(0.036, 0.060, 0.038),
    shoot: Vec3::new(0.070, 0.100, 0.056),
};

const BARK: Vec3 = Vec3::new(0.085, 0.062, 0.045);

/// The first level has every branch, the second half of the whorls with broader branches, the third torn skirts.
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
}

impl Tree<'_> {
    fn near(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 6, 3);
        self.core(&mut builder, 6);
        for branch in self.branches(self.kind.whorls, self.kind.branches) {
            self.bough(&mut builder, &branch);
        }
        self.leader(&mut builder);
        builder.finish()
    }

    fn middle(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 3, 1);
        self.core(&mut builder, 5);
        for branch in self.branches(self.kind.whorls.div_ceil(2), 6) {
            self.broad_bough(&mut builder, &branch);
        }
        self.leader(&mut builder);
        builder.finish()
    }

    fn far(&self) -> PropMesh {
        let mut builder = Builder::default();
        self.trunk(&mut builder, 3, 1);
        let mut dice = Dice(self.seed ^ 0xfa4);
        const SKIRTS: u32 = 4;
        for skirt in 0..SKIRTS {
            let up = skirt as f32 / SKIRTS as f32;
            self.skirt(&mut builder, up, 1.0 / SKIRTS as f32, &mut dice);
        }
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
        let radius_m = self.kind.height_m * 0.0165;
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
        let top = self.corner(self.stem(0.90), Vec3::Y, self.kind.needle * 0.55, 0.4);
        let mut dice = Dice(self.seed ^ 0xc04e);
        let rim: Vec<Corner> = (0..sides)
            .map(|side| {
                let out = heading(side as f32 / sides as f32 * TAU);
                let at = self.stem(base + dice.between(-0.015, 0.03)) + out * (self.kind.crown_radius_m * dice.between(0.34, 0.48));
                self.corner(at, out + Vec3::Y * 0.3, self.kind.needle * 0.34, 0.3)
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
            let up = (even.max(0.0) * (1.12 - 0.12 * even)).min(0.96);
            let count = if up > 0.72 { branches - 2 } else { branches };
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
                    light: dice.between(0.86, 1.14),
                });
            }
        }
        all
    }

    /// A roof of needles over a bent rib: two panes a side, whose hanging corners make the edge jagged.
    fn bough(&self, builder: &mut Builder, branch: &Branch) {
        let length = branch.length_m;
        let side = Vec3::new(-branch.out.z, 0.0, branch.out.x);
        let hang = 0.16 + 0.20 * (1.0 - branch.up);
        let rib = |t: f32| branch.root + branch.out * (length * t) - Vec3::Y * (length * branch.droop * t * (0.45 + 0.55 * t));
        let pane = |t: f32, across: f32, fall: f32| rib(t) + side * (length * across) - Vec3::Y * (length * fall);
        let root = builder.corner(self.needles(branch, rib(0.05), 0.0));
        let middle = builder.corner(self.needles(branch, rib(0.55) + Vec3::Y * (0.05 * length), 0.55));
        let tip = builder.corner(self.needles(branch, rib(1.0), 1.0));
        for sign in [-1.0, 1.0] {
            let inner = builder.corner(self.needles(branch, pane(0.42, 0.30 * sign, hang), 0.5));
            let outer = builder.corner(self.needles(branch, pane(0.80, 0.23 * sign, hang * 0.9), 0.85));
            builder.triangle(root, inner, middle);
            builder.triangle(middle, outer, tip);
            // Only the middle joins the panes: the notch between them is the jag.
            if sign > 0.0 {
                builder.triangle(middle, inner, outer);
            }
        }
    }

    fn broad_bough(&self, builder: &mut Builder, branch: &Branch) {
        let length = branch.length_m;
        let side = Vec3::new(-branch.out.z, 0.0, branch.out.x);
        let at = |t: f32, across: f32, fall: f32| {
            branch.root + branch.out * (length * t) + side * (length * across) - Vec3::Y * (length * (branch.droop * t + fall))
        };
        let root = builder.corner(self.needles(branch, at(0.0, 0.0, -0.12), 0.1));
        let tip = builder.corner(self.needles(branch, at(1.0, 0.0, 0.05), 1.0));
        for sign in [-1.0, 1.0] {
            let edge = builder.corner(self.needles(branch, at(0.62, 0.40 * sign, 0.30), 0.72));
            builder.triangle(root, edge, tip);
        }
    }

    /// A fan around the stem with a torn rim.
    fn skirt(&self, builder: &mut Builder, up: f32, tall: f32, dice: &mut Dice) {
        const SIDES: usize = 8;
        let share = |level: f32| self.kind.crown_base + (1.0 - self.kind.crown_base) * level;
        let radius = self.kind.crown_radius_m * self.profile(up + 0.03) + 0.1;
        let like = |light| Branch { root: Vec3::ZERO, out: Vec3::X, length_m: radius, up, droop: 0.0, light };
        let apex = self.needles(&like(1.0), self.stem(share((up + tall * 1.55).min(1.0))), 0.35);
        let first = dice.roll() * TAU;
        let rim: Vec<Corner> = (0..SIDES)
            .map(|i| {
                let out = heading(first + (i as f32 + dice.between(-0.2, 0.2)) / SIDES as f32 * TAU);
                let long = if i % 2 == 0 { dice.between(0.98, 1.12) } else { dice.between(0.58, 0.74) };
                let fall = self.kind.droop * 0.55 * (1.0 - up) * long + if i % 2 == 0 { 0.06 } else { -0.10 };
                self.needles(&Branch { out, ..like(dice.between(0.9, 1.1)) }, self.stem(share(up)) + out * (radius * long) - Vec3::Y * (radius * fall), 0.45 + 0.4 * long)
            })
            .collect();
        for i in 0..SIDES {
            builder.loose_triangle([rim[(i + 1) % SIDES], rim[i], Corner { normal: rim[i].normal + Vec3::Y * 0.3, ..apex }]);
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
