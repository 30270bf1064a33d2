//! TEMP
use crate::{cli::*, error::GameError};
pub fn run(_a: &GlobalArgs) -> Result<(), GameError> { Ok(()) }
