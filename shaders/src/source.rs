//! In: the folder of GLSL files. Out: their texts, what each one includes, and a hash over all of that.
//! Never knows: the compiler, SPIR-V.
//!
//! The hash and the compiler read the same texts from here, so what was hashed is what was compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::declare::shared_glsl;
use crate::error::ShaderError;

/// The generated file with the shared structs.
pub const SHARED_GLSL: &str = "shared.gen.glsl";

/// Includes within includes. Real chains are 3 or 4 deep; what is deeper is hard to read and likely a mistake.
pub const INCLUDE_DEPTH_MAX: usize = 8;

/// A pipeline stage, told by the suffix of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `.vert`
    Vertex,
    /// `.frag`
    Fragment,
    /// `.comp`
    Compute,
}

/// The stage of a shader file; `None` for files that are only included.
pub fn stage_of(name: &str) -> Option<Stage> {
    match name.rsplit_once('.')?.1 {
        "vert" => Some(Stage::Vertex),
        "frag" => Some(Stage::Fragment),
        "comp" => Some(Stage::Compute),
        _ => None,
    }
}

/// All GLSL files of a folder by name. Line ends are `\n`, whatever the checkout made of them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the `.vert .frag .comp .glsl` files of one flat folder; hidden and other files are left out. The shared structs
    /// are those of this build, not those on disk, so that shaders always agree with the Rust code they run with.
    pub fn read(glsl_dir: &Path) -> Result<Sources, ShaderError> {
        let mut sources = Sources::default();
        for entry in std::fs::read_dir(glsl_dir).map_err(ShaderError::io("list", glsl_dir))? {
            let path = entry.map_err(ShaderError::io("list", glsl_dir))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let is_source = stage_of(name).is_some() || name.ends_with(".glsl");
            if is_source && !name.starts_with('.') {
                let text = std::fs::read_to_string(&path).map_err(ShaderError::io("read", &path))?;
                sources.insert(name, &text)?;
            }
        }
        sources.insert(SHARED_GLSL, &shared_glsl())?;
        Ok(sources)
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, name: &str, text: &str) -> Result<(), ShaderError> {
        if text.contains('\0') {
            return Err(ShaderError::File { file: name.into(), reason: "it contains a NUL character; GLSL is text".into() });
        }
        self.files.insert(name.into(), text.replace("\r\n", "\n"));
        Ok(())
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Result<&str, ShaderError> {
        let missing = || ShaderError::File { file: name.into(), reason: "no such file in the shader folder".into() };
        self.files.get(name).map(String::as_str).ok_or_else(missing)
    }

    /// The names of the files that are shaders themselves, sorted.
    pub fn shaders(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|name| stage_of(name).is_some())
    }

    /// A shader and everything it includes, sorted by name. Conditions around an include are not evaluated.
    pub fn reachable<'a>(&'a self, name: &'a str) -> Result<BTreeSet<&'a str>, ShaderError> {
        let mut found = BTreeSet::new();
        self.visit(name, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Hash of a shader and all its includes: FNV-1a over name, NUL, text, NUL of each, sorted by name.
    pub fn hash(&self, name: &str) -> Result<u64, ShaderError> {
        let mut hash = FNV_START;
        for file in self.reachable(name)? {
            for part in [file, self.text(file)?] {
                hash = fnv1a(hash, part.as_bytes());
                hash = fnv1a(hash, &[0]);
            }
        }
        Ok(hash)
    }

    fn visit<'a>(&'a self, name: &'a str, above: &mut Vec<&'a str>, found: &mut BTreeSet<&'a str>) -> Result<(), ShaderError> {
        found.insert(name);
        above.push(name);
        for (index, text_line) in self.text(name)?.lines().enumerate() {
            let Some(argument) = include_argument(text_line) else { continue };
            let refuse = |reason| ShaderError::Source { file: name.into(), line: index + 1, reason };
            let included = quoted(argument).ok_or_else(|| refuse(format!("write #include \"name.glsl\", not {argument}")))?;
            if !self.files.contains_key(included) {
                return Err(refuse(format!("{included:?} is not in the shader folder (names are relative to it, no paths)")));
            }
            if above.contains(&included) {
                return Err(refuse(format!("{} -> {included} includes itself", above.join(" -> "))));
            }
            if above.len() > INCLUDE_DEPTH_MAX {
                return Err(refuse(format!("includes are more than {INCLUDE_DEPTH_MAX} deep: {}", above.join(" -> "))));
            }
            self.visit(included, above, found)?;
        }
        above.pop();
        Ok(())
    }
}

/// What follows `#include` on a line that has one.
fn include_argument(line: &str) -> Option<&str> {
    let argument = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    argument.starts_with([' ', '\t', '"', '<']).then_some(argument.trim())
}

/// The text between a quote at the start and the next one.
fn quoted(argument: &str) -> Option<&str> {
    Some(argument.strip_prefix('"')?.split_once('"')?.0)
}

/// The offset basis of 64-bit FNV-1a (Fowler, Noll, Vo).
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// 64-bit FNV-1a. It tells an edited file from an unedited one; it is no defence against an adversary.
pub fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Sources {
        let mut sources = Sources::default();
        for (name, text) in files {
            sources.insert(name, text).unwrap();
        }
        sources
    }

    #[test]
    fn fnv_matches_the_published_vectors() {
        assert_eq!(fnv1a(FNV_START, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV_START, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(FNV_START, b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_hash_follows_includes_and_nothing_else() {
        let files = [("a.vert", " # include \"b.glsl\" // why\n"), ("b.glsl", "#include \"c.glsl\"\n"), ("c.glsl", "x"), ("d.glsl", "")];
        let hash = |changed: &str, text: &str| {
            let mut sources = sources(&files);
            sources.insert(changed, text).unwrap();
            sources.hash("a.vert").unwrap()
        };
        let before = sources(&files).hash("a.vert").unwrap();
        assert_ne!(before, hash("c.glsl", "y"));
        assert_eq!(before, hash("d.glsl", "y"));
        assert_eq!(before, hash("b.glsl", "#include \"c.glsl\"\r\n"), "line ends do not count");
    }

    #[test]
    fn wrong_includes_are_refused_with_file_and_line() {
        let check = |text: &str, expected: &str| {
            let error = sources(&[("a.vert", text), ("self.glsl", "#include \"self.glsl\"")]).hash("a.vert").unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        check("\n#include <b.glsl>", "a.vert:2: error: write #include \"name.glsl\"");
        check("#include \"gone.glsl\"", "a.vert:1: error: \"gone.glsl\" is not in the shader folder");
        check("#include \"self.glsl\"", "self.glsl:1: error: a.vert -> self.glsl -> self.glsl includes itself");
    }

    #[test]
    fn chains_end_at_the_depth_limit() {
        let chain = |length: usize| {
            let mut sources = sources(&[("a.comp", "#include \"0.glsl\"")]);
            for index in 0..length {
                let next = if index + 1 < length { format!("#include \"{}.glsl\"", index + 1) } else { String::new() };
                sources.insert(&format!("{index}.glsl"), &next).unwrap();
            }
            sources.hash("a.comp").is_ok()
        };
        assert!(chain(INCLUDE_DEPTH_MAX));
        assert!(!chain(INCLUDE_DEPTH_MAX + 1));
    }
}
