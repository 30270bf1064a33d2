//! In: Rust and GLSL files. Out: those that nothing leads to: `mod` and targets for Rust, `#include` for GLSL.

use super::{
    Tree, Violation,
    rust::{code_only, words},
};
use std::collections::BTreeSet;

/// Reports Rust files that no target of their package reaches.
pub fn check_rust(tree: &Tree, found: &mut Vec<Violation>) {
    let mut reached = BTreeSet::new();
    let mut open: Vec<(String, bool)> = roots(tree).into_iter().map(|path| (path, true)).collect();
    while let Some((path, is_root)) = open.pop() {
        if !tree.files.contains_key(&path) || !reached.insert(path.clone()) {
            continue;
        }
        if let Some(text) = tree.text(&path) {
            open.extend(modules(text, &path, is_root).into_iter().map(|path| (path, false)));
        }
    }
    for (path, _) in tree.texts_ending(".rs").filter(|(path, _)| !reached.contains(*path)) {
        found.push(Violation::new(path, 1, "dead", "no `mod`, bin, test, example or bench leads here: name it or delete it"));
    }
}

/// Files that cargo starts from: by place, and by `path = ` in a manifest.
fn roots(tree: &Tree) -> Vec<String> {
    let mut roots = Vec::new();
    for (manifest, text) in tree.texts_ending("Cargo.toml") {
        let package = manifest.trim_end_matches("Cargo.toml");
        roots.extend(["src/lib.rs", "src/main.rs", "build.rs"].map(|name| format!("{package}{name}")));
        for folder in ["src/bin/", "tests/", "examples/", "benches/"] {
            let prefix = format!("{package}{folder}");
            let is_target = |path: &&String| {
                path.strip_prefix(&prefix).is_some_and(|rest| match rest.split_once('/') {
                    None => rest.ends_with(".rs"),
                    Some((_, file)) => file == "main.rs",
                })
            };
            roots.extend(tree.files.keys().filter(is_target).cloned());
        }
        if let Ok(table) = text.parse::<toml::Table>() {
            let tables = table.values().flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
            roots.extend(tables.filter_map(|target| target.get("path")?.as_str()).map(|path| join(package, path)));
        }
    }
    roots
}

/// Files that `mod name;` and `include!("...")` may mean; those that are not there are the compiler's to report.
fn modules(text: &str, path: &str, is_root: bool) -> Vec<String> {
    let code = code_only(text);
    let (folder, file) = path.rsplit_once('/').map_or(("", path), |(folder, file)| (folder, file));
    let base = if is_root || file == "mod.rs" { format!("{folder}/") } else { format!("{folder}/{}/", file.trim_end_matches(".rs")) };
    let mut named = Vec::new();
    for at in words(&code, "mod") {
        let rest = code[at + 3..].trim_start();
        let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        if name.is_empty() || !rest[name.len()..].trim_start().starts_with(';') {
            continue;
        }
        let attributes = code[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
        match quoted_after(&text[attributes..at], "#[path") {
            Some(other) => named.push(join(&format!("{folder}/"), &other)),
            None => named.extend([format!("{base}{name}.rs"), format!("{base}{name}/mod.rs")]),
        }
    }
    for (at, _) in code.match_indices("include!(") {
        named.extend(quoted_after(&text[at..], "include!(").map(|other| join(&format!("{folder}/"), &other)));
    }
    named
}

fn quoted_after(text: &str, start: &str) -> Option<String> {
    let rest = &text[text.find(start)? + start.len()..];
    rest.split('"').nth(1).map(str::to_owned)
}

/// A path from a folder (ending in `/`, or empty), with `..` taken out.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Reports `.glsl` files that no stage includes, however indirectly.
pub fn check_glsl(tree: &Tree, found: &mut Vec<Violation>) {
    let is_stage = |path: &str| [".vert", ".frag", ".comp"].iter().any(|ending| path.ends_with(ending));
    let mut open: Vec<String> = tree.files.keys().filter(|path| is_stage(path)).cloned().collect();
    let mut reached = BTreeSet::new();
    while let Some(path) = open.pop() {
        let Some(text) = tree.text(&path) else { continue };
        if !reached.insert(path.clone()) {
            continue;
        }
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let includes = text.lines().filter(|line| line.trim_start().starts_with("#include")).filter_map(|line| line.split('"').nth(1));
        open.extend(includes.map(|name| join(&folder, name)));
    }
    for (path, _) in tree.texts_ending(".glsl").filter(|(path, _)| !reached.contains(*path)) {
        found.push(Violation::new(path, 1, "dead", "no .vert, .frag or .comp file includes this: include it or delete it"));
    }
}
