//! Shaders that are checked while they run, by a layer that can do it: tools/setup fetches one and tools/test names its folder.

mod common;

use common::{buffer, multiply_spirv};
use std::process::Command;
use terrane_gpu::{Device, DeviceRequest, PipelineDesc, Validation};

const LAYER: &str = "TERRANE_SECOND_LAYER";
const CHILD: &str = "TERRANE_GPU_TEST_CHILD";

/// The check of the check: a shader that reads a buffer which nobody bound.
#[test]
#[ignore = "needs a Vulkan driver and a second validation layer"]
fn a_planted_index_is_caught_by_the_second_layer() {
    let layer = std::env::var_os(LAYER).unwrap_or_else(|| panic!("{LAYER} is not set: run tools/test, or name the folder that tools/setup --test has made"));
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "uses_an_index_that_is_not_bound", "--include-ignored", "--nocapture"])
        .envs([(CHILD, "1".into()), ("VK_LAYER_PATH", layer)])
        .output()
        .expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("the layer says: 0 before, more after"), "{said}");
}

/// Does something only as a child of the test above.
#[test]
#[ignore = "needs a Vulkan driver"]
fn uses_an_index_that_is_not_bound() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut device = Device::new(&DeviceRequest { validation: Validation::GpuAssisted, ..DeviceRequest::default() }).expect("a device and the layer");
    let target = buffer(&mut device, "target", 64 * 4);
    let bound = device.bind_buffer(&target).expect("an index");
    let pipelines = device.create_pipelines(&[PipelineDesc::Compute { name: "multiply", spirv: multiply_spirv() }]).expect("a pipeline");
    let mut counts = Vec::new();
    for index in [bound, 100] {
        let mut cmd = device.begin_frame().expect("a frame");
        cmd.bind_pipeline(&pipelines[0]);
        cmd.push(&[index.to_le_bytes(), 3u32.to_le_bytes()].concat());
        cmd.dispatch(1, 1, 1);
        device.submit_frame(cmd).expect("submitted");
        device.wait_idle().expect("idle");
        counts.push(device.validation_messages());
    }
    println!("{:#?}", device.validation_texts());
    println!("the layer says: {} before, {} after", counts[0], if counts[1] > counts[0] { "more" } else { "nothing" });
    pipelines.into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline));
    device.unbind_buffer(bound);
    device.destroy_buffer(target);
    device.destroy().expect("it ends in order");
}
