//! Share texts: what goes in comes out, to the bit; what is wrong is refused with one message; the same text gives the same picture.
#![forbid(unsafe_code)]

mod common;

use proptest::prelude::*;
use std::process::Command;
use terrane::{
    cli::GlobalArgs,
    config::Config,
    error::GameError,
    player::{Mode, settings::PLAYER},
    session::camera,
    settings::{Kind, Setting, Value},
    share::{Section, Share, Start},
    worlds::{WORLDS, World},
};
use terrane_base::{Place, Seed, WORLD_LIMIT_M};

fn world(name: &str) -> &'static World {
    WORLDS.iter().find(|world| world.name == name).expect("a world")
}

/// A value within a setting's range, by dice.
fn value(setting: &Setting, dice: f64) -> Value {
    match &setting.kind {
        Kind::Number { low, high, .. } => Value::Number((low + (high - low) * dice).clamp(*low, *high)),
        Kind::Whole { low, high, .. } => Value::Whole(low + ((high - low) as f64 * dice) as i64),
        Kind::Switch { default } => Value::Switch(!default),
        Kind::Curve { .. } => Value::Curve(vec![[0.0, dice as f32], [0.25, -1.5], [1.0, 9.0]]),
        Kind::Text { allowed, default } => Value::Text(allowed.last().copied().unwrap_or(default).to_owned()),
    }
}

fn message(text: &str) -> String {
    let error = Share::parse(text).expect_err("it is wrong");
    assert_eq!(error.exit_code(), 2);
    error.to_string()
}

prop_compose! {
    fn starts()(
        cell_m in [-WORLD_LIMIT_M..=WORLD_LIMIT_M, -20_000..=20_000i64, -WORLD_LIMIT_M..=WORLD_LIMIT_M],
        offset in [0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0],
        yaw_rad in 0.0f32..6.3,
        pitch_rad in -1.55f32..1.55,
        walks: bool,
    ) -> Start {
        let place = Place { cell_m, offset_m: offset.into() };
        Start { place, yaw_rad, pitch_rad, mode: if walks { Mode::Walk } else { Mode::Fly } }
    }
}

proptest! {
    #[test]
    fn what_goes_in_comes_out_to_the_bit(index in 0..WORLDS.len(), seed: i64, start in starts(), dice in 0.0f64..1.0, picks: u64) {
        let world = &WORLDS[index];
        let picked = |section, table: &'static [Setting], picks: u64| {
            table.iter().enumerate().filter(move |(index, _)| picks >> (index % 64) & 1 == 1).map(move |(_, setting)| (section, setting.name, value(setting, dice)))
        };
        let settings = picked(Section::World, world.settings, picks).chain(picked(Section::Player, PLAYER, picks.rotate_left(17))).collect();
        let share = Share { world: world.name, seed: Seed(seed), start, settings };
        let text = share.text();
        prop_assert!(text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'), "{}", text);
        prop_assert_eq!(Share::parse(&text).expect("its own text"), share);
    }

    #[test]
    fn no_changed_character_goes_unseen(seed: i64, start in starts(), at: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
        let text = Share { world: "terrain", seed: Seed(seed), start, settings: Vec::new() }.text();
        let at = 3 + at.index(text.len() - 3);
        let changed = format!("{}{letter}{}", &text[..at], &text[at + 1..]);
        prop_assert!(changed == text || Share::parse(&changed).is_err(), "{} {}", text, changed);
    }

    #[test]
    fn nothing_panics_on_what_comes_from_outside(text in "(tr-)?[A-Za-z0-9_-]{0,200}", noise in ".{0,40}") {
        let _ = (Share::parse(&text), Share::parse(&noise), Share::parse(&format!("tr-{noise}")));
    }
}

fn example() -> Share {
    let start = Start { place: Place::from_f64([1800.25, 90.5, -1900.75]), yaw_rad: 1.25, pitch_rad: -0.1, mode: Mode::Fly };
    Share { world: "terrain", seed: Seed(42), start, settings: vec![(Section::World, "haze", Value::Number(0.25))] }
}

#[test]
fn a_text_is_short_and_pinned() {
    let share = Share { settings: Vec::new(), ..example() };
    assert_eq!(
        share.text(),
        "tr-ASQAB3RlcnJhaW5UAJActAHZHQAAgD4AAAA_AACAPgAAoD_NzMy9QleZKA",
        "what was shared stays readable: another format is another version"
    );
    assert!(share.text().len() < 80);
}

#[test]
fn each_kind_of_wrong_text_has_its_message() {
    let text = example().text();
    for (wrong, told) in [
        (String::new(), "begins with 'tr-'"),
        (text.replacen("tr-", "xx-", 1), "begins with 'tr-', this one with 'xx-"),
        ("tr-".to_owned(), "nothing comes after"),
        (text.replacen('A', "*", 1), "'*'; allowed are letters"),
        (text[..text.len() - 1].to_owned(), "cut off"),
        (text[..20].to_owned(), "cut off"),
        (format!("{text}AAAA"), "longer than it says"),
        (text.replacen("tr-A", "tr-B", 1), "of version 5, which a newer terrane made"),
        (text.replacen('B', "C", 1), "checksum is wrong"),
    ] {
        assert!(message(&wrong).contains(told), "{wrong}: {}", message(&wrong));
    }
    let other = |change: &dyn Fn(&mut Share)| {
        let mut share = example();
        change(&mut share);
        message(&share.text())
    };
    let told = other(&|share| share.world = "terrian");
    assert!(told.contains("there is no world 'terrian'"), "{told}");
    let told = other(&|share| share.settings[0].2 = Value::Number(7.0));
    assert!(told.contains("haze is 7; allowed is a number from 0.001 to 1"), "{told}");
    let told = other(&|share| share.settings[0].1 = "fog");
    assert!(told.contains("'fog' of [terrain]"), "{told}");
    let told = other(&|share| share.settings[0] = (Section::General, "threads", Value::Whole(3)));
    assert!(told.contains("'threads'"), "a machine's own settings are not shared: {told}");
    let told = other(&|share| share.start.place.cell_m[0] = 1 << 40);
    assert!(told.contains("out of the world"), "{told}");
    let told = other(&|share| share.start.pitch_rad = f32::NAN);
    assert!(told.contains("radians"), "{told}");
}

#[test]
fn a_text_gives_back_world_seed_settings_and_place_whatever_the_file_says() -> Result<(), GameError> {
    let changed = "seed = -7\nview_distance_m = 1234\n[terrain]\nhaze = 0.3\nheight_curve = [[0.0, 0.0], [1.0, 2.0]]\n[player]\nwalk_speed_m_s = 6.5\n";
    let first = Config::from_text(&GlobalArgs::default(), "the file", changed)?;
    let here = camera(Place::from_f64([0.1, 2000.7, -1e7]), 33.3, -20.0);
    let text = Share::of(&first, &here, Mode::Walk).text();
    let args = GlobalArgs { share: Some(text.clone()), ..GlobalArgs::default() };
    // The other machine's own file says otherwise.
    let second = Config::from_text(&args, "another file", "seed = 5\nthreads = 2\nshadow_resolution = 64\n[terrain]\nhaze = 0.9\nclouds = 0.0\n")?;
    assert_eq!((second.world.name, second.seed, second.view_distance_m), (first.world.name, Seed(-7), 1234.0));
    assert_eq!((second.shadow_resolution, second.threads), (first.shadow_resolution, 2), "what a picture shows is shared, how it is made is not");
    assert!(second.values.iter().eq(first.values.iter()) && second.player.iter().eq(first.player.iter()));
    let start = second.start.expect("a place");
    assert_eq!((start.place, start.yaw_rad, start.pitch_rad, start.mode), (here.place, here.yaw_rad, here.pitch_rad, Mode::Walk));
    assert_eq!(Share::of(&second, &start.camera(), start.mode).text(), text, "and can be shared on");
    let untouched = Share::of(&Config::from_text(&GlobalArgs::default(), "", "")?, &here, Mode::Fly);
    assert_eq!(untouched.settings, [], "defaults are not said");
    assert_eq!(untouched.world, world("terrain").name);
    Ok(())
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_shared_picture_is_the_same_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(file("settings.toml"), "view_distance_m = 600\nshadow_resolution = 256\n[terrain]\nhaze = 0.2\nsun_azimuth_deg = 120\n").expect("written");
    std::fs::write(file("empty.toml"), "").expect("written");
    let shot = |out: &str, args: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_terrane")).args(["shot", "--size", "96x54", "--out", &file(out)]).args(args).output().expect("it runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file(out)).expect("a picture")));
        let mut reader = decoder.read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        let share = reader.info().uncompressed_latin1_text.iter().find(|text| text.keyword == "Share").expect("a share text").text.clone();
        (pixels, share)
    };
    let (first, share) = shot("first.png", &["--seed", "9", "--pose", "soaring", "--config", &file("settings.toml")]);
    let (second, again) = shot("second.png", &["--share", &share, "--config", &file("empty.toml")]);
    assert_eq!(share, again);
    assert!(first == second, "the pictures differ");
    let (other, _) = shot("other.png", &["--seed", "10", "--pose", "soaring", "--config", &file("settings.toml")]);
    assert!(first != other);
}
