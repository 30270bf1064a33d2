//! In: the words on the command line. Out: the same as types, or clap's message and exit code 2.
//! Never knows: what a command does; ranges that settings have are checked in `config`, where the file's are.

pub use crate::bench::args::{BenchArgs, Switch};
use crate::overlay::Panel;
use crate::player::script::Script;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::{path::PathBuf, str::FromStr};
use terrane_base::WORLD_LIMIT_M;

/// Terrane turns one seed into a world, without a single asset.
///
/// Without a command it opens a window and lets you fly. Without a display it renders a picture instead.
#[derive(Debug, Parser)]
#[command(name = "terrane", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do; play without.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 2 wrong usage or settings; 3 no usable Vulkan device; 4 device lost; 5 files or storage; 1 a bug.";

/// Options that every command takes. They win over the settings file.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// World to make; `terrane worlds` lists them
    #[arg(long, global = true, value_name = "NAME")]
    pub world: Option<String>,
    /// Seed: any whole number of 64 bits, or any text
    #[arg(long, global = true, value_name = "N|TEXT", allow_negative_numbers = true)]
    pub seed: Option<String>,
    /// How far one sees, metres
    #[arg(long, global = true, value_name = "METRES", allow_negative_numbers = true)]
    pub view_distance: Option<f64>,
    /// Workers that make chunks; 0 for one a processor
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<i64>,
    /// Vulkan device to use: a part of its name, or its number
    #[arg(long, global = true, value_name = "NAME", env = "TERRANE_DRIVER")]
    pub driver: Option<String>,
    /// Instruction set that worlds are computed with
    #[arg(long, global = true, value_name = "NAME")]
    pub isa: Option<String>,
    /// Settings file to read instead of the one in its usual place
    #[arg(long, global = true, value_name = "FILE", env = "TERRANE_CONFIG", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// World, seed, settings and place from a share text, as `play` prints it at its end; nothing else then says what world it is
    #[arg(long, global = true, value_name = "TEXT", conflicts_with_all = ["world", "seed", "view_distance"])]
    pub share: Option<String>,
    /// Use the GPU as if it had only what every Vulkan 1.3 device has
    #[arg(long, global = true)]
    pub portable: bool,
    /// Print milliseconds of every stage at exit
    #[arg(long, global = true)]
    pub stats: bool,
    /// Write the same into a CSV file, with all frames and zones of the run in its first line
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub stats_csv: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open a window and fly
    Play(PlayArgs),
    /// Render one picture into a PNG file
    Shot(ShotArgs),
    /// Walk a script without a window, and print the way and its hash
    Walk(WalkArgs),
    /// Draw the ground from above, or write its heights, into a PNG file
    Map(MapArgs),
    /// Print one hash of everything generated in an area
    Digest(DigestArgs),
    /// List the worlds; with a name, its settings or poses
    Worlds(WorldsArgs),
    /// Measure scenes at fixed view distances, or compare two reports
    Bench(BenchArgs),
    /// Say what this machine's Vulkan offers and lacks, and which paths are used
    Doctor,
    /// Print a completion script for a shell
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
}

/// Options of `play`.
#[derive(Clone, Debug, Default, Args)]
pub struct PlayArgs {
    /// Where to start: a named pose, or x,y,z,yaw,pitch in metres and degrees
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub pose: Option<PoseArg>,
    /// Size of the window, pixels
    #[arg(long, value_name = "WxH")]
    pub size: Option<Size>,
    /// Start on foot rather than in the air; G changes it at any time
    #[arg(long)]
    pub walk: bool,
    /// Fill the screen
    #[arg(long)]
    pub full_screen: bool,
    /// Do not wait for the screen's refresh
    #[arg(long)]
    pub no_vsync: bool,
    /// Samples a pixel
    #[arg(long, value_name = "N", value_parser = samples)]
    pub samples: Option<u32>,
    /// End after this many frames
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Picture to write if there is no display
    #[arg(long, value_name = "FILE", default_value = "terrane.png", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Check every use of Vulkan; slow
    #[arg(long)]
    pub validation: bool,
}

/// Options of `shot`.
#[derive(Clone, Debug, Args)]
pub struct ShotArgs {
    /// From where: a named pose, or x,y,z,yaw,pitch in metres and degrees
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub pose: Option<PoseArg>,
    /// Size of the picture, pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Size,
    /// File to write
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Paint an intermediate field as colour instead
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
    /// Draw a panel of the overlay over it: f1, f2, f3, f10 or keys; several are given one by one
    #[arg(long, value_name = "PANEL")]
    pub overlay: Vec<Panel>,
    /// Samples a pixel
    #[arg(long, value_name = "N", default_value = "4", value_parser = samples)]
    pub samples: u32,
    /// Check every use of Vulkan; slow
    #[arg(long)]
    pub validation: bool,
}

/// Options of `walk`.
#[derive(Clone, Debug, Args)]
pub struct WalkArgs {
    /// Where to start: a named pose, or x,y,z,yaw,pitch in metres and degrees
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub pose: Option<PoseArg>,
    /// What to do, for instance "forward 5s; jump; left 2s; turn 90; run 3s"
    #[arg(long, value_name = "STEPS")]
    pub script: Script,
    /// Print where the feet are, ten times a second
    #[arg(long)]
    pub trace: bool,
}

/// Options of `map`.
#[derive(Clone, Debug, Args)]
pub struct MapArgs {
    /// Middle and size of the square, metres: X,Z,SIZE
    #[arg(long, value_name = "X,Z,SIZE", default_value = "0,0,8192", allow_hyphen_values = true)]
    pub area: Area,
    /// Pixels along the edge, at most; a pixel is a whole number of metres
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub pixels: u32,
    /// Write heights as 16-bit grey instead of a picture: (height + 2048 m) x 16, so a unit is 1/16 m
    #[arg(long)]
    pub heights: bool,
    /// File to write
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
}

/// Options of `digest`.
#[derive(Clone, Debug, Args)]
pub struct DigestArgs {
    /// Chunks along the edge of the area
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub area: u32,
    /// Level of detail of the chunks
    #[arg(long, value_name = "L", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=8))]
    pub lod: u8,
    /// In which order chunks are asked for; the hash must not depend on it
    #[arg(long, value_enum, default_value_t = Order::Spiral)]
    pub order: Order,
    /// Middle of the area, metres
    #[arg(long, value_name = "X,Z", default_value = "0,0", allow_hyphen_values = true)]
    pub at: At,
}

/// Options of `worlds`.
#[derive(Clone, Debug, Args)]
pub struct WorldsArgs {
    /// Show this world's settings, with ranges
    pub name: Option<String>,
    /// Show its named poses instead, one a line
    #[arg(long)]
    pub poses: bool,
    /// Show its settings as a settings file to start from
    #[arg(long, conflicts_with = "poses")]
    pub toml: bool,
}

/// Orders in which `digest` asks for chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// From the middle outward
    Spiral,
    /// From outside to the middle
    Reversed,
    /// At random, the same each time
    Shuffled,
}

/// Pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
}

/// Smallest and largest picture along an edge: what every Vulkan 1.3 device can draw is 4,096, the largest common 16,384.
pub const SIZE_RANGE: (u32, u32) = (16, 16_384);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Size, String> {
        let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let allowed = SIZE_RANGE.0..=SIZE_RANGE.1;
        match parts {
            Some((width, height)) if allowed.contains(&width) && allowed.contains(&height) => Ok(Size { width, height }),
            _ => Err(format!("a size is WxH, for instance 1280x720, each from {} to {} pixels", SIZE_RANGE.0, SIZE_RANGE.1)),
        }
    }
}

/// A place on the ground, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    /// To the east.
    pub x_m: f64,
    /// To the south.
    pub z_m: f64,
}

impl FromStr for At {
    type Err = String;
    fn from_str(text: &str) -> Result<At, String> {
        match numbers(text)?[..] {
            [x_m, z_m] => Ok(At { x_m: place(x_m)?, z_m: place(z_m)? }),
            _ => Err("a place is X,Z in metres, for instance 0,-2500".to_owned()),
        }
    }
}

/// A square of ground, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its middle.
    pub at: At,
    /// Its edge.
    pub size_m: f64,
}

/// Edges that a map can have, metres.
pub const AREA_SIZE_M: (f64, f64) = (16.0, 4_194_304.0);

impl FromStr for Area {
    type Err = String;
    fn from_str(text: &str) -> Result<Area, String> {
        match numbers(text)?[..] {
            [x_m, z_m, size_m] if (AREA_SIZE_M.0..=AREA_SIZE_M.1).contains(&size_m) => Ok(Area { at: At { x_m: place(x_m)?, z_m: place(z_m)? }, size_m }),
            [_, _, _] => Err(format!("SIZE is from {} to {} metres", AREA_SIZE_M.0, AREA_SIZE_M.1)),
            _ => Err("an area is X,Z,SIZE in metres, for instance 0,0,8192".to_owned()),
        }
    }
}

/// Where a picture is taken from.
#[derive(Clone, Debug, PartialEq)]
pub enum PoseArg {
    /// A pose of the world's row.
    Named(String),
    /// Anywhere.
    Free {
        /// Place, metres.
        at_m: [f64; 3],
        /// Degrees clockwise from north (-z).
        yaw_deg: f64,
        /// Degrees upward.
        pitch_deg: f64,
    },
}

impl FromStr for PoseArg {
    type Err = String;
    fn from_str(text: &str) -> Result<PoseArg, String> {
        if !text.contains(',') {
            return Ok(PoseArg::Named(text.to_owned()));
        }
        match numbers(text)?[..] {
            [x, y, z, yaw_deg, pitch_deg] => {
                if !(-90.0..=90.0).contains(&pitch_deg) {
                    return Err(format!("pitch is {pitch_deg}; allowed is -90 to 90 degrees"));
                }
                Ok(PoseArg::Free { at_m: [place(x)?, place(y)?, place(z)?], yaw_deg: yaw_deg.rem_euclid(360.0), pitch_deg })
            }
            _ => Err("a pose is a name (`terrane worlds NAME --poses` lists them) or x,y,z,yaw,pitch".to_owned()),
        }
    }
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let finite = |part: &str| part.trim().parse().ok().filter(|number: &f64| number.is_finite());
    text.split(',').map(|part| finite(part).ok_or_else(|| format!("'{part}' is not a number"))).collect()
}

fn place(metres: f64) -> Result<f64, String> {
    let limit = WORLD_LIMIT_M as f64;
    if metres.abs() <= limit { Ok(metres) } else { Err(format!("{metres} m is out of the world: it ends {limit} m from its middle")) }
}

fn samples(text: &str) -> Result<u32, String> {
    match text {
        "1" => Ok(1),
        "4" => Ok(4),
        _ => Err("allowed is 1 or 4".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_no_fault() {
        Cli::command().debug_assert();
    }

    #[test]
    fn places_and_seeds_may_be_negative() {
        let cli = Cli::try_parse_from(["terrane", "digest", "--area", "2", "--at", "-1,-10000000", "--seed", "-7"]).expect("right");
        assert_eq!(cli.global.seed.as_deref(), Some("-7"));
        assert!(matches!(cli.command, Some(Command::Digest(DigestArgs { at: At { x_m: -1.0, z_m: -1e7 }, .. }))));
    }

    #[test]
    fn sizes_poses_and_areas_are_checked() {
        assert_eq!("640x360".parse(), Ok(Size { width: 640, height: 360 }));
        assert!(["0x4", "640", "-1x3", "640x", "99999x20"].iter().all(|bad| bad.parse::<Size>().is_err()));
        assert_eq!("dusk".parse(), Ok(PoseArg::Named("dusk".into())));
        assert!("1,2,3,4".parse::<PoseArg>().is_err());
        assert!("1,2,3,4,91".parse::<PoseArg>().is_err());
        assert!(["nan,0,100", "0,0,1", "0,0,inf", "1e38,0,100", "0,0"].iter().all(|bad| bad.parse::<Area>().is_err()));
    }
}
