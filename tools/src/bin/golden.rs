//! In: pictures. Out: how they differ, or new golden ones.

use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};
use terrane_tools::golden::{self, GoldenError, Limits};

/// Compares pictures with FLIP, and accepts what tests drew
#[derive(Parser)]
#[command(name = "golden")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make what failed tests drew the new golden pictures
    Accept {
        /// Folder with golden pictures
        #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"), hide_default_value = true)]
        folder: PathBuf,
    },
    /// Say how two pictures differ
    Compare {
        /// The picture that is right
        expected: PathBuf,
        /// The other
        actual: PathBuf,
        /// Draw where they differ into this file
        #[arg(long, value_name = "FILE")]
        heat: Option<PathBuf>,
        /// Largest mean that is no failure
        #[arg(long, default_value_t = 1.0)]
        mean_max: f32,
        /// Largest 99th percentile that is no failure
        #[arg(long, default_value_t = 1.0)]
        p99_max: f32,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("golden: {error}");
            ExitCode::from(5)
        }
    }
}

fn run(command: Command) -> Result<bool, GoldenError> {
    match command {
        Command::Accept { folder } => {
            let accepted = golden::accept(&folder)?;
            accepted.iter().for_each(|path| println!("{}", path.display()));
            eprintln!("golden: accepted {}; look at them with git diff before you commit", accepted.len());
            Ok(true)
        }
        Command::Compare { expected, actual, heat, mean_max, p99_max } => {
            let (difference, heat_map) = golden::compare(&golden::read(&expected)?, &golden::read(&actual)?)?;
            println!("{difference}");
            if let Some(path) = heat {
                golden::write(&path, &heat_map)?;
            }
            Ok(Limits { mean_max, p99_max }.hold(&difference))
        }
    }
}
