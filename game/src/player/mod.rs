//! In: controls, a world. Out: where the player is and looks, flying or on foot, tick by tick.
//! Never knows: windows, keys, the renderer.

pub mod clock;
pub mod colliders;
pub mod script;
pub mod settings;

use crate::{
    error::GameError,
    fly::{Controls, Flyer, TICK_S},
    settings::Values,
    worlds::WorldInstance,
};
use colliders::{ColliderCounts, Colliders};
use glam::{DVec3, Vec3};
use terrane_base::Place;
use terrane_physics::{Rules, Walker, Wish};
use terrane_profiling::Stage;
use terrane_render::Camera;

/// The eye of one who flies stays at least this far over the ground, metres.
const EYE_OVER_GROUND_M: f64 = 1.7;
/// The eye follows a step up or down within about this time, seconds: a step is no jerk.
const STEP_EASE_S: f32 = 0.08;

/// How the player moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Through the air, with a speed that the wheel sets.
    #[default]
    Fly,
    /// On foot.
    Walk,
}

/// The player in a world.
pub struct Player {
    flyer: Flyer,
    body: Option<Body>,
    rules: Rules,
    colliders: Colliders,
    waited_ticks: u64,
    walk_stage: &'static Stage,
}

/// One who is on foot.
#[derive(Clone, Copy)]
struct Body {
    walker: Walker,
    /// How far the eye is behind a step that was just taken, upward.
    behind_m: f32,
}

impl Player {
    /// Stands still where a camera is; `values` are those of [`settings::PLAYER`].
    pub fn new(world: &WorldInstance, values: &Values, at: &Camera, mode: Mode) -> Result<Player, GameError> {
        let colliders = Colliders::new(world, settings::collider_radius_m(values))?;
        let flyer = Flyer::new(at.place, at.yaw_rad, at.pitch_rad);
        let mut player = Player { flyer, body: None, rules: settings::rules(values), colliders, waited_ticks: 0, walk_stage: terrane_profiling::stage("walk") };
        player.set_mode(mode);
        Ok(player)
    }

    /// The same player in a world made anew, or with other settings.
    pub fn enter(&mut self, world: &WorldInstance, values: &Values) -> Result<(), GameError> {
        (self.colliders, self.rules) = (Colliders::new(world, settings::collider_radius_m(values))?, settings::rules(values));
        // The ground may be elsewhere now.
        self.set_mode(self.mode());
        Ok(())
    }

    /// Whether it flies or walks.
    pub fn mode(&self) -> Mode {
        if self.body.is_some() { Mode::Walk } else { Mode::Fly }
    }

    /// From flight to the feet it falls to the ground; the other way it stays where it is.
    pub fn set_mode(&mut self, mode: Mode) {
        self.flyer.stop();
        let feet = self.flyer.place.moved_by(DVec3::Y * -f64::from(self.rules.eye_m));
        self.body = (mode == Mode::Walk).then(|| Body { walker: Walker::new(feet), behind_m: 0.0 });
    }

    /// The one who flies: speed, place and view. On foot its place is that of the eyes.
    pub fn flyer(&self) -> &Flyer {
        &self.flyer
    }

    /// The one on foot, if it is.
    pub fn walker(&self) -> Option<&Walker> {
        self.body.as_ref().map(|body| &body.walker)
    }

    /// The speed that full controls give in flight; on foot how fast it is. Metres a second.
    pub fn speed_m_s(&self) -> f32 {
        self.body.map_or(self.flyer.speed_m_s, |body| body.walker.velocity_m_s().length())
    }

    /// Ticks in which the body waited for what is solid around it.
    pub fn waited_ticks(&self) -> u64 {
        self.waited_ticks
    }

    /// How much is solid around it.
    pub fn colliders(&self) -> ColliderCounts {
        self.colliders.counts()
    }

    /// Sees to it that what is solid is there when it is needed. Once a frame.
    pub fn prepare(&mut self) {
        if self.body.is_some() {
            self.colliders.tick(self.flyer.place);
        }
    }

    /// The same, and waits for it.
    pub fn prepare_wholly(&mut self) {
        if self.body.is_some() {
            self.colliders.wait(self.flyer.place);
        }
    }

    /// One tick. False if the body waits for what is solid around it; then only the view turned.
    pub fn tick(&mut self, controls: &Controls, world: &WorldInstance) -> bool {
        let Some(body) = &mut self.body else {
            self.flyer.tick(controls);
            let [x, _, z] = self.flyer.place.to_f64();
            self.flyer.keep_above(world.height_at(x, z) + EYE_OVER_GROUND_M);
            return true;
        };
        self.flyer.look(controls);
        let Some(space) = self.colliders.space(body.walker.feet()) else {
            self.waited_ticks += 1;
            return false;
        };
        let _zone = self.walk_stage.enter();
        let wish = Wish {
            forward: controls.forward,
            right: controls.right,
            yaw_rad: self.flyer.yaw_rad,
            run: controls.fast,
            jump: controls.up > 0.0,
            dive: controls.up < 0.0,
        };
        body.tick(&wish, |walker, wish| walker.tick(space, &self.rules, wish, world.solids.water_m()));
        self.flyer.place = body.walker.eye(&self.rules).moved_by(DVec3::Y * -f64::from(body.behind_m));
        true
    }

    /// Place, yaw and pitch at a share of the way from the last tick to this one.
    pub fn interpolated(&self, share: f32) -> (Place, f32, f32) {
        self.flyer.interpolated(share)
    }
}

impl Body {
    /// Moves, and lets the eye follow a step softly. Slopes are no steps: only what is steeper than one could walk.
    fn tick(&mut self, wish: &Wish, walk: impl FnOnce(&mut Walker, &Wish)) {
        let (before, was_grounded) = (self.walker.feet(), self.walker.grounded());
        walk(&mut self.walker, wish);
        let moved: Vec3 = self.walker.feet().relative_to(before.cell_m) - before.offset_m;
        if was_grounded && self.walker.grounded() && moved.y.abs() > 1.5 * moved.with_y(0.0).length() {
            self.behind_m += moved.y;
        }
        self.behind_m -= self.behind_m * (TICK_S / STEP_EASE_S);
        if self.behind_m.abs() < 1e-4 {
            self.behind_m = 0.0;
        }
    }
}
