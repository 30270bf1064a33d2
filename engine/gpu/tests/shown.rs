//! Pictures in a window: they look the same whatever the surface's formats are.

mod common;

use common::{Became, COPY_READ, COPY_WRITE, Grey, SIZE, change, close, frame_with, open_window};
use terrane_gpu::{BufferDesc, Device, MemoryKind, SurfaceScript, Swapchain, vk};

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_surface_that_cannot_be_used_is_refused_by_name() {
    let mut device = open_window(2);
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
    let mut device = open_window(2);
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
    // What is wrong with a format that this surface does not have, in the words of old and new layers.
    let texts = device.validation_texts();
    assert!(
        texts
            .iter()
            .all(|text| text.contains("VUID-VkSwapchainCreateInfoKHR-imageFormat-01273") || text.contains("VUID-VkSwapchainCreateInfoKHR-imageColorSpace")),
        "{texts:#?}"
    );
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
