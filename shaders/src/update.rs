//! In: the folder of this crate. Out: `glsl/shared.gen.glsl`, `spirv/*.spv` and `src/table.rs` brought up to date, or what would change.
//! Never knows: the command line, pipelines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::compile::{Compilation, GlslCompiler};
use crate::compiled::Compiled;
use crate::error::ShaderError;
use crate::source::{SHARED_GLSL, Sources};

/// What to do with differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Write them.
    Write,
    /// Only report them.
    Check,
}

/// What an update found.
#[derive(Debug, Default)]
pub struct Update {
    /// Files that were written, or would be; relative to the folder.
    pub changed: Vec<PathBuf>,
    /// Files that were removed because their source is gone, or would be.
    pub removed: Vec<PathBuf>,
    /// Shaders that were compiled, in order.
    pub compiled: Vec<String>,
    /// The compiler's warnings.
    pub warnings: Vec<String>,
    /// Shaders that do not compile; their old compiled file stays.
    pub errors: Vec<ShaderError>,
}

/// Brings the folder up to date. A shader is compiled when its source, an include, the compiler or the options changed, or when
/// `all` is set.
pub fn update(crate_dir: &Path, mode: Mode, all: bool) -> Result<Update, ShaderError> {
    refuse_old_tool(crate_dir)?;
    let mut update = Update::default();
    let sources = Sources::read(&crate_dir.join("glsl"))?;
    let shared_path = Path::new("glsl").join(SHARED_GLSL);
    put(crate_dir, &shared_path, sources.text(SHARED_GLSL)?.as_bytes(), mode, &mut update)?;
    compile_changed(crate_dir, &sources, mode, all, &mut update)?;
    remove_orphans(crate_dir, &sources, mode, &mut update)?;
    write_table(crate_dir, mode, &mut update)?;
    Ok(update)
}

/// A tool built before an edit of `shared.rs` would write the old structs over the new ones.
fn refuse_old_tool(crate_dir: &Path) -> Result<(), ShaderError> {
    let built = [
        ("shared.rs", include_str!("shared.rs")),
        ("shared_field.rs", include_str!("shared_field.rs")),
        ("shared_overlay.rs", include_str!("shared_overlay.rs")),
        ("declare.rs", include_str!("declare.rs")),
    ];
    for (file, built_in) in built {
        let path = crate_dir.join("src").join(file);
        // A folder that holds no Rust sources (a test, a copy of the shaders) has nothing to disagree with.
        let Ok(on_disk) = std::fs::read_to_string(&path) else { continue };
        if on_disk.replace("\r\n", "\n") != built_in.replace("\r\n", "\n") {
            return Err(ShaderError::OldTool { path });
        }
    }
    Ok(())
}

fn compile_changed(dir: &Path, sources: &Sources, mode: Mode, all: bool, update: &mut Update) -> Result<(), ShaderError> {
    let compiler = GlslCompiler::new()?;
    for name in sources.shaders() {
        let path = spirv_path(name);
        let hash = match sources.hash(name) {
            Ok(hash) => hash,
            Err(error) => {
                update.errors.push(error);
                continue;
            }
        };
        let fresh = std::fs::read(dir.join(&path)).is_ok_and(|bytes| Compiled::from_bytes(name, &bytes).is_ok_and(|compiled| compiled.source_hash == hash));
        if fresh && !all {
            continue;
        }
        match compiler.compile(sources, name) {
            Ok(Compilation { compiled, warnings }) => {
                update.compiled.push(name.into());
                if !warnings.is_empty() {
                    update.warnings.push(warnings);
                }
                put(dir, &path, &compiled.to_bytes(), mode, update)?;
            }
            Err(error) => update.errors.push(error),
        }
    }
    Ok(())
}

fn remove_orphans(dir: &Path, sources: &Sources, mode: Mode, update: &mut Update) -> Result<(), ShaderError> {
    let wanted: BTreeSet<&str> = sources.shaders().collect();
    for name in compiled_names(dir)?.iter().filter(|name| !wanted.contains(name.as_str())) {
        let path = spirv_path(name);
        if mode == Mode::Write {
            let path = dir.join(&path);
            std::fs::remove_file(&path).map_err(ShaderError::io("remove", &path))?;
        }
        update.removed.push(path);
    }
    Ok(())
}

/// The table lists the files that exist, so that the crate builds even while a new shader does not compile yet.
fn write_table(dir: &Path, mode: Mode, update: &mut Update) -> Result<(), ShaderError> {
    let path = Path::new("src").join("table.rs");
    if !dir.join("src").is_dir() {
        return Ok(()); // a copy of the shaders alone
    }
    let removed = |name: &String| update.removed.contains(&spirv_path(name));
    let names: Vec<String> = compiled_names(dir)?.into_iter().filter(|name| !removed(name)).collect();
    put(dir, &path, table_text(&names).as_bytes(), mode, update)
}

/// The text of `src/table.rs`.
fn table_text(names: &[String]) -> String {
    let mut text = String::from(
        "//! In: the files in spirv/. Out: their bytes by name. Never knows: what is in them.\n\
         //! Generated by shaders-compile; do not edit.\n\n\
         /// Every shader by the name of its source file, sorted, with the bytes of its compiled file.\n\
         #[rustfmt::skip]\n\
         pub const SHADERS: &[(&str, &[u8])] = &[\n",
    );
    for name in names {
        text.push_str(&format!("    (\"{name}\", include_bytes!(\"../spirv/{name}.spv\")),\n"));
    }
    text.push_str("];\n");
    text
}

/// The shaders that have a compiled file, sorted.
fn compiled_names(dir: &Path) -> Result<Vec<String>, ShaderError> {
    let spirv_dir = dir.join("spirv");
    if !spirv_dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&spirv_dir).map_err(ShaderError::io("list", &spirv_dir))? {
        let entry = entry.map_err(ShaderError::io("list", &spirv_dir))?;
        names.extend(entry.file_name().to_str().and_then(|name| name.strip_suffix(".spv")).map(str::to_string));
    }
    names.sort();
    Ok(names)
}

fn spirv_path(name: &str) -> PathBuf {
    Path::new("spirv").join(format!("{name}.spv"))
}

/// Writes a file if it differs: beside its place first, then by rename, so that a build never reads half of it.
fn put(dir: &Path, path: &Path, bytes: &[u8], mode: Mode, update: &mut Update) -> Result<(), ShaderError> {
    let target = dir.join(path);
    // Text files may have another line end in a checkout; SPIR-V must match to the byte.
    let is_binary = target.extension().is_some_and(|extension| extension == "spv");
    let same = |on_disk: &[u8]| if is_binary { on_disk == bytes } else { without_returns(on_disk) == bytes };
    if std::fs::read(&target).is_ok_and(|on_disk| same(&on_disk)) {
        return Ok(());
    }
    if mode == Mode::Write {
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(ShaderError::io("create", parent))?;
        }
        let beside = target.with_extension("writing");
        std::fs::write(&beside, bytes).map_err(ShaderError::io("write", &beside))?;
        std::fs::rename(&beside, &target).map_err(ShaderError::io("rename to", &target))?;
    }
    update.changed.push(path.into());
    Ok(())
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULLSCREEN: &str = "#version 460\n#include \"corner.glsl\"\nvoid main() { gl_Position = corner(gl_VertexIndex); }\n";
    const CORNER: &str = "vec4 corner(int i) { return vec4(i & 1, i >> 1, 0.0, 1.0); }\n";
    const CLEAR: &str = "#version 460\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(0.0); }\n";

    /// A crate folder with two tiny shaders.
    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["glsl", "src"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        for (name, text) in [("one.vert", FULLSCREEN), ("corner.glsl", CORNER), ("two.frag", CLEAR)] {
            write(dir.path(), name, text);
        }
        dir
    }

    fn write(dir: &Path, name: &str, text: &str) {
        std::fs::write(dir.join("glsl").join(name), text).unwrap();
    }

    #[test]
    fn only_what_an_edit_reaches_is_compiled_again() {
        let folder = folder();
        let dir = folder.path();
        let first = update(dir, Mode::Write, false).unwrap();
        assert_eq!((first.compiled.len(), first.changed.len(), first.errors.len()), (2, 4, 0), "{first:?}");

        let second = update(dir, Mode::Write, false).unwrap();
        assert!(second.compiled.is_empty() && second.changed.is_empty(), "{second:?}");

        write(dir, "corner.glsl", &CORNER.replace("0.0", "0.5"));
        let check = update(dir, Mode::Check, false).unwrap();
        assert_eq!(check.changed, [spirv_path("one.vert")], "a check tells what is stale");
        let third = update(dir, Mode::Write, false).unwrap();
        assert_eq!(third.compiled, ["one.vert"], "a check writes nothing, so it is compiled now");
    }

    #[test]
    fn compiling_twice_gives_the_same_bytes() {
        let folder = folder();
        update(folder.path(), Mode::Write, false).unwrap();
        let again = update(folder.path(), Mode::Check, true).unwrap();
        assert_eq!(again.compiled.len(), 2);
        assert!(again.changed.is_empty(), "{again:?}");
    }

    #[test]
    fn a_deleted_shader_leaves_the_folder_and_the_table() {
        let folder = folder();
        let dir = folder.path();
        update(dir, Mode::Write, false).unwrap();
        std::fs::remove_file(dir.join("glsl/two.frag")).unwrap();
        let removed = update(dir, Mode::Write, false).unwrap();
        assert_eq!(removed.removed, [spirv_path("two.frag")]);
        let table = std::fs::read_to_string(dir.join("src/table.rs")).unwrap();
        assert!(table.contains("one.vert") && !table.contains("two.frag"), "{table}");
    }

    #[test]
    fn a_broken_shader_keeps_its_compiled_file_and_stops_no_other() {
        let folder = folder();
        let dir = folder.path();
        update(dir, Mode::Write, false).unwrap();
        let before = std::fs::read(dir.join("spirv/one.vert.spv")).unwrap();
        write(dir, "one.vert", "#version 460\nvoid main() { nonsense; }\n");
        write(dir, "two.frag", &CLEAR.replace("0.0", "1.0"));
        let broken = update(dir, Mode::Write, false).unwrap();
        assert_eq!(broken.compiled, ["two.frag"]);
        assert_eq!(broken.errors.len(), 1);
        assert_eq!(std::fs::read(dir.join("spirv/one.vert.spv")).unwrap(), before);
    }

    #[test]
    fn a_tool_older_than_the_shared_structs_writes_nothing() {
        let folder = folder();
        std::fs::write(folder.path().join("src/shared.rs"), "// edited\n").unwrap();
        assert!(matches!(update(folder.path(), Mode::Write, false), Err(ShaderError::OldTool { .. })));
        assert!(!folder.path().join("spirv").exists());
    }
}
