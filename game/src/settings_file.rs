//! In: the text of a settings file and the tables of what may be in it. Out: checked values, or one message with its line.
//! Never knows: where the file is, or which settings mean what.

use crate::settings::{Kind, Setting, SettingsError, Value, Values, closest};
use miette::NamedSource;
use std::ops::Range;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A settings file larger than this is refused: 1 MiB, a thousand times what every setting with a comment needs.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// A table of the file: its name, "" for the top level, and its settings.
pub type Section<'a> = (&'a str, &'a [Setting]);

/// A file being read: for messages.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

/// Values for each section in turn: what the file says, defaults for the rest. The file is TOML; `name` is for messages.
/// A field twice, a field nobody knows, a value out of range: each refuses the whole file.
pub fn parse(name: &str, text: &str, sections: &[Section]) -> Result<Vec<Values>, Box<SettingsError>> {
    let source = Source { name, text };
    let root = DeTable::parse(text).map_err(|e| source.error(e.span(), e.message().to_owned(), None))?;
    let mut all: Vec<Values> = sections.iter().map(|(_, table)| Values::defaults(table)).collect();
    for (index, section) in sections.iter().enumerate() {
        match section.0 {
            "" => read_table(&source, root.get_ref(), section, sections, &mut all[index])?,
            name => match root.get_ref().get(name) {
                None => {}
                Some(value) => match value.get_ref() {
                    DeValue::Table(table) => read_table(&source, table, section, &[], &mut all[index])?,
                    _ => return Err(source.error(Some(value.span()), format!("{name} must be a table: write [{name}] on a line"), None)),
                },
            },
        }
    }
    Ok(all)
}

fn read_table(source: &Source, table: &DeTable, section: &Section, sections: &[Section], values: &mut Values) -> Result<(), Box<SettingsError>> {
    let path = |field: &str| if section.0.is_empty() { field.to_owned() } else { format!("{}.{field}", section.0) };
    for (key, value) in table {
        let field: &str = key.get_ref();
        if sections.iter().any(|(name, _)| *name == field && !name.is_empty()) {
            continue;
        }
        let Some(setting) = section.1.iter().find(|setting| setting.name == field) else {
            let known = section.1.iter().map(|setting| setting.name);
            let known = known.chain(sections.iter().map(|(name, _)| *name)).filter(|name| !name.is_empty());
            let advice = match closest(field, known.clone()) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => format!("known here: {}", known.collect::<Vec<_>>().join(", ")),
            };
            return Err(source.error(Some(key.span()), format!("there is no setting '{}'", path(field)), Some(advice)));
        };
        let read = read_value(setting, value).and_then(|value| values.set(setting, value));
        read.map_err(|message| {
            let message = if section.0.is_empty() { message } else { format!("{}.{message}", section.0) };
            let advice = format!("without the line it is {}: {}", setting.default(), setting.help);
            source.error(Some(value.span()), message, Some(advice))
        })?;
    }
    Ok(())
}

fn read_value(setting: &Setting, value: &Spanned<DeValue>) -> Result<Value, String> {
    let wrong = |what: &str| setting.refusal(what);
    match (&setting.kind, value.get_ref()) {
        (Kind::Number { .. }, found) => number(found).map(Value::Number).ok_or_else(|| wrong(describe(found))),
        (Kind::Whole { .. }, found @ DeValue::Integer(_)) => whole(found).map(Value::Whole).ok_or_else(|| wrong("beyond 64 bits")),
        (Kind::Whole { .. }, DeValue::Float(float)) => Err(wrong(float.as_str())),
        (Kind::Switch { .. }, DeValue::Boolean(switch)) => Ok(Value::Switch(*switch)),
        (Kind::Text { .. }, DeValue::String(text)) => Ok(Value::Text(text.to_string())),
        (Kind::Text { allowed: [], .. }, found @ DeValue::Integer(_)) => {
            whole(found).map(|whole| Value::Text(whole.to_string())).ok_or_else(|| wrong("beyond 64 bits"))
        }
        (Kind::Curve { .. }, DeValue::Array(points)) => {
            points.iter().map(|point| pair(point.get_ref())).collect::<Option<_>>().map(Value::Curve).ok_or_else(|| wrong("a list of other things"))
        }
        (_, found) => Err(wrong(describe(found))),
    }
}

fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(_) => whole(value).map(|whole| whole as f64),
        _ => None,
    }
}

fn whole(value: &DeValue) -> Option<i64> {
    value.as_integer().and_then(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).ok())
}

fn pair(value: &DeValue) -> Option<[f32; 2]> {
    let array = value.as_array()?;
    let at = |index: usize| array.get(index).and_then(|value| number(value.get_ref())).map(|number| number as f32);
    (array.len() == 2).then_some([at(0)?, at(1)?])
}

fn describe(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl Source<'_> {
    fn error(&self, span: Option<Range<usize>>, message: String, advice: Option<String>) -> Box<SettingsError> {
        let span = span.unwrap_or(0..0);
        let line = self.text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1;
        let source_code = NamedSource::new(self.name, self.text.to_owned()).with_language("toml");
        Box::new(SettingsError { message: format!("line {line}: {message}"), line, advice, source_code, span: span.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &[Setting] = &[
        Setting { name: "seed", unit: "", help: "The world.", kind: Kind::Text { default: "1", allowed: &[] } },
        Setting { name: "threads", unit: "", help: "Workers.", kind: Kind::Whole { default: 2, low: 1, high: 64 } },
    ];
    const HILLS: &[Setting] = &[
        Setting { name: "height_m", unit: "m", help: "Highest.", kind: Kind::Number { default: 10.0, low: 1.0, high: 100.0 } },
        Setting { name: "snow", unit: "", help: "White.", kind: Kind::Switch { default: true } },
        Setting { name: "curve", unit: "", help: "Shape.", kind: Kind::Curve { default: &[[0.0, 0.0], [1.0, 1.0]] } },
    ];

    fn read(text: &str) -> Result<Vec<Values>, String> {
        parse("test.toml", text, &[("", TOP), ("hills", HILLS)]).map_err(|error| error.message)
    }

    #[test]
    fn what_the_file_leaves_out_has_its_default() {
        let values = read("seed = -7\n[hills]\nheight_m = 20\ncurve = [[0, 0.5], [0.5, 2]]\n").expect("a good file");
        assert_eq!((values[0].text("seed"), values[0].whole("threads")), ("-7", 2));
        assert_eq!((values[1].number("height_m"), values[1].switch("snow")), (20.0, true));
        assert_eq!(values[1].curve("curve"), [[0.0, 0.5], [0.5, 2.0]]);
        assert_eq!(read("").expect("an empty file")[0].text("seed"), "1");
    }

    #[test]
    fn each_bad_value_gives_one_message_with_field_value_range_and_line() {
        let range = "allowed is a number from 1 to 100 m";
        for (written, told) in [
            ("nan", "NaN"),
            ("inf", "inf"),
            ("-inf", "-inf"),
            ("-1", "-1"),
            ("0", "0"),
            ("1e38", "100000000000000000000000000000000000000"),
            ("\"10\"", "a text"),
            ("true", "true or false"),
            ("[1]", "a list"),
            ("2020-01-01", "a date"),
            ("{ a = 1 }", "a table"),
        ] {
            let message = read(&format!("# first\n[hills]\nheight_m = {written}\n")).expect_err(written);
            assert_eq!(message, format!("line 3: hills.height_m is {told}; {range}"));
        }
    }

    #[test]
    fn missing_values_and_broken_toml_name_the_line() {
        assert!(read("seed = 1\nthreads =\n").expect_err("no value").starts_with("line 2: "));
        assert!(read("seed = 1\nseed = 2\n").expect_err("twice").starts_with("line 2: "));
        assert!(read("[hills\n").expect_err("open").starts_with("line 1: "));
        assert!(read("hills = 3\n").expect_err("no table").contains("[hills]"));
        assert!(read("threads = 99999999999999999999\n").is_err());
        assert!(read("threads = 1.5\n").expect_err("a part").contains("threads is 1.5"));
    }

    #[test]
    fn unknown_fields_suggest_the_closest() {
        let error = parse("t", "\n[hills]\nheigth_m = 3\n", &[("", TOP), ("hills", HILLS)]).expect_err("a typing error");
        assert_eq!(error.message, "line 3: there is no setting 'hills.heigth_m'");
        assert_eq!(error.advice.as_deref(), Some("did you mean 'height_m'?"));
        let error = parse("t", "[hill]\n", &[("", TOP), ("hills", HILLS)]).expect_err("a typing error");
        assert_eq!(error.advice.as_deref(), Some("did you mean 'hills'?"));
    }
}
