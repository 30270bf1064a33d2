//! Windows without a screen: a headless surface that says what a test wants it to say, and calls that fail when they are told to.

mod common;

use common::{Became, Grey, SIZE, end, frame, open_window};
use terrane_gpu::{Acquire, Device, Fault, GpuError, SurfaceScript, Swapchain, vk};

fn says_extent(device: &mut Device, extent: Option<(u32, u32)>) {
    device.script_surface(SurfaceScript { extent, ..SurfaceScript::default() });
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_window_goes_through_all_sizes_a_hundred_times() {
    const SIZES: [(u32, u32); 5] = [(800, 600), (0, 0), (1, 1), (0, 600), (800, 600)];
    for round in 0..10 {
        let frames_in_flight = 1 + round % 3;
        let mut device = open_window(frames_in_flight);
        let grey = Grey::new(&mut device);
        let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
        let before = device.live_objects();
        for (turn, extent) in (0..10).flat_map(|_| SIZES).enumerate() {
            // Once as X11 and Windows do, where the surface knows its size; once as Wayland does, where the window tells it.
            let window = if turn % 2 == 0 {
                says_extent(&mut device, Some(extent));
                (123, 45)
            } else {
                says_extent(&mut device, None);
                extent
            };
            swapchain.recreate(&mut device, window).expect("it takes every size");
            let hidden = extent.0 == 0 || extent.1 == 0;
            assert_eq!(swapchain.extent(), if hidden { (0, 0) } else { extent }, "turn {turn}");
            for _ in 0..2 {
                let became = frame(&mut device, &mut swapchain, &grey).expect("a frame");
                assert_eq!(became, if hidden { Became::NoPicture } else { Became::Shown }, "turn {turn}, {extent:?}");
            }
            assert_eq!(device.live_objects(), before - usize::from(hidden), "turn {turn}");
        }
        end(device, swapchain, grey);
    }
}

/// Every result that Vulkan's specification lists for a call, at its first and at a later time: a state, or an error that leaves everything usable.
#[test]
#[ignore = "needs a Vulkan driver"]
fn no_result_of_any_call_panics_or_hangs() {
    use vk::Result as R;
    const COMMON: [R; 2] = [R::ERROR_OUT_OF_HOST_MEMORY, R::ERROR_OUT_OF_DEVICE_MEMORY];
    let calls: [(&str, &[R]); 12] = [
        (
            "vkAcquireNextImageKHR",
            &[
                R::SUBOPTIMAL_KHR,
                R::TIMEOUT,
                R::NOT_READY,
                R::ERROR_OUT_OF_DATE_KHR,
                R::ERROR_SURFACE_LOST_KHR,
                R::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT,
                R::ERROR_DEVICE_LOST,
            ],
        ),
        (
            "vkQueuePresentKHR",
            &[R::SUBOPTIMAL_KHR, R::ERROR_OUT_OF_DATE_KHR, R::ERROR_SURFACE_LOST_KHR, R::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT, R::ERROR_DEVICE_LOST],
        ),
        ("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", &[R::ERROR_SURFACE_LOST_KHR]),
        ("vkGetPhysicalDeviceSurfaceFormatsKHR", &[R::ERROR_SURFACE_LOST_KHR]),
        ("vkGetPhysicalDeviceSurfacePresentModesKHR", &[R::ERROR_SURFACE_LOST_KHR]),
        ("vkCreateSwapchainKHR", &[R::ERROR_SURFACE_LOST_KHR, R::ERROR_NATIVE_WINDOW_IN_USE_KHR, R::ERROR_INITIALIZATION_FAILED, R::ERROR_DEVICE_LOST]),
        ("vkGetSwapchainImagesKHR", &[]),
        ("vkCreateImageView", &[]),
        ("vkCreateSemaphore", &[]),
        ("vkQueueSubmit2", &[R::ERROR_DEVICE_LOST]),
        ("vkWaitSemaphores", &[R::ERROR_DEVICE_LOST]),
        ("vkDeviceWaitIdle", &[R::ERROR_DEVICE_LOST]),
    ];
    for (call, results) in calls {
        let mut device = open_window(2);
        let grey = Grey::new(&mut device);
        let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
        for (result, after) in results.iter().chain(&COMMON).flat_map(|result| [(*result, 0), (*result, 1)]) {
            device.plan_fault(Fault { call, after, result });
            let mut became = Vec::new();
            for turn in 0..6 {
                // A window that is resized at every second frame, so that every call is made.
                if turn % 2 == 1 {
                    became.extend(swapchain.recreate(&mut device, SIZE).err().map(|error| error.to_string()));
                }
                match frame(&mut device, &mut swapchain, &grey) {
                    Ok(Became::Recreate) => became.extend(swapchain.recreate(&mut device, SIZE).err().map(|error| error.to_string())),
                    Ok(_) => {}
                    Err(error) => became.push(error.to_string()),
                }
            }
            let is_error = !matches!(
                result,
                R::SUBOPTIMAL_KHR
                    | R::TIMEOUT
                    | R::NOT_READY
                    | R::ERROR_OUT_OF_DATE_KHR
                    | R::ERROR_SURFACE_LOST_KHR
                    | R::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT
            );
            assert_eq!(became.len(), usize::from(is_error), "{call} returns {result:?} after {after}: {became:?}");
            // Nothing was really lost, so after a new swapchain it goes on.
            swapchain.recreate(&mut device, SIZE).expect("it can be made anew");
            assert_eq!(frame(&mut device, &mut swapchain, &grey).expect("a frame"), Became::Shown, "{call} {result:?}");
        }
        assert!(device.planned_faults().is_empty(), "{call} was never made: {:?}", device.planned_faults());
        end(device, swapchain, grey);
    }
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_lost_surface_is_made_anew_and_one_that_stays_lost_is_an_error() {
    let mut device = open_window(2);
    let grey = Grey::new(&mut device);
    let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
    let lost = |call| Fault { call, after: 0, result: vk::Result::ERROR_SURFACE_LOST_KHR };
    for call in ["vkAcquireNextImageKHR", "vkQueuePresentKHR"] {
        device.plan_fault(lost(call));
        assert_eq!(frame(&mut device, &mut swapchain, &grey).expect("a state"), Became::Recreate, "{call}");
        // That a surface is made shows in that its making can fail; the next attempt makes one.
        device.plan_fault(Fault { call: "vkCreateSurfaceKHR", after: 0, result: vk::Result::ERROR_OUT_OF_HOST_MEMORY });
        assert!(matches!(swapchain.recreate(&mut device, SIZE), Err(GpuError::OutOfMemory { .. })), "{call}");
        assert_eq!(frame(&mut device, &mut swapchain, &grey).expect("a state"), Became::Recreate, "{call}: there is still none");
        swapchain.recreate(&mut device, SIZE).expect("a new surface");
        assert_eq!(frame(&mut device, &mut swapchain, &grey).expect("a frame"), Became::Shown, "{call}");
    }
    for _ in 0..2 {
        device.plan_fault(lost("vkCreateSwapchainKHR"));
    }
    assert!(matches!(swapchain.recreate(&mut device, SIZE), Err(GpuError::SurfaceLost)));
    assert_eq!(swapchain.extent(), (0, 0));
    swapchain.recreate(&mut device, SIZE).expect("now it is there again");
    end(device, swapchain, grey);
}

/// A compositor may call a surface suboptimal for good; a swapchain anew for every frame would be slower than that.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_window_that_stays_suboptimal_is_made_anew_once_for_each_size() {
    let mut device = open_window(2);
    let grey = Grey::new(&mut device);
    let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
    for size in [SIZE, (30, 20)] {
        swapchain.recreate(&mut device, size).expect("a size");
        let mut anew = 0;
        for _ in 0..8 {
            device.plan_fault(Fault { call: "vkQueuePresentKHR", after: 0, result: vk::Result::SUBOPTIMAL_KHR });
            if frame(&mut device, &mut swapchain, &grey).expect("a frame") == Became::Recreate {
                anew += 1;
                swapchain.recreate(&mut device, size).expect("a size");
            }
        }
        assert_eq!(anew, 1, "{size:?}");
    }
    end(device, swapchain, grey);
}

/// A frame that fails between getting its image and showing it costs that image, and nothing more.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_frame_that_is_given_up_with_an_image_disturbs_none_after_it() {
    let mut device = open_window(2);
    let grey = Grey::new(&mut device);
    let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
    for turn in 0..12 {
        let cmd = device.begin_frame().expect("a frame");
        assert!(matches!(swapchain.acquire(&mut device).expect("a state"), Acquire::Image(_)), "turn {turn}");
        if turn % 2 == 0 {
            drop(cmd);
        } else {
            device.submit_frame(cmd).expect("sent, but not shown");
        }
        let mut became = frame(&mut device, &mut swapchain, &grey).expect("a frame");
        if became == Became::Recreate || turn % 2 == 1 {
            swapchain.recreate(&mut device, SIZE).expect("its images are free again");
            became = frame(&mut device, &mut swapchain, &grey).expect("a frame");
        }
        assert_eq!(became, Became::Shown, "turn {turn}");
    }
    end(device, swapchain, grey);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn any_range_of_image_counts_and_any_mode_will_do() {
    for frames_in_flight in [1, 2, 3] {
        let mut device = open_window(frames_in_flight);
        let grey = Grey::new(&mut device);
        let mut swapchain = Swapchain::new(&mut device, SIZE, false).expect("a swapchain");
        for (low, high) in [(4, 0), (4, 4), (5, 5), (5, 8), (8, 0)] {
            let modes = (low % 2 == 1).then(|| vec![vk::PresentModeKHR::FIFO]);
            device.script_surface(SurfaceScript { image_counts: Some((low, high)), modes, ..SurfaceScript::default() });
            swapchain.recreate(&mut device, SIZE).expect("a swapchain");
            assert!(swapchain.image_count() >= low as usize, "{low} to {high}: {}", swapchain.image_count());
            for turn in 0..2 * swapchain.image_count() {
                assert_eq!(frame(&mut device, &mut swapchain, &grey).expect("a frame"), Became::Shown, "{low} to {high}, frame {turn}");
            }
        }
        end(device, swapchain, grey);
    }
}

/// A GPU that does not answer is not waited for a second time, and what it may still use is left alone.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_gpu_that_hangs_is_lost_and_left_as_it_is() {
    let mut device = open_window(2);
    let grey = Grey::new(&mut device);
    let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
    device.plan_fault(Fault { call: "vkWaitSemaphores", after: 3, result: vk::Result::TIMEOUT });
    let error = (0..6).find_map(|_| frame(&mut device, &mut swapchain, &grey).err()).expect("it hangs");
    assert!(matches!(error, GpuError::DeviceLost { .. }), "{error}");
    // If it were waited for, this would be made, and fail otherwise.
    device.plan_fault(Fault { call: "vkDeviceWaitIdle", after: 0, result: vk::Result::ERROR_OUT_OF_HOST_MEMORY });
    assert!(matches!(device.wait_idle(), Err(GpuError::DeviceLost { .. })));
    swapchain.destroy(&mut device);
    grey.destroy(&mut device);
    assert_eq!(device.planned_faults().len(), 1);
    assert_eq!(device.destroy().expect("it is left"), 0);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn devices_come_and_go_fifty_times() {
    for round in 0..50 {
        let mut device = open_window(1 + round % 3);
        let grey = Grey::new(&mut device);
        let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
        for _ in 0..round % 4 {
            frame(&mut device, &mut swapchain, &grey).expect("a frame");
        }
        end(device, swapchain, grey);
    }
}
