//! In: GLSL sources. Out: SPIR-V, or the compiler's errors with the lines they speak of.
//! Never knows: folders, headers, pipelines.
//!
//! Names are relative to the shader folder and there is no debug information, so the words are equal on every machine.

use crate::compiled::Compiled;
use crate::error::ShaderError;
use crate::source::{INCLUDE_DEPTH_MAX, Sources, Stage, stage_of};

/// shaderc with our options.
pub struct GlslCompiler {
    compiler: shaderc::Compiler,
}

/// SPIR-V and what the compiler said about it.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The result.
    pub compiled: Compiled,
    /// Warnings with the lines they speak of; empty when there are none.
    pub warnings: String,
}

impl GlslCompiler {
    /// Starts the compiler.
    pub fn new() -> Result<GlslCompiler, ShaderError> {
        let compiler = shaderc::Compiler::new().map_err(|error| ShaderError::Compiler(error.to_string()))?;
        Ok(GlslCompiler { compiler })
    }

    /// Compiles one shader with what it includes.
    pub fn compile(&self, sources: &Sources, name: &str) -> Result<Compilation, ShaderError> {
        let kind = match stage_of(name) {
            Some(Stage::Vertex) => shaderc::ShaderKind::Vertex,
            Some(Stage::Fragment) => shaderc::ShaderKind::Fragment,
            Some(Stage::Compute) => shaderc::ShaderKind::Compute,
            None => {
                let reason = "a shader ends in .vert, .frag or .comp; .glsl files are only included".into();
                return Err(ShaderError::File { file: name.into(), reason });
            }
        };
        let source_hash = sources.hash(name)?; // also refuses missing, circular and too deep includes, with their line
        let options = options(sources)?;
        let result = self.compiler.compile_into_spirv(sources.text(name)?, kind, name, "main", Some(&options));
        match result {
            Ok(artifact) => {
                let compiled = Compiled { source_hash, words: artifact.as_binary().to_vec() };
                Ok(Compilation { compiled, warnings: with_source_lines(&artifact.get_warning_messages(), sources) })
            }
            Err(shaderc::Error::CompilationError(_, text)) => Err(ShaderError::Compile { name: name.into(), text: with_source_lines(&text, sources) }),
            Err(other) => Err(ShaderError::Compile { name: name.into(), text: other.to_string() }),
        }
    }
}

/// The options that `compiled::OPTIONS` names.
fn options(sources: &Sources) -> Result<shaderc::CompileOptions<'_>, ShaderError> {
    let mut options = shaderc::CompileOptions::new().map_err(|error| ShaderError::Compiler(error.to_string()))?;
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    options.set_target_spirv(shaderc::SpirvVersion::V1_6);
    options.set_optimization_level(shaderc::OptimizationLevel::Performance);
    options.set_include_callback(|included, _, _, depth| {
        if depth > INCLUDE_DEPTH_MAX {
            return Err(format!("includes are more than {INCLUDE_DEPTH_MAX} deep"));
        }
        let content = sources.text(included).map_err(|error| error.to_string())?.to_string();
        Ok(shaderc::ResolvedInclude { resolved_name: included.to_string(), content })
    });
    Ok(options)
}

/// The compiler's messages, each followed by the line of source it speaks of.
fn with_source_lines(messages: &str, sources: &Sources) -> String {
    let mut text = String::new();
    for message in messages.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str(message);
        text.push('\n');
        if let Some(source_line) = spoken_of(message, sources) {
            text.push_str(&format!("    | {}\n", source_line.trim()));
        }
    }
    text
}

/// The source line that `file:line: ...` names.
fn spoken_of<'a>(message: &str, sources: &'a Sources) -> Option<&'a str> {
    let mut parts = message.splitn(3, ':');
    let (file, line) = (parts.next()?, parts.next()?.parse::<usize>().ok()?);
    sources.text(file).ok()?.lines().nth(line.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::shared_glsl;
    use crate::source::SHARED_GLSL;

    fn compile(files: &[(&str, &str)]) -> Result<Compilation, ShaderError> {
        let mut sources = Sources::default();
        sources.insert(SHARED_GLSL, &shared_glsl()).unwrap();
        for (name, text) in files {
            sources.insert(name, text).unwrap();
        }
        GlslCompiler::new().unwrap().compile(&sources, files[0].0)
    }

    const STORE: &str = "#version 460\n#include \"shared.gen.glsl\"\n#include \"b.glsl\"\nlayout(local_size_x = 64) in;\n\
         layout(set = 0, binding = 0, scalar) buffer Out { vec3 values[]; };\nvoid main() { values[gl_GlobalInvocationID.x] = b(); }\n";

    #[test]
    fn includes_and_the_shared_structs_compile() {
        let compilation = compile(&[("a.comp", STORE), ("b.glsl", "vec3 b() { return vec3(2.0); }\n")]).unwrap();
        assert_eq!(compilation.warnings, "");
        let bytes = compilation.compiled.to_bytes();
        assert_eq!(Compiled::from_bytes("a.comp", &bytes).unwrap(), compilation.compiled, "right magic and SPIR-V version");
    }

    #[test]
    fn the_array_stride_of_a_vec3_is_12_bytes() {
        let words = compile(&[("a.comp", STORE), ("b.glsl", "vec3 b() { return vec3(2.0); }\n")]).unwrap().compiled.words;
        let op_decorate = |count: u32| (count << 16) | 71;
        let stride = words.windows(4).find(|words| words[0] == op_decorate(4) && words[2] == 6).map(|words| words[3]);
        assert_eq!(stride, Some(12), "ArrayStride under scalar layout");
    }

    #[test]
    fn an_error_in_an_include_names_file_line_and_text() {
        let error = compile(&[("a.comp", STORE), ("b.glsl", "\nvec3 b() { return vec2(2.0); }\n")]).unwrap_err().to_string();
        assert!(error.starts_with("a.comp does not compile:\nb.glsl:2: error: "), "{error}");
        assert!(error.contains("    | vec3 b() { return vec2(2.0); }"), "{error}");
    }
}
