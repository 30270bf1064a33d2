//! In: the text of scene files, names that the user asks for. Out: scenes: a world, a camera's way, how many frames of which size.
//! Never knows: how a frame is drawn or what is measured.
//!
//! A file of `world = "*"` is a scene of every world: `4km-still.toml` makes `terrain-4km-still`, and a world that is added has it, too.

use crate::{
    config::find_world,
    error::GameError,
    settings::{SettingsError, closest},
    settings_file::FILE_BYTES_MAX,
    worlds::WORLDS,
};
use miette::NamedSource;
use serde::{Deserialize, Serialize};
use std::{fs, ops::RangeInclusive, path::Path};

/// The files of `benches/scenes`; a test compares the list with the folder.
const FILES: &[(&str, &str)] = &[
    ("250m", include_str!("../../../benches/scenes/250m.toml")),
    ("1km", include_str!("../../../benches/scenes/1km.toml")),
    ("4km", include_str!("../../../benches/scenes/4km.toml")),
    ("16km", include_str!("../../../benches/scenes/16km.toml")),
    ("1km-walk", include_str!("../../../benches/scenes/1km-walk.toml")),
    ("4km-fly100", include_str!("../../../benches/scenes/4km-fly100.toml")),
    ("4km-fly300", include_str!("../../../benches/scenes/4km-fly300.toml")),
    ("4km-turns", include_str!("../../../benches/scenes/4km-turns.toml")),
    ("1km-teleports", include_str!("../../../benches/scenes/1km-teleports.toml")),
    ("4km-stream-still", include_str!("../../../benches/scenes/4km-stream-still.toml")),
    ("4km-stream-fly300", include_str!("../../../benches/scenes/4km-stream-fly300.toml")),
];

/// Length of a step of the camera, seconds: a frame of the simulation.
pub const STEP_S: f64 = 1.0 / 60.0;

/// A scene of one world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Its name, for instance `terrain-4km-fly100`.
    pub name: String,
    /// What it is for, one line.
    pub about: String,
    /// Its world.
    pub world: String,
    /// The world's seed, as it is typed.
    pub seed: String,
    /// Where it starts: a pose of the world; its first if empty.
    pub pose: String,
    /// How far one sees, metres.
    pub view_distance_m: f32,
    /// Size of the picture, pixels.
    pub size: [u32; 2],
    /// Samples a pixel.
    pub samples: u32,
    /// Edge of a shadow map; 0 without shadows.
    pub shadow_resolution: u32,
    /// Frames that are measured.
    pub frames: u32,
    /// Frames before these.
    pub warm_up_frames: u32,
    /// Whether anything is drawn. Without, pictures are empty, one each 1/60 s by the clock: the main thread does what it would beside a fast GPU.
    pub draw: bool,
    /// The camera's way.
    pub path: Way,
}

/// How the camera moves, in steps of 1/60 s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Way {
    /// Not at all.
    Still,
    /// Straight on, at a height over the ground.
    Move {
        /// Metres a second.
        speed_m_s: f64,
        /// Metres over the ground.
        over_ground_m: f64,
    },
    /// It turns at once by an angle, every so many frames.
    Turns {
        /// Frames from turn to turn.
        every_frames: u32,
        /// Degrees, clockwise.
        by_deg: f64,
    },
    /// It is somewhere else at once, every so many frames.
    Teleports {
        /// Frames from place to place.
        every_frames: u32,
        /// How far, metres to the east.
        by_m: f64,
    },
}

impl Way {
    /// A word or two for it.
    pub fn told(&self) -> String {
        match self {
            Way::Still => "still".to_owned(),
            Way::Move { speed_m_s, .. } => format!("{speed_m_s} m/s"),
            Way::Turns { every_frames, by_deg } => format!("{by_deg} degrees at once every {every_frames} frames"),
            Way::Teleports { every_frames, by_m } => format!("{by_m} m at once every {every_frames} frames"),
        }
    }
}

/// A scene file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneFile {
    about: String,
    #[serde(default = "every_world")]
    world: String,
    #[serde(default = "first_seed")]
    seed: SeedText,
    #[serde(default)]
    pose: String,
    view_distance_m: f32,
    #[serde(default = "size")]
    size: [u32; 2],
    #[serde(default = "one")]
    samples: u32,
    #[serde(default = "shadow_resolution")]
    shadow_resolution: u32,
    frames: Option<u32>,
    seconds: Option<f64>,
    #[serde(default = "warm_up_frames")]
    warm_up_frames: u32,
    #[serde(default = "yes")]
    draw: bool,
    path: Way,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SeedText {
    Number(i64),
    Text(String),
}

fn every_world() -> String {
    "*".to_owned()
}

fn first_seed() -> SeedText {
    SeedText::Number(1)
}

fn size() -> [u32; 2] {
    [320, 180]
}

fn one() -> u32 {
    1
}

fn shadow_resolution() -> u32 {
    1024
}

fn warm_up_frames() -> u32 {
    10
}

fn yes() -> bool {
    true
}

/// The scenes that a user asks for: all without a name; else by name, by pattern with `*`, or from a file.
pub fn select(asked: &[String]) -> Result<Vec<Scene>, GameError> {
    let shipped = shipped()?;
    if asked.is_empty() {
        return Ok(shipped);
    }
    let mut chosen: Vec<Scene> = Vec::new();
    for name in asked {
        let found = if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
            from_file(Path::new(name))?
        } else {
            shipped.iter().filter(|scene| matches(name, &scene.name)).cloned().collect()
        };
        if found.is_empty() {
            return Err(unknown(name, &shipped));
        }
        for scene in found {
            if !chosen.iter().any(|other| other.name == scene.name) {
                chosen.push(scene);
            }
        }
    }
    Ok(chosen)
}

/// Every scene that comes with the program.
pub fn shipped() -> Result<Vec<Scene>, GameError> {
    let mut scenes = Vec::new();
    for (stem, text) in FILES {
        scenes.extend(parse(stem, &format!("benches/scenes/{stem}.toml"), text)?);
    }
    scenes.sort_by_key(|scene| WORLDS.iter().position(|world| world.name == scene.world));
    Ok(scenes)
}

fn unknown(name: &str, shipped: &[Scene]) -> GameError {
    let names = || shipped.iter().map(|scene| scene.name.as_str());
    let meant = closest(name, names()).map_or_else(String::new, |meant| format!("did you mean '{meant}'? "));
    let known: Vec<_> = names().collect();
    GameError::usage(
        format!("--scene is '{name}', and no scene has that name"),
        format!("{meant}Allowed is a name, a pattern such as 'terrain-*', or the path of a .toml file. The scenes are: {}", known.join(", ")),
    )
}

fn from_file(path: &Path) -> Result<Vec<Scene>, GameError> {
    let text = fs::metadata(path).and_then(|found| match found.len() {
        0..=FILE_BYTES_MAX => fs::read_to_string(path),
        _ => Err(std::io::Error::other(format!("it is larger than {FILE_BYTES_MAX} bytes"))),
    });
    let text = text.map_err(GameError::file("read the scene", path))?;
    let stem = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy());
    parse(&stem, &path.display().to_string(), &text)
}

/// The scenes of a file: one, or one for each world.
fn parse(stem: &str, name: &str, text: &str) -> Result<Vec<Scene>, GameError> {
    let file: SceneFile = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let line = text[..span.start.min(text.len())].lines().count().max(1);
        refused(name, text, format!("{name}, line {line}: {}", error.message()), line, span)
    })?;
    let seed = match &file.seed {
        SeedText::Number(number) => number.to_string(),
        SeedText::Text(text) => text.clone(),
    };
    check(&file).map_err(|(field, message)| {
        let at = text.lines().scan(0, |at, line| Some((std::mem::replace(at, *at + line.len() + 1), line)));
        let found = at.enumerate().find(|(_, (_, line))| line.trim_start().starts_with(field));
        let (line, span) = found.map_or((1, 0..0), |(index, (start, line))| (index + 1, start..start + line.len()));
        refused(name, text, format!("{name}, line {line}: {message}"), line, span)
    })?;
    let frames = file.frames.unwrap_or_else(|| (file.seconds.unwrap_or(0.0) / STEP_S).round() as u32);
    let of_world = |world: &str, name: String| Scene {
        name,
        about: file.about.clone(),
        world: world.to_owned(),
        seed: seed.clone(),
        pose: file.pose.clone(),
        view_distance_m: file.view_distance_m,
        size: file.size,
        samples: file.samples,
        shadow_resolution: file.shadow_resolution,
        frames,
        warm_up_frames: file.warm_up_frames,
        draw: file.draw,
        path: file.path,
    };
    if file.world == "*" {
        return Ok(WORLDS.iter().map(|world| of_world(world.name, format!("{}-{stem}", world.name))).collect());
    }
    let world = find_world(&file.world)?;
    if !file.pose.is_empty() {
        world.pose(&file.pose)?;
    }
    Ok(vec![of_world(world.name, stem.to_owned())])
}

fn refused(name: &str, text: &str, message: String, line: usize, span: std::ops::Range<usize>) -> GameError {
    let source_code = NamedSource::new(name, text.to_owned());
    let advice = Some("docs/BENCH.md says what a scene may be.".to_owned());
    Box::new(SettingsError { message, line, advice, source_code, span: span.into() }).into()
}

/// Field and what is wrong with it.
fn check(file: &SceneFile) -> Result<(), (&'static str, String)> {
    fn within<T: PartialOrd + std::fmt::Display>(field: &'static str, value: T, allowed: RangeInclusive<T>, unit: &str) -> Result<(), (&'static str, String)> {
        if allowed.contains(&value) {
            return Ok(());
        }
        Err((field, format!("{field} is {value}; allowed is {} to {}{unit}", allowed.start(), allowed.end())))
    }
    within("view_distance_m", file.view_distance_m, 128.0..=65_536.0, " m")?;
    file.size.iter().try_for_each(|edge| within("size", *edge, 16..=4096, " pixels along each edge"))?;
    if ![1, 4].contains(&file.samples) {
        return Err(("samples", format!("samples is {}; allowed is 1 or 4", file.samples)));
    }
    within("shadow_resolution", file.shadow_resolution, 0..=4096, " texels")?;
    within("warm_up_frames", file.warm_up_frames, 0..=10_000, "")?;
    match (file.frames, file.seconds) {
        (Some(frames), None) => within("frames", frames, 1..=100_000, "")?,
        (None, Some(seconds)) => within("seconds", seconds, STEP_S..=1_000.0, " s of the simulation")?,
        _ => return Err(("frames", "frames and seconds: exactly one of them says how long the scene is".to_owned())),
    }
    match file.path {
        Way::Still => Ok(()),
        Way::Move { speed_m_s, over_ground_m } => {
            within("speed_m_s", speed_m_s, 0.1..=10_000.0, " m/s")?;
            within("over_ground_m", over_ground_m, 1.0..=10_000.0, " m")
        }
        Way::Turns { every_frames, by_deg } => {
            within("every_frames", every_frames, 1..=100_000, "")?;
            within("by_deg", by_deg, -360.0..=360.0, " degrees")
        }
        Way::Teleports { every_frames, by_m } => {
            within("every_frames", every_frames, 1..=100_000, "")?;
            within("by_m", by_m, -1e6..=1e6, " m")
        }
    }
}

/// Whether a pattern in which `*` stands for anything fits a name.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = name.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    let after = middle.iter().try_fold(rest, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..]));
    after.is_some_and(|rest| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/scenes");
        let mut found: Vec<String> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").file_name().into_string().expect("a name")).collect();
        let mut listed: Vec<String> = FILES.iter().map(|(stem, _)| format!("{stem}.toml")).collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
    }

    #[test]
    fn every_world_has_every_scene_at_every_view_distance() {
        let scenes = shipped().expect("they are right");
        for world in WORLDS {
            let of_world: Vec<&Scene> = scenes.iter().filter(|scene| scene.world == world.name).collect();
            assert_eq!(of_world.len(), FILES.len());
            for metres in [250.0, 1000.0, 4000.0, 16_000.0] {
                assert!(of_world.iter().any(|scene| scene.view_distance_m == metres && scene.path == Way::Still));
            }
            assert!(of_world.iter().all(|scene| scene.name.starts_with(world.name) && !scene.about.is_empty() && scene.frames > 0));
        }
    }

    #[test]
    fn scenes_are_found_by_name_by_pattern_and_from_a_file() {
        let names = |asked: &[&str]| -> Vec<String> {
            let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
            select(&asked).expect("they are there").into_iter().map(|scene| scene.name).collect()
        };
        assert_eq!(names(&["terrain-1km"]), ["terrain-1km"]);
        assert_eq!(names(&["terrain-1km", "terrain-1*m"]), ["terrain-1km", "terrain-16km"]);
        assert!(names(&["terrain-*"]).len() == FILES.len() && names(&["*fly*"]).len() >= 2);
        let file = tempfile::Builder::new().prefix("mine").suffix(".toml").tempfile().expect("a file");
        fs::write(file.path(), "about = \"mine\"\nworld = \"terrain\"\nview_distance_m = 700\nseconds = 2\n[path]\nkind = \"still\"\n").expect("it is written");
        let mine = select(&[file.path().display().to_string()]).expect("it is right");
        assert_eq!((mine.len(), mine[0].frames, mine[0].view_distance_m), (1, 120, 700.0));
        assert!(mine[0].name.starts_with("mine"));
        let error = select(&["terrain-1k".to_owned()]).expect_err("unknown");
        assert!(error.exit_code() == 2 && format!("{error:?}").contains("did you mean 'terrain-1km'?"), "{error:?}");
        assert_eq!(select(&["/nowhere/a.toml".to_owned()]).expect_err("no such file").exit_code(), 5);
    }

    #[test]
    fn what_is_wrong_is_told_by_field_value_and_range() {
        let whole = "about = \"x\"\nview_distance_m = 1000\nframes = 10\n[path]\nkind = \"move\"\nspeed_m_s = 5\nover_ground_m = 2\n";
        assert!(parse("x", "x.toml", whole).is_ok());
        for (from, to, wanted) in [
            ("frames = 10", "frames = 0", "line 3: frames is 0; allowed is 1 to 100000"),
            ("frames = 10", "frames = 10\nseconds = 1", "exactly one of them"),
            ("= 1000", "= 1", "line 2: view_distance_m is 1; allowed is 128 to 65536 m"),
            ("about", "abuot", "line 1: unknown field `abuot`"),
            ("\"move\"", "\"swim\"", "unknown variant `swim`, expected one of `still`, `move`, `turns`, `teleports`"),
            ("speed_m_s = 5", "speed_m_s = -1", "line 6: speed_m_s is -1; allowed is 0.1 to 10000 m/s"),
            ("speed_m_s = 5", "speed_m_s = nan", "speed_m_s is NaN"),
            ("over_ground_m = 2\n", "over_ground_m = 2\nfar = 1\n", "unknown field `far`"),
            ("frames = 10", "frames = 10\nsamples = 3", "samples is 3; allowed is 1 or 4"),
            ("frames = 10", "frames = 10\nworld = \"moon\"", "there is no world 'moon'"),
            ("frames = 10", "frames = 10\nsize = [8, 20]", "size is 8; allowed is 16 to 4096"),
        ] {
            let error = parse("x", "x.toml", &whole.replace(from, to)).expect_err("wrong");
            assert!(error.exit_code() == 2 && error.to_string().contains(wanted), "{error}");
        }
    }

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, fits) in
            [("a", "a", true), ("a", "ab", false), ("a*", "ab", true), ("*b", "ab", true), ("*", "", true), ("a*b*c", "axxbxc", true), ("a*b*c", "acb", false)]
        {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
