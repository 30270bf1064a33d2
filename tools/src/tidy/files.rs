//! In: a folder. Out: the files that belong to the project, and the text of those that are text.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// Folders that hold no source, whatever git thinks.
const SKIPPED: [&str; 3] = [".git", "target", "out"];

/// The files of a checkout.
#[derive(Debug, Default)]
pub struct Tree {
    /// Path from the root, with `/`, to its text; `None` for a binary file.
    pub files: BTreeMap<String, Option<String>>,
}

impl Tree {
    /// What git tracks; without git, every file but those of builds.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let paths = match tracked(root) {
            Some(paths) => paths,
            None => walk(root)?,
        };
        let mut files = BTreeMap::new();
        for path in paths {
            // Tracked, but deleted in the work tree: not there to be checked. Links lead to files that are checked themselves.
            if !fs::symlink_metadata(root.join(&path)).is_ok_and(|about| about.is_file()) {
                continue;
            }
            let bytes = fs::read(root.join(&path))?;
            let text = if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() };
            files.insert(path, text);
        }
        Ok(Tree { files })
    }

    /// Text of a file; `None` if it is missing or binary.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Path and text of the text files whose name ends so.
    pub fn texts_ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files.iter().filter(move |(path, _)| path.ends_with(ending)).filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name();
            let path = folder.join(&name);
            let kind = entry.file_type()?;
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                folders.push(path);
            } else if kind.is_file() {
                paths.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(paths)
}
