//! In: the table of worlds. Out: its rows, settings and poses as text, name first, so that scripts can read them.
//! Never knows: how a world is made.

use crate::{
    cli::WorldsArgs,
    config::{Config, GENERAL, find_world},
    error::GameError,
    settings::Setting,
    worlds::{PoseHeight, WORLDS, World},
};
use std::io::{self, Write};

/// `terrane worlds`.
pub fn run(config: &Config, args: &WorldsArgs) -> Result<(), GameError> {
    let world = args.name.as_deref().map(find_world).transpose()?;
    let mut out = io::stdout().lock();
    let written = match (world, args.poses, args.toml) {
        (None, false, false) => WORLDS.iter().try_for_each(|world| writeln!(out, "{:10} {}", world.name, world.summary)),
        (world, true, _) => poses(&mut out, world.unwrap_or(config.world)),
        (world, _, true) => settings_file(&mut out, world.unwrap_or(config.world)),
        (Some(world), ..) => settings(&mut out, world),
    };
    match written {
        // `terrane worlds | head` closes the pipe early.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(GameError::file("write", "standard output")),
    }
}

fn poses(out: &mut impl Write, world: &World) -> io::Result<()> {
    for pose in world.poses {
        let height = match pose.height {
            PoseHeight::OverGround(metres) => format!("{metres} m over the ground"),
            PoseHeight::Absolute(metres) => format!("y {metres} m"),
        };
        let (name, mood) = (pose.name, pose.mood);
        writeln!(out, "{name:16} {:7} {:7}  {height}, yaw {}, pitch {}: {mood}", pose.x_m, pose.z_m, pose.yaw_deg, pose.pitch_deg)?;
    }
    Ok(())
}

fn settings(out: &mut impl Write, world: &World) -> io::Result<()> {
    writeln!(out, "{}: {}\n", world.name, world.summary)?;
    for setting in world.settings {
        writeln!(out, "{:26} {}{}; {}. {}", setting.name, setting.default(), setting.unit_suffix(), setting.allowed(), setting.help)?;
    }
    Ok(())
}

fn settings_file(out: &mut impl Write, world: &World) -> io::Result<()> {
    writeln!(out, "# Settings of terrane; what is left out has the default shown here.\n")?;
    for setting in GENERAL {
        match setting.name {
            // The file is for this world, not for the default.
            "world" => writeln!(out, "# {}\nworld = \"{}\"\n", setting.help, world.name)?,
            _ => settings_line(out, setting)?,
        }
    }
    writeln!(out, "[{}]\n", world.name)?;
    world.settings.iter().try_for_each(|setting| settings_line(out, setting))
}

fn settings_line(out: &mut impl Write, setting: &Setting) -> io::Result<()> {
    writeln!(out, "# {} Allowed: {}.\n{} = {}\n", setting.help, setting.allowed(), setting.name, setting.default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::GlobalArgs;

    #[test]
    fn the_settings_file_that_is_shown_is_one_that_is_taken() {
        for world in WORLDS {
            let mut text = Vec::new();
            settings_file(&mut text, world).expect("written");
            let text = String::from_utf8(text).expect("text");
            let config = Config::from_text(&GlobalArgs::default(), "shown", &text).expect("taken");
            for setting in world.settings.iter() {
                assert!(config.values.written(setting.name), "{}", setting.name);
            }
        }
    }
}
