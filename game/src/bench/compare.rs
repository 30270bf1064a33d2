//! In: two reports, or one whose scenes come in pairs. Out: ratios with their noise; an error where the worlds are not the same.
//! Never knows: how anything was measured.
//!
//! A figure of a report is the median of its runs. Its noise is the standard error of that median, from the median absolute deviation of the
//! runs (1.4826 x MAD is the deviation of a normal distribution, 1.2533 / sqrt(n) the factor of its median). A ratio has the noise of both, and
//! counts as a change from two of these on. One run has no noise that is known.

use super::report::{Report, Run, SceneReport};
use crate::{error::GameError, measure::percentile};
use std::path::Path;

/// Name and value of a figure; smaller is better, but for counts, which are just told.
type Figure = (&'static str, fn(&Run) -> f64);

const FIGURES: &[Figure] = &[
    ("frame ms p50", |run| run.frame_ms.p50),
    ("frame ms p99", |run| run.frame_ms.p99),
    ("main thread ms p50", |run| run.main_ms.p50),
    ("main thread ms p99", |run| run.main_ms.p99),
    ("streaming ms p99", |run| run.streaming_ms.p99),
    ("record ms p50", |run| run.record_ms.p50),
    ("GPU ms p50", |run| run.gpu_ms.p50),
    ("GPU ms p99", |run| run.gpu_ms.p99),
    ("cull ms p50", |run| pass(run, "cull early") + pass(run, "cull late")),
    ("shadows ms p50", |run| pass(run, "shadows")),
    ("opaque ms p50", |run| pass(run, "opaque") + pass(run, "opaque rest")),
    ("heightmap ms p50", |run| stage(run, "heightmap")),
    ("meshing ms p50", |run| stage(run, "meshing")),
    ("scatter ms p50", |run| stage(run, "scatter")),
    ("arrange ms p50", |run| stage(run, "arrange")),
    ("visible ms p99", |run| run.visible.p99_ms),
    ("first picture ms", |run| run.start.first_picture_ms),
    ("all chunks ms", |run| run.start.complete_ms),
    ("chunks resident", |run| f64::from(run.chunks.resident_max)),
    ("upload bytes", |run| run.upload.total_bytes as f64),
    ("device MiB", |run| run.memory.device_bytes as f64 / f64::from(1 << 20)),
    ("host MiB", |run| run.memory.host_bytes as f64 / f64::from(1 << 20)),
];

fn pass(run: &Run, name: &str) -> f64 {
    run.passes.iter().find(|pass| pass.name == name).map_or(0.0, |pass| pass.ms.p50)
}

fn stage(run: &Run, name: &str) -> f64 {
    run.stages.iter().find(|stage| stage.name == name).map_or(0.0, |stage| stage.p50_ms)
}

/// A ratio and its noise; `None` where it cannot be known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// After by before.
    pub ratio: f64,
    /// One standard error of it.
    pub noise: Option<f64>,
}

impl Ratio {
    /// Of two lists of runs.
    pub fn of(before: &[f64], after: &[f64]) -> Ratio {
        let (a, b) = (median(before), median(after));
        let noise = relative_error(before).zip(relative_error(after)).map(|(x, y)| b / a * x.hypot(y));
        Ratio { ratio: b / a, noise }
    }

    /// Of pairs that ran one after the other: what was slow for both cancels.
    pub fn of_pairs(before: &[f64], after: &[f64]) -> Ratio {
        let ratios: Vec<f64> = before.iter().zip(after).map(|(a, b)| b / a).collect();
        let ratio = median(&ratios);
        Ratio { ratio, noise: relative_error(&ratios).map(|error| error * ratio) }
    }

    fn told(&self) -> String {
        match self.noise {
            None => format!("{:>8.3}                      ", self.ratio),
            Some(noise) => {
                let verdict = match self.ratio - 1.0 {
                    by if by.abs() <= 2.0 * noise || by.abs() < 0.005 => "as before",
                    by if by < 0.0 => "less",
                    _ => "MORE",
                };
                format!("{:>8.3} +- {noise:<7.3} {verdict:<10}", self.ratio)
            }
        }
    }
}

fn median(values: &[f64]) -> f64 {
    percentile(&mut values.to_vec(), 0.5)
}

/// Standard error of the median by the median; unknown for one value.
fn relative_error(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Some(1.4826 * median(&deviations) * 1.2533 / (values.len() as f64).sqrt() / middle.abs().max(f64::MIN_POSITIVE))
}

/// `terrane bench --compare BEFORE AFTER`.
pub fn run(before: &Path, after: &Path) -> Result<(), GameError> {
    let (a, b) = (Report::read(before)?, Report::read(after)?);
    check_repeats(&a)?;
    check_repeats(&b)?;
    print!("{}", told(&a, &b));
    check_same(&a, &b)
}

/// The comparison as text.
pub fn told(a: &Report, b: &Report) -> String {
    let mut text = format!("before: {} ({}, {}), after: {} ({}, {})\n", a.head.commit, a.head.date, a.head.build, b.head.commit, b.head.date, b.head.build);
    for (what, x, y) in
        [("device", &a.head.device, &b.head.device), ("processor", &a.head.processor, &b.head.processor), ("build", &a.head.build, &b.head.build)]
    {
        if x != y {
            text += &format!("NOT THE SAME {what}: {x} and {y}; times say little\n");
        }
    }
    for scene in &a.scenes {
        match find(b, scene) {
            Some(other) => text += &table(&scene.title(), scene, other, Ratio::of),
            None => text += &format!("\n{}: not in the second report\n", scene.title()),
        }
    }
    text
}

fn find<'a>(report: &'a Report, scene: &SceneReport) -> Option<&'a SceneReport> {
    report.scenes.iter().find(|other| other.title() == scene.title())
}

fn table(title: &str, before: &SceneReport, after: &SceneReport, ratio: fn(&[f64], &[f64]) -> Ratio) -> String {
    let mut text = format!("\n{title}, {} and {} runs\n{:<22} {:>12} {:>12} {:>8}\n", before.runs.len(), after.runs.len(), "", "before", "after", "ratio");
    for (name, of) in FIGURES {
        let values = |scene: &SceneReport| scene.runs.iter().map(of).collect::<Vec<f64>>();
        let (a, b) = (values(before), values(after));
        if median(&a) > 0.0 && median(&b) > 0.0 {
            let row = format!("{name:<22} {:>12.3} {:>12.3} {}", median(&a), median(&b), ratio(&a, &b).told());
            text += &format!("{}\n", row.trim_end());
        }
    }
    text
}

/// Prints the ratios of pairs: a scene and the same with something turned off.
pub fn print_pairs(report: &Report) -> Result<(), GameError> {
    for off in report.scenes.iter().filter(|scene| scene.without.is_some()) {
        let Some(on) = report.scenes.iter().find(|scene| scene.without.is_none() && scene.scene == off.scene) else { continue };
        print!("{}", table(&format!("{} (after) and with it (before)", off.title()), on, off, Ratio::of_pairs));
        let (a, b) = (&on.runs[0].state, &off.runs[0].state);
        if a != b {
            return Err(other_world(&off.title(), a, b));
        }
    }
    Ok(())
}

/// All runs of a scene end in the same world.
pub fn check_repeats(report: &Report) -> Result<(), GameError> {
    for scene in &report.scenes {
        let first = scene.runs.first().ok_or_else(|| GameError::usage(format!("the scene {} has no run", scene.title()), ""))?;
        if let Some(other) = scene.runs.iter().find(|run| run.state != first.state) {
            return Err(other_world(&scene.title(), &first.state, &other.state));
        }
    }
    Ok(())
}

/// Both reports have a scene in common, and those that they have are the same and end in the same world.
pub fn check_same(a: &Report, b: &Report) -> Result<(), GameError> {
    let mut common = 0;
    for scene in &a.scenes {
        let Some(other) = find(b, scene) else { continue };
        common += 1;
        if scene.scene != other.scene {
            let what = format!("the scene {} is not the same in both reports: its size, way, view distance or number of frames differs", scene.title());
            return Err(GameError::usage(what, "measure both with the same scene file"));
        }
        let (x, y) = (&scene.runs[0].state, &other.runs[0].state);
        if x != y {
            return Err(other_world(&scene.title(), x, y));
        }
    }
    match common {
        0 => Err(GameError::usage("the reports have no scene in common", "")),
        _ => Ok(()),
    }
}

fn other_world(scene: &str, a: &str, b: &str) -> GameError {
    GameError::usage(
        format!("the worlds differ in the scene {scene}: its hash is {a} and {b}"),
        "A faster wrong world is no gain. If the world was meant to change, measure it before and after by itself.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::{
        report::{Head, SCHEMA, Spread},
        scene,
    };
    use super::*;

    fn report(commit: &str, state: &str, frames_ms: &[f64]) -> Report {
        let run = |ms: &f64| Run { state: state.to_owned(), frame_ms: Spread { count: 1, p50: *ms, p99: *ms, ..Spread::default() }, ..Run::default() };
        let scene = scene::select(&["terrain-1km".to_owned()]).expect("a scene").remove(0);
        let scenes = vec![SceneReport { scene, without: None, runs: frames_ms.iter().map(run).collect() }];
        Report { schema: SCHEMA, head: Head { commit: commit.to_owned(), ..Head::default() }, scenes, growth: Vec::new() }
    }

    #[test]
    fn a_change_counts_beyond_twice_its_noise() {
        let quiet = Ratio::of(&[10.0, 10.1, 9.9, 10.0, 10.1], &[8.0, 8.1, 7.9, 8.0, 8.1]);
        assert!((quiet.ratio - 0.8).abs() < 1e-9 && quiet.noise.expect("known") < 0.02, "{quiet:?}");
        assert!(quiet.told().contains("less"));
        let noisy = Ratio::of(&[10.0, 14.0, 7.0, 12.0, 9.0], &[9.0, 13.0, 6.0, 11.0, 8.0]);
        assert!(noisy.told().contains("as before"), "{noisy:?}");
        assert!(Ratio::of(&[10.0, 10.1, 9.9], &[12.0, 12.1, 11.9]).told().contains("MORE"));
        assert_eq!(Ratio::of(&[10.0], &[8.0]).noise, None);
    }

    #[test]
    fn pairs_cancel_what_both_suffer() {
        let (on, off) = ([10.0, 20.0, 40.0, 30.0], [15.0, 30.0, 60.0, 45.0]);
        assert_eq!(Ratio::of_pairs(&on, &off), Ratio { ratio: 1.5, noise: Some(0.0) });
        assert!(Ratio::of(&on, &off).noise.expect("known") > 0.1);
    }

    #[test]
    fn a_faster_wrong_world_fails_and_the_scene_is_named() {
        let (before, after) = (report("a", "same", &[10.0, 10.2]), report("b", "same", &[5.0, 5.1]));
        assert!(check_same(&before, &after).is_ok());
        let text = told(&before, &after);
        assert!(text.contains("frame ms p50") && text.contains("0.5"), "{text}");
        let error = check_same(&before, &report("b", "other", &[5.0])).expect_err("another world");
        assert!(error.exit_code() == 2 && error.to_string().contains("terrain-1km"), "{error}");
        let mut mixed = report("a", "same", &[1.0, 2.0]);
        mixed.scenes[0].runs[1].state = "other".to_owned();
        assert!(check_repeats(&mixed).expect_err("two worlds").to_string().contains("terrain-1km"));
        let mut changed = report("b", "same", &[5.0]);
        changed.scenes[0].scene.frames += 1;
        assert!(check_same(&before, &changed).expect_err("another scene").to_string().contains("not the same in both"));
    }

    #[test]
    fn files_that_are_no_reports_are_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (text, wanted) in [("", "no report"), ("{}", "does not say its form"), ("{\"schema\": 99}", "number 99"), ("{\"schema\": 1}", "no report")] {
            std::fs::write(file.path(), text).expect("it is written");
            let error = Report::read(file.path()).expect_err("refused");
            assert!(error.exit_code() == 2 && error.to_string().contains(wanted), "{error}");
        }
        let whole = report("a", "same", &[1.5]);
        whole.write(file.path()).expect("it is written");
        assert_eq!(Report::read(file.path()).expect("it is read"), whole);
        assert_eq!(Report::read(Path::new("/nowhere.json")).expect_err("no file").exit_code(), 5);
    }
}
