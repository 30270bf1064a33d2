//! In: the table of what can be set about the player. Out: the rules that it walks by.
//! Never knows: files, or how one walks.

use crate::settings::{
    Kind::{self, Number},
    Setting, Values,
};
use terrane_physics::Rules;

/// Settings of the player: the section `[player]` of the settings file.
pub const PLAYER: &[Setting] = &[
    number("body_height_m", "m", 1.8, 0.8, 4.0, "How tall the player is."),
    number("body_radius_m", "m", 0.3, 0.1, 0.4, "How wide, half of it."),
    number("eyes_below_top_m", "m", 0.1, 0.0, 0.4, "How far the eyes are below the top of the head."),
    number("step_height_m", "m", 0.5, 0.0, 0.8, "Steps that one takes without a jump."),
    number("slope_max_deg", "degrees", 50.0, 10.0, 80.0, "Slopes that one can climb; one slides down steeper ones."),
    number("walk_speed_m_s", "m/s", 4.5, 0.5, 20.0, "Speed on foot."),
    number("run_speed_m_s", "m/s", 9.0, 0.5, 40.0, "Speed on foot with Shift."),
    number("jump_height_m", "m", 1.1, 0.0, 10.0, "How high one jumps."),
    number("gravity_m_s2", "m/s2", 18.0, 1.0, 50.0, "How fast one falls faster."),
    number("collider_radius_m", "m", 16.0, 16.0, 256.0, "Things are solid within this distance from the player, rounded up to whole tiles of 16 m."),
    Setting {
        name: "near_only_colliders",
        unit: "",
        help: "Off makes everything within 256 m solid, to see what the small radius saves.",
        kind: Kind::Switch { default: true },
    },
];

/// Things are solid within this distance when not only near ones are, metres.
const FAR_M: f64 = 256.0;

const fn number(name: &'static str, unit: &'static str, default: f64, low: f64, high: f64, help: &'static str) -> Setting {
    Setting { name, unit, help, kind: Number { default, low, high } }
}

/// The rules that the values say.
pub fn rules(values: &Values) -> Rules {
    let number = |name| values.number(name) as f32;
    Rules {
        height_m: number("body_height_m"),
        radius_m: number("body_radius_m"),
        eye_m: number("body_height_m") - number("eyes_below_top_m"),
        step_m: number("step_height_m"),
        slope_max_rad: number("slope_max_deg").to_radians(),
        walk_m_s: number("walk_speed_m_s"),
        run_m_s: number("run_speed_m_s"),
        jump_m: number("jump_height_m"),
        gravity_m_s2: number("gravity_m_s2"),
    }
}

/// Within which distance things are solid, metres.
pub fn collider_radius_m(values: &Values) -> f64 {
    if values.switch("near_only_colliders") { values.number("collider_radius_m") } else { FAR_M }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_physics() {
        let (ours, theirs) = (rules(&Values::defaults(PLAYER)), Rules::default());
        assert!((ours.eye_m - theirs.eye_m).abs() < 1e-6 && (ours.slope_max_rad - theirs.slope_max_rad).abs() < 1e-6);
        assert_eq!(Rules { eye_m: theirs.eye_m, slope_max_rad: theirs.slope_max_rad, ..ours }, theirs);
    }

    #[test]
    fn every_default_is_within_its_range_and_a_body_fits_at_every_end() {
        for setting in PLAYER {
            assert_eq!(setting.check(&setting.default()), Ok(()), "{}", setting.name);
            assert!(setting.help.ends_with('.'), "{}", setting.name);
        }
        let end = |name: &str| PLAYER.iter().find(|setting| setting.name == name).map(|setting| &setting.kind);
        let (Some(Number { low: height, .. }), Some(Number { high: radius, .. }), Some(Number { high: below, .. })) =
            (end("body_height_m"), end("body_radius_m"), end("eyes_below_top_m"))
        else {
            panic!("the three are numbers")
        };
        assert!(radius * 2.0 <= *height && below < height);
    }
}
