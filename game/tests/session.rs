//! Sessions without a window: they come and go, fly out and back, run on less than this machine has, and leave nothing behind.
#![forbid(unsafe_code)]

mod common;

use common::{SIZE, config, desc, flight, low_flight, soak, start, world};
use terrane::{
    config::Config,
    error::GameError,
    session::{FrameDesc, Session, SessionDesc},
};
use terrane_gpu::{CLAMPS, Fault, GpuError, vk};
use terrane_render::Camera;

fn open_with(config: &Config, desc: &SessionDesc) -> Result<(Session, Camera), GameError> {
    let world = world(config);
    let start = start(&world);
    Session::open_world(config, world, desc).map(|session| (session, start))
}

fn close(session: Session) {
    let texts = session.device.validation_texts();
    assert_eq!(session.close().expect("it ends in order"), 0, "validation messages: {texts:#?}");
}

fn fly(session: &mut Session, desc: &FrameDesc, now_s: f64) {
    session.stream.tick(session.viewer(&desc.camera), now_s);
    let mut cmd = session.device.begin_frame().expect("a frame");
    session.record(&mut cmd, desc).expect("it records");
    session.device.submit_frame(cmd).expect("it is sent");
}

fn picture(session: &mut Session, camera: &Camera) -> Vec<u8> {
    session.settle(camera, |_| ()).expect("it settles");
    session.picture(&FrameDesc::new(*camera)).expect("a picture")
}

/// Whatever cannot be made, what was made before it ends: the error tells the call, not a leak.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_session_that_cannot_be_opened_leaves_no_device() {
    for (call, afters) in [
        ("vkCreateBuffer", &[0, 3, 9][..]),
        ("vkCreateImage", &[0, 4]),
        ("vkCreateImageView", &[1]),
        ("vkCreateSampler", &[0, 1]),
        ("vkCreateGraphicsPipelines", &[0, 2]),
        ("vkCreateComputePipelines", &[1]),
        ("vkCreateShaderModule", &[3]),
        ("vkCreateDescriptorPool", &[0]),
        ("vkQueueWaitIdle", &[2]),
    ] {
        for after in afters {
            let faults = vec![vec![Fault { call, after: *after, result: vk::Result::ERROR_INITIALIZATION_FAILED }]];
            let error = open_with(&config(), &SessionDesc { faults, ..desc() }).err().expect("it cannot be opened");
            assert!(matches!(&error, GameError::Gpu(GpuError::Vulkan { call: failed, .. }) if *failed == call), "{call} after {after}: {error}");
        }
    }
}

/// The world anew with other settings, and it cannot be: the old one goes on, and nothing of the new one is left.
#[test]
#[ignore = "needs a Vulkan driver"]
fn settings_that_cannot_be_had_leave_the_old_world_as_it_was() {
    let (mut session, camera) = open_with(&config(), &desc()).expect("a session");
    let before = picture(&mut session, &camera);
    let count = |session: &Session| (session.device.live_objects(), session.device.memory_budget().used_bytes);
    let baseline = count(&session);
    let changed = Config { view_distance_m: 700.0, ..config() };
    for (call, after) in [("vkCreateBuffer", 6), ("vkCreateImage", 5), ("vkCreateGraphicsPipelines", 1)] {
        session.device.plan_fault(Fault { call, after, result: vk::Result::ERROR_INITIALIZATION_FAILED });
        session.rebuild(&changed).expect_err("it cannot be made");
        assert_eq!(count(&session), baseline, "{call}");
        assert_eq!(picture(&mut session, &camera), before, "{call}");
    }
    // As often as a player may press + and -: nothing runs out.
    for _ in 0..12 {
        session.rebuild(&config()).expect("it can be made");
    }
    assert_eq!(count(&session), baseline);
    close(session);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn sessions_come_and_go_fifty_times() {
    for round in 0..50 {
        let config = Config { frames_in_flight: 1 + round % 3, ..config() };
        let (mut session, start) = open_with(&config, &desc()).expect("a session");
        for frame in 0..round % 4 {
            fly(&mut session, &flight(&start, frame), 0.0);
        }
        // close() fails if one object is alive.
        close(session);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn out_and_back_memory_and_objects_are_what_they_were() {
    let (mut session, start) = open_with(&config(), &desc()).expect("a session");
    let way: Vec<u32> = if soak() { (0..2000).chain((0..2000).rev()).collect() } else { (0..150).chain((0..150).rev()).collect() };
    let mut baseline = None;
    for _ in 0..2 {
        for (turn, frame) in way.iter().enumerate() {
            let desc = if turn % 50 == 49 { low_flight(&start, *frame) } else { flight(&start, *frame) };
            fly(&mut session, &desc, turn as f64 / 60.0);
        }
        session.settle(&start, |_| ()).expect("it settles");
        session.device.wait_idle().expect("idle");
        let report = session.device.memory_report();
        let now = (session.device.live_objects(), report.used_bytes, report.allocations, session.stream.progress().resident, session.renderer.free_slots());
        println!("after a flight: objects, bytes, allocations, chunks, free slots: {now:?}");
        assert!(report.allocations < 256, "{report:?}");
        // The first flight makes the ring and the readbacks that all later ones share.
        assert_eq!(*baseline.get_or_insert(now), now);
    }
    close(session);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn two_hundred_frames_give_no_message_however_many_are_in_flight() {
    for frames_in_flight in [1, 2, 3] {
        let (mut session, start) = open_with(&Config { frames_in_flight, ..config() }, &SessionDesc { samples: 4, ..desc() }).expect("a session");
        assert_eq!(session.device.frames_in_flight(), frames_in_flight);
        for frame in 0..200 {
            let desc = if frame % 40 == 10 { low_flight(&start, frame) } else { flight(&start, frame) };
            fly(&mut session, &desc, f64::from(frame) / 60.0);
            if frame % 64 == 33 {
                session.resize((SIZE.0 + frame % 5, SIZE.1)).expect("another size");
            }
        }
        session.device.wait_idle().expect("idle");
        close(session);
    }
}

/// Everything that a device may lack, one by one and all at once: the world looks the same.
#[test]
#[ignore = "needs a Vulkan driver"]
fn the_world_looks_the_same_without_anything_that_a_device_may_lack() {
    let (mut session, camera) = open_with(&config(), &desc()).expect("a session");
    let whole = picture(&mut session, &camera);
    close(session);
    let without = |name: Option<&'static str>| {
        let config = Config { portable: name.is_none(), ..config() };
        let (mut session, camera) = open_with(&config, &SessionDesc { without: name.into_iter().collect(), ..desc() }).expect("it runs");
        let picture = picture(&mut session, &camera);
        if name.is_none() {
            assert_eq!(session.device.info().optional.missing().len(), 6, "--portable reaches the device");
        }
        close(session);
        picture
    };
    // Limits show in no picture: one by one only with the full counts, and below all at once.
    for clamp in CLAMPS.iter().filter(|clamp| soak() || !clamp.name.starts_with("max")) {
        let picture = without(Some(clamp.name));
        // Without it, textures at flat angles differ a little, and nothing else.
        let allowed = if clamp.name == "samplerAnisotropy" { 24 } else { 0 };
        assert!(difference(&picture, &whole) <= allowed, "{}: {}", clamp.name, difference(&picture, &whole));
    }
    assert!(difference(&without(None), &whole) <= 24);
}

/// The largest of all differences of a channel.
fn difference(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn what_a_portable_device_cannot_do_is_refused_by_the_name_of_its_limit() {
    let portable = Config { portable: true, ..config() };
    let refused = |config: &Config, desc: &SessionDesc| open_with(config, desc).err().expect("it is too much").to_string();
    let error = refused(&portable, &SessionDesc { extent: (4097, 16), ..desc() });
    assert!(error.contains("4097") && error.contains("4096") && error.contains("maxImageDimension2D"), "{error}");
    let error = refused(&portable, &SessionDesc { samples: 8, ..desc() });
    assert!(error.contains("framebufferColorSampleCounts"), "{error}");
    // And the longest view distance is not too much.
    let (session, _) = open_with(&Config { view_distance_m: 65_536.0, ..portable }, &desc()).expect("it runs");
    close(session);
}

/// Less memory than the view distance needs: it starts with less, and says with how much.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_small_budget_is_met_step_by_step_and_one_that_is_too_small_is_an_error() {
    let far = Config { view_distance_m: 2000.0, ..config() };
    let (session, _) = open_with(&far, &desc()).expect("a session");
    let (whole, used) = (session.quality(), session.device.memory_budget().used_bytes);
    close(session);
    let with = |mib: u64| Config { device_memory_mb: mib, ..far.clone() };
    let (mut session, start) = open_with(&with((used >> 20) - 45), &desc()).expect("it makes do with less");
    let quality = session.quality();
    assert!(quality.steps >= 3 && quality.view_distance_m < whole.view_distance_m, "{quality:?}");
    assert!(session.device.memory_budget().used_bytes <= ((used >> 20) - 45) << 20);
    assert!(session.memory_short().is_none(), "what fits at the start is not too much a second later");
    picture(&mut session, &start);
    // A world anew in the same budget is no smaller, though for a moment there are two.
    session.rebuild(&with((used >> 20) - 45)).expect("it fits");
    assert_eq!(session.quality(), quality);
    close(session);
    let error = open_with(&with(16), &desc()).err().expect("nothing fits in 16 MiB");
    assert!(matches!(error, GameError::Gpu(GpuError::OutOfMemory { .. })) && error.exit_code() == 3, "{error}");
    #[cfg(target_os = "linux")]
    {
        let (session, _) = open_with(&Config { host_memory_mb: 1, ..far.clone() }, &desc()).expect("a session");
        let short = session.memory_short().expect("a program of 1 MiB there is not").to_string();
        assert!(short.contains("host's memory"), "{short}");
        close(session);
    }
}
