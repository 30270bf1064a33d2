//! In: a walk in words: "forward 5s; jump; left 2s". Out: the controls of each of its ticks.
//! Never knows: where it leads.

use crate::fly::{Controls, LOOK_RAD_PER_PIXEL, TICK_S};
use std::str::FromStr;
use terrane_base::Place;

/// Longest step of a script, seconds: an hour.
const STEP_S_MAX: f32 = 3600.0;
/// Steps of a script.
const STEPS_MAX: usize = 1000;
/// What a step may say.
const WORDS: &str = "forward, back, left, right, run, jump, dive, wait, joined by '+', with a time like '5s'; or 'turn' with degrees to the right";

/// A walk, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    controls: Controls,
    ticks: u64,
}

impl Script {
    /// How many ticks it takes.
    pub fn ticks(&self) -> u64 {
        self.steps.iter().map(|step| step.ticks).sum()
    }

    /// The controls of a tick; nothing is asked after the end.
    pub fn controls(&self, tick: u64) -> Controls {
        let mut first = 0;
        for Step { controls, ticks } in &self.steps {
            if tick < first + ticks {
                // A turn is made once.
                return if tick == first { *controls } else { Controls { look_px: [0.0; 2], ..*controls } };
            }
            first += ticks;
        }
        Controls::default()
    }
}

impl FromStr for Script {
    type Err = String;
    fn from_str(text: &str) -> Result<Script, String> {
        let steps: Vec<&str> = text.split(';').map(str::trim).filter(|step| !step.is_empty()).collect();
        if steps.is_empty() || steps.len() > STEPS_MAX {
            return Err(format!("it has {} steps; allowed are 1 to {STEPS_MAX}, between ';'. A step is {WORDS}", steps.len()));
        }
        let step = |(index, text): (usize, &&str)| step(text).map_err(|message| format!("step {} is '{text}': {message}", index + 1));
        Ok(Script { steps: steps.iter().enumerate().map(step).collect::<Result<_, _>>()? })
    }
}

fn step(text: &str) -> Result<Step, String> {
    let mut words = text.split_whitespace();
    let (what, amount, more) = (words.next().unwrap_or(""), words.next(), words.next());
    if more.is_some() {
        return Err(format!("steps are divided by ';'. A step is {WORDS}"));
    }
    if what == "turn" {
        let degrees = amount.and_then(|amount| amount.parse().ok()).filter(|degrees: &f32| degrees.abs() <= 360.0);
        let degrees = degrees.ok_or("a turn needs degrees from -360 to 360")?;
        let controls = Controls { look_px: [degrees.to_radians() / LOOK_RAD_PER_PIXEL, 0.0], ..Controls::default() };
        return Ok(Step { controls, ticks: 1 });
    }
    let mut controls = Controls::default();
    for word in what.split('+') {
        match word {
            "forward" => controls.forward = 1.0,
            "back" => controls.forward = -1.0,
            "left" => controls.right = -1.0,
            "right" => controls.right = 1.0,
            "run" => (controls.forward, controls.fast) = (1.0, true),
            "jump" => controls.up = 1.0,
            "dive" => controls.up = -1.0,
            "wait" => {}
            _ => return Err(format!("'{word}' is unknown. A step is {WORDS}")),
        }
    }
    let seconds = match amount {
        None => Some(TICK_S),
        Some(amount) => amount.strip_suffix('s').and_then(|seconds| seconds.parse().ok()).filter(|seconds| (0.0..=STEP_S_MAX).contains(seconds)),
    };
    let seconds: f32 = seconds.ok_or_else(|| format!("a time is seconds with an 's' from 0s to {STEP_S_MAX}s, for instance 2.5s"))?;
    Ok(Step { controls, ticks: ((seconds / TICK_S).round() as u64).max(1) })
}

/// What hashes of walks are made of: a place, word by word.
pub fn place_words(place: Place) -> impl Iterator<Item = u32> {
    let cells = place.cell_m.into_iter().flat_map(|cell| [cell as u32, (cell >> 32) as u32]);
    cells.chain(place.offset_m.to_array().map(f32::to_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_for_their_time() {
        let script: Script = "forward 1s; jump; turn -90; run+left 0.5s;".parse().expect("a script");
        assert_eq!(script.ticks(), 60 + 1 + 1 + 30);
        assert_eq!((script.controls(59).forward, script.controls(60).up, script.controls(60).forward), (1.0, 1.0, 0.0));
        assert!((script.controls(61).look_px[0] * LOOK_RAD_PER_PIXEL + std::f32::consts::FRAC_PI_2).abs() < 1e-5);
        let last = script.controls(91);
        assert_eq!((last.forward, last.right, last.fast, last.look_px), (1.0, -1.0, true, [0.0; 2]));
        assert_eq!(script.controls(92), Controls::default());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_step() {
        for (text, told) in [
            ("", "allowed are 1 to"),
            ("forward 2s; fly 2s", "step 2 is 'fly 2s': 'fly' is unknown"),
            ("forward 2", "a time is seconds"),
            ("wait 9999s", "a time is seconds"),
            ("wait nans", "a time is seconds"),
            ("turn", "a turn needs degrees"),
            ("turn 1e9", "a turn needs degrees"),
            ("forward 2s left 2s", "divided by ';'"),
        ] {
            let error = text.parse::<Script>().expect_err("it is wrong");
            assert!(error.contains(told), "{error}");
        }
    }
}
