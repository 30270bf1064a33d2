//! In: what went wrong with a shader. Out: one error type whose texts say what to do.
//! Never knows: how shaders are compiled or used.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// What can be wrong with a shader, its source or its compiled file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// A name that is not in the table.
    #[error("no shader is called {name:?}; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names in the table.
        known: String,
    },
    /// A compiled file that this build cannot use.
    #[error("the compiled shader {name} is unusable: {reason}; run shaders-compile again")]
    Damaged {
        /// The shader.
        name: String,
        /// What differs from what this build expects.
        reason: String,
    },
    /// A source file that breaks a rule before the compiler sees it.
    #[error("{file}:{line}: error: {reason}")]
    Source {
        /// The file in the shader folder.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The rule, and what to write instead.
        reason: String,
    },
    /// A file whose name or place is not allowed, or that is missing.
    #[error("shader source {file}: {reason}")]
    File {
        /// The file in the shader folder.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The compiler refused the source.
    #[error("{name} does not compile:\n{text}")]
    Compile {
        /// The shader.
        name: String,
        /// One `file:line: error: message` a line, each followed by the line of source.
        text: String,
    },
    /// The compiler itself is not usable.
    #[error("the shader compiler does not start: {0}")]
    Compiler(String),
    /// A tool that was built from an older `shared.rs` than the one it would work on.
    #[error("{path} changed since this tool was built, so it would write old structs: build it again")]
    OldTool {
        /// The file that is newer.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// The reason given.
        source: std::io::Error,
    },
}

impl ShaderError {
    /// For `map_err` after a call of `std::fs`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ShaderError {
        let path = path.to_path_buf();
        move |source| ShaderError::Io { action, path, source }
    }
}
