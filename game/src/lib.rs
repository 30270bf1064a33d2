//! Terrane turns one seed into a world, without a single asset: worlds, settings, commands, player.
//!
//! In: a command line. Out: a window, pictures, hashes, tables; and an exit code.
//! Never knows: Vulkan calls; `terrane_render` draws and `terrane_gpu` owns the device.
#![forbid(unsafe_code)]

pub mod bench;
pub mod chunk_graph;
pub mod cli;
pub mod config;
pub mod digest;
pub mod doctor;
pub mod error;
pub mod fly;
pub mod frame_report;
pub mod host_memory;
pub mod input;
pub mod list;
pub mod log;
pub mod map;
pub mod measure;
pub mod paths;
mod plan;
pub mod play;
pub mod player;
pub mod png_out;
pub mod quality;
pub mod screen;
pub mod session;
pub mod settings;
pub mod settings_file;
pub mod settings_watch;
#[cfg(feature = "shaderc")]
pub mod shader_watch;
pub mod share;
pub mod shot;
pub mod stream;
pub mod walk;
pub mod worlds;

use clap::CommandFactory;
use cli::{Cli, Command};
use config::Config;
use error::GameError;
use std::io;

/// Does what the command line asks.
pub fn run(cli: Cli) -> Result<(), GameError> {
    // These two work whatever the settings file says.
    match &cli.command {
        Some(Command::Completions { shell }) => {
            clap_complete::generate(*shell, &mut Cli::command(), "terrane", &mut io::stdout());
            return Ok(());
        }
        Some(Command::Doctor) => return doctor::run(&cli.global),
        _ => {}
    }
    let config = Config::load(&cli.global)?;
    terrane_simd::Isa::choose(config.isa);
    let done = match cli.command.unwrap_or(Command::Play(cli::PlayArgs::default())) {
        Command::Play(args) => play::run(&config, &args),
        Command::Shot(args) => shot::run(&config, &args),
        Command::Walk(args) => walk::run(&config, &args),
        Command::Map(args) => map::run(&config, &args),
        Command::Digest(args) => digest::run(&config, &args),
        Command::Bench(args) => bench::run(&config, &args),
        Command::Worlds(args) => list::run(&config, &args),
        Command::Doctor | Command::Completions { .. } => Ok(()),
    };
    if config.stats {
        // A closed pipe is no reason to fail at the end.
        let _ = terrane_profiling::print_table(&mut io::stderr().lock());
    }
    done
}
