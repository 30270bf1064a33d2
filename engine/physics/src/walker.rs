//! In: the solids around, what the walker wants in this tick. Out: where it stands after the tick, and how fast it is.
//! Never knows: keys, worlds, cameras. All that it does follows from its arguments, bit by bit.

use crate::{rules::Rules, space::Space};
use glam::{DVec3, Vec3};
use rapier3d::{
    control::{CharacterLength, KinematicCharacterController},
    geometry::{Capsule, ShapeCastHit},
    math::Pose,
    na::ComplexField,
    parry::query::ShapeCastOptions,
};
use terrane_base::Place;

/// Length of a tick, seconds.
pub const TICK_S: f32 = 1.0 / 60.0;
/// Gap between the walker and what it touches, metres.
const GAP_M: f32 = 0.01;
/// It stays on the ground over edges and bumps that are lower than this share of a step.
const SNAP_STEPS: f32 = 0.7;
/// The ground counts as touched within this distance beyond the gap, metres.
const TOUCH_M: f32 = 0.02;
/// Ticks after it left the ground in which it can still jump: 0.1 s. People press late.
const LATE_JUMP_TICKS: u32 = 6;
/// Time in which it comes to 63 % of the wanted speed: on the ground, in the air, in water. Seconds.
const EASE_S: [f32; 3] = [0.07, 0.5, 0.25];
/// Fastest fall, metres a second: under a metre a tick.
const FALL_MAX_M_S: f32 = 55.0;
/// Share of its height that is under water when it floats: the eyes stay over it.
const FLOAT_SHARE: f32 = 0.78;
/// Share of the speed on foot that is left in water where it floats.
const SWIM_SHARE: f32 = 0.45;
/// Share of the speed that water leaves after a second, vertically.
const WATER_DRAG_PER_S: f32 = 4.0;
/// Speed at which it rises or dives on its own will, metres a second.
const DIVE_M_S: f32 = 2.2;
/// The push with which it leaves the water at a shore is so much more than the height alone needs: water holds it back.
const SHORE_PUSH: f32 = 1.25;
/// Slower than this it stands, metres a second.
const STILL_M_S: f32 = 0.02;
/// It tries to step up where it comes less far than this share of its way.
const STEP_AT_SHARE: f32 = 0.7;
/// What is steeper than 73 degrees is a wall.
const WALL_NORMAL_Y: f32 = 0.3;
/// Places are whole parts of a metre of this size: 24 bits hold them within 128 m of the origin, so that moving the origin by whole metres is exact.
const PARTS_PER_M: f32 = 65_536.0;
/// How often it is pushed out of what it stands in, at most; a push is up to a quarter of its height.
const PUSHES_MAX: u32 = 12;

/// What a walker wants in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// Forward is positive, -1 to 1.
    pub forward: f32,
    /// Right is positive.
    pub right: f32,
    /// Where forward is: clockwise from north, radians.
    pub yaw_rad: f32,
    /// Run rather than walk.
    pub run: bool,
    /// Jump, or rise in water.
    pub jump: bool,
    /// Dive in water.
    pub dive: bool,
}

/// One who walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    feet: Place,
    velocity_m_s: Vec3,
    /// Ticks since it stood on ground that it can stand on.
    airborne_ticks: u32,
    under_water_m: f32,
    /// It ran into a wall in the last tick.
    at_wall: bool,
    /// It may stand in something: it was just put there.
    unsettled: bool,
}

impl Walker {
    /// Stands still there, in the air perhaps.
    pub fn new(feet: Place) -> Walker {
        Walker { feet: on_parts(feet), velocity_m_s: Vec3::ZERO, airborne_ticks: LATE_JUMP_TICKS + 1, under_water_m: 0.0, at_wall: false, unsettled: true }
    }

    /// Where its feet are.
    pub fn feet(&self) -> Place {
        self.feet
    }

    /// Where its eyes are.
    pub fn eye(&self, rules: &Rules) -> Place {
        self.feet.moved_by(DVec3::Y * f64::from(rules.eye_m))
    }

    /// How fast it is, metres a second.
    pub fn velocity_m_s(&self) -> Vec3 {
        self.velocity_m_s
    }

    /// Whether it stands on ground that it can stand on.
    pub fn grounded(&self) -> bool {
        self.airborne_ticks == 0
    }

    /// How deep its feet are under water, metres; 0 on land.
    pub fn under_water_m(&self) -> f32 {
        self.under_water_m
    }

    /// One tick of [`TICK_S`]. `space` is that of its place; `water_m` the height of the water's surface, where there is any.
    pub fn tick(&mut self, space: &Space, rules: &Rules, wish: &Wish, water_m: Option<f32>) {
        let start = self.feet.relative_to(space.origin_m());
        let mut at = start;
        if self.unsettled {
            at = settled(space, rules, at);
            self.unsettled = false;
        }
        self.under_water_m = water_m.map_or(0.0, |water| (water - space.origin_m()[1] as f32 - at.y).max(0.0));
        let was_grounded = self.grounded();
        let way = self.want(rules, wish);
        if was_grounded && self.grounded() && way.with_y(0.0) == Vec3::ZERO && way.y < 0.0 {
            self.velocity_m_s = Vec3::ZERO;
            self.feet = place_at(space.origin_m(), at);
            return;
        }
        let before = at;
        let mut walls = Vec::new();
        at += controller(rules, way).move_shape(TICK_S, &space.queries(), &capsule(rules), &pose(rules, at), way, |hit| walls.push(hit.hit)).translation;
        at = kept_above_ground(space, before, at);
        match was_grounded.then(|| step_up(space, rules, before, way, at)).flatten() {
            Some(stepped) => at = stepped,
            None => self.lose_speed_at(rules, &walls, way, at - before),
        }
        self.touch_ground(space, rules, way, at, before);
        self.feet = place_at(space.origin_m(), at);
    }

    /// Changes the velocity to what is wanted, as far as that goes in a tick. Gives the way of the tick.
    fn want(&mut self, rules: &Rules, wish: &Wish) -> Vec3 {
        let depth = self.under_water_m / rules.height_m;
        let swims = depth > FLOAT_SHARE * 0.9;
        let (sin, cos) = ComplexField::sin_cos(wish.yaw_rad);
        let asked = Vec3::new(cos, 0.0, sin) * wish.right + Vec3::new(sin, 0.0, -cos) * wish.forward;
        let wading = 1.0 - (1.0 - SWIM_SHARE) * (depth / FLOAT_SHARE).min(1.0);
        let target = asked.clamp_length_max(1.0) * if wish.run { rules.run_m_s } else { rules.walk_m_s } * wading;
        let ease_s = EASE_S[if swims { 2 } else { usize::from(!self.grounded()) }];
        let before = self.velocity_m_s.y;
        let level = self.velocity_m_s.with_y(0.0);
        self.velocity_m_s = level + (target - level) * (TICK_S / ease_s).min(1.0);
        if target == Vec3::ZERO && self.velocity_m_s.length_squared() < STILL_M_S * STILL_M_S {
            (self.velocity_m_s.x, self.velocity_m_s.z) = (0.0, 0.0);
        }
        self.velocity_m_s.y = before;
        self.velocity_m_s.y = if depth > 0.0 && (swims || !self.grounded()) { self.float(rules, wish, depth) } else { before - rules.gravity_m_s2 * TICK_S };
        self.velocity_m_s.y = self.velocity_m_s.y.clamp(-FALL_MAX_M_S, FALL_MAX_M_S);
        let mut rise = (before + self.velocity_m_s.y) * 0.5;
        if wish.jump && !swims && self.airborne_ticks <= LATE_JUMP_TICKS {
            self.velocity_m_s.y = ComplexField::sqrt(2.0 * rules.gravity_m_s2 * rules.jump_m);
            rise = self.velocity_m_s.y - rules.gravity_m_s2 * TICK_S * 0.5;
            self.velocity_m_s.y -= rules.gravity_m_s2 * TICK_S;
            self.airborne_ticks = LATE_JUMP_TICKS;
        }
        Vec3::new(self.velocity_m_s.x, rise, self.velocity_m_s.z) * TICK_S
    }

    /// Vertical speed in water: weight, lift by what is under water, drag; and what the swimmer wants.
    fn float(&self, rules: &Rules, wish: &Wish, depth: f32) -> f32 {
        let lift = rules.gravity_m_s2 * (depth / FLOAT_SHARE).min(1.6);
        let drag = (self.velocity_m_s.y * WATER_DRAG_PER_S * (depth / FLOAT_SHARE).min(1.0) * TICK_S).clamp(-FALL_MAX_M_S, FALL_MAX_M_S);
        let free = self.velocity_m_s.y + (lift - rules.gravity_m_s2) * TICK_S - drag;
        match (wish.jump, wish.dive) {
            // Up a shore that it could step onto from the water's surface.
            (true, false) if self.at_wall => free.max(ComplexField::sqrt(2.0 * rules.gravity_m_s2 * (self.under_water_m + rules.step_m)) * SHORE_PUSH),
            (true, false) if depth > FLOAT_SHARE * 0.6 => free.max(DIVE_M_S),
            (false, true) => free.min(-DIVE_M_S),
            _ => free,
        }
    }

    /// What runs into a wall, a ceiling or a slope loses the speed towards it.
    fn lose_speed_at(&mut self, rules: &Rules, walls: &[ShapeCastHit], way: Vec3, moved: Vec3) {
        let stands_on = ComplexField::cos(rules.slope_max_rad);
        self.at_wall = walls.iter().any(|hit| hit.normal1.y.abs() < WALL_NORMAL_Y);
        for hit in walls {
            let normal = hit.normal1;
            // Ground that it can stand on only stops its fall.
            if normal.y < stands_on {
                let out = if normal.y > 0.0 { normal } else { normal.with_y(normal.y.min(0.0)) };
                self.velocity_m_s -= out * self.velocity_m_s.dot(out).min(0.0);
            }
        }
        // It cannot fall faster than it did.
        if way.y < 0.0 && moved.y > way.y {
            self.velocity_m_s.y = self.velocity_m_s.y.max((moved.y / TICK_S).min(0.0));
        }
    }

    /// Whether it stands now; one that was held up where no slope is gentle enough stands too, or it could never leave a cleft.
    fn touch_ground(&mut self, space: &Space, rules: &Rules, way: Vec3, at: Vec3, start: Vec3) {
        let rises = way.y > 0.0 && self.velocity_m_s.y > 0.0;
        let held_up = way.y < -4.0 * GAP_M * TICK_S && (at.y - start.y) > way.y * 0.1 && (at.y - start.y).abs() < GAP_M;
        let below = space.queries().cast_shape(&pose(rules, at), Vec3::NEG_Y, &capsule(rules), options(GAP_M, TOUCH_M));
        let stands = below.is_some_and(|(_, hit)| hit.normal1.y >= ComplexField::cos(rules.slope_max_rad));
        if !rises && (stands || (held_up && below.is_some())) {
            self.airborne_ticks = 0;
            self.velocity_m_s.y = 0.0;
        } else {
            self.airborne_ticks = self.airborne_ticks.saturating_add(1).max(1);
        }
    }
}

/// The place moved out of what it overlaps: by the shortest way if that is short, else up onto it.
fn settled(space: &Space, rules: &Rules, start: Vec3) -> Vec3 {
    let above_ground = |at: Vec3| space.ground_m(at.x, at.z).map_or(at, |ground| at.with_y(at.y.max(ground)));
    let mut at = above_ground(start);
    for _ in 0..PUSHES_MAX {
        let pushed = controller(rules, Vec3::ZERO).move_shape(TICK_S, &space.queries(), &capsule(rules), &pose(rules, at), Vec3::ZERO, |_| ()).translation;
        at = above_ground(at + pushed);
        if pushed.length_squared() < GAP_M * GAP_M {
            return at;
        }
    }
    // From above, as far as anything could be in the way.
    let above = at + Vec3::Y * crate::tile::REACH_MAX_M * 2.0;
    let fall = space.queries().cast_shape(&pose(rules, above), Vec3::NEG_Y, &capsule(rules), options(GAP_M, above.y - at.y));
    above - Vec3::Y * fall.map_or(0.0, |(_, hit)| hit.time_of_impact)
}

/// Never through the ground from above, whatever happened.
fn kept_above_ground(space: &Space, before: Vec3, at: Vec3) -> Vec3 {
    match (space.ground_m(before.x, before.z), space.ground_m(at.x, at.z)) {
        (Some(was), Some(is)) if before.y >= was && at.y < is => at.with_y(is + GAP_M),
        _ => at,
    }
}

/// Where it stands on a step that its way runs into, if it came to `at` without.
///
/// The library's own step moves on by the rest of the tick's way, which often is too little for a round foot: it then stands on the edge of the
/// step, too steep to stay, and slips off again, for ever. This one moves on until the foot holds.
fn step_up(space: &Space, rules: &Rules, start: Vec3, way: Vec3, at: Vec3) -> Option<Vec3> {
    let level = way.with_y(0.0);
    let length = level.length();
    if length < 1e-4 || (at - start).dot(level) > length * length * STEP_AT_SHARE || rules.step_m <= 0.0 {
        return None;
    }
    let (queries, capsule, direction) = (space.queries(), capsule(rules), level / length);
    let cast = |from: Vec3, direction: Vec3, way_m: f32| queries.cast_shape(&pose(rules, from), direction, &capsule, options(GAP_M, way_m));
    let holds = rules.radius_m * (1.0 - 0.9 * ComplexField::sin(rules.slope_max_rad)) + GAP_M;
    let rise = cast(start, Vec3::Y, rules.step_m + GAP_M).map_or(rules.step_m + GAP_M, |(_, hit)| hit.time_of_impact);
    let above = start + Vec3::Y * rise;
    let forward = holds.max(length);
    if cast(above, direction, forward).is_some() {
        return None;
    }
    let (_, hit) = cast(above + direction * forward, Vec3::NEG_Y, rise)?;
    let stepped = above + direction * forward - Vec3::Y * hit.time_of_impact;
    let (sin, cos) = ComplexField::sin_cos(rules.slope_max_rad);
    let is_step = hit.normal1.y >= cos && stepped.y > start.y + GAP_M;
    // In a cleft, where both sides are too steep to stand on, the library slides from one to the other and comes nowhere.
    let along_cleft = (stepped.y - start.y) * cos <= forward * sin;
    (is_step || along_cleft).then_some(stepped)
}

/// For a tick with this way. Who rises is not pulled back to the ground; steps are taken by [`step_up`].
fn controller(rules: &Rules, way: Vec3) -> KinematicCharacterController {
    KinematicCharacterController {
        up: Vec3::Y,
        offset: CharacterLength::Absolute(GAP_M),
        slide: true,
        autostep: None,
        max_slope_climb_angle: rules.slope_max_rad,
        min_slope_slide_angle: rules.slope_max_rad,
        snap_to_ground: (way.y <= 0.0).then_some(CharacterLength::Absolute(rules.step_m * SNAP_STEPS)),
        normal_nudge_factor: 1e-4,
    }
}

fn capsule(rules: &Rules) -> Capsule {
    let half = (rules.height_m * 0.5 - rules.radius_m).max(0.0);
    Capsule::new_y(half, rules.radius_m)
}

fn pose(rules: &Rules, feet: Vec3) -> Pose {
    Pose::from_translation(feet + Vec3::Y * (rules.height_m * 0.5))
}

fn options(gap_m: f32, way_m: f32) -> ShapeCastOptions {
    ShapeCastOptions { target_distance: gap_m, stop_at_penetration: false, max_time_of_impact: way_m, compute_impact_geometry_on_penetration: true }
}

/// The place of a point near an origin. Exact: what is dropped was never there, the point is on parts.
fn place_at(origin_m: [i64; 3], at: Vec3) -> Place {
    let at = (at * PARTS_PER_M).round() / PARTS_PER_M;
    let whole = at.floor();
    let cell = [whole.x, whole.y, whole.z].map(|metres| metres as i64);
    Place { cell_m: std::array::from_fn(|axis| origin_m[axis] + cell[axis]), offset_m: at - whole }
}

fn on_parts(place: Place) -> Place {
    place_at(place.cell_m, place.offset_m)
}
