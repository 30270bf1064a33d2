//! In: the ground's layers as drawn in code. Out: three bindless texture arrays with mips, and the samplers.
//! Never knows: how a layer was drawn, or where it lies.

use crate::constants::Fixed;
use terrane_gpu::{Device, GpuError, Image, ImageDesc, SamplerDesc, vk};
use terrane_worldgen::texture::{MaterialLayer, TEXTURE_EDGE, mips};

pub(crate) struct Materials {
    color: Image,
    normal: Image,
    smoothness: Image,
    indices: [u32; 3],
    material_sampler: u32,
    clamp_sampler: u32,
    means: [[f32; 3]; 2],
}

impl Materials {
    pub(crate) fn new(device: &mut Device, layers: &[MaterialLayer; 3]) -> Result<Materials, GpuError> {
        // chains[layer][mip]
        let chains: Vec<Vec<MaterialLayer>> = layers.iter().map(mips).collect();
        let array = |device: &mut Device, name, format, texels: &dyn Fn(&MaterialLayer) -> Vec<u8>| {
            let data: Vec<Vec<Vec<u8>>> = chains.iter().map(|chain| chain.iter().map(texels).collect()).collect();
            device.create_texture_array(
                &ImageDesc {
                    name,
                    width: TEXTURE_EDGE as u32,
                    height: TEXTURE_EDGE as u32,
                    mips: chains[0].len() as u32,
                    layers: chains.len() as u32,
                    samples: 1,
                    format,
                    usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
                    array_view: true,
                },
                &data,
            )
        };
        let color = array(device, "material colours", vk::Format::R8G8B8A8_SRGB, &|layer| layer.color.concat())?;
        let normal = array(device, "material normals", vk::Format::R8G8_UNORM, &|layer| layer.normal.concat())?;
        let smoothness = array(device, "material smoothness", vk::Format::R8_UNORM, &|layer| layer.smoothness.clone())?;
        let mut indices = [0; 3];
        for (index, image) in indices.iter_mut().zip([&color, &normal, &smoothness]) {
            *index = device.bind_image_array(image.view)?;
        }
        let material_sampler =
            device.bind_sampler(&SamplerDesc { name: "material", filter: vk::Filter::LINEAR, address: vk::SamplerAddressMode::REPEAT, anisotropy: 4.0 })?;
        let clamp_sampler = device.bind_sampler(&SamplerDesc {
            name: "clamp",
            filter: vk::Filter::NEAREST,
            address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
            anisotropy: 1.0,
        })?;
        let means = [mean_linear(&layers[0]), mean_linear(&layers[2])];
        Ok(Materials { color, normal, smoothness, indices, material_sampler, clamp_sampler, means })
    }

    pub(crate) fn fixed(&self) -> Fixed {
        Fixed {
            material_color: self.indices[0],
            material_normal: self.indices[1],
            material_smoothness: self.indices[2],
            material_sampler: self.material_sampler,
            clamp_sampler: self.clamp_sampler,
            grass_mean: self.means[0],
            rock_mean: self.means[1],
            ..Fixed::default()
        }
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        for index in self.indices {
            device.unbind_image_array(index);
        }
        for image in [self.color, self.normal, self.smoothness] {
            device.destroy_image(image);
        }
    }
}

/// Mean colour in linear light.
fn mean_linear(layer: &MaterialLayer) -> [f32; 3] {
    let linear = |byte: u8| {
        let c = f64::from(byte) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let mut sum = [0.0f64; 3];
    for texel in &layer.color {
        for (channel, total) in sum.iter_mut().enumerate() {
            *total += linear(texel[channel]);
        }
    }
    sum.map(|total| (total / layer.color.len().max(1) as f64) as f32)
}
