//! Another driver than the one that all tests run on, and a newer validation layer, which can check shaders while they run.
//! tools/setup fetches both and tools/test names them in two variables: loader, drivers and layers are found by the environment, so these
//! cases run in a process of their own.
#![forbid(unsafe_code)]

mod common;

use common::{SIZE, config, desc, flight, low_flight, start, world};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use terrane::session::{FrameDesc, Session, SessionDesc};

/// The manifest of the second driver.
const DRIVER: &str = "TERRANE_SECOND_DRIVER";
/// The folder of the second layer's manifest.
const LAYER: &str = "TERRANE_SECOND_LAYER";
/// Set for a child: the file for what it finds out.
const CHILD: &str = "TERRANE_SECOND_CHILD";

fn variable(name: &str) -> PathBuf {
    std::env::var_os(name).map(PathBuf::from).unwrap_or_else(|| panic!("{name} is not set: run tools/test, or name what tools/setup --test has fetched"))
}

/// Runs one of the tests below as a child, with more variables set; gives what it wrote.
fn child(test: &str, variables: &[(&str, &Path)]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("found");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", test, "--include-ignored", "--nocapture"]).env(CHILD, &file);
    variables.iter().for_each(|(name, value)| {
        command.env(name, value);
    });
    let output = command.output().expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test}: {said}");
    fs::read(&file).expect("what it found")
}

/// Name of the driver, then the picture of the first pose.
fn draw() -> (String, Vec<u8>) {
    let config = config();
    let world = world(&config);
    let start = start(&world);
    let mut session = Session::open_world(&config, world, &SessionDesc { validation: false, ..desc() }).expect("a session");
    let name = format!("{} {}", session.device.info().name, session.device.info().driver);
    session.settle(&start, |_| ()).expect("it settles");
    let picture = session.picture(&FrameDesc::new(start)).expect("a picture");
    session.close().expect("it ends in order");
    (name, picture)
}

#[test]
#[ignore = "needs a Vulkan driver and a second one"]
fn the_second_driver_draws_what_the_first_does() {
    let driver = variable(DRIVER);
    let (first_name, first) = draw();
    let found = child("draws_for_the_second_driver", &[("VK_DRIVER_FILES", &driver), ("VK_ICD_FILENAMES", &driver)]);
    let (second_name, second) = found.split_at(found.iter().position(|byte| *byte == 0).expect("a name"));
    let (second_name, second) = (String::from_utf8_lossy(second_name), &second[1..]);
    assert_ne!(first_name, second_name);
    assert_eq!((first.len(), second.len()), ((SIZE.0 * SIZE.1 * 4) as usize, first.len()));
    let mean = first.iter().zip(second).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / first.len() as f64;
    println!("{first_name} and {second_name} differ by {mean:.3} of 255 on average");
    // Rasterisers differ at edges; a wrong picture differs by tens.
    assert!(mean < 2.0, "{first_name} and {second_name} differ by {mean:.3}");
    let (low, high) = (second.iter().min(), second.iter().max());
    assert!(high > low, "it drew something");
}

/// Does something only as a child of the test above.
#[test]
#[ignore = "needs a Vulkan driver"]
fn draws_for_the_second_driver() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let (name, picture) = draw();
    fs::write(file, [name.as_bytes(), &[0], &picture].concat()).expect("written");
}

#[test]
#[ignore = "needs a Vulkan driver and a second validation layer"]
fn sixty_frames_with_shaders_checked_by_the_second_layer_give_no_message() {
    let layer = variable(LAYER);
    let found = child("flies_for_the_second_layer", &[("VK_LAYER_PATH", &layer)]);
    assert_eq!(String::from_utf8_lossy(&found), "60 frames, 0 messages");
}

/// Does something only as a child of the test above.
#[test]
#[ignore = "needs a Vulkan driver"]
fn flies_for_the_second_layer() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let config = config();
    let world = world(&config);
    let start = start(&world);
    let mut session = Session::open_world(&config, world, &SessionDesc { gpu_assisted: true, ..desc() }).expect("a session");
    for frame in 0..60 {
        let desc = if frame % 20 == 10 { low_flight(&start, frame) } else { flight(&start, frame) };
        session.stream.tick(session.viewer(&desc.camera), f64::from(frame) / 60.0);
        let mut cmd = session.device.begin_frame().expect("a frame");
        session.record(&mut cmd, &desc).expect("it records");
        session.device.submit_frame(cmd).expect("it is sent");
    }
    session.device.wait_idle().expect("idle");
    let texts = session.device.validation_texts();
    let messages = session.close().expect("it ends in order");
    assert_eq!(messages, 0, "{texts:#?}");
    fs::write(file, format!("60 frames, {messages} messages")).expect("written");
}
