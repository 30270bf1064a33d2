//! In: this machine. Out: what its Vulkan offers and lacks, memory, and which paths are used, so that one look says what is wrong.
//! Never knows: worlds. It goes on where other commands stop, and fails at its end if no device can be used.

use crate::{cli::GlobalArgs, config::Config, error::GameError, host_memory, log, paths, quality::Quality};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};
use terrane_gpu::{Device, DeviceInfo, DeviceKind, DeviceRequest, GpuError, Validation, list_devices};
use terrane_jobs::{QUEUE_MAX, jobs_in_flight};
use terrane_render::{CASCADE_HALF_M, NoiseCheck, built_in_shaders};
use terrane_simd::Isa;
use terrane_worldgen::rings::{RingParams, Rings};

/// `terrane doctor`.
pub fn run(args: &GlobalArgs) -> Result<(), GameError> {
    println!("terrane {} on {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    println!("processors   {}", thread::available_parallelism().map_or(1, |count| count.get()));
    let known: Vec<String> = Isa::supported().map(|isa| isa.to_string()).collect();
    println!("instructions {}; --isa chooses, the same worlds from each", known.join(", "));
    let settings = tell_settings(args);
    tell_host_memory(settings.as_ref().map_or(0, |config| config.host_memory_mb));
    if let Ok(config) = &settings {
        tell_budgets(config);
    }
    tell_folder("caches", paths::cache());
    tell_folder("pictures", Some(paths::pictures()));
    println!("log          standard error; {} says how much", log::VARIABLE);
    let devices = tell_devices(settings.as_ref().map_or(0, |config| config.device_memory_mb));
    settings.map(|_| ()).and(devices)
}

fn tell_settings(args: &GlobalArgs) -> Result<Config, GameError> {
    let path = args.config.clone().or_else(paths::settings);
    let shown = path.as_ref().map_or_else(|| "no place for a file is known".to_owned(), |path| path.display().to_string());
    let loaded = Config::load(args);
    let state = match (&loaded, path.as_deref().is_some_and(Path::is_file)) {
        (Ok(_), true) => "read".to_owned(),
        (Ok(_), false) => "no such file, defaults are used".to_owned(),
        (Err(error), _) => format!("refused: {error}"),
    };
    println!("settings     {shown} ({state})");
    if let Ok(config) = &loaded {
        println!("computes on  {}; the GPU generates nothing yet", config.isa);
    }
    loaded
}

fn tell_host_memory(setting_mb: u64) {
    match host_memory::budget_bytes(setting_mb) {
        Some(budget) => println!("memory       up to {} MiB are used ({})", budget >> 20, source(setting_mb, "host_memory_mb")),
        None => println!("memory       this system does not say how much there is; nothing is limited"),
    }
}

/// What a frame and the workers may take; the settings that change it in brackets.
fn tell_budgets(config: &Config) {
    let (upload_kb, accept_ms) = (config.upload_bytes_per_frame >> 10, config.accept_ms_per_frame);
    println!("budgets      a frame sends up to {upload_kb} KiB of chunks (upload_kb_per_frame) in {accept_ms} ms of the main thread (accept_ms_per_frame)");
    let (_, staging_bytes) = Quality::full(config.view_distance_m).upload_bytes(config.upload_bytes_per_frame);
    println!("             {} frames in flight (frames_in_flight), chunks staged in a ring of {} KiB", config.frames_in_flight, staging_bytes >> 10);
    let (least, most) = jobs_in_flight(config.threads);
    println!("             {} workers (threads) with {least} to {most} chunks at a time, {QUEUE_MAX} chunks may wait for them", config.threads);
    let shadows = match config.shadow_resolution {
        0 => "no shadows".to_owned(),
        edge => format!("{} shadow maps of {edge} texels", CASCADE_HALF_M.len()),
    };
    println!("             view distance {} m (view_distance_m), {shadows} (shadow_resolution)", config.view_distance_m);
    if let Ok(rings) = Rings::new(RingParams::new(config.world.shape, config.view_distance_m)) {
        println!("             up to {} chunks are wanted for it", rings.chunks_max());
    }
}

/// Where a budget comes from.
fn source(setting_mb: u64, setting: &str) -> String {
    if setting_mb > 0 { format!("the setting {setting}") } else { format!("most of what there is; the setting {setting} changes it") }
}

fn tell_folder(what: &str, path: Option<PathBuf>) {
    let Some(path) = path else {
        println!("{what:12} no place is known; works without");
        return;
    };
    let state = match fs::metadata(&path) {
        Ok(found) if found.permissions().readonly() => "cannot be written; works without",
        Ok(_) => "there",
        Err(_) => "made when first needed",
    };
    println!("{what:12} {} ({state})", path.display());
}

fn tell_devices(memory_mb: u64) -> Result<(), GameError> {
    let devices = list_devices().inspect_err(|_| println!("vulkan       not usable"))?;
    devices.iter().enumerate().for_each(|(index, device)| tell_device(index, device, memory_mb));
    if devices.iter().any(|device| device.missing.is_empty()) {
        return Ok(());
    }
    let refused = devices.into_iter().map(|device| terrane_gpu::Refused { device: device.name, missing: device.missing });
    Err(GpuError::NoDevice { refused: refused.collect() }.into())
}

fn tell_device(index: usize, device: &DeviceInfo, memory_mb: u64) {
    let (major, minor, patch) = device.api;
    println!("device {index}     {} ({:?}), Vulkan {major}.{minor}.{patch}, driver {}", device.name, device.kind, device.driver);
    let mib = |bytes: u64| bytes >> 20;
    println!(
        "             {} MiB of local memory, buffers up to {} MiB, {} allocations",
        mib(device.local_memory_bytes),
        mib(device.storage_buffer_bytes_max),
        device.allocations_max
    );
    println!(
        "             up to {} MiB of it are used ({}){}",
        mib(device.memory_budget_bytes((memory_mb > 0).then_some(memory_mb << 20))),
        source(memory_mb, "device_memory_mb"),
        if device.memory_budget { "" } else { "; its driver does not tell what others use (VK_EXT_memory_budget)" }
    );
    let missing = device.optional.missing();
    println!("             optional features: {}", if missing.is_empty() { "all".to_owned() } else { format!("without {}", missing.join(", ")) });
    match device.missing.as_slice() {
        [] => {
            println!("             can be used");
            let at_start = if device.kind == DeviceKind::Cpu { "; not asked at start, where the CPU generates for itself" } else { "" };
            println!("             {}{at_start}", noise_check(index));
        }
        missing => println!("             cannot be used, it lacks {}", missing.join(", ")),
    }
}

/// Whether it computes what the CPU does, in words: the self-test that a start makes, here also of software drivers.
fn noise_check(index: usize) -> String {
    let index = index.to_string();
    let request = DeviceRequest { driver: Some(&index), validation: Validation::Off, cache_dir: paths::cache(), ..DeviceRequest::default() };
    let told = Device::new(&request).and_then(|mut device| {
        let told = NoiseCheck::run(&mut device, &built_in_shaders).to_string();
        device.destroy().map(|_| told)
    });
    told.unwrap_or_else(|error| format!("noise could not be compared, so the CPU generates: {error}"))
}
