//! In: a world, a start, a script. Out: the walk, tick by tick, and one hash of it that is the same on every run.
//! Never knows: windows, the GPU.

use crate::{
    cli::WalkArgs,
    config::Config,
    error::GameError,
    fly::TICK_S,
    player::{
        Mode, Player,
        clock::Clock,
        script::{Script, place_words},
    },
    shot,
    worlds::WorldInstance,
};
use std::io::{self, Write};
use terrane_base::{Digest, DigestValue};

/// A line of the trace each so many ticks: ten a second.
const TRACE_EVERY: u64 = 6;
/// Frames in which nothing moves before a walk that does not wait for its colliders is given up: 100 s at 60 Hz.
const IDLE_FRAMES_MAX: u64 = 6_000;

/// `terrane walk`.
pub fn run(config: &Config, args: &WalkArgs) -> Result<(), GameError> {
    let world = config.make_world()?;
    let start = shot::pose_camera(config, &world, args.pose.as_ref())?;
    let mut player = Player::new(&world, &config.player, &start, Mode::Walk)?;
    let mut lines = Vec::new();
    let digest = walk(&mut player, &world, &args.script, TICK_S, true, |tick, player| {
        if args.trace && tick.is_multiple_of(TRACE_EVERY) {
            lines.push(line(tick, player));
        }
    })?;
    lines.push(line(args.script.ticks(), &player));
    let mut out = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| writeln!(out, "{digest}"));
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(GameError::file("write", "standard output")),
    }
}

/// Walks a script in frames of `frame_s` seconds; gives a hash of every place on the way. With `wait`, each frame waits until all that is solid
/// around is there; without, the body does, and the script with it.
pub fn walk(
    player: &mut Player,
    world: &WorldInstance,
    script: &Script,
    frame_s: f32,
    wait: bool,
    mut on_tick: impl FnMut(u64, &Player),
) -> Result<DigestValue, GameError> {
    let (mut clock, mut digest, mut tick, mut idle) = (Clock::default(), Digest::default(), 0, 0);
    while tick < script.ticks() {
        if wait {
            player.prepare_wholly()
        } else {
            player.prepare()
        }
        let before = tick;
        for _ in 0..clock.advance(frame_s) {
            if tick < script.ticks() && player.tick(&script.controls(tick), world) {
                place_words(player.flyer().place).for_each(|word| digest.write_u32(word));
                on_tick(tick, player);
                tick += 1;
            }
        }
        idle = if tick == before { idle + 1 } else { 0 };
        if idle > IDLE_FRAMES_MAX {
            let [x, y, z] = player.flyer().place.to_f64();
            return Err(GameError::Bug(format!("what is solid around {x:.1},{y:.1},{z:.1} is never made; the log tells why")));
        }
        if !wait && tick == before {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    Ok(digest.finish())
}

fn line(tick: u64, player: &Player) -> String {
    let seconds = tick as f32 * TICK_S;
    let Some(walker) = player.walker() else { return format!("{seconds:8.2}") };
    let [x, y, z] = walker.feet().to_f64();
    let state = match (walker.grounded(), walker.under_water_m() > 0.0) {
        (true, false) => "stands",
        (true, true) => "wades",
        (false, true) => "swims",
        (false, false) => "falls",
    };
    format!("{seconds:8.2} s  {x:12.3} {y:9.3} {z:12.3}  {:5.2} m/s  {state}", walker.velocity_m_s().length())
}
