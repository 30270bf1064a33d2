//! Devices: chosen, refused, opened, ended. What needs no Vulkan driver is tested beside the code.

mod common;

use common::{buffer, close, open, open_with};
use std::process::Command;
use terrane_gpu::{BufferDesc, CLAMPS, Device, DeviceRequest, Fault, GpuError, ImageDesc, MemoryKind, PipelineDesc, SamplerDesc, Validation, list_devices, vk};

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_device_opens_and_ends_without_a_trace() {
    let device = open();
    let info = device.info();
    assert!(info.missing.is_empty() && !info.name.is_empty() && info.api >= (1, 3, 0), "{info:?}");
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn what_is_never_destroyed_is_named() {
    let mut device = open();
    let forgotten = buffer(&mut device, "forgotten", 64);
    device.bind_buffer(&forgotten).expect("an index");
    assert_eq!(device.live_objects(), 1);
    let error = device.destroy().expect_err("it is alive").to_string();
    assert!(error.contains("forgotten") && error.contains("1 of the bindless buffers"), "{error}");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_device_can_be_named_and_numbered() {
    let devices = list_devices().expect("the devices");
    let usable = devices.iter().position(|device| device.missing.is_empty()).expect("a usable one");
    for driver in [devices[usable].name.to_uppercase(), usable.to_string()] {
        let device = open_with(&DeviceRequest { driver: Some(&driver), ..DeviceRequest::default() });
        assert_eq!(device.info().name, devices[usable].name);
        close(device);
    }
    match Device::new(&DeviceRequest { driver: Some("no such card"), ..DeviceRequest::default() }).err() {
        Some(GpuError::NoDriverMatch { available, .. }) => assert!(available.contains(&devices[usable].name)),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_portable_device_claims_no_more_than_every_device() {
    let mut device = open_with(&DeviceRequest { portable: true, ..DeviceRequest::default() });
    assert_eq!(device.info().optional.missing().len(), 6);
    assert!(device.gpu_timings().is_empty() && !device.memory_budget().told_by_driver);
    let wide = PipelineDesc::Compute { name: "too wide", spirv: common::multiply_spirv_of(129) };
    let error = device.create_pipelines(&[wide]).expect_err("it is too wide").to_string();
    assert!(error.contains("'too wide' needs 129") && error.contains("maxComputeWorkGroupInvocations"), "{error}");
    let allowed = device.info().storage_buffer_bytes_max;
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
    let desc = BufferDesc { name: "too large", bytes: allowed + 1, usage, memory: MemoryKind::Device };
    let error = device.create_buffer(&desc).expect_err("it is too large").to_string();
    assert!(error.contains("'too large'") && error.contains("maxStorageBufferRange") && error.contains("134217728"), "{error}");
    let error = device.create_image(&image(5000, 1)).expect_err("it is too large").to_string();
    assert!(error.contains("'image' needs 5000") && error.contains("maxImageDimension2D"), "{error}");
    let error = device.create_image(&image(16, 16)).expect_err("too many samples").to_string();
    assert!(error.contains("'image' needs 16"), "{error}");
    close(device);
}

/// Each limit and feature can be taken away by its name, and what is left still makes a device.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_device_does_without_each_single_thing() {
    for clamp in CLAMPS {
        let mut device = open_with(&DeviceRequest { without: &[clamp.name], ..DeviceRequest::default() });
        let missing = device.info().optional.missing();
        assert!(missing.is_empty() || missing == [clamp.name], "{}: {missing:?}", clamp.name);
        let target = buffer(&mut device, "target", 64);
        let mut cmd = device.begin_frame().expect("a frame");
        cmd.zone_begin("a phase");
        cmd.fill_buffer(&target, 0, 64, 7);
        cmd.zone_end();
        device.submit_frame(cmd).expect("submitted");
        assert_eq!(device.read_buffer(&target, 0, 4).expect("read"), 7u32.to_le_bytes(), "{}", clamp.name);
        device.destroy_buffer(target);
        close(device);
    }
}

/// The budget is a state: what does not fit is told by name, and what fits is made.
#[test]
#[ignore = "needs a Vulkan driver"]
fn what_does_not_fit_in_the_budget_is_refused_and_the_rest_goes_on() {
    for without in [&[][..], &["VK_EXT_memory_budget"]] {
        let mut device = open_with(&DeviceRequest { memory_bytes_max: Some(10 << 20), without, ..DeviceRequest::default() });
        let budget = device.memory_budget();
        assert_eq!((budget.budget_bytes, budget.told_by_driver), (10 << 20, without.is_empty() && device.info().memory_budget));
        let kept = buffer(&mut device, "kept", 6 << 20);
        let desc = BufferDesc { name: "too much", bytes: 6 << 20, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Device };
        let error = device.create_buffer(&desc).expect_err("there is no room").to_string();
        assert!(error.contains("'too much'"), "{error}");
        assert!(device.memory_budget().used_bytes >= 6 << 20);
        device.set_memory_bytes_max(Some(1 << 20));
        assert!(device.memory_budget().used_bytes > device.memory_budget().budget_bytes);
        device.destroy_buffer(kept);
        device.set_memory_bytes_max(None);
        device.create_buffer(&desc).map(|buffer| device.destroy_buffer(buffer)).expect("there is room");
        close(device);
    }
}

fn small() -> BufferDesc {
    BufferDesc { name: "small", bytes: 64, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Device }
}

fn image(width: u32, samples: u32) -> ImageDesc {
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
    ImageDesc { name: "image", width, height: 16, mips: 1, layers: 1, samples, format: vk::Format::R8G8B8A8_UNORM, usage, array_view: false }
}

/// Half of what was to be made is made: it ends, with its memory and indices, and what was there before stays.
#[test]
#[ignore = "needs a Vulkan driver"]
fn all_or_nothing_leaves_nothing_of_a_half() {
    let mut device = open();
    let kept = buffer(&mut device, "kept", 100_000);
    device.create_buffer_with(&small(), &[1; 64]).map(|buffer| device.destroy_buffer(buffer)).expect("a buffer");
    let before = (device.live_objects(), device.memory_report().used_bytes);
    let made = device.all_or_nothing(|device| {
        let first = buffer(device, "first", 200_000);
        device.bind_buffer(&first)?;
        let image = device.create_image(&ImageDesc { mips: 3, usage: vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED, ..image(16, 1) })?;
        device.bind_image(image.view)?;
        device.bind_storage_image(image.mip_views[1])?;
        let pipelines = device.create_pipelines(&[PipelineDesc::Compute { name: "multiply", spirv: common::multiply_spirv() }])?;
        device.retire_buffer(first);
        device.plan_fault(Fault { call: "vkAllocateMemory", after: 0, result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY });
        let last = device.create_buffer(&small())?;
        Ok::<_, GpuError>((pipelines, image, last))
    });
    assert!(matches!(made, Err(GpuError::OutOfMemory { .. })));
    assert_eq!((device.live_objects(), device.memory_report().used_bytes), before);
    device.destroy_buffer(kept);
    close(device);
}

/// A world is made anew at every change of the view distance, and its samplers are no more than before.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_sampler_is_made_once() {
    let mut device = open();
    let desc = |name| SamplerDesc { name, filter: vk::Filter::LINEAR, address: vk::SamplerAddressMode::REPEAT, anisotropy: 1.0 };
    let first = device.bind_sampler(&desc("one")).expect("a sampler");
    for _ in 0..100 {
        assert_eq!(device.bind_sampler(&desc("one")).expect("the same"), first);
    }
    assert_ne!(device.bind_sampler(&desc("another")).expect("a sampler"), first);
    close(device);
}

/// Calls that fail leave nothing behind and say what failed.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_failed_call_leaves_nothing_behind() {
    let mut device = open();
    for call in ["vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory"] {
        device.plan_fault(Fault { call, after: 0, result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY });
        assert!(matches!(device.create_buffer(&small()), Err(GpuError::OutOfMemory { .. })), "{call}");
    }
    let storage = ImageDesc { mips: 3, usage: vk::ImageUsageFlags::STORAGE, ..image(16, 1) };
    for (call, after) in [("vkCreateImage", 0), ("vkAllocateMemory", 0), ("vkBindImageMemory", 0), ("vkCreateImageView", 0), ("vkCreateImageView", 2)] {
        device.plan_fault(Fault { call, after, result: vk::Result::ERROR_OUT_OF_HOST_MEMORY });
        assert!(matches!(device.create_image(&storage), Err(GpuError::OutOfMemory { .. })), "{call}");
    }
    for (call, after) in [("vkCreateComputePipelines", 1), ("vkCreateShaderModule", 1)] {
        device.plan_fault(Fault { call, after, result: vk::Result::ERROR_INITIALIZATION_FAILED });
        let desc = PipelineDesc::Compute { name: "multiply", spirv: common::multiply_spirv() };
        let error = device.create_pipelines(&[desc.clone(), desc]).expect_err("the second one fails");
        assert!(matches!(error, GpuError::Vulkan { call: failed, .. } if failed == call), "{error}");
    }
    for call in ["vkCreateCommandPool", "vkAllocateCommandBuffers", "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit2", "vkQueueWaitIdle"] {
        device.plan_fault(Fault { call, after: 0, result: vk::Result::ERROR_OUT_OF_HOST_MEMORY });
        assert!(matches!(device.create_buffer_with(&small(), &[1; 64]), Err(GpuError::OutOfMemory { .. })), "{call}");
    }
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_lost_device_names_the_phase_and_still_ends() {
    for call in ["vkQueueSubmit2", "vkWaitSemaphores"] {
        let mut device = open();
        device.plan_fault(Fault { call, after: 1, result: vk::Result::ERROR_DEVICE_LOST });
        let error = (0..4)
            .find_map(|_| {
                let mut cmd = match device.begin_frame() {
                    Ok(cmd) => cmd,
                    Err(error) => return Some(error),
                };
                cmd.zone_begin("opaque");
                cmd.zone_end();
                device.submit_frame(cmd).err()
            })
            .expect("the device is lost");
        assert!(matches!(&error, GpuError::DeviceLost { zone } if zone == "opaque"), "{call}: {error:?}");
        close(device);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn the_pipeline_cache_is_kept_and_a_damaged_one_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = || -> Vec<_> { std::fs::read_dir(folder.path().join("new")).expect("the folder was made").map(|file| file.expect("a file").path()).collect() };
    let request = DeviceRequest { cache_dir: Some(folder.path().join("new")), ..DeviceRequest::default() };
    let run = || {
        let mut device = open_with(&request);
        let desc = PipelineDesc::Compute { name: "multiply", spirv: common::multiply_spirv() };
        for pipeline in device.create_pipelines(&[desc]).expect("a pipeline") {
            device.destroy_pipeline(pipeline);
        }
        close(device);
    };
    run();
    assert_eq!(files().len(), 1);
    let saved = std::fs::read(&files()[0]).expect("the cache");
    run();
    std::fs::write(&files()[0], &saved[..saved.len() / 2]).expect("damaged");
    run();
    assert_eq!(files().len(), 1, "nothing temporary is left");
    assert_eq!(std::fs::read(&files()[0]).expect("the cache").len(), saved.len(), "it was made anew");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_cache_folder_that_cannot_be_is_no_error() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    close(open_with(&DeviceRequest { cache_dir: Some(file.path().join("within a file")), ..DeviceRequest::default() }));
}

/// Loader, drivers and layers are found by the environment, so these cases run in a process of their own.
#[test]
#[ignore = "needs a Vulkan driver"]
fn what_is_missing_on_a_machine_is_named() {
    let nowhere = tempfile::tempdir().expect("a folder");
    let no_driver = nowhere.path().join("none.json");
    for (variable, value, expected) in [
        ("VK_LAYER_PATH", nowhere.path(), "VK_LAYER_KHRONOS_validation is not installed"),
        ("VK_DRIVER_FILES", no_driver.as_path(), "no Vulkan device found. Install a driver"),
    ] {
        let this = std::env::current_exe().expect("this test");
        let output = Command::new(this)
            .args(["--exact", "opens_in_another_environment", "--include-ignored", "--nocapture"])
            .env(CHILD, "1")
            .env(variable, value)
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(expected), "{variable}: {text} {}", String::from_utf8_lossy(&output.stderr));
    }
}

const CHILD: &str = "TERRANE_GPU_TEST_CHILD";

/// Does something only as a child of the test above: prints what becomes of opening a device.
#[test]
#[ignore = "needs a Vulkan driver"]
fn opens_in_another_environment() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    match Device::new(&DeviceRequest { validation: Validation::On, ..DeviceRequest::default() }) {
        Ok(device) => println!("opened {}", device.info().name),
        Err(error) => println!("{error}"),
    }
}
