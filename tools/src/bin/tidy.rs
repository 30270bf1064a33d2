//! In: a checkout. Out: what breaks the rules of the house, a line each, and exit code 1 if anything does.

use clap::Parser;
use std::{path::PathBuf, process::ExitCode};
use terrane_tools::tidy;

/// Checks the tree: directions of dependency, sizes, dead files, `unsafe`, assets, paths of one machine, room cards
#[derive(Parser)]
#[command(name = "tidy")]
struct Cli {
    /// Root of the checkout
    #[arg(default_value = ".")]
    root: PathBuf,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match tidy::check(&cli.root) {
        Ok(found) if found.is_empty() => ExitCode::SUCCESS,
        Ok(found) => {
            found.iter().for_each(|violation| println!("{violation}"));
            eprintln!("tidy: {} to fix", found.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: {}: {error}", cli.root.display());
            ExitCode::from(5)
        }
    }
}
