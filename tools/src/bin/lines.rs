//! In: a checkout. Out: lines of each room: of code, of comments, of tests.

use clap::Parser;
use std::{collections::BTreeMap, io, path::PathBuf};
use terrane_tools::tidy::Tree;

/// Counts the lines of each room
#[derive(Parser)]
#[command(name = "lines")]
struct Cli {
    /// Root of the checkout
    #[arg(default_value = ".")]
    root: PathBuf,
}

#[derive(Clone, Copy, Default)]
struct Count {
    files: usize,
    code: usize,
    comments: usize,
    tests: usize,
}

fn main() -> io::Result<()> {
    let tree = Tree::read(&Cli::parse().root)?;
    let mut rooms: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for (path, text) in tree.texts_ending("").filter(|(path, _)| is_source(path)) {
        let count = count(path, text);
        add(rooms.entry(room(path)).or_default(), count);
        add(&mut all, count);
    }
    println!("{:<18} {:>6} {:>8} {:>9} {:>7}", "room", "files", "code", "comments", "tests");
    for (room, count) in rooms.iter().map(|(room, count)| (room.as_str(), count)).chain([("all", &all)]) {
        println!("{room:<18} {:>6} {:>8} {:>9} {:>7}", count.files, count.code, count.comments, count.tests);
    }
    Ok(())
}

fn is_source(path: &str) -> bool {
    let script = path.starts_with("tools/") && !path.contains('.');
    let endings = [".rs", ".vert", ".frag", ".comp", ".glsl"];
    script || (endings.iter().any(|ending| path.ends_with(ending)) && !path.contains(".gen."))
}

fn room(path: &str) -> String {
    let depth = if path.starts_with("engine/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// Lines after `#[cfg(test)]` are tests: unit tests stand at the end of a file.
fn count(path: &str, text: &str) -> Count {
    let mut count = Count { files: 1, ..Count::default() };
    let mut in_tests = path.contains("/tests/") || path.ends_with("/tests.rs");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        in_tests |= line == "#[cfg(test)]";
        match line {
            _ if in_tests => count.tests += 1,
            _ if line.starts_with("//") => count.comments += 1,
            _ => count.code += 1,
        }
    }
    count
}

fn add(sum: &mut Count, count: Count) {
    sum.files += count.files;
    sum.code += count.code;
    sum.comments += count.comments;
    sum.tests += count.tests;
}
