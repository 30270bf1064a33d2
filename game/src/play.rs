//! The window; being built.

use crate::{cli::PlayArgs, config::Config, error::GameError};

/// Opens a window.
pub fn run(_config: &Config, _args: &PlayArgs) -> Result<(), GameError> {
    Err(GameError::Bug("play is not built yet".to_owned()))
}
