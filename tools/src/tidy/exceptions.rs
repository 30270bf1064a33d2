//! In: `tools/tidy.toml`. Out: which violations are allowed. An exception without a reason, or that nothing needs, is a violation.

use super::{Tree, Violation};

const FILE: &str = "tools/tidy.toml";
const RULES: [&str; 5] = ["size", "dead", "asset", "path", "card"];

#[derive(Debug)]
struct Exception {
    rule: String,
    path: String,
    lines_max: usize,
    used: bool,
}

/// What may break a rule, and whether something did.
#[derive(Debug, Default)]
pub struct Exceptions {
    list: Vec<Exception>,
}

impl Exceptions {
    /// Reads the file; a tree without it has no exceptions.
    pub fn read(tree: &Tree, found: &mut Vec<Violation>) -> Exceptions {
        let Some(text) = tree.text(FILE) else { return Exceptions::default() };
        let table = match text.parse::<toml::Table>() {
            Ok(table) => table,
            Err(error) => {
                found.push(Violation::new(FILE, 1, "exception", format!("this is not TOML: {}", error.message())));
                return Exceptions::default();
            }
        };
        let mut list = Vec::new();
        for entry in table.get("exception").and_then(toml::Value::as_array).into_iter().flatten() {
            let field = |name: &str| entry.get(name).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
            let (rule, path) = (field("rule"), field("path"));
            if !RULES.contains(&rule.as_str()) {
                found.push(Violation::new(FILE, 1, "exception", format!("'{path}' names the rule '{rule}'; allowed are {}", RULES.join(", "))));
            } else if field("reason").len() < 20 {
                found.push(Violation::new(FILE, 1, "exception", format!("'{path}' needs a `reason` that a reader can judge")));
            }
            let lines_max = entry.get("lines_max").and_then(toml::Value::as_integer).map_or(0, |lines| lines.max(0) as usize);
            list.push(Exception { rule, path, lines_max, used: false });
        }
        Exceptions { list }
    }

    /// Lines that this file may have, if it may be longer than others.
    pub fn lines_max(&self, path: &str) -> Option<usize> {
        self.list.iter().find(|exception| exception.rule == "size" && exception.path == path).map(|exception| exception.lines_max)
    }

    /// A file was longer than others may be, and within its own limit.
    pub fn use_size(&mut self, path: &str) {
        self.list.iter_mut().filter(|exception| exception.rule == "size" && exception.path == path).for_each(|exception| exception.used = true);
    }

    /// Whether a violation is allowed. Sizes have a limit of their own, so `check_sizes` judges them.
    pub fn covers(&mut self, violation: &Violation) -> bool {
        if violation.rule == "size" {
            return false;
        }
        let mut covered = false;
        for exception in self.list.iter_mut().filter(|exception| exception.rule == violation.rule && exception.path == violation.path) {
            (exception.used, covered) = (true, true);
        }
        covered
    }

    /// Reports exceptions that nothing needed.
    pub fn report_unused(&self, found: &mut Vec<Violation>) {
        for exception in self.list.iter().filter(|exception| !exception.used) {
            let what = format!("nothing needs the exception of '{}' to '{}' any more (or it is too small): remove it", exception.path, exception.rule);
            found.push(Violation::new(FILE, 1, "exception", what));
        }
    }
}
