//! In: every world, seed 1, its first pose. Out: milliseconds of a tick on foot, of the space around the player, of a patch of solids; with solids
//! near the player only, and with all within 256 m.
//! Never knows: frames. A tick of 60 Hz lasts 16.7 ms; what walks shares it with everything else.

use std::time::Instant;
use terrane::{
    cli::GlobalArgs,
    config::Config,
    fly::Controls,
    player::{Mode, Player, script::Script},
    shot,
    worlds::{WORLDS, WorldInstance},
};
use terrane_worldgen::Scratch;

/// Two minutes of everything that one does on foot.
const SCRIPT: &str = "forward 20s; turn 70; run 20s; turn 100; jump+forward 20s; left 20s; turn 90; run+left 20s; back 10s; wait 10s";
const PATCHES: i64 = 24;

fn main() {
    println!("{:8} {:24} {:>7} {:>9} {:>9} {:>9} {:>9}", "world", "what", "count", "p50 ms", "p90 ms", "p99 ms", "max ms");
    for row in WORLDS {
        for (name, text) in [("near", ""), ("all within 256 m", "[player]\nnear_only_colliders = false")] {
            let arguments = GlobalArgs { world: Some(row.name.to_owned()), ..GlobalArgs::default() };
            let config = Config::from_text(&arguments, "defaults", text).expect("settings");
            let world = config.make_world().expect("a world");
            walk(row.name, name, &config, &world);
        }
        let arguments = GlobalArgs { world: Some(row.name.to_owned()), ..GlobalArgs::default() };
        let world = Config::from_text(&arguments, "defaults", "").and_then(|config| config.make_world()).expect("a world");
        let mut scratch = Scratch::default();
        let patches = (0..PATCHES).map(|index| timed(|| world.solids.patch([index % 5 - 2, index / 5 - 2], &mut scratch)).0);
        report(row.name, "patch", patches.collect());
    }
}

fn walk(name: &str, what: &str, config: &Config, world: &WorldInstance) {
    let start = shot::pose_camera(config, world, None).expect("a pose");
    let mut player = Player::new(world, &config.player, &start, Mode::Walk).expect("a player");
    let script: Script = SCRIPT.parse().expect("a script");
    let (mut ticks, mut borders) = (Vec::new(), Vec::new());
    let mut tile = [i64::MAX; 2];
    for tick in 0..script.ticks() {
        player.prepare_wholly();
        let [x, _, z] = player.walker().expect("on foot").feet().cell_m;
        let entered = [x, z].map(|metres| metres.div_euclid(terrane_physics::TILE_M as i64));
        let controls: Controls = script.controls(tick);
        let (ms, moved) = timed(|| player.tick(&controls, world));
        assert!(moved, "all that is solid is there");
        // The tick that enters a tile builds its space.
        if std::mem::replace(&mut tile, entered) == entered { ticks.push(ms) } else { borders.push(ms) }
    }
    println!("{name:8} {what}: {} shapes around the player at the end", player.colliders().pieces);
    report(name, "tick", ticks);
    report(name, "tick that enters a tile", borders);
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed().as_secs_f64() * 1000.0, done)
}

fn report(world: &str, what: &str, mut times_ms: Vec<f64>) {
    times_ms.sort_by(f64::total_cmp);
    let at = |share: f64| times_ms[((times_ms.len() - 1) as f64 * share) as usize];
    println!("{world:8} {what:24} {:7} {:9.4} {:9.4} {:9.4} {:9.4}", times_ms.len(), at(0.5), at(0.9), at(0.99), at(1.0));
}
