//! In: the command line. Out: `shaders::update` run once and told in words; exit code 0 when all is well, 1 when not, 2 for wrong usage.
//! Never knows: how shaders are compiled.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use terrane_shaders::error::ShaderError;
use terrane_shaders::update::{Mode, Update, update};

const USAGE: &str = "usage: shaders-compile [--check] [--all] [--dir FOLDER]
  Brings glsl/shared.gen.glsl, spirv/*.spv and src/table.rs of the shaders crate up to date.
  --check       write nothing; exit code 1 when something is stale
  --all         compile every shader, not only those whose source changed
  --dir FOLDER  the folder of the shaders crate (default: where this tool was built)";

struct Arguments {
    mode: Mode,
    all: bool,
    crate_dir: PathBuf,
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    match update(&arguments.crate_dir, arguments.mode, arguments.all) {
        Ok(update) => tell(&update, &arguments, start),
        Err(error) => {
            eprintln!("{error}");
            if let ShaderError::OldTool { .. } = error {
                eprintln!("  cargo run -p terrane-shaders --features shaderc --bin shaders-compile");
            }
            ExitCode::FAILURE
        }
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let crate_dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut arguments = Arguments { mode: Mode::Write, all: false, crate_dir };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--check" => arguments.mode = Mode::Check,
            "--all" => arguments.all = true,
            "--dir" => arguments.crate_dir = words.next().ok_or("--dir needs a folder")?.into(),
            other => return Err(format!("{other:?} is no argument of this tool")),
        }
    }
    Ok(arguments)
}

fn tell(update: &Update, arguments: &Arguments, start: Instant) -> ExitCode {
    let (changed, removed) = match arguments.mode {
        Mode::Write => ("wrote", "removed"),
        Mode::Check => ("stale", "left over"),
    };
    for (what, paths) in [(changed, &update.changed), (removed, &update.removed)] {
        for path in paths {
            println!("{what:>9} {}", path.display());
        }
    }
    for warning in &update.warnings {
        eprint!("{}", with_folder(warning, &arguments.crate_dir));
    }
    for error in &update.errors {
        eprintln!("{}", with_folder(&error.to_string(), &arguments.crate_dir));
    }
    println!("{} compiled, {} failed, {:.2} s", update.compiled.len(), update.errors.len(), start.elapsed().as_secs_f32());
    let stale = arguments.mode == Mode::Check && !(update.changed.is_empty() && update.removed.is_empty());
    if stale || !update.errors.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Puts the folder before `file:line:`, so that editors and terminals can open it.
fn with_folder(text: &str, crate_dir: &Path) -> String {
    let glsl_dir = crate_dir.join("glsl");
    let is_place = |line: &str| line.split(':').nth(1).is_some_and(|number| number.parse::<u32>().is_ok());
    let lines = text.lines().map(|line| if is_place(line) { format!("{}\n", glsl_dir.join(line).display()) } else { format!("{line}\n") });
    lines.collect()
}
