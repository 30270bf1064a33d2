//! In: the words that the user typed. Out: an exit code. Everything else is in the library.
#![forbid(unsafe_code)]

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = terrane::cli::Cli::parse();
    terrane::log::start();
    terrane_profiling::start();
    match terrane::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
