//! One picture; being built.

use crate::{cli::ShotArgs, config::Config, error::GameError};

/// Renders a picture.
pub fn run(_config: &Config, _args: &ShotArgs) -> Result<(), GameError> {
    Err(GameError::Bug("shot is not built yet".to_owned()))
}
