//! In: the text of a settings file, values. Out: the same text with these values; comments, order and blank lines stay.
//! Never knows: what the settings do, or when they are saved.

use crate::{
    error::GameError,
    settings::{Setting, Value},
};
use std::{fs, io, path::Path};
use toml_edit::{DocumentMut, Item, TomlError};

/// The text with values of its top level changed; those that it says already stay as they are written.
pub fn with_values(text: &str, values: &[(&'static Setting, Value)]) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    for (setting, value) in values {
        let item = match value {
            Value::Number(number) => toml_edit::value(*number),
            Value::Whole(whole) => toml_edit::value(*whole),
            Value::Switch(switch) => toml_edit::value(*switch),
            Value::Text(text) => toml_edit::value(text.as_str()),
            // Nothing edits curves.
            Value::Curve(_) => continue,
        };
        set(&mut document, setting, value, item);
    }
    Ok(document.to_string())
}

/// Writes values into a settings file, which is made if there is none; gives its text. Nobody ever sees half of it.
pub fn save(path: &Path, values: &[(&'static Setting, Value)]) -> Result<String, GameError> {
    let old = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(GameError::file("read the settings file", path)(error)),
    };
    let text = with_values(&old, values).map_err(|error| {
        GameError::usage(format!("the settings file {} is not TOML: {}", path.display(), error.message()), "nothing was saved; mend it first")
    })?;
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = path.with_extension("toml.new");
        fs::write(&beside, &text)?;
        fs::rename(&beside, path)
    };
    write().map_err(GameError::file("write the settings file", path))?;
    Ok(text)
}

fn set(document: &mut DocumentMut, setting: &Setting, value: &Value, mut item: Item) {
    let same = |old: &Item| match value {
        Value::Number(number) => old.as_float() == Some(*number) || old.as_integer().map(|whole| whole as f64) == Some(*number),
        Value::Whole(whole) => old.as_integer() == Some(*whole),
        _ => false,
    };
    match document.get_mut(setting.name) {
        Some(old) if same(old) => {}
        Some(old) => {
            // What stands after the value, a comment for instance, stays there.
            if let (Some(before), Some(after)) = (old.as_value(), item.as_value_mut()) {
                *after.decor_mut() = before.decor().clone();
            }
            *old = item;
        }
        None if setting.default() == *value => {}
        None => document[setting.name] = item,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GENERAL;

    fn setting(name: &str) -> &'static Setting {
        GENERAL.iter().find(|setting| setting.name == name).expect("it is there")
    }

    #[test]
    fn comments_and_order_stay_and_new_settings_stand_before_the_tables() {
        let text = "# mine\nseed = 7 # lucky\nview_distance_m = 2000 # far enough\n\n[terrain]\n# hills\nheight_m = 3\n";
        let values = [
            (setting("view_distance_m"), Value::Number(5000.0)),
            (setting("upload_kb_per_frame"), Value::Whole(300)),
            (setting("host_memory_mb"), Value::Whole(0)),
        ];
        let edited = with_values(text, &values).expect("TOML");
        assert_eq!(
            edited, "# mine\nseed = 7 # lucky\nview_distance_m = 5000.0 # far enough\nupload_kb_per_frame = 300\n\n[terrain]\n# hills\nheight_m = 3\n",
            "what is as it always is needs no line"
        );
        assert_eq!(with_values(&edited, &values).expect("TOML"), edited, "the same again changes nothing");
        assert!(with_values("seed = \n", &values).is_err());
    }

    #[test]
    fn a_file_is_made_and_a_broken_one_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/terrane.toml");
        let values = [(setting("upload_kb_per_frame"), Value::Whole(500))];
        assert_eq!(save(&path, &values).expect("saved"), "upload_kb_per_frame = 500\n");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "upload_kb_per_frame = 500\n");
        fs::write(&path, "seed = \n").expect("written");
        assert_eq!(save(&path, &values).expect_err("no TOML").exit_code(), 2);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "seed = \n");
    }
}
