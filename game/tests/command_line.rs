//! The binary as a user meets it: messages and exit codes for what is wrong, files and hashes for what is right.
#![forbid(unsafe_code)]

use std::{
    ffi::OsStr,
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

/// The binary with a home of its own, so that no settings of this machine's user count.
fn terrane(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrane"));
    command.env("HOME", home).env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", home.join("cache")).current_dir(home);
    ["TERRANE_CONFIG", "TERRANE_DRIVER", "TERRANE_LOG", "TERRANE_VALIDATION"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

fn home() -> TempDir {
    tempfile::Builder::new().prefix("terrane home ").tempdir().expect("a folder with a space in its name")
}

fn run<S: AsRef<OsStr>>(home: &Path, args: &[S]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = terrane(home).args(args).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().expect("no signal ends it"), text(stdout), text(stderr))
}

/// Text with runs of white space and the frame of long messages as one space.
fn flat(text: &str) -> String {
    text.replace(['│', '╭', '╰', '─', '×', '·'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_allowed() {
    let home = home();
    for (args, told) in [
        (&["fly"][..], "unrecognized subcommand 'fly'"),
        (&["digest"], "--area"),
        (&["digest", "--area", "0"], "1..=256"),
        (&["digest", "--area", "2", "--at", "1e38,0"], "out of the world"),
        (&["digest", "--area", "2", "--at", "nan,0"], "'nan' is not a number"),
        (&["digest", "--area", "2", "--order", "random"], "spiral"),
        (&["digest", "--area", "2", "--threads", "-1"], "--threads is -1; allowed is a whole number from 0 to 256"),
        (&["digest", "--area", "2", "--isa", "mmx"], "--isa is \"mmx\"; allowed is one of auto, scalar, avx2, avx512"),
        (&["map", "--out", "m.png", "--view-distance", "nan"], "--view-distance is NaN; allowed is a number from 512 to 65536 m"),
        (&["map", "--out", "m.png", "--view-distance", "inf"], "--view-distance is inf"),
        (&["map", "--out", "m.png", "--view-distance", "-1"], "--view-distance is -1"),
        (&["map", "--out", "m.png", "--view-distance", "0"], "--view-distance is 0"),
        (&["map", "--out", "m.png", "--view-distance", "1e38"], "allowed is a number from 512 to 65536 m"),
        (&["map", "--out", "m.png", "--view-distance", "far"], "invalid value 'far'"),
        (&["map", "--out", "m.png", "--world", "terrian"], "did you mean 'terrain'?"),
        (&["map"], "--out"),
        (&["shot", "--out", "s.png", "--size", "0x10"], "1280x720"),
        (&["worlds", "mars"], "The worlds are: terrain"),
    ] {
        let (code, _, error) = run(home.path(), args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(flat(&error).contains(told), "{args:?} says {error}");
    }
}

#[test]
fn bad_settings_end_with_2_and_name_field_value_range_and_line() {
    let home = home();
    let file = home.path().join("my settings.toml");
    for (text, told) in [
        ("[terrain]\nheight_multiplier_m = nan\n", "line 2: terrain.height_multiplier_m is NaN; allowed is a number from 1 to 2000 m"),
        ("[terrain]\nheight_multiplier_m = inf\n", "line 2: terrain.height_multiplier_m is inf"),
        ("[terrain]\nheight_multiplier_m = -1\n", "line 2: terrain.height_multiplier_m is -1"),
        ("[terrain]\nheight_multiplier_m = 0\n", "line 2: terrain.height_multiplier_m is 0"),
        ("[terrain]\nheight_multiplier_m = 1e38\n", "allowed is a number from 1 to 2000 m"),
        ("[terrain]\nheight_multiplier_m = \"high\"\n", "line 2: terrain.height_multiplier_m is a text"),
        ("[terrain]\nheight_multiplier_m =\n", "line 2"),
        ("[terrain]\nheight_curve = [[0, 0]]\n", "2 to 64 points"),
        ("[terrain]\nhight_curve = []\n", "did you mean 'height_curve'?"),
        ("[terrain]\nrock_high = 0.5\n", "terrain.rock_high is 0.5; allowed is a number from 0.86 to 1"),
        ("view_distance = 3\n", "did you mean 'view_distance_m'?"),
        ("world = \"nowhere\"\n", "there is no world 'nowhere'"),
        ("seed = 1\nseed = 2\n", "line 2"),
    ] {
        fs::write(&file, text).expect("written");
        let (code, _, error) = run(home.path(), &["digest", "--area", "1", "--config", "my settings.toml"]);
        assert_eq!(code, 2, "{text}: {error}");
        assert!(flat(&error).contains(told), "{text} gives {error}");
        assert!(!error.contains("panicked"), "{error}");
    }
    fs::write(&file, b"seed = \"\xff\"\n").expect("written");
    let (code, _, error) = run(home.path(), &["digest", "--area", "1", "--config", "my settings.toml"]);
    assert!(code == 2 && flat(&error).contains("is not UTF-8: byte 8 is wrong"), "{error}");
}

#[test]
fn files_that_cannot_be_read_or_written_end_with_5() {
    let home = home();
    let (code, _, error) = run(home.path(), &["worlds", "--config", "missing.toml"]);
    assert!(code == 5 && flat(&error).contains("cannot read the settings file missing.toml"), "{error}");
    let (code, _, error) = run(home.path(), &["worlds", "--config", "."]);
    assert!(code == 5, "{error}");
    fs::write(home.path().join("file"), "").expect("written");
    let (code, _, error) = run(home.path(), &["map", "--area", "0,0,64", "--out", "file/below.png"]);
    assert!(code == 5 && flat(&error).contains("cannot write the picture file/below.png"), "{error}");
}

#[test]
fn the_usual_settings_file_may_be_missing_and_counts_when_it_is_there() {
    let home = home();
    let hash = || run(home.path(), &["digest", "--area", "1"]).1.lines().last().map(str::to_owned).expect("a hash");
    let without = hash();
    // Where the file is differs between systems: doctor says.
    let told = run(home.path(), &["doctor"]).1;
    let line = told.lines().find(|line| line.starts_with("settings ")).expect("doctor tells it").to_owned();
    let path = line.trim_start_matches("settings").split(" (").next().expect("a path").trim();
    fs::create_dir_all(Path::new(path).parent().expect("a folder")).expect("made");
    fs::write(path, "seed = 2\n").expect("written");
    assert_ne!(hash(), without);
    assert!(run(home.path(), &["doctor"]).1.contains("(read)"));
}

#[test]
fn seeds_are_numbers_or_text() {
    let home = home();
    let mut hashes: Vec<String> = Vec::new();
    for seed in ["0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "hello", "héllo wörld", ""] {
        let (code, out, error) = run(home.path(), &["digest", "--area", "1", "--seed", seed]);
        assert_eq!(code, 0, "{seed}: {error}");
        hashes.push(out.lines().last().expect("a hash").to_owned());
    }
    assert!(hashes.iter().all(|hash| hash.len() == 32 && hash.chars().all(|c| c.is_ascii_hexdigit())));
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 8);
}

#[test]
fn the_hash_does_not_depend_on_threads_or_order() {
    let home = home();
    for at in ["0,0", "-1,-1", "10000000,-10000000"] {
        let hash = |threads, order| {
            let (code, out, error) = run(home.path(), &["digest", "--area", "2", "--at", at, "--threads", threads, "--order", order]);
            assert_eq!(code, 0, "{error}");
            out.lines().last().expect("a hash").to_owned()
        };
        let first = hash("1", "spiral");
        for (threads, order) in [("2", "reversed"), ("4", "shuffled"), ("16", "spiral")] {
            assert_eq!(hash(threads, order), first, "at {at}, {threads} threads, {order}");
        }
    }
}

#[test]
fn the_hash_does_not_depend_on_the_instruction_set() {
    let home = home();
    let hash = |isa| {
        let (code, out, error) = run(home.path(), &["digest", "--area", "2", "--isa", isa]);
        (code, out.lines().last().unwrap_or_default().to_owned(), error)
    };
    let expected = hash("auto");
    assert_eq!(expected.0, 0, "{}", expected.2);
    for isa in ["scalar", "avx2", "avx512"] {
        let (code, last, error) = hash(isa);
        // A processor that lacks it says so.
        assert!((code, &last) == (0, &expected.1) || (code == 2 && error.contains("this processor has no")), "{isa}: {code} {last} {error}");
    }
}

#[test]
fn maps_are_pictures_and_sixteen_bit_heights() {
    let home = home();
    let read = |name: &str| {
        let file = std::io::BufReader::new(fs::File::open(home.path().join(name)).expect("written"));
        let info = png::Decoder::new(file).read_info().expect("a PNG").info().clone();
        (info.width, info.height, info.color_type, info.bit_depth)
    };
    assert_eq!(run(home.path(), &["map", "--area", "0,-500,640", "--pixels", "160", "--out", "new folder/map.png"]).0, 0);
    assert_eq!(read("new folder/map.png"), (160, 160, png::ColorType::Rgb, png::BitDepth::Eight));
    assert_eq!(run(home.path(), &["map", "--area", "0,0,129", "--heights", "--out", "heights.png"]).0, 0);
    assert_eq!(read("heights.png"), (129, 129, png::ColorType::Grayscale, png::BitDepth::Sixteen));
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf8() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};
    let home = home();
    let name = OsString::from_vec(b"p\xff.png".to_vec());
    let config = OsString::from_vec(b"s\xfe.toml".to_vec());
    if fs::write(home.path().join(&config), "seed = 3\n").is_err() {
        return; // A file system that takes only UTF-8.
    }
    let args: Vec<OsString> = ["map", "--area", "0,0,64", "--out"].map(OsString::from).into_iter().chain([name.clone(), "--config".into(), config]).collect();
    let (code, _, error) = run(home.path(), &args);
    assert_eq!(code, 0, "{error}");
    assert!(home.path().join(name).is_file());
}

#[test]
fn worlds_poses_settings_and_completions_can_be_read_by_scripts() {
    let home = home();
    let lines = |args: &[&str]| {
        let (code, out, error) = run(home.path(), args);
        assert_eq!(code, 0, "{error}");
        out
    };
    assert!(lines(&["worlds"]).starts_with("terrain "));
    assert!(lines(&["worlds", "terrain"]).contains("height_multiplier_m"));
    assert!(lines(&["worlds", "terrain", "--poses"]).starts_with("valley "));
    fs::write(home.path().join("shown.toml"), lines(&["worlds", "terrain", "--toml"])).expect("written");
    assert!(lines(&["worlds", "--config", "shown.toml"]).starts_with("terrain "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(lines(&["completions", shell]).contains("view-distance"), "{shell}");
    }
}
