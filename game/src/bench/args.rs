//! In: the words after `bench` on the command line. Out: the same as types.
//! Never knows: what they do.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Options of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Scene to run: a name, a pattern such as 'terrain-*', or a .toml file; all without
    #[arg(long, value_name = "NAME")]
    pub scene: Vec<String>,
    /// Folder for report.json and report.html
    #[arg(long, value_name = "DIR", default_value = "bench", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Runs of each scene, those of other scenes between them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
    /// Frames of each drawn scene at most, for slow devices; such reports compare only with their like
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: Option<u32>,
    /// Draw into a window
    #[arg(long)]
    pub window: bool,
    /// Run each scene in pairs, with this and without it
    #[arg(long, value_enum, value_name = "SWITCH")]
    pub ab: Option<Switch>,
    /// Compare two reports instead; another world fails
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], value_hint = ValueHint::FilePath, conflicts_with_all = ["scene", "ab", "window"])]
    pub compare: Vec<PathBuf>,
    /// Write the page of a report.json anew instead
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath, conflicts_with_all = ["scene", "ab", "window", "compare"])]
    pub page: Option<PathBuf>,
    /// List the scenes instead
    #[arg(long)]
    pub list: bool,
}

/// What can be turned off for a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Leaving out what is outside of the view
    Cull,
    /// Leaving out what is behind something else
    Occlusion,
    /// Shadows
    Shadows,
    /// Plants and stones
    Props,
    /// The ground
    Ground,
}

impl std::fmt::Display for Switch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Switch::Cull => "cull",
            Switch::Occlusion => "occlusion",
            Switch::Shadows => "shadows",
            Switch::Props => "props",
            Switch::Ground => "ground",
        })
    }
}
