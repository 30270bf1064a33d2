//! In: defaults, the settings file, the command line; later ones win. Out: what the program runs with.
//! Never knows: what the settings do.

use crate::{
    cli::GlobalArgs,
    error::GameError,
    paths,
    player::settings::PLAYER,
    settings::{Kind, Setting, Value, Values, closest},
    settings_file::{self, FILE_BYTES_MAX, Section},
    share::{self, Share, Start},
    worlds::{self, WORLDS, World, WorldInstance},
};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
};
use terrane_base::Seed;
use terrane_render::UPLOAD_BYTES_MAX;
use terrane_simd::Isa;

/// Settings that every world shares: the top level of the settings file.
pub const GENERAL: &[Setting] = &[
    Setting { name: "world", unit: "", help: "World to make.", kind: Kind::Text { default: WORLDS[0].name, allowed: &[] } },
    Setting { name: "seed", unit: "", help: "What the world follows from.", kind: Kind::Text { default: "1", allowed: &[] } },
    Setting { name: "view_distance_m", unit: "m", help: "How far one sees.", kind: Kind::Number { default: 4000.0, low: 512.0, high: 65_536.0 } },
    Setting {
        name: "shadow_resolution",
        unit: "texels",
        help: "Edge of each of the four shadow maps; 0 draws no shadows.",
        kind: Kind::Whole { default: 2048, low: 0, high: 4096 },
    },
    Setting { name: "threads", unit: "", help: "Workers that make chunks; 0 is one a processor.", kind: Kind::Whole { default: 0, low: 0, high: 256 } },
    Setting {
        name: "driver",
        unit: "",
        help: "Vulkan device: a part of its name, or its number; the best one if empty.",
        kind: Kind::Text { default: "", allowed: &[] },
    },
    Setting {
        name: "frames_in_flight",
        unit: "",
        help: "Frames that the CPU may be ahead of the GPU, from the next start on: more is smoother, fewer answers sooner.",
        kind: Kind::Whole { default: 2, low: 1, high: 3 },
    },
    Setting {
        name: "upload_kb_per_frame",
        unit: "KiB",
        help: "Chunk data that one frame may send to the GPU: more shows chunks sooner, less keeps frames even. One chunk always may.",
        kind: Kind::Whole { default: (UPLOAD_BYTES_MAX >> 10) as i64, low: 256, high: (UPLOAD_BYTES_MAX >> 10) as i64 },
    },
    Setting {
        name: "accept_ms_per_frame",
        unit: "ms",
        help: "Time of the main thread that a frame may take to hand chunks to the GPU; slow frames may take 1/32 of theirs, one chunk always goes.",
        kind: Kind::Number { default: 0.5, low: 0.0, high: 1000.0 },
    },
    Setting {
        name: "device_memory_mb",
        unit: "MiB",
        help: "Memory of the GPU to use at most; 0 is most of what it offers. When it is short, one sees less far.",
        kind: Kind::Whole { default: 0, low: 0, high: 1 << 20 },
    },
    Setting {
        name: "host_memory_mb",
        unit: "MiB",
        help: "Memory of the machine to use at most; 0 is most of what there is. When it is short, one sees less far.",
        kind: Kind::Whole { default: 0, low: 0, high: 1 << 20 },
    },
    Setting {
        name: "isa",
        unit: "",
        help: "Instruction set that worlds are computed with.",
        kind: Kind::Text { default: "auto", allowed: &["auto", "scalar", "avx2", "avx512"] },
    },
];

/// What the program runs with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The world.
    pub world: &'static World,
    /// Its seed.
    pub seed: Seed,
    /// The seed as it was typed.
    pub seed_text: String,
    /// How far one sees, metres.
    pub view_distance_m: f32,
    /// Edge of a shadow map, texels; 0 without shadows.
    pub shadow_resolution: u32,
    /// Workers, at least 1.
    pub threads: usize,
    /// Part of a Vulkan device's name, or its number.
    pub driver: Option<String>,
    /// Frames that the CPU may be ahead of the GPU.
    pub frames_in_flight: u32,
    /// Whether the GPU is used as if it had only what every Vulkan 1.3 device has.
    pub portable: bool,
    /// Chunk data that one frame may send to the GPU, bytes.
    pub upload_bytes_per_frame: u64,
    /// Time of the main thread that a frame may take to hand chunks to the GPU, ms.
    pub accept_ms_per_frame: f64,
    /// Memory of the GPU to use at most, MiB; 0 is most of what it offers.
    pub device_memory_mb: u64,
    /// Memory of the machine to use at most, MiB; 0 is most of what there is.
    pub host_memory_mb: u64,
    /// Instruction set that this processor has.
    pub isa: Isa,
    /// The world's settings.
    pub values: Values,
    /// The player's settings.
    pub player: Values,
    /// Where a share text says that one starts.
    pub start: Option<Start>,
    /// Whether stage times are printed at exit.
    pub stats: bool,
    /// The settings file: the one that was named, or the usual place whether or not there is a file.
    pub settings_path: Option<PathBuf>,
    /// The command line, which wins when the file is read again.
    pub args: GlobalArgs,
}

impl Config {
    /// Reads the settings file, if there is one, and joins it with the command line.
    pub fn load(args: &GlobalArgs) -> Result<Config, GameError> {
        let text = match &args.config {
            Some(path) => Some(read(path)?),
            None => match paths::settings().map(|path| read(&path)) {
                Some(Err(GameError::File { source, .. })) if absent(source.kind()) => None,
                Some(text) => Some(text?),
                None => None,
            },
        };
        let path = args.config.clone().or_else(paths::settings);
        let name = path.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let mut config = Config::from_text(args, &name, text.as_deref().unwrap_or(""))?;
        config.settings_path = path;
        Ok(config)
    }

    /// Joins the text of a settings file with the command line. `name` is for messages.
    pub fn from_text(args: &GlobalArgs, name: &str, text: &str) -> Result<Config, GameError> {
        let sections: Vec<Section> =
            std::iter::once(("", GENERAL)).chain(WORLDS.iter().map(|world| (world.name, world.settings))).chain([("player", PLAYER)]).collect();
        let mut tables = settings_file::parse(name, text, &sections)?;
        let share = args.share.as_deref().map(Share::parse).transpose()?;
        if let Some(share) = &share {
            take_over(&mut tables, share)?;
        }
        let general = &mut tables[0];
        for (option, field, value) in [
            ("--world", "world", args.world.clone().map(Value::Text)),
            ("--seed", "seed", args.seed.clone().map(Value::Text)),
            ("--view-distance", "view_distance_m", args.view_distance.map(Value::Number)),
            ("--threads", "threads", args.threads.map(Value::Whole)),
            ("--driver", "driver", args.driver.clone().map(Value::Text)),
            ("--isa", "isa", args.isa.clone().map(Value::Text)),
        ] {
            let (Some(value), Some(setting)) = (value, GENERAL.iter().find(|setting| setting.name == field)) else { continue };
            let told = value.to_string();
            general.set(setting, value).map_err(|_| GameError::usage(format!("{option} is {told}; allowed is {}", setting.allowed()), ""))?;
        }
        let world = find_world(general.text("world"))?;
        let view_distance_m = if general.written("view_distance_m") { general.number("view_distance_m") as f32 } else { world.view_distance_m };
        let threads = match general.whole("threads") {
            0 => thread::available_parallelism().map_or(1, |count| count.get()),
            count => count as usize,
        };
        let index = WORLDS.iter().position(|row| row.name == world.name).unwrap_or(0);
        Ok(Config {
            world,
            seed: Seed::parse(general.text("seed")),
            seed_text: general.text("seed").to_owned(),
            view_distance_m,
            shadow_resolution: general.whole("shadow_resolution") as u32,
            threads,
            driver: Some(general.text("driver").to_owned()).filter(|driver| !driver.is_empty()),
            frames_in_flight: general.whole("frames_in_flight") as u32,
            portable: args.portable,
            upload_bytes_per_frame: (general.whole("upload_kb_per_frame") as u64) << 10,
            accept_ms_per_frame: general.number("accept_ms_per_frame"),
            device_memory_mb: general.whole("device_memory_mb") as u64,
            host_memory_mb: general.whole("host_memory_mb") as u64,
            isa: Isa::parse(general.text("isa")).map_err(|error| GameError::usage(error.to_string(), "--isa auto takes the widest"))?,
            values: tables[index + 1].clone(),
            player: tables[WORLDS.len() + 1].clone(),
            start: share.map(|share| share.start),
            stats: args.stats,
            settings_path: None,
            args: args.clone(),
        })
    }

    /// Memory of the GPU to use at most, bytes; `None` for most of what it offers.
    pub fn device_memory_bytes(&self) -> Option<u64> {
        (self.device_memory_mb > 0).then_some(self.device_memory_mb << 20)
    }

    /// The world made from seed and settings.
    pub fn make_world(&self) -> Result<WorldInstance, GameError> {
        worlds::make(self.world, self.seed, &self.values)
    }
}

/// What a share text says stands for all that a picture depends on; the rest is this machine's.
fn take_over(tables: &mut [Values], share: &Share) -> Result<(), GameError> {
    let wrong = |message: String| GameError::usage(format!("--share: {message}"), "");
    let general = share.values(share::Section::General, GENERAL)?;
    for setting in GENERAL {
        match setting.name {
            "world" => tables[0].set(setting, Value::Text(share.world.to_owned())).map_err(wrong)?,
            "seed" => tables[0].set(setting, Value::Text(share.seed.0.to_string())).map_err(wrong)?,
            name if share::SHARED_GENERAL.contains(&name) => tables[0].take(setting, &general),
            _ => {}
        }
    }
    for (index, world) in WORLDS.iter().enumerate().filter(|(_, world)| world.name == share.world) {
        tables[index + 1] = share.values(share::Section::World, world.settings)?;
    }
    tables[WORLDS.len() + 1] = share.values(share::Section::Player, PLAYER)?;
    Ok(())
}

/// The world of that name, or a message with the closest.
pub fn find_world(name: &str) -> Result<&'static World, GameError> {
    let names = || WORLDS.iter().map(|world| world.name);
    WORLDS.iter().find(|world| world.name == name).ok_or_else(|| {
        let meant = closest(name, names()).map_or_else(String::new, |meant| format!("did you mean '{meant}'? "));
        let known: Vec<_> = names().collect();
        GameError::usage(format!("there is no world '{name}'"), format!("{meant}The worlds are: {}", known.join(", ")))
    })
}

/// The text of a settings file.
pub fn read(path: &Path) -> Result<String, GameError> {
    let fail = |error| GameError::file("read the settings file", path)(error);
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)).map_err(fail)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(fail(io::Error::other(format!("it is larger than {FILE_BYTES_MAX} bytes"))));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        GameError::usage(format!("the settings file {} is not UTF-8: byte {at} is wrong", path.display()), "save it as UTF-8")
    })
}

/// Whether a missing default settings file explains the error: also where its folder is closed to us.
fn absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(args: &GlobalArgs, text: &str) -> Result<Config, GameError> {
        Config::from_text(args, "test.toml", text)
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_the_file_over_defaults() {
        let file = "seed = 5\nthreads = 3\n";
        let args = GlobalArgs { seed: Some("-7".into()), ..GlobalArgs::default() };
        let config = config(&args, file).expect("right");
        assert_eq!((config.seed, config.threads, config.view_distance_m), (Seed(-7), 3, WORLDS[0].view_distance_m));
    }

    #[test]
    fn options_have_the_ranges_of_their_settings() {
        for view_distance in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e38] {
            let args = GlobalArgs { view_distance: Some(view_distance), ..GlobalArgs::default() };
            let error = config(&args, "").expect_err("out of range");
            assert_eq!(error.exit_code(), 2);
            let message = error.to_string();
            assert!(message.starts_with("--view-distance is ") && message.contains("from 512 to 65536 m"), "{message}");
        }
        let args = GlobalArgs { threads: Some(-1), ..GlobalArgs::default() };
        assert!(config(&args, "").expect_err("out of range").to_string().contains("from 0 to 256"));
        let args = GlobalArgs { isa: Some("mmx".into()), ..GlobalArgs::default() };
        assert!(config(&args, "").expect_err("unknown").to_string().contains("one of auto, scalar, avx2, avx512"));
    }

    #[test]
    fn unknown_worlds_are_told_the_known() {
        let error = config(&GlobalArgs { world: Some("terrian".into()), ..GlobalArgs::default() }, "").expect_err("unknown");
        assert_eq!(error.exit_code(), 2);
        assert!(format!("{error:?}").contains("did you mean 'terrain'?"));
    }
}
