//! A window that nobody sees, in a hostile place: it changes, hides, is lost with its device, and memory runs short. None of it ends the game.
#![forbid(unsafe_code)]

mod common;

use common::{SIZE, config, flight, low_flight, soak, start, window, world};
use std::time::{Duration, Instant};
use terrane::{
    config::Config,
    error::GameError,
    screen::{Frame, Screen},
    session::{FrameDesc, SessionDesc},
};
use terrane_gpu::{Fault, SurfaceScript, vk};
use terrane_render::Camera;

fn open_with(config: &Config, desc: &SessionDesc) -> Result<(Screen, Camera), GameError> {
    let world = world(config);
    let start = start(&world);
    Screen::open_world(config, world, desc, &start, true).map(|screen| (screen, start))
}

fn open() -> (Screen, Camera) {
    open_with(&config(), &window()).expect("a session; this test needs a Vulkan driver")
}

fn close(screen: Screen) {
    assert_eq!(screen.close().expect("it ends in order"), 0, "validation messages");
}

fn is_shown(frame: &Frame) -> bool {
    matches!(frame, Frame::Shown(_))
}

/// The finished picture from a camera.
fn picture(screen: &mut Screen, camera: &Camera) -> Vec<u8> {
    let session = screen.session().expect("a session");
    session.settle(camera, |_| ()).expect("it settles");
    session.picture(&FrameDesc::new(*camera)).expect("a picture")
}

const LOST: vk::Result = vk::Result::ERROR_DEVICE_LOST;
const NO_MEMORY: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;

/// Every call of a frame that can fail so, fails so; the same world goes on, and looks as it did.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_device_that_is_lost_at_any_call_is_opened_again_with_the_same_world() {
    let (mut screen, camera) = open();
    let before = picture(&mut screen, &camera);
    close(screen);
    for call in [
        "vkQueueSubmit2",
        "vkWaitSemaphores",
        "vkAcquireNextImageKHR",
        "vkQueuePresentKHR",
        "vkGetSemaphoreCounterValue",
        "vkDeviceWaitIdle",
        "vkCreateSwapchainKHR",
    ] {
        let (mut screen, camera) = open();
        let mut recovered = 0;
        screen.session().expect("a session").device.plan_fault(Fault { call, after: 3, result: LOST });
        for frame in 0..16 {
            // Every other frame in another size, so that every call is made.
            let size = if frame % 2 == 0 { SIZE } else { (48, 30) };
            recovered += u32::from(screen.frame(&flight(&camera, frame), 0.0, size).expect("it goes on") == Frame::Recovered);
        }
        let session = screen.session().expect("a session");
        assert_eq!((recovered, session.rebuilds(), session.quality().steps), (1, 1, 0), "{call}");
        assert!(is_shown(&screen.frame(&flight(&camera, 0), 0.0, SIZE).expect("a frame")), "{call}");
        assert_eq!(picture(&mut screen, &camera), before, "{call}: it looks different");
        close(screen);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn memory_that_runs_out_at_any_call_costs_quality_and_nothing_else() {
    for call in [
        "vkQueueSubmit2",
        "vkWaitSemaphores",
        "vkAcquireNextImageKHR",
        "vkQueuePresentKHR",
        "vkBeginCommandBuffer",
        "vkEndCommandBuffer",
        "vkResetCommandPool",
        "vkAllocateMemory",
        "vkCreateImage",
        "vkCreateImageView",
        "vkCreateSwapchainKHR",
        "vkCreateSemaphore",
    ] {
        let (mut screen, camera) = open();
        let mut recovered = 0;
        screen.session().expect("a session").device.plan_fault(Fault { call, after: 3, result: NO_MEMORY });
        for frame in 0..16 {
            let size = if frame % 2 == 0 { SIZE } else { (48, 30) };
            recovered += u32::from(screen.frame(&flight(&camera, frame), 0.0, size).expect("it goes on") == Frame::Recovered);
        }
        let session = screen.session().expect("a session");
        assert_eq!((recovered, session.rebuilds(), session.quality().steps), (1, 0, 1), "{call}");
        assert!(is_shown(&screen.frame(&flight(&camera, 0), 0.0, SIZE).expect("a frame")), "{call}");
        close(screen);
    }
}

/// While it opens, too: each device may fail at a call of its own.
#[test]
#[ignore = "needs a Vulkan driver"]
fn two_devices_that_fail_while_they_open_are_one_too_few_to_give_up() {
    let lost = |call, after| vec![Fault { call, after, result: LOST }];
    for (first, second) in [(lost("vkCreateBuffer", 2), lost("vkQueueSubmit2", 1)), (lost("vkCreateSemaphore", 0), lost("vkCreateGraphicsPipelines", 2))] {
        let (mut screen, camera) = open_with(&config(), &SessionDesc { faults: vec![first, second], ..window() }).expect("the third one works");
        assert_eq!(screen.session().expect("a session").rebuilds(), 2);
        assert!(is_shown(&screen.frame(&flight(&camera, 0), 0.0, SIZE).expect("a frame")));
        close(screen);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_third_loss_is_an_error_that_says_what_to_do() {
    let lost = vec![Fault { call: "vkQueuePresentKHR", after: 2, result: LOST }];
    let (mut screen, camera) = open_with(&config(), &SessionDesc { faults: vec![lost; 3], ..window() }).expect("a session");
    let error = (0..40).find_map(|frame| screen.frame(&flight(&camera, frame), 0.0, SIZE).err()).expect("it gives up");
    assert!(matches!(error, GameError::DeviceLost { rebuilds: 2, .. }), "{error:?}");
    assert_eq!(error.exit_code(), 4);
    assert!(error.to_string().contains("opened again 2 times"), "{error}");
    let advice = miette::Diagnostic::help(&error).expect("it says what to do").to_string();
    assert!(advice.contains("terrane doctor"), "{advice}");
    assert!(screen.frame(&flight(&camera, 0), 0.0, SIZE).is_err(), "and it stays an error");
    close(screen);
}

/// As X11 and Windows do, where the surface knows its size, and as Wayland does, where the window tells it; a change of the scale factor is one
/// of the size.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_window_may_change_with_every_frame() {
    let (mut screen, camera) = open();
    let mut shown = 0;
    let baseline = |screen: &mut Screen| {
        let device = &mut screen.session().expect("a session").device;
        device.wait_idle().expect("idle");
        device.live_objects()
    };
    let before = baseline(&mut screen);
    for frame in 0..60 {
        let size = [(64, 36), (96, 54), (0, 0), (1, 1), (0, 36), (128, 72)][frame as usize % 6];
        let extent = (frame % 2 == 0).then_some(size);
        screen.session().expect("a session").device.script_surface(SurfaceScript { extent, ..SurfaceScript::default() });
        let became = screen.frame(&flight(&camera, frame), f64::from(frame) / 60.0, size).expect("a state");
        match size {
            (0, _) => assert!(became == Frame::Hidden && screen.is_hidden(), "frame {frame}: {became:?}"),
            size => {
                assert!(is_shown(&became), "frame {frame}: {became:?}");
                assert_eq!(screen.session().expect("a session").renderer.extent(), size);
                shown += 1;
            }
        }
    }
    assert_eq!(shown, 40);
    screen.frame(&flight(&camera, 0), 1.0, SIZE).expect("a state");
    // Targets of the last size wait for the frame after them.
    screen.frame(&flight(&camera, 0), 1.0, SIZE).expect("a state");
    screen.frame(&flight(&camera, 0), 1.0, SIZE).expect("a state");
    assert_eq!(baseline(&mut screen), before);
    close(screen);
}

/// States of acquiring and presenting cost a picture each, never the session.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_window_that_refuses_pictures_gets_the_next_one() {
    use vk::Result as R;
    let (mut screen, camera) = open();
    for (call, result) in [
        ("vkAcquireNextImageKHR", R::TIMEOUT),
        ("vkAcquireNextImageKHR", R::NOT_READY),
        ("vkAcquireNextImageKHR", R::SUBOPTIMAL_KHR),
        ("vkAcquireNextImageKHR", R::ERROR_OUT_OF_DATE_KHR),
        ("vkAcquireNextImageKHR", R::ERROR_SURFACE_LOST_KHR),
        ("vkQueuePresentKHR", R::SUBOPTIMAL_KHR),
        ("vkQueuePresentKHR", R::ERROR_OUT_OF_DATE_KHR),
        ("vkQueuePresentKHR", R::ERROR_SURFACE_LOST_KHR),
        ("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", R::ERROR_SURFACE_LOST_KHR),
    ] {
        let session = screen.session().expect("a session");
        session.device.plan_fault(Fault { call, after: 0, result });
        for (frame, size) in [(0, SIZE), (1, SIZE), (2, (70, 40)), (3, SIZE)] {
            let became = screen.frame(&flight(&camera, frame), 0.0, size).expect("a state");
            assert!(is_shown(&became) || (frame == 0 && became == Frame::Skipped), "{call} {result:?}, frame {frame}: {became:?}");
        }
        let session = screen.session().expect("a session");
        assert!(session.device.planned_faults().is_empty(), "{call} was not made");
        assert_eq!((session.rebuilds(), session.quality().steps), (0, 0), "{call} {result:?}");
    }
    close(screen);
}

/// Chunks are under way, the camera moves on: wherever the player quits, it is soon.
#[test]
#[ignore = "needs a Vulkan driver"]
fn the_game_ends_soon_at_whatever_frame_it_is_left() {
    let frames: Vec<u32> = if soak() { (1..=200).collect() } else { vec![1, 2, 3, 12] };
    let mut longest = Duration::ZERO;
    for last in frames {
        // What the layer checks is the same each time; for most of two hundred starts it only costs.
        let desc = SessionDesc { validation: last <= 12 || last % 20 == 0, ..window() };
        let (mut screen, camera) = open_with(&config(), &desc).expect("a session; this test needs a Vulkan driver");
        for frame in 0..last {
            // The last ones with the world in sight, so that the GPU has work too.
            let desc = if frame + 4 > last { low_flight(&camera, frame * 8) } else { flight(&camera, frame * 8) };
            screen.frame(&desc, f64::from(frame) / 60.0, SIZE).expect("a frame");
        }
        let left = Instant::now();
        close(screen);
        let took = left.elapsed();
        longest = longest.max(took);
        assert!(took < Duration::from_secs(2), "left after frame {last}, it took {took:?}");
    }
    println!("the longest end took {longest:?}");
}

/// The budget becomes smaller in flight, as when another program starts: one step down after another, and it flies on.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_budget_that_shrinks_in_flight_costs_one_step_after_another() {
    let config = Config { view_distance_m: 1024.0, ..config() };
    let (mut screen, camera) = open_with(&config, &window()).expect("a session");
    let full = screen.session().expect("a session").quality();
    let device = &mut screen.session().expect("a session").device;
    device.set_memory_bytes_max(Some(device.memory_budget().used_bytes - 1));
    let mut steps = Vec::new();
    for frame in 0..200 {
        if screen.frame(&flight(&camera, 0), f64::from(frame) / 60.0, SIZE).expect("it flies on") == Frame::Recovered {
            let session = screen.session().expect("a session");
            steps.push(session.quality());
            if steps.len() == 1 {
                let used = session.device.memory_budget().used_bytes;
                session.device.set_memory_bytes_max(Some(used - 1));
            }
        }
    }
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!(Some(steps[0]), full.lower());
    assert_eq!(Some(steps[1]), steps[0].lower());
    assert!(screen.session().expect("a session").device.memory_report().allocations < 256);
    close(screen);
}
