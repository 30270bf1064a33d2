//! `terrane bench`: scenes at fixed view distances; a table, JSON and a page to read. docs/BENCH.md describes all of it.
//!
//! In: names of scenes, or two reports. Out: a report, or how two differ.
//! Never knows: how a frame is drawn; it reads what `measure` and the stages say.

pub mod args;
mod compare;
mod growth;
mod head;
mod html;
mod page;
mod path;
mod plots;
pub mod report;
pub mod run;
pub mod scene;
mod table;
mod target;

use crate::{
    cli::{BenchArgs, Switch},
    config::Config,
    digest,
    error::GameError,
};
use indicatif::ProgressBar;
use report::{Growth, Report, SCHEMA, SceneReport};
use scene::Scene;
use std::{fs, path::Path};
use terrane_render::Switches;
use winit::event_loop::EventLoop;

/// Runs scenes, or compares reports.
pub fn run(config: &Config, args: &BenchArgs) -> Result<(), GameError> {
    if let [before, after] = &args.compare[..] {
        return compare::run(before, after);
    }
    if let Some(path) = &args.page {
        let report = Report::read(path)?;
        fs::create_dir_all(&args.out).map_err(GameError::file("make the folder", &args.out))?;
        table::print(&report);
        return write_page(&report, &args.out);
    }
    if args.list {
        for scene in scene::select(&args.scene)? {
            println!("{:<28} {}", scene.name, scene.about);
        }
        return Ok(());
    }
    refuse_what_scenes_fix(config)?;
    let scenes = scene::select(&args.scene)?;
    fs::create_dir_all(&args.out).map_err(GameError::file("make the folder", &args.out))?;
    let report = measure(config, scenes, args)?;
    report.write(&args.out.join("report.json"))?;
    write_page(&report, &args.out)?;
    table::print(&report);
    if args.ab.is_some() {
        compare::print_pairs(&report)?;
    }
    println!("{}", args.out.join("report.html").display());
    compare::check_repeats(&report)
}

fn write_page(report: &Report, out: &Path) -> Result<(), GameError> {
    let path = out.join("report.html");
    fs::write(&path, html::page(report)?).map_err(GameError::file("write the page", path))
}

fn refuse_what_scenes_fix(config: &Config) -> Result<(), GameError> {
    let args = &config.args;
    let given = [("--world", args.world.is_some()), ("--seed", args.seed.is_some()), ("--view-distance", args.view_distance.is_some())];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let advice = "choose scenes with --scene, for instance 'terrain-4km*', or write one: docs/BENCH.md says how";
            Err(GameError::usage(format!("{option} has no place here: each scene fixes its world, seed and view distance"), advice))
        }
    }
}

/// What is drawn with one switch off.
fn without(switch: Switch) -> Switches {
    let all = Switches::default();
    match switch {
        Switch::Cull => Switches { cull: false, ..all },
        Switch::Occlusion => Switches { occlusion: false, ..all },
        Switch::Shadows => Switches { shadows: false, ..all },
        Switch::Props => Switches { props: false, ..all },
        Switch::Ground => Switches { ground: false, ..all },
    }
}

/// A scene with its switches.
type Part = (Scene, Switches, Option<String>);

fn measure(config: &Config, mut scenes: Vec<Scene>, args: &BenchArgs) -> Result<Report, GameError> {
    // Frames that the clock paces take no longer on a slow device.
    if let Some(frames) = args.frames {
        scenes.iter_mut().filter(|scene| scene.draw).for_each(|scene| scene.frames = scene.frames.min(frames));
    }
    let head = head::head(config)?;
    let mut parts: Vec<Part> = Vec::new();
    for scene in &scenes {
        parts.push((scene.clone(), Switches::default(), None));
        if let Some(switch) = args.ab {
            parts.push((scene.clone(), without(switch), Some(switch.to_string())));
        }
    }
    let frames: u64 = parts.iter().map(|(scene, ..)| u64::from(scene.warm_up_frames + scene.frames)).sum();
    let bar = digest::progress(frames * u64::from(args.repeat), "measuring");
    let mut reports: Vec<SceneReport> =
        parts.iter().map(|(scene, _, without)| SceneReport { scene: scene.clone(), without: without.clone(), runs: Vec::new() }).collect();
    let mut event_loop = if args.window { Some(target::event_loop()?) } else { None };
    for _ in 0..args.repeat {
        // Repeats of a scene lie far apart, so that what else the machine does meets all scenes alike.
        for ((scene, switches, _), report) in parts.iter().zip(&mut reports) {
            report.runs.push(run_one(scene, config, *switches, &mut event_loop, &bar)?);
        }
    }
    bar.finish_and_clear();
    Ok(Report { schema: SCHEMA, growth: growth_of(config, &scenes, head.processors as usize)?, head, scenes: reports })
}

fn run_one(scene: &Scene, config: &Config, switches: Switches, event_loop: &mut Option<EventLoop<()>>, bar: &ProgressBar) -> Result<report::Run, GameError> {
    bar.set_message(scene.name.clone());
    run::run(scene, config, switches, event_loop, bar)
}

/// Of every world that a scene has, at the settings of its first.
fn growth_of(config: &Config, scenes: &[Scene], processors: usize) -> Result<Vec<Growth>, GameError> {
    let mut worlds: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for scene in scenes {
        if !worlds.contains(&scene.world.as_str()) {
            worlds.push(&scene.world);
            let of_world = Config { view_distance_m: 4000.0, ..run::config_of(scene, config)? };
            rows.extend(growth::growth(&of_world, processors)?);
        }
    }
    Ok(rows)
}
