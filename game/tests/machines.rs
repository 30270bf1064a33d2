//! Machines that lack something: no loader, no driver, no layer, no display, no writable folder. Each has its message and exit code.

use std::{
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

/// A small picture, quickly: what it shows does not matter here.
const SMALL: [&str; 7] = ["shot", "--size", "64x36", "--samples", "1", "--view-distance", "512"];

/// The game as on a machine of someone else: none of this user's settings, display or Vulkan.
fn terrane(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrane"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "TERRANE_DRIVER", "TERRANE_CONFIG", "TERRANE_VALIDATION", "TERRANE_FAULT"] {
        command.env_remove(name);
    }
    command.current_dir(home).env("HOME", home).env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", home.join("cache"));
    command
}

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Exit code and everything that was said, on one line.
fn told(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().expect("the game starts");
    let text = format!("{} {}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(!text.contains("panicked"), "{text}");
    let line = text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ").replace("- ", "-");
    (status.code().unwrap_or(-1), line)
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_loader_it_ends_with_3_and_names_the_package() {
    let home = home();
    // What the linker finds first is no library.
    std::fs::write(home.path().join("libvulkan.so.1"), "not a library").expect("written");
    std::fs::write(home.path().join("libvulkan.so"), "not a library").expect("written");
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png"]).env("LD_LIBRARY_PATH", home.path()));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("no Vulkan loader") && text.contains("libvulkan1"), "{text}");
}

#[test]
#[ignore = "needs a Vulkan loader"]
fn without_a_driver_it_ends_with_3_and_names_the_package() {
    let home = home();
    let none = home.path().join("no driver.json");
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png"]).env("VK_DRIVER_FILES", &none).env("VK_ICD_FILENAMES", &none));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("mesa-vulkan-drivers"), "{text}");
    let (code, text) = told(terrane(home.path()).arg("doctor").env("VK_DRIVER_FILES", &none).env("VK_ICD_FILENAMES", &none));
    assert!(code == 3 || code == 0, "{code}: {text}");
    assert!(text.contains("mesa-vulkan-drivers"), "doctor says what to install: {text}");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_driver_that_is_not_there_is_named_with_those_that_are() {
    let home = home();
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png", "--driver", "Radeon 9000"]));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("'Radeon 9000'") && text.contains("llvmpipe"), "{text}");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn validation_without_its_layer_ends_with_3_and_names_the_package() {
    let home = home();
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png", "--validation"]).env("VK_LAYER_PATH", home.path()));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("vulkan-validationlayers"), "{text}");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn play_without_a_display_says_so_and_renders_a_picture() {
    let home = home();
    let (code, text) = told(terrane(home.path()).args(["play", "--size", "64x36", "--samples", "1", "--view-distance", "512", "--out", "instead.png"]));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("No display") && text.contains("instead.png"), "{text}");
    assert!(std::fs::metadata(home.path().join("instead.png")).expect("a picture").len() > 1000);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_gpu_that_is_lost_again_and_again_ends_with_4_and_says_what_to_do() {
    let home = home();
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png"]).env("TERRANE_FAULT", "vkQueueSubmit2 9 -4"));
    assert_eq!(code, 4, "{text}");
    assert!(text.contains("opened again 2 times") && text.contains("`terrane doctor`"), "{text}");
    assert!(!home.path().join("a.png").exists());
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn memory_that_runs_out_once_costs_one_step_and_is_told_once() {
    let home = home();
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "a.png"]).env("TERRANE_FAULT", "vkAllocateMemory 9 -2"));
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("memory is short").count(), 1, "{text}");
    assert!(text.contains("step 1 down, with 4 spare slots and a view distance of 512 m"), "{text}");
    assert!(home.path().join("a.png").exists());
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn doctor_tells_both_budgets_and_where_they_come_from() {
    let home = home();
    let (code, text) = told(terrane(home.path()).arg("doctor"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("most of what there is; the setting device_memory_mb changes it"), "{text}");
    std::fs::write(
        home.path().join("s.toml"),
        "device_memory_mb = 300\nhost_memory_mb = 900\nupload_kb_per_frame = 700\naccept_ms_per_frame = 2\nthreads = 3\n",
    )
    .expect("written");
    let (code, text) = told(terrane(home.path()).args(["doctor", "--config", "s.toml"]));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("up to 900 MiB are used (the setting host_memory_mb)"), "{text}");
    assert!(text.contains("up to 300 MiB of it are used (the setting device_memory_mb)"), "{text}");
    assert!(text.contains("up to 700 KiB of chunks (upload_kb_per_frame) in 2 ms of the main thread (accept_ms_per_frame)"), "{text}");
    assert!(text.contains("3 workers (threads) with 6 to 96 chunks at a time"), "{text}");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn folders_that_cannot_be_written_do_not_stop_it_but_for_the_picture() {
    let home = home();
    // A file where a folder should be: nobody can write there, root neither.
    std::fs::write(home.path().join("cache"), "a file").expect("written");
    std::fs::write(home.path().join("config"), "a file").expect("written");
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "with spaces.png"]));
    assert_eq!(code, 0, "{text}");
    assert!(home.path().join("with spaces.png").exists());
    let (code, text) = told(terrane(home.path()).args(SMALL).args(["--out", "cache/a.png"]));
    assert_eq!(code, 5, "{text}");
}
