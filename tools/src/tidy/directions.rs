//! In: the manifests, and files of rooms with a guest. Out: dependencies that point the wrong way, and outside crates away from their home.
//! Normal and build dependencies count; tests may name any room.

use super::{
    Tree, Violation,
    rust::{code_only, line_of, words},
};

/// Room, package, and the rooms that it may name. A room without a row may name all.
const ROOMS: [(&str, &str, &[&str]); 9] = [
    ("engine/base", "terrane-base", &["terrane-simd"]),
    ("engine/simd", "terrane-simd", &[]),
    ("profiling", "terrane-profiling", &[]),
    ("shaders", "terrane-shaders", &[]),
    ("engine/jobs", "terrane-jobs", &["terrane-base", "terrane-profiling"]),
    ("engine/worldgen", "terrane-worldgen", &["terrane-base", "terrane-simd"]),
    ("engine/gpu", "terrane-gpu", &["terrane-base", "terrane-profiling"]),
    ("engine/render", "terrane-render", &["terrane-base", "terrane-gpu", "terrane-profiling", "terrane-shaders", "terrane-worldgen"]),
    (
        "game",
        "terrane",
        &["terrane-base", "terrane-simd", "terrane-gpu", "terrane-jobs", "terrane-profiling", "terrane-render", "terrane-shaders", "terrane-worldgen"],
    ),
];

/// Outside crate, and the rooms where it lives.
const HOMES: [(&str, &[&str]); 12] = [
    ("ash", &["engine/gpu"]),
    ("ash-window", &["engine/gpu"]),
    ("gpu-allocator", &["engine/gpu"]),
    ("shaderc", &["shaders"]),
    ("rayon", &["engine/jobs", "benches", "benches/peers"]),
    ("hecs", &["engine/jobs", "game", "benches/peers"]),
    ("tracy-client", &["profiling"]),
    ("winit", &["game"]),
    ("egui", &["game", "engine/render"]),
    ("egui-winit", &["game"]),
    ("toml_edit", &["game"]),
    ("nv-flip", &["tools"]),
];

/// Outside crate, a room that is not its own, and the one file there that may name it.
const GUESTS: [(&str, &str, &str); 1] = [("egui", "engine/render/src/", "overlay.rs")];

/// Checks every manifest but the root's, and the files of a room where a crate is a guest.
pub fn check(tree: &Tree, found: &mut Vec<Violation>) {
    for (path, text) in tree.texts_ending("/Cargo.toml") {
        let table = match text.parse::<toml::Table>() {
            Ok(table) => table,
            Err(error) => {
                found.push(Violation::new(path, 1, "direction", format!("this is not TOML: {}", error.message())));
                continue;
            }
        };
        let room = path.trim_end_matches("/Cargo.toml");
        for (key, package) in dependencies(&table) {
            let line = line_of_key(text, &key);
            check_direction(room, &package, path, line, found);
            check_home(room, &package, path, line, found);
        }
    }
    for (name, room, file) in GUESTS {
        let others = tree.texts_ending(".rs").filter(|(path, _)| path.strip_prefix(room).is_some_and(|rest| rest != file));
        for (path, text) in others {
            for at in words(&code_only(text), name) {
                found.push(Violation::new(path, line_of(text, at), "home", format!("of this room {file} alone names {name}; go through it")));
            }
        }
    }
}

fn check_direction(room: &str, package: &str, path: &str, line: usize, found: &mut Vec<Violation>) {
    let is_ours = package == "terrane" || package.starts_with("terrane-");
    let row = ROOMS.iter().find(|(name, ..)| *name == room);
    if let Some((_, _, allowed)) = row
        && is_ours
        && !allowed.contains(&package)
    {
        let names = if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") };
        let what = format!("{room} must not know {package}; it may name {names}. Move the code to where both are known");
        found.push(Violation::new(path, line, "direction", what));
    }
}

fn check_home(room: &str, package: &str, path: &str, line: usize, found: &mut Vec<Violation>) {
    if let Some((_, homes)) = HOMES.iter().find(|(name, _)| *name == package)
        && !homes.contains(&room)
    {
        let what = format!("{package} lives in {}; call it through that room", homes.join(" and "));
        found.push(Violation::new(path, line, "home", what));
    }
}

/// Key and package of each normal and build dependency, those of one platform included.
fn dependencies(table: &toml::Table) -> Vec<(String, String)> {
    let platforms = table.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|targets| targets.values());
    let tables = platforms.filter_map(toml::Value::as_table).chain([table]);
    let sections = tables.flat_map(|table| ["dependencies", "build-dependencies"].map(|section| table.get(section)));
    let entries = sections.flatten().filter_map(toml::Value::as_table).flatten();
    entries
        .map(|(key, value)| {
            let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
            (key.clone(), package.to_owned())
        })
        .collect()
}

fn line_of_key(text: &str, key: &str) -> usize {
    let starts = |line: &str| line.trim_start().trim_start_matches('"').strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']));
    text.lines().position(starts).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rooms_name_each_other() {
        for (room, package, allowed) in ROOMS {
            for name in allowed {
                let other = ROOMS.iter().find(|row| row.1 == *name).expect("a row for each room that is named");
                assert!(!other.2.contains(&package), "{room} and {} name each other", other.0);
            }
        }
    }
}
