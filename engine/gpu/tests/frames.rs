//! Frames: transfers, dispatches, passes, timers, and what waits for the GPU.

mod common;

use common::{COPY_READ, COPY_WRITE, buffer, close, multiply_spirv, open, open_with};
use terrane_gpu::{Cmd, ColorAttachment, Device, DeviceRequest, Image, ImageBarrier, ImageDesc, LoadOp, PipelineDesc, RenderingDesc, STAGING_BYTES, vk};

fn bytes_of(seed: u32, count: usize) -> Vec<u8> {
    (0..count as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) as u8).collect()
}

/// Twice around the ring, with 1, 2 and 3 frames in flight, each frame read back by ticket.
#[test]
#[ignore = "needs a Vulkan driver"]
fn what_is_uploaded_is_read_back() {
    const BYTES: usize = 5 << 20;
    let rounds = 2 * (STAGING_BYTES as usize).div_ceil(BYTES) as u32;
    for frames_in_flight in [1, 2, 3] {
        let mut device = open_with(&DeviceRequest { frames_in_flight, ..DeviceRequest::default() });
        let target = buffer(&mut device, "target", BYTES as u64);
        let mut tickets = Vec::new();
        let mut round = 0;
        while round < rounds {
            let mut cmd = device.begin_frame().expect("a frame");
            cmd.memory_barrier(COPY_READ, COPY_WRITE);
            if device.upload(&mut cmd, &target, 0, &bytes_of(round, BYTES)).expect("upload") {
                cmd.memory_barrier(COPY_WRITE, COPY_READ);
                tickets.push((round, device.readback(&mut cmd, &target, 100, 1000).expect("readback").expect("a slot")));
                round += 1;
            }
            device.submit_frame(cmd).expect("submitted");
        }
        device.wait_idle().expect("idle");
        for (round, ticket) in tickets {
            let bytes = device.poll_readback(ticket).expect("polled").expect("its frame is done");
            assert_eq!(bytes, bytes_of(round, 1100)[100..], "round {round}, {frames_in_flight} in flight");
        }
        device.destroy_buffer(target);
        close(device);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_full_ring_is_a_state_and_more_than_it_holds_an_error() {
    let mut device = open();
    let target = buffer(&mut device, "target", STAGING_BYTES + 1);
    let half = vec![1; STAGING_BYTES as usize / 2 + 1];
    let mut cmd = device.begin_frame().expect("a frame");
    assert!(device.upload(&mut cmd, &target, 0, &half).expect("room"));
    assert!(!device.upload(&mut cmd, &target, 0, &half).expect("no room"));
    let error = device.upload(&mut cmd, &target, 0, &vec![0; STAGING_BYTES as usize + 1]).expect_err("never room");
    assert!(error.to_string().contains("'target' needs 33554433"), "{error}");
    let value = device.submit_frame(cmd).expect("submitted");
    device.wait(value).expect("done");
    let mut cmd = device.begin_frame().expect("a frame");
    cmd.memory_barrier(COPY_WRITE, COPY_WRITE);
    assert!(device.upload(&mut cmd, &target, 0, &half).expect("room again"));
    device.submit_frame(cmd).expect("submitted");
    device.retire_buffer(target);
    device.wait_idle().expect("idle");
    // Retired by the frame after the last one: still alive, and ended with the device.
    assert_eq!(device.live_objects(), 1);
    let cmd = device.begin_frame().expect("a frame");
    let value = device.submit_frame(cmd).expect("submitted");
    device.wait(value).expect("done");
    device.wait_idle().expect("idle");
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_compute_shader_finds_its_buffer_by_index() {
    let mut device = open();
    let buffers: Vec<_> = ["a", "b", "c"].map(|name| buffer(&mut device, name, 64 * 4 * 2)).into_iter().collect();
    let indices: Vec<_> = buffers.iter().map(|buffer| device.bind_buffer(buffer).expect("an index")).collect();
    let pipelines = device.create_pipelines(&[PipelineDesc::Compute { name: "multiply", spirv: multiply_spirv() }]).expect("a pipeline");
    let mut cmd = device.begin_frame().expect("a frame");
    cmd.zone_begin("multiply");
    cmd.bind_pipeline(&pipelines[0]);
    for (factor, index) in [3u32, 5, 7].into_iter().zip(&indices) {
        cmd.push(&[index.to_le_bytes(), factor.to_le_bytes()].concat());
        cmd.dispatch(2, 1, 1);
    }
    cmd.zone_end();
    device.submit_frame(cmd).expect("submitted");
    for (factor, buffer) in [3u32, 5, 7].into_iter().zip(&buffers) {
        let expected: Vec<u8> = (0..128).flat_map(|i: u32| (i * factor).to_le_bytes()).collect();
        assert_eq!(device.read_buffer(buffer, 0, buffer.bytes).expect("read"), expected, "factor {factor}");
    }
    indices.into_iter().for_each(|index| device.unbind_buffer(index));
    pipelines.into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline));
    buffers.into_iter().for_each(|buffer| device.destroy_buffer(buffer));
    close(device);
}

fn target(device: &mut Device, name: &'static str, samples: u32) -> Image {
    let color = vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let usage = if samples == 1 { color | vk::ImageUsageFlags::TRANSFER_SRC } else { color };
    let desc = ImageDesc { name, width: 40, height: 24, mips: 1, layers: 1, samples, format: vk::Format::R8G8B8A8_UNORM, usage, array_view: false };
    device.create_image(&desc).expect("a small image")
}

fn move_image(cmd: &mut Cmd, image: &Image, old_layout: vk::ImageLayout, new_layout: vk::ImageLayout) {
    let draw = (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE);
    let (src, dst) = if new_layout == vk::ImageLayout::TRANSFER_SRC_OPTIMAL { (draw, COPY_READ) } else { (COPY_READ, draw) };
    cmd.image_barriers(&[ImageBarrier { image: image.handle, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst }]);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_pass_clears_and_resolves() {
    let mut device = open();
    let attachment = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let (many, one) = (target(&mut device, "many samples", 4), target(&mut device, "one sample", 1));
    let mut cmd = device.begin_frame().expect("a frame");
    move_image(&mut cmd, &many, vk::ImageLayout::UNDEFINED, attachment);
    move_image(&mut cmd, &one, vk::ImageLayout::UNDEFINED, attachment);
    let color = ColorAttachment { view: many.view, load: LoadOp::Clear([1.0, 0.0, 0.2, 1.0]), store: false, resolve: Some(one.view) };
    cmd.begin_rendering(&RenderingDesc { extent: (40, 24), colors: &[color], depth: None });
    cmd.end_rendering();
    move_image(&mut cmd, &one, attachment, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    device.submit_frame(cmd).expect("submitted");
    assert_eq!(device.read_image(&one).expect("read"), [255, 0, 51, 255].repeat(40 * 24));
    device.destroy_image(many);
    device.destroy_image(one);
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn an_image_is_uploaded_mip_by_mip() {
    let mut device = open();
    let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::STORAGE;
    let desc = ImageDesc { name: "mips", width: 8, height: 4, mips: 4, layers: 1, samples: 1, format: vk::Format::R8G8B8A8_UNORM, usage, array_view: false };
    let image = device.create_image(&desc).expect("a small image");
    assert_eq!(image.mip_views.len(), 4);
    assert_eq!((image.mip_extent(2).width, image.mip_extent(2).height), (2, 1));
    let index = device.bind_storage_image(image.mip_views[3]).expect("an index");
    let change = |old_layout, new_layout, src, dst| ImageBarrier { image: image.handle, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst };
    let (transfer_to, transfer_from) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    let mut cmd = device.begin_frame().expect("a frame");
    cmd.image_barriers(&[change(vk::ImageLayout::UNDEFINED, transfer_to, COPY_READ, COPY_WRITE)]);
    for mip in 0..4 {
        let extent = image.mip_extent(mip);
        assert!(device.upload_image(&mut cmd, &image, mip, 0, &bytes_of(mip, (extent.width * extent.height * 4) as usize)).expect("uploaded"));
    }
    cmd.image_barriers(&[change(transfer_to, transfer_from, COPY_WRITE, COPY_READ)]);
    device.submit_frame(cmd).expect("submitted");
    assert_eq!(device.read_image(&image).expect("read"), bytes_of(0, 8 * 4 * 4));
    device.unbind_storage_image(index);
    device.destroy_image(image);
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn phases_are_timed_by_name() {
    let mut device = open();
    let target = buffer(&mut device, "target", 1 << 20);
    for word in 0..4 {
        let mut cmd = device.begin_frame().expect("a frame");
        for name in ["test fill", "test refill"] {
            cmd.zone_begin(name);
            cmd.memory_barrier(COPY_WRITE, COPY_WRITE);
            cmd.fill_buffer(&target, 0, target.bytes, word);
            cmd.zone_end();
        }
        // Open when the frame is submitted: ended with it.
        cmd.zone_begin("open");
        device.submit_frame(cmd).expect("submitted");
    }
    let timings = device.gpu_timings();
    let names: Vec<_> = timings.iter().map(|timing| timing.name).collect();
    assert_eq!(names, ["frame", "test fill", "test refill", "open"]);
    assert!(timings.iter().all(|timing| timing.ms >= 0.0 && timing.begin_ticks >= timings[0].begin_ticks && timing.end_ticks <= timings[0].end_ticks));
    assert!(timings[1].ms > 0.0 && timings[2].begin_ticks >= timings[1].end_ticks, "{timings:?}");
    assert!(terrane_profiling::table().iter().any(|row| row.name == "gpu test fill" && row.count >= 2));
    device.wait_idle().expect("idle");
    device.destroy_buffer(target);
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn more_phases_than_there_is_room_for_lose_only_the_last() {
    let mut device = open();
    for _ in 0..3 {
        let mut cmd = device.begin_frame().expect("a frame");
        for _ in 0..100 {
            cmd.zone_begin("one of many");
            cmd.zone_end();
        }
        device.submit_frame(cmd).expect("submitted");
    }
    let timings = device.gpu_timings();
    assert_eq!((timings.len(), timings[0].name), (64, "frame"));
    device.wait_idle().expect("idle");
    close(device);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_frame_that_is_given_up_disturbs_none_after_it() {
    let mut device = open();
    let target = buffer(&mut device, "target", 64);
    for round in 0..6 {
        let mut cmd = device.begin_frame().expect("a frame");
        cmd.zone_begin("given up in every second round");
        cmd.memory_barrier(COPY_WRITE, COPY_WRITE);
        cmd.fill_buffer(&target, 0, 64, round);
        if round % 2 == 0 {
            device.submit_frame(cmd).expect("submitted");
        }
    }
    assert_eq!(device.read_buffer(&target, 0, 4).expect("read"), 4u32.to_le_bytes());
    device.destroy_buffer(target);
    close(device);
}

/// Many buffers share few blocks, and memory is accounted for by name.
#[test]
#[ignore = "needs a Vulkan driver"]
fn memory_is_shared_out_from_few_blocks() {
    let mut device = open();
    let before = device.memory_report();
    let many: Vec<_> = (0..300).map(|_| buffer(&mut device, "one of many", 100_000)).collect();
    let report = device.memory_report();
    assert!(report.allocations < before.allocations + 8 && report.used_bytes >= before.used_bytes + 30_000_000, "{report:?}");
    assert_eq!(device.memory_by_name()[0].0, "one of many");
    many.into_iter().for_each(|buffer| device.destroy_buffer(buffer));
    assert_eq!(device.memory_report().used_bytes, before.used_bytes);
    close(device);
}

/// The check of the checks: two writes without a barrier between them.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_planted_hazard_is_caught() {
    let mut device = open();
    let target = buffer(&mut device, "target", 64);
    let mut cmd = device.begin_frame().expect("a frame");
    cmd.fill_buffer(&target, 0, 64, 1);
    cmd.fill_buffer(&target, 0, 64, 2);
    device.submit_frame(cmd).expect("submitted");
    device.wait_idle().expect("idle");
    let texts = device.validation_texts();
    assert!(device.validation_messages() > 0 && texts[0].contains("SYNC-HAZARD-WRITE-AFTER-WRITE"), "{texts:?}");
    device.destroy_buffer(target);
    assert!(device.destroy().expect("it ends") > 0);
}
