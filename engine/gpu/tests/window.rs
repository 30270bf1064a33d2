//! Windows without a screen: a headless surface that says what a test wants it to say, and calls that fail when they are told to.

mod common;

use common::{COPY_READ, COPY_WRITE, close, open_with};
use terrane_gpu::{
    Acquire, Acquired, BufferDesc, Cmd, ColorAttachment, Device, DeviceRequest, Fault, GpuError, Image, ImageBarrier, ImageDesc, LoadOp, MemoryKind, Presented,
    RenderingDesc, ShowIn, SurfaceScript, Swapchain, vk,
};

const SIZE: (u32, u32) = (80, 60);

fn open(frames_in_flight: u32) -> Device {
    open_with(&DeviceRequest { window: Some(ShowIn::Headless), frames_in_flight, ..DeviceRequest::default() })
}

/// A picture of light 0.5, as the renderer makes them: encoded bytes in a format that does not know it. An sRGB attachment has encoded them.
struct Grey {
    encoder: Image,
    picture: Image,
}

impl Grey {
    fn new(device: &mut Device) -> Grey {
        let mut image = |name, format, usage| {
            let (width, height) = SIZE;
            let usage = usage | vk::ImageUsageFlags::TRANSFER_SRC;
            device.create_image(&ImageDesc { name, width, height, mips: 1, layers: 1, samples: 1, format, usage, array_view: false }).expect("a small image")
        };
        Grey {
            encoder: image("encoder", vk::Format::R8G8B8A8_SRGB, vk::ImageUsageFlags::COLOR_ATTACHMENT),
            picture: image("picture", vk::Format::R8G8B8A8_UNORM, vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED),
        }
    }

    fn draw(&self, cmd: &mut Cmd) {
        let draw = (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE);
        let (read, write) = (COPY_READ, COPY_WRITE);
        let (undefined, attachment) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        change(cmd, self.encoder.handle, (undefined, attachment), read, draw);
        let color = ColorAttachment { view: self.encoder.view, load: LoadOp::Clear([0.5, 0.5, 0.5, 1.0]), store: true, resolve: None };
        cmd.begin_rendering(&RenderingDesc { extent: SIZE, colors: &[color], depth: None });
        cmd.end_rendering();
        change(cmd, self.encoder.handle, (attachment, source), draw, read);
        change(cmd, self.picture.handle, (undefined, target), read, write);
        cmd.copy_image(&self.encoder, &self.picture);
        change(cmd, self.picture.handle, (target, source), write, read);
    }

    fn destroy(self, device: &mut Device) {
        device.destroy_image(self.encoder);
        device.destroy_image(self.picture);
    }
}

fn change(cmd: &mut Cmd, image: vk::Image, (old_layout, new_layout): (vk::ImageLayout, vk::ImageLayout), src: terrane_gpu::Access, dst: terrane_gpu::Access) {
    cmd.image_barriers(&[ImageBarrier { image, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst }]);
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Became {
    Shown,
    Recreate,
    NoPicture,
}

/// One frame as a game draws it, with something done to the acquired image after the picture is in it.
fn frame_with(device: &mut Device, swapchain: &mut Swapchain, grey: &Grey, more: impl FnOnce(&mut Cmd, &Acquired)) -> Result<Became, GpuError> {
    let mut cmd = device.begin_frame()?;
    grey.draw(&mut cmd);
    match swapchain.acquire(device)? {
        Acquire::Image(acquired) => {
            swapchain.show(device, &mut cmd, &grey.picture, &acquired)?;
            more(&mut cmd, &acquired);
            match device.submit_and_present(cmd, swapchain, &acquired)? {
                Presented::Shown => Ok(Became::Shown),
                Presented::OutOfDate => Ok(Became::Recreate),
            }
        }
        Acquire::OutOfDate => device.submit_frame(cmd).map(|_| Became::Recreate),
        Acquire::Busy | Acquire::Hidden => device.submit_frame(cmd).map(|_| Became::NoPicture),
    }
}

fn frame(device: &mut Device, swapchain: &mut Swapchain, grey: &Grey) -> Result<Became, GpuError> {
    frame_with(device, swapchain, grey, |_, _| ())
}

fn end(mut device: Device, swapchain: Swapchain, grey: Grey) {
    swapchain.destroy(&mut device);
    grey.destroy(&mut device);
    close(device);
}

fn says_extent(device: &mut Device, extent: Option<(u32, u32)>) {
    device.script_surface(SurfaceScript { extent, ..SurfaceScript::default() });
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_window_goes_through_all_sizes_a_hundred_times() {
    const SIZES: [(u32, u32); 5] = [(800, 600), (0, 0), (1, 1), (0, 600), (800, 600)];
    for round in 0..10 {
        let frames_in_flight = 1 + round % 3;
        let mut device = open(frames_in_flight);
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
        let mut device = open(2);
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
    let mut device = open(2);
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
    let mut device = open(2);
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
    let mut device = open(2);
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
        let mut device = open(frames_in_flight);
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

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_surface_that_cannot_be_used_is_refused_by_name() {
    let mut device = open(2);
    let usage = Some(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    device.script_surface(SurfaceScript { usage, ..SurfaceScript::default() });
    let error = Swapchain::new(&mut device, SIZE, true).err().expect("it is refused").to_string();
    assert!(error.contains("TRANSFER_DST"), "{error}");
    let formats = Some(vec![vk::SurfaceFormatKHR { format: vk::Format::B8G8R8A8_UNORM, color_space: vk::ColorSpaceKHR::HDR10_HLG_EXT }]);
    device.script_surface(SurfaceScript { formats, ..SurfaceScript::default() });
    let error = Swapchain::new(&mut device, SIZE, true).err().expect("it is refused").to_string();
    assert!(error.contains("HDR10_HLG_EXT"), "{error}");
    close(device);
}

/// What the first pixel of the acquired image is, as it is in memory.
fn first_pixel(device: &mut Device, swapchain: &mut Swapchain, grey: &Grey) -> Vec<u8> {
    let bytes = u64::from(SIZE.0 * SIZE.1 * 8);
    let desc = BufferDesc { name: "pixels", bytes, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Readback };
    let pixels = device.create_buffer(&desc).expect("a buffer");
    let (source, present) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::PRESENT_SRC_KHR);
    let became = frame_with(device, swapchain, grey, |cmd, acquired| {
        change(cmd, acquired.image, (present, source), COPY_WRITE, COPY_READ);
        cmd.copy_image_to_buffer(acquired.image, acquired.extent, &pixels);
        change(cmd, acquired.image, (source, present), COPY_READ, (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE));
    });
    assert_eq!(became.expect("a frame"), Became::Shown);
    device.wait_idle().expect("idle");
    let first = pixels.slice()[..8].to_vec();
    device.destroy_buffer(pixels);
    first
}

/// Light of 0.5 is 188 of 255 on a display, whatever a surface offers and in whatever order.
#[test]
#[ignore = "needs a Vulkan driver"]
fn half_the_light_reads_back_as_188_in_every_format() {
    const SRGB: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let mut device = open(2);
    let grey = Grey::new(&mut device);
    let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
    for (format, color_space) in [
        (vk::Format::B8G8R8A8_UNORM, SRGB),
        (vk::Format::R8G8B8A8_UNORM, SRGB),
        (vk::Format::B8G8R8A8_SRGB, SRGB),
        (vk::Format::R8G8B8A8_SRGB, SRGB),
        (vk::Format::A8B8G8R8_SRGB_PACK32, SRGB),
        (vk::Format::A2B10G10R10_UNORM_PACK32, SRGB),
        (vk::Format::A2R10G10B10_UNORM_PACK32, SRGB),
        (vk::Format::R16G16B16A16_SFLOAT, vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT),
    ] {
        if !device.supports_format(format, vk::FormatFeatureFlags::BLIT_DST | vk::FormatFeatureFlags::COLOR_ATTACHMENT) {
            println!("{format:?}: not of this driver");
            continue;
        }
        device.script_surface(SurfaceScript { formats: Some(vec![vk::SurfaceFormatKHR { format, color_space }]), ..SurfaceScript::default() });
        swapchain.recreate(&mut device, SIZE).expect("a swapchain");
        assert_eq!(swapchain.format(), format);
        let first = first_pixel(&mut device, &mut swapchain, &grey);
        let word = u32::from_le_bytes(first[..4].try_into().expect("four bytes"));
        let channels: [f32; 3] = match format {
            vk::Format::A2B10G10R10_UNORM_PACK32 | vk::Format::A2R10G10B10_UNORM_PACK32 => {
                [0, 10, 20].map(|shift| (word >> shift & 1023) as f32 / 1023.0 * 255.0)
            }
            // 0x3800 is 0.5: light, which the compositor encodes.
            vk::Format::R16G16B16A16_SFLOAT => [0, 2, 4].map(|at| encoded(half(u16::from_le_bytes([first[at], first[at + 1]]))) * 255.0),
            _ => [0, 1, 2].map(|at| f32::from(first[at])),
        };
        println!("{format:?}: {channels:?}");
        assert!(channels.iter().all(|channel| (channel - 188.0).abs() <= 1.0), "{format:?}: {channels:?}");
    }
    swapchain.destroy(&mut device);
    grey.destroy(&mut device);
    // The one thing that is wrong with a format that this surface does not have.
    let texts = device.validation_texts();
    assert!(texts.iter().all(|text| text.contains("VUID-VkSwapchainCreateInfoKHR-imageFormat-01273")), "{texts:#?}");
    device.destroy().expect("nothing is left");
}

/// A half float that is neither denormal nor special.
fn half(bits: u16) -> f32 {
    (1.0 + f32::from(bits & 0x3ff) / 1024.0) * f32::powi(2.0, i32::from(bits >> 10 & 31) - 15)
}

/// The curve of sRGB above its short straight piece.
fn encoded(light: f32) -> f32 {
    1.055 * light.powf(1.0 / 2.4) - 0.055
}

/// A GPU that does not answer is not waited for a second time, and what it may still use is left alone.
#[test]
#[ignore = "needs a Vulkan driver"]
fn a_gpu_that_hangs_is_lost_and_left_as_it_is() {
    let mut device = open(2);
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
        let mut device = open(1 + round % 3);
        let grey = Grey::new(&mut device);
        let mut swapchain = Swapchain::new(&mut device, SIZE, true).expect("a swapchain");
        for _ in 0..round % 4 {
            frame(&mut device, &mut swapchain, &grey).expect("a frame");
        }
        end(device, swapchain, grey);
    }
}
