//! In: tables of settings, each with unit, range, default and help. Out: values that are known to be within them.
//! Never knows: files or the command line; `settings_file` reads the one, `config` joins both.

use miette::{Diagnostic, NamedSource, SourceSpan};
use std::fmt::{self, Write};
use thiserror::Error;

/// One setting: all that is ever said about it, said once.
#[derive(Debug)]
pub struct Setting {
    /// Its name in the settings file.
    pub name: &'static str,
    /// Unit of its numbers, "" if they have none.
    pub unit: &'static str,
    /// What it does, one line.
    pub help: &'static str,
    /// What it may be.
    pub kind: Kind,
}

/// What a setting may be, and what it is if nobody says.
#[derive(Debug)]
pub enum Kind {
    /// A number within a range, both ends included.
    Number {
        /// If nobody says.
        default: f64,
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
    },
    /// A whole number within a range, both ends included.
    Whole {
        /// If nobody says.
        default: i64,
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
    },
    /// True or false.
    Switch {
        /// If nobody says.
        default: bool,
    },
    /// Points `[x, y]` of a curve, x rising from point to point.
    Curve {
        /// If nobody says.
        default: &'static [[f32; 2]],
    },
    /// Text; a whole number will do too.
    Text {
        /// If nobody says.
        default: &'static str,
        /// What it may be; anything if there are none.
        allowed: &'static [&'static str],
    },
}

/// The value of one setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Number`].
    Number(f64),
    /// Of [`Kind::Whole`].
    Whole(i64),
    /// Of [`Kind::Switch`].
    Switch(bool),
    /// Of [`Kind::Curve`].
    Curve(Vec<[f32; 2]>),
    /// Of [`Kind::Text`].
    Text(String),
}

/// Points that a curve may have.
pub const CURVE_POINTS: (usize, usize) = (2, 64);
/// Range of a curve's x.
pub const CURVE_X: (f32, f32) = (0.0, 1.0);
/// Range of a curve's y.
pub const CURVE_Y: (f32, f32) = (-10.0, 10.0);

/// A value for every setting of a table, each within its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    values: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: &'static str,
    value: Value,
    written: bool,
}

impl Values {
    /// What a table says if nobody else does.
    pub fn defaults(table: &[Setting]) -> Values {
        Values { values: table.iter().map(|setting| Entry { name: setting.name, value: setting.default(), written: false }).collect() }
    }

    /// Takes in a value after checking it.
    pub fn set(&mut self, setting: &Setting, value: Value) -> Result<(), String> {
        setting.check(&value)?;
        let entry = self.values.iter_mut().find(|entry| entry.name == setting.name);
        let entry = entry.ok_or_else(|| format!("there is no setting '{}'", setting.name))?;
        (entry.value, entry.written) = (value, true);
        Ok(())
    }

    /// Takes over what others say of a setting, also that they say nothing.
    pub fn take(&mut self, setting: &Setting, from: &Values) {
        let said = from.values.iter().find(|entry| entry.name == setting.name);
        if let (Some(entry), Some(said)) = (self.values.iter_mut().find(|entry| entry.name == setting.name), said) {
            *entry = said.clone();
        }
    }

    /// Whether somebody said so, rather than the default.
    pub fn written(&self, name: &str) -> bool {
        self.values.iter().any(|entry| entry.name == name && entry.written)
    }

    /// A number, whole or not. Asking for a name that the table lacks is a bug.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(number) => *number,
            Value::Whole(whole) => *whole as f64,
            other => panic!("setting '{name}' is no number: {other:?}"),
        }
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> i64 {
        self.number(name) as i64
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> bool {
        matches!(self.get(name), Value::Switch(true))
    }

    /// A text, "" for other kinds.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// The points of a curve.
    pub fn curve(&self, name: &str) -> &[[f32; 2]] {
        match self.get(name) {
            Value::Curve(points) => points,
            other => panic!("setting '{name}' is no curve: {other:?}"),
        }
    }

    /// Every value with its name, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|entry| (entry.name, &entry.value))
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.values.iter().find(|entry| entry.name == name);
        &found.unwrap_or_else(|| panic!("the table of settings has no '{name}'")).value
    }
}

impl Setting {
    /// What it is if nobody says.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Whole { default, .. } => Value::Whole(default),
            Kind::Switch { default } => Value::Switch(default),
            Kind::Curve { default } => Value::Curve(default.to_vec()),
            Kind::Text { default, .. } => Value::Text(default.to_owned()),
        }
    }

    /// What it may be, in words.
    pub fn allowed(&self) -> String {
        let unit = self.unit_suffix();
        match &self.kind {
            Kind::Number { low, high, .. } => format!("a number from {low} to {high}{unit}"),
            Kind::Whole { low, high, .. } => format!("a whole number from {low} to {high}{unit}"),
            Kind::Switch { .. } => "true or false".to_owned(),
            Kind::Curve { .. } => format!(
                "{} to {} points [x, y], x rising within {} to {}, y within {} to {}",
                CURVE_POINTS.0, CURVE_POINTS.1, CURVE_X.0, CURVE_X.1, CURVE_Y.0, CURVE_Y.1
            ),
            Kind::Text { allowed: [], .. } => "text or a whole number".to_owned(),
            Kind::Text { allowed, .. } => format!("one of {}", allowed.join(", ")),
        }
    }

    /// Its unit with a space before it, or nothing.
    pub fn unit_suffix(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }

    /// Says what is wrong with a value, if anything is: field, value, what is allowed, default.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let right = match (&self.kind, value) {
            (Kind::Number { low, high, .. }, Value::Number(number)) => (*low..=*high).contains(number),
            (Kind::Whole { low, high, .. }, Value::Whole(whole)) => (*low..=*high).contains(whole),
            (Kind::Switch { .. }, Value::Switch(_)) => true,
            (Kind::Curve { .. }, Value::Curve(points)) => curve_is_right(points),
            (Kind::Text { allowed, .. }, Value::Text(text)) => allowed.is_empty() || allowed.contains(&text.as_str()),
            _ => false,
        };
        if right { Ok(()) } else { Err(self.refusal(&value.to_string())) }
    }

    /// The message for a value that it cannot have.
    pub fn refusal(&self, value: &str) -> String {
        format!("{} is {value}; allowed is {}", self.name, self.allowed())
    }
}

fn curve_is_right(points: &[[f32; 2]]) -> bool {
    let within = |value: f32, range: (f32, f32)| (range.0..=range.1).contains(&value);
    (CURVE_POINTS.0..=CURVE_POINTS.1).contains(&points.len())
        && points.iter().all(|[x, y]| within(*x, CURVE_X) && within(*y, CURVE_Y))
        && points.windows(2).all(|pair| pair[0][0] < pair[1][0])
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Whole(whole) => write!(f, "{whole}"),
            Value::Switch(switch) => write!(f, "{switch}"),
            Value::Text(text) => write!(f, "\"{text}\""),
            Value::Curve(points) => {
                f.write_char('[')?;
                for (index, [x, y]) in points.iter().enumerate() {
                    write!(f, "{}[{x}, {y}]", if index == 0 { "" } else { ", " })?;
                }
                f.write_char(']')
            }
        }
    }
}

/// A settings file that was refused, with the place in it.
#[derive(Clone, Debug, Error, Diagnostic)]
#[error("{message}")]
pub struct SettingsError {
    /// Which field, its value, what is allowed.
    pub message: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// What to do.
    #[help]
    pub advice: Option<String>,
    /// The file.
    #[source_code]
    pub source_code: NamedSource<String>,
    /// Where in it.
    #[label("here")]
    pub span: SourceSpan,
}

/// The candidate that a typing error most likely meant: fewest edits (Levenshtein 1966), at most a third of its length and 3.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|candidate| (edits(name, candidate), candidate));
    let (count, candidate) = scored.min_by_key(|(count, _)| *count)?;
    (count <= (candidate.len() / 3).clamp(1, 3)).then_some(candidate)
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let swapped = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = swapped.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: Setting = Setting { name: "height_m", unit: "m", help: "", kind: Kind::Number { default: 3.0, low: 1.0, high: 9.5 } };

    #[test]
    fn numbers_outside_their_range_are_refused_with_it() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e38] {
            let message = HEIGHT.check(&Value::Number(bad)).expect_err("outside");
            assert_eq!(message, format!("height_m is {bad}; allowed is a number from 1 to 9.5 m"));
        }
        assert!([1.0, 9.5].iter().all(|good| HEIGHT.check(&Value::Number(*good)).is_ok()));
    }

    #[test]
    fn a_value_of_another_kind_is_refused() {
        assert!(HEIGHT.check(&Value::Text("2".into())).is_err());
    }

    #[test]
    fn curves_must_rise_and_stay_in_range() {
        let curve = |points: &[[f32; 2]]| {
            let setting = Setting { name: "curve", unit: "", help: "", kind: Kind::Curve { default: &[] } };
            setting.check(&Value::Curve(points.to_vec())).is_ok()
        };
        assert!(curve(&[[0.0, 0.0], [1.0, 1.0]]));
        assert!(!curve(&[[0.0, 0.0]]));
        assert!(!curve(&[[0.5, 0.0], [0.5, 1.0]]));
        assert!(!curve(&[[0.0, f32::NAN], [1.0, 1.0]]));
        assert!(!curve(&[[0.0, 0.0], [1.0, 11.0]]));
    }

    #[test]
    fn typing_errors_find_what_was_meant() {
        let names = ["view_distance_m", "threads", "seed"];
        assert_eq!(closest("view_distance", names), Some("view_distance_m"));
        assert_eq!(closest("thread", names), Some("threads"));
        assert_eq!(closest("colour", names), None);
    }
}
