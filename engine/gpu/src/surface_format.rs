//! In: the formats that a surface offers, in any order. Out: the one to use, and what must be written to it.
//! Never knows: pictures. All pictures of the engine are encoded with the sRGB curve, 8 bits a channel.

use crate::GpuError;
use ash::vk;

/// What a surface takes values for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// For encoded ones: a copy is right.
    Encoded,
    /// For light, which the format or the compositor encodes: a copy would be encoded twice.
    Linear,
}

/// The most faithful format of those that can be copied to, whatever their order.
pub(crate) fn choose_format(formats: &[vk::SurfaceFormatKHR], can_copy: impl Fn(vk::Format) -> bool) -> Result<vk::SurfaceFormatKHR, GpuError> {
    let best = formats.iter().copied().filter(|format| can_copy(format.format)).min_by_key(rank);
    if let Some(format) = best.filter(|format| shows_right(format.color_space)) {
        return Ok(format);
    }
    let offered = formats.iter().map(|format| format!("{:?} in {:?}", format.format, format.color_space)).collect::<Vec<_>>().join(", ");
    Err(GpuError::SurfaceRefused { lacks: format!("a format in the sRGB colour space that can be copied to; it offers {offered}") })
}

/// What is to be written to it.
pub(crate) fn encoding(format: vk::SurfaceFormatKHR) -> Encoding {
    let linear = is_srgb(format.format) || format.color_space == vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT;
    if linear { Encoding::Linear } else { Encoding::Encoded }
}

/// Smaller is better: the right colour space, then values as they are, then no fewer than 8 bits a channel.
fn rank(format: &vk::SurfaceFormatKHR) -> (u32, u32) {
    let space = match format.color_space {
        vk::ColorSpaceKHR::SRGB_NONLINEAR => 0,
        vk::ColorSpaceKHR::EXTENDED_SRGB_NONLINEAR_EXT => 1,
        vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT => 2,
        // The display takes what it gets: most are close to sRGB.
        vk::ColorSpaceKHR::PASS_THROUGH_EXT => 3,
        _ => 4,
    };
    let texel = match format.format {
        vk::Format::B8G8R8A8_UNORM => 0,
        vk::Format::R8G8B8A8_UNORM => 1,
        vk::Format::A8B8G8R8_UNORM_PACK32 => 2,
        vk::Format::A2B10G10R10_UNORM_PACK32 | vk::Format::A2R10G10B10_UNORM_PACK32 => 3,
        format if is_srgb(format) => 4,
        vk::Format::R16G16B16A16_SFLOAT => 5,
        _ => 6,
    };
    (space, texel)
}

fn shows_right(space: vk::ColorSpaceKHR) -> bool {
    [
        vk::ColorSpaceKHR::SRGB_NONLINEAR,
        vk::ColorSpaceKHR::EXTENDED_SRGB_NONLINEAR_EXT,
        vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT,
        vk::ColorSpaceKHR::PASS_THROUGH_EXT,
    ]
    .contains(&space)
}

fn is_srgb(format: vk::Format) -> bool {
    matches!(format, vk::Format::B8G8R8A8_SRGB | vk::Format::R8G8B8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRGB: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;

    fn format(format: vk::Format, color_space: vk::ColorSpaceKHR) -> vk::SurfaceFormatKHR {
        vk::SurfaceFormatKHR { format, color_space }
    }

    #[test]
    fn formats_in_any_order_give_the_same_choice() {
        let mut formats = [
            format(vk::Format::A2B10G10R10_UNORM_PACK32, SRGB),
            format(vk::Format::B8G8R8A8_SRGB, SRGB),
            format(vk::Format::B8G8R8A8_UNORM, vk::ColorSpaceKHR::DISPLAY_P3_NONLINEAR_EXT),
            format(vk::Format::R8G8B8A8_UNORM, SRGB),
        ];
        for _ in 0..formats.len() {
            formats.rotate_left(1);
            assert_eq!(choose_format(&formats, |_| true).expect("one"), format(vk::Format::R8G8B8A8_UNORM, SRGB));
        }
    }

    #[test]
    fn only_what_encodes_by_itself_gets_light() {
        assert_eq!(encoding(format(vk::Format::B8G8R8A8_UNORM, SRGB)), Encoding::Encoded);
        assert_eq!(encoding(format(vk::Format::A2B10G10R10_UNORM_PACK32, SRGB)), Encoding::Encoded);
        assert_eq!(encoding(format(vk::Format::R8G8B8A8_SRGB, SRGB)), Encoding::Linear);
        assert_eq!(encoding(format(vk::Format::R16G16B16A16_SFLOAT, vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT)), Encoding::Linear);
    }

    #[test]
    fn a_surface_without_a_right_format_is_refused_with_what_it_offers() {
        let hdr = [format(vk::Format::A2B10G10R10_UNORM_PACK32, vk::ColorSpaceKHR::HDR10_ST2084_EXT)];
        let error = choose_format(&hdr, |_| true).expect_err("none is right").to_string();
        assert!(error.contains("A2B10G10R10_UNORM_PACK32 in HDR10_ST2084_EXT"), "{error}");
        let only = [format(vk::Format::B8G8R8A8_UNORM, SRGB)];
        assert!(choose_format(&only, |_| false).is_err() && choose_format(&[], |_| true).is_err());
    }
}
