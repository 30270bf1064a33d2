//! In: what went wrong anywhere. Out: one message, what to do, and the exit code.
//! Never knows: how to recover; whoever can has done so before.

use crate::settings::SettingsError;
use miette::Diagnostic;
use std::{io, path::PathBuf, process::ExitCode};
use terrane_gpu::GpuError;
use thiserror::Error;

/// Why the program ends without having done what was asked.
#[derive(Debug, Error, Diagnostic)]
pub enum GameError {
    /// The command line asks for something that there is not.
    #[error("{message}")]
    Usage {
        /// What.
        message: String,
        /// What to write instead.
        #[help]
        advice: Option<String>,
    },
    /// The settings file is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Settings(#[from] Box<SettingsError>),
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// "read", "write", ...
        action: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The GPU cannot do it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The GPU was lost, and lost again on every device that was opened after it.
    #[error("the GPU was lost during '{zone}', after it had been opened again {rebuilds} times")]
    #[diagnostic(help(
        "Its driver reset it: update the driver, close what else uses the GPU, or try a smaller --view-distance. `terrane doctor` lists the other devices, which --driver takes."
    ))]
    DeviceLost {
        /// The last phase that was recorded.
        zone: String,
        /// How often it was opened again.
        rebuilds: u32,
    },
    /// The program is wrong.
    #[error("{0}")]
    #[diagnostic(help("This is a bug in terrane. Please report it with the command line and this message."))]
    Bug(String),
}

impl GameError {
    /// A wrong usage.
    pub fn usage(message: impl Into<String>, advice: impl Into<String>) -> GameError {
        let advice = advice.into();
        GameError::Usage { message: message.into(), advice: (!advice.is_empty()).then_some(advice) }
    }

    /// A file that cannot be read, written, ...
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> GameError {
        let path = path.into();
        move |source| GameError::File { action, path, source }
    }

    /// 2 usage or settings, 3 no usable device, 4 device lost, 5 files, 1 a bug.
    pub fn exit_code(&self) -> u8 {
        match self {
            GameError::Usage { .. } | GameError::Settings(_) => 2,
            GameError::Gpu(GpuError::DeviceLost { .. }) | GameError::DeviceLost { .. } => 4,
            GameError::Gpu(GpuError::Leaked { .. } | GpuError::Shader { .. }) => 1,
            GameError::Gpu(_) => 3,
            GameError::File { .. } => 5,
            GameError::Bug(_) => 1,
        }
    }

    /// Prints the message to standard error and gives the exit code.
    pub fn report(self) -> ExitCode {
        let code = self.exit_code();
        eprintln!("{:?}", miette::Report::new(self));
        ExitCode::from(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_the_exit_code_of_the_manual() {
        let io = || io::Error::from(io::ErrorKind::NotFound);
        for (error, code) in [
            (GameError::usage("x", ""), 2),
            (GameError::file("read", "x")(io()), 5),
            (GpuError::NoLayer.into(), 3),
            (GpuError::DeviceLost { zone: "sky".into() }.into(), 4),
            (GameError::DeviceLost { zone: "sky".into(), rebuilds: 2 }, 4),
            (GpuError::Leaked { names: vec![] }.into(), 1),
        ] {
            assert_eq!(error.exit_code(), code, "{error}");
        }
    }
}
