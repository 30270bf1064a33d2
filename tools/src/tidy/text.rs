//! In: files one by one. Out: what is wrong inside them: length, `unsafe`, assets, paths of one machine, a missing room card.

use super::{
    LINES_MAX, Tree, Violation,
    exceptions::Exceptions,
    rust::{code_only, line_of, words},
};

/// Where `unsafe` may stand: the room of Vulkan, that of SIMD instructions, and the bytes of shared structs.
const UNSAFE_ALLOWED: [&str; 3] = ["engine/gpu/", "engine/simd/", "shaders/src/macros.rs"];
/// Endings of files that someone painted, modelled or recorded.
const ASSETS: [&str; 14] = ["png", "jpg", "jpeg", "obj", "gltf", "glb", "fbx", "wav", "ogg", "mp3", "ttf", "otf", "hdr", "exr"];
/// Starts of paths that exist on one machine only.
const MACHINE_PATHS: [&str; 5] = ["/home/", "/root/", "/work/", "/tmp/target", "/tmp/wt"];
/// Files that must spell those paths to look for them.
const SPELLS_PATHS: [&str; 2] = ["tools/src/tidy/text.rs", "tools/tests/tidy.rs"];

/// Reports Rust files that are too long.
pub fn check_sizes(tree: &Tree, exceptions: &mut Exceptions, found: &mut Vec<Violation>) {
    for (path, text) in tree.texts_ending(".rs") {
        let lines = text.lines().count();
        if lines <= LINES_MAX {
            continue;
        }
        match exceptions.lines_max(path) {
            Some(lines_max) if lines <= lines_max => exceptions.use_size(path),
            _ => {
                let what = format!("{lines} lines; {LINES_MAX} are read in one sitting. Split it, or give tools/tidy.toml the reason and a `lines_max`");
                found.push(Violation::new(path, LINES_MAX + 1, "size", what));
            }
        }
    }
}

/// Reports the word `unsafe` in code outside the rooms that may have it.
pub fn check_unsafe(tree: &Tree, found: &mut Vec<Violation>) {
    for (path, text) in tree.texts_ending(".rs").filter(|(path, _)| !UNSAFE_ALLOWED.iter().any(|allowed| path.starts_with(allowed))) {
        let code = code_only(text);
        for at in words(&code, "unsafe") {
            let what = format!("`unsafe` lives in {}; call a safe function of it", UNSAFE_ALLOWED.join(" and "));
            found.push(Violation::new(path, line_of(&code, at), "unsafe", what));
        }
    }
}

/// Reports asset files: everything that is seen or heard is made from a seed.
pub fn check_assets(tree: &Tree, found: &mut Vec<Violation>) {
    for path in tree.files.keys() {
        let ending = path.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_lowercase());
        let is_asset = ASSETS.contains(&ending.as_str());
        let is_proof = path.starts_with("docs/") || path.split('/').any(|part| part == "golden" || part == "goldens");
        if is_asset && !is_proof {
            found.push(Violation::new(path, 1, "asset", "a world has no asset files: make this in code (pictures of it go to docs/ or a golden folder)"));
        }
    }
}

/// Reports paths that exist on one machine only.
pub fn check_paths(tree: &Tree, found: &mut Vec<Violation>) {
    for (path, text) in tree.texts_ending("").filter(|(path, _)| !SPELLS_PATHS.contains(path)) {
        for (at, line) in text.lines().enumerate() {
            if let Some(start) = MACHINE_PATHS.iter().find(|start| has_path(line, start)) {
                found.push(Violation::new(path, at + 1, "path", format!("'{start}' is a place on one machine: write it relative to the project")));
            }
        }
    }
}

/// Whether a path starts so in this line; `docs/work/` is no such path.
fn has_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "_-.~$}".contains(letter))
    })
}

/// Reports Rust files that do not open with their room card.
pub fn check_cards(tree: &Tree, found: &mut Vec<Violation>) {
    for (path, _) in tree.texts_ending(".rs").filter(|(_, text)| !text.starts_with("//!")) {
        found.push(Violation::new(path, 1, "card", "begin with `//!`: what comes in, what goes out, what this file never knows"));
    }
}

/// Reports a change log without a place for what comes next.
pub fn check_changelog(tree: &Tree, found: &mut Vec<Violation>) {
    if !tree.text("CHANGELOG.md").is_some_and(|text| text.contains("Unreleased")) {
        found.push(Violation::new("CHANGELOG.md", 1, "changelog", "a section 'Unreleased' must say what changed since the last release"));
    }
}
