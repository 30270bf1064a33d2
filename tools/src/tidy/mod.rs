//! In: the root of a checkout. Out: violations of the house rules, each with a place and what to do.
//! Never knows: cargo's resolver, or the compiler; it reads text, so it works on a tree that does not build.
//!
//! Rules: `direction`, `home`, `size`, `dead`, `unsafe`, `asset`, `path`, `card`, `changelog`, `exception`.
//! An exception to `size`, `dead`, `asset`, `path` or `card` stands in `tools/tidy.toml` with its reason.

mod directions;
mod exceptions;
mod files;
mod reach;
mod rust;
mod text;

use exceptions::Exceptions;
pub use files::Tree;
use std::{fmt, io, path::Path};

/// Lines that a Rust file may have: what is read in one sitting.
pub const LINES_MAX: usize = 400;

/// Something in the tree that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Path from the root, with `/`.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Name of the rule.
    pub rule: &'static str,
    /// What to do.
    pub what: String,
}

impl Violation {
    fn new(path: &str, line: usize, rule: &'static str, what: impl Into<String>) -> Violation {
        Violation { path: path.to_owned(), line, rule, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// Checks every rule; sorted by path. Errors are of the file system only.
pub fn check(root: &Path) -> io::Result<Vec<Violation>> {
    let tree = Tree::read(root)?;
    let mut found = Vec::new();
    let mut exceptions = Exceptions::read(&tree, &mut found);
    directions::check(&tree, &mut found);
    reach::check_rust(&tree, &mut found);
    reach::check_glsl(&tree, &mut found);
    text::check_sizes(&tree, &mut exceptions, &mut found);
    text::check_unsafe(&tree, &mut found);
    text::check_assets(&tree, &mut found);
    text::check_paths(&tree, &mut found);
    text::check_cards(&tree, &mut found);
    text::check_changelog(&tree, &mut found);
    found.retain(|violation| !exceptions.covers(violation));
    exceptions.report_unused(&mut found);
    found.sort();
    Ok(found)
}
