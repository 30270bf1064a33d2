//! In: every world whose ground is a composed field. Out: proof that the GPU makes the samples of the CPU.
//! Never knows: what the worlds contain.
#![forbid(unsafe_code)]

use std::process::Command;
use terrane::{
    settings::{Kind, Setting, Value, Values},
    worlds::{WORLDS, WorldInstance, make},
};
use terrane_base::{Seed, hash::pcg};
use terrane_gpu::{Device, DeviceRequest, Validation};
use terrane_render::{FieldOutput, FieldProgram, FieldRunner, built_in_shaders};
use terrane_worldgen::{GridArea, HEIGHT_UNITS_PER_M, SAMPLES_EDGE, Samples, Scratch};

/// The manifest of the second driver.
const SECOND_DRIVER: &str = "TERRANE_SECOND_DRIVER";
/// What worlds make of their layers: heights in 1/1024 m, cover of 255.
const OUTPUTS: [FieldOutput; 2] = [FieldOutput::Whole(HEIGHT_UNITS_PER_M as f32), FieldOutput::Whole(255.0)];
/// Far enough for 10,000 km and less than a world's own offset may add.
const ORIGINS_M: [i64; 7] = [0, 1, -1, 1 << 31, 10_000_000, -10_000_000, 1_000_000_000_000];

#[test]
#[ignore = "needs a Vulkan driver"]
fn worlds_have_the_same_samples_from_the_gpu() {
    let mut device = Device::new(&DeviceRequest { validation: Validation::On, ..DeviceRequest::default() }).expect("a device");
    let runner = FieldRunner::new(&mut device, &built_in_shaders).expect("a pipeline");
    for world in WORLDS {
        let mut compared = 0;
        for (seed, origin) in [0, 1, -1, 42, i64::MAX, i64::MIN, 1 << 31].into_iter().zip(ORIGINS_M) {
            let made = make(world, Seed(seed), &Values::defaults(world.settings)).expect("a world");
            for lod in [0, 7] {
                let area = GridArea { x_m: origin, z_m: i64::from(pcg(lod) as i32), step_m: 1 << lod, edge: SAMPLES_EDGE };
                compared += compare(&mut device, &runner, &made, &area);
            }
        }
        // Each setting at both of its ends.
        for (index, setting) in world.settings.iter().enumerate() {
            for value in ends(setting) {
                let mut values = Values::defaults(world.settings);
                values.set(setting, value).expect("it is within its range");
                // Settings that cannot be together with the defaults of the others are refused by name.
                let Ok(made) = make(world, Seed(7), &values) else { continue };
                let area = GridArea { x_m: -77_777, z_m: index as i64 * 10_000, step_m: 4, edge: 40 };
                compared += compare(&mut device, &runner, &made, &area);
            }
        }
        println!("{} on {}: {compared} samples, 0 differ", world.name, device.info().name);
    }
    runner.destroy(&mut device);
    assert_eq!(device.destroy().expect("it ends in order"), 0);
}

fn ends(setting: &Setting) -> Vec<Value> {
    match &setting.kind {
        Kind::Number { low, high, .. } => vec![Value::Number(*low), Value::Number(*high)],
        Kind::Whole { low, high, .. } => vec![Value::Whole(*low), Value::Whole(*high)],
        Kind::Curve { .. } => vec![Value::Curve(vec![[0.0, 10.0], [1.0, -10.0]])],
        Kind::Switch { .. } | Kind::Text { .. } => Vec::new(),
    }
}

/// How many values were compared; 0 where the world's ground is no composed field.
fn compare(device: &mut Device, runner: &FieldRunner, world: &WorldInstance, area: &GridArea) -> usize {
    let Some(layers) = world.field.layers() else { return 0 };
    let program = FieldProgram::of(layers.field, &OUTPUTS).expect("a program");
    let mut samples = Samples::default();
    world.field.fill(area, &mut Scratch::default(), &mut samples);
    let moved = GridArea { x_m: area.x_m + layers.offset_m[0], z_m: area.z_m + layers.offset_m[1], ..*area };
    let found = runner.area(device, &program, &moved).expect("it runs");
    let (heights, cover) = found.split_at(samples.height_q.len());
    let differ = heights.iter().zip(&samples.height_q).filter(|(gpu, cpu)| **gpu as i32 != **cpu).count();
    assert_eq!(differ, 0, "heights, {area:?}: {program:?}");
    let differ = cover.iter().zip(&samples.cover).filter(|(gpu, cpu)| (**gpu as i32).clamp(0, 255) != i32::from(**cpu)).count();
    assert_eq!(differ, 0, "cover, {area:?}: {program:?}");
    found.len()
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn doctor_tells_whether_the_gpu_computes_what_the_cpu_does() {
    let output = Command::new(env!("CARGO_BIN_EXE_terrane")).arg("doctor").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("noise has the CPU's bits ("), "{said}");
}

/// Loader and drivers are found by the environment, so the second driver's turn is in a process of its own.
#[test]
#[ignore = "needs a Vulkan driver and a second one"]
fn the_second_driver_makes_the_same_samples() {
    let driver = std::env::var_os(SECOND_DRIVER);
    let driver = driver.unwrap_or_else(|| panic!("{SECOND_DRIVER} is not set: run tools/test, or name what tools/setup --test has fetched"));
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "worlds_have_the_same_samples_from_the_gpu", "--include-ignored", "--nocapture"])
        .env("VK_DRIVER_FILES", &driver)
        .env("VK_ICD_FILENAMES", &driver)
        .output()
        .expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("samples, 0 differ"), "{said}");
    said.lines().filter(|line| line.contains("0 differ")).for_each(|line| println!("{line}"));
}
