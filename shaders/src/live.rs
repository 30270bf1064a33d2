//! In: a folder of GLSL and the paths that changed in it. Out: new SPIR-V for the shaders that an edit reaches.
//! Never knows: who watches the folder, pipelines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compile::GlslCompiler;
use crate::compiled::Compiled;
use crate::error::ShaderError;
use crate::source::Sources;
use crate::table::SHADERS;

/// The shaders of a running program, which follow edits of their sources. An error keeps the last SPIR-V that compiled.
///
/// The shared structs stay those of the running program, whatever `shared.gen.glsl` says on disk: its Rust side cannot change.
pub struct LiveShaders {
    glsl_dir: PathBuf,
    compiler: GlslCompiler,
    shaders: BTreeMap<String, LiveShader>,
}

/// What is known of one shader.
struct LiveShader {
    /// The last that compiled.
    compiled: Option<Compiled>,
    /// The source it was last compiled from, with or without success. `None`: it could not even be read to its end.
    tried_hash: Option<u64>,
}

/// What became of one edited shader.
#[derive(Debug)]
pub struct Reloaded {
    /// The name in the table.
    pub name: String,
    /// New SPIR-V to make pipelines of, or the reason why the old stays.
    pub result: Result<Vec<u32>, ShaderError>,
}

impl LiveShaders {
    /// Starts from the compiled shaders in this program. Call [`LiveShaders::reload_all`] next if the folder may already differ.
    pub fn new(glsl_dir: &Path) -> Result<LiveShaders, ShaderError> {
        let mut shaders = BTreeMap::new();
        for (name, bytes) in SHADERS {
            let compiled = Compiled::from_bytes(name, bytes)?;
            let tried_hash = Some(compiled.source_hash);
            shaders.insert(name.to_string(), LiveShader { compiled: Some(compiled), tried_hash });
        }
        Ok(LiveShaders { glsl_dir: glsl_dir.into(), compiler: GlslCompiler::new()?, shaders })
    }

    /// The SPIR-V to use now.
    pub fn spirv(&self, name: &str) -> Option<&[u32]> {
        Some(&self.shaders.get(name)?.compiled.as_ref()?.words)
    }

    /// Recompiles the shaders whose source or includes are among the changed paths. A path outside the folder, or an edit that
    /// changed no text, reaches nothing. Shaders that could not be read before are tried on any change in the folder.
    pub fn reload(&mut self, changed: &[PathBuf]) -> Result<Vec<Reloaded>, ShaderError> {
        let names: Vec<&str> = changed.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        self.reload_where(|sources, name| match sources.reachable(name) {
            Ok(reachable) => reachable.iter().any(|file| names.contains(file)),
            Err(_) => !names.is_empty(),
        })
    }

    /// Recompiles every shader whose text differs from what its SPIR-V was made of.
    pub fn reload_all(&mut self) -> Result<Vec<Reloaded>, ShaderError> {
        self.reload_where(|_, _| true)
    }

    /// Fails only when the folder cannot be read; what is wrong with one shader stands in its [`Reloaded`].
    fn reload_where(&mut self, reached: impl Fn(&Sources, &str) -> bool) -> Result<Vec<Reloaded>, ShaderError> {
        let sources = Sources::read(&self.glsl_dir)?;
        let mut reloaded = Vec::new();
        for name in sources.shaders() {
            let shader = self.shaders.entry(name.into()).or_insert(LiveShader { compiled: None, tried_hash: None });
            let hash = sources.hash(name).ok();
            let same = hash.is_some() && hash == shader.tried_hash;
            if same || !(reached(&sources, name) || shader.tried_hash.is_none()) {
                continue;
            }
            shader.tried_hash = hash;
            let result = self.compiler.compile(&sources, name).map(|compilation| {
                let words = compilation.compiled.words.clone();
                shader.compiled = Some(compilation.compiled);
                words
            });
            reloaded.push(Reloaded { name: name.into(), result });
        }
        Ok(reloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "#version 460\n#include \"value.glsl\"\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(VALUE); }\n";
    const TWO: &str = "#version 460\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(2.0); }\n";

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            let folder = Folder(tempfile::tempdir().unwrap());
            for (name, text) in [("one.frag", ONE), ("two.frag", TWO), ("value.glsl", "const float VALUE = 1.0;\n")] {
                folder.write(name, text);
            }
            folder
        }

        fn write(&self, name: &str, text: &str) -> Vec<PathBuf> {
            let path = self.0.path().join(name);
            std::fs::write(&path, text).unwrap();
            vec![path]
        }
    }

    fn names(reloaded: &[Reloaded]) -> Vec<&str> {
        reloaded.iter().map(|reloaded| reloaded.name.as_str()).collect()
    }

    #[test]
    fn an_edited_include_reaches_its_users_alone() {
        let folder = Folder::new();
        let mut live = LiveShaders::new(folder.0.path()).unwrap();
        assert_eq!(names(&live.reload_all().unwrap()), ["one.frag", "two.frag"], "neither is in the table");
        let before = live.spirv("one.frag").unwrap().to_vec();

        let changed = folder.write("value.glsl", "const float VALUE = 3.0;\n");
        let reloaded = live.reload(&changed).unwrap();
        assert_eq!(names(&reloaded), ["one.frag"]);
        assert_ne!(live.spirv("one.frag").unwrap(), before);
        assert_eq!(live.spirv("one.frag").unwrap(), reloaded[0].result.as_ref().unwrap());

        let changed = folder.write("value.glsl", "const float VALUE = 3.0;\n");
        assert!(live.reload(&changed).unwrap().is_empty(), "written, but with the same text");
    }

    #[test]
    fn an_error_keeps_the_old_shader_and_gives_its_text_once() {
        let folder = Folder::new();
        let mut live = LiveShaders::new(folder.0.path()).unwrap();
        live.reload_all().unwrap();
        let before = live.spirv("one.frag").unwrap().to_vec();

        let changed = folder.write("value.glsl", "const float VALUE = ;\n");
        let error = live.reload(&changed).unwrap().remove(0).result.unwrap_err().to_string();
        assert!(error.contains("value.glsl:1: error"), "{error}");
        assert_eq!(live.spirv("one.frag").unwrap(), before);
        assert!(live.reload(&changed).unwrap().is_empty());

        let changed = folder.write("value.glsl", "const float VALUE = 4.0;\n");
        assert!(live.reload(&changed).unwrap().remove(0).result.is_ok());
    }

    #[test]
    fn a_missing_include_that_appears_is_picked_up() {
        let folder = Folder::new();
        std::fs::remove_file(folder.0.path().join("value.glsl")).unwrap();
        let mut live = LiveShaders::new(folder.0.path()).unwrap();
        assert!(live.reload_all().unwrap().remove(0).result.is_err());
        let changed = folder.write("value.glsl", "const float VALUE = 1.0;\n");
        assert!(live.reload(&changed).unwrap().remove(0).result.is_ok());
    }
}
