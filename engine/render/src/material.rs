//! In: the ground's layers as drawn in code. Out: three bindless texture arrays with mips, and the samplers.
//! Never knows: how a layer was drawn, or where it lies.

use crate::constants::Fixed;
use terrane_gpu::{Device, GpuError, Image, ImageDesc, SamplerDesc, vk};
use terrane_worldgen::texture::{MaterialLayer, TEXTURE_EDGE, mips};

pub(crate) struct Materials {
    /// Colour, normal, smoothness; none in a world without layers.
    images: Vec<Image>,
    indices: Vec<u32>,
    material_sampler: u32,
    clamp_sampler: u32,
    means: [[f32; 3]; 2],
}

impl Materials {
    pub(crate) fn new(device: &mut Device, layers: Option<&[MaterialLayer; 3]>) -> Result<Materials, GpuError> {
        // chains[layer][mip]
        let chains: Vec<Vec<MaterialLayer>> = layers.iter().flat_map(|layers| layers.iter()).map(mips).collect();
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
        let mut images = Vec::new();
        if layers.is_some() {
            images.push(array(device, "material colours", vk::Format::R8G8B8A8_SRGB, &|layer| layer.color.concat())?);
            images.push(array(device, "material normals", vk::Format::R8G8_UNORM, &|layer| layer.normal.concat())?);
            images.push(array(device, "material smoothness", vk::Format::R8_UNORM, &|layer| layer.smoothness.clone())?);
        }
        let indices = images.iter().map(|image| device.bind_image_array(image.view)).collect::<Result<_, _>>()?;
        let material_sampler =
            device.bind_sampler(&SamplerDesc { name: "material", filter: vk::Filter::LINEAR, address: vk::SamplerAddressMode::REPEAT, anisotropy: 4.0 })?;
        let clamp_sampler = device.bind_sampler(&SamplerDesc {
            name: "clamp",
            filter: vk::Filter::NEAREST,
            address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
            anisotropy: 1.0,
        })?;
        let means = layers.map_or([[1.0; 3]; 2], |layers| [mean_linear(&layers[0]), mean_linear(&layers[2])]);
        Ok(Materials { images, indices, material_sampler, clamp_sampler, means })
    }

    pub(crate) fn fixed(&self) -> Fixed {
        // Where there are none, no shader reads them.
        let index = |array: usize| self.indices.get(array).copied().unwrap_or(0);
        Fixed {
            material_color: index(0),
            material_normal: index(1),
            material_smoothness: index(2),
            material_sampler: self.material_sampler,
            clamp_sampler: self.clamp_sampler,
            grass_mean: self.means[0],
            rock_mean: self.means[1],
            ..Fixed::default()
        }
    }

    /// Bytes of the textures, as the allocator counts them.
    pub(crate) fn bytes(&self) -> u64 {
        self.images.iter().map(|image| image.bytes).sum()
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        for index in self.indices {
            device.unbind_image_array(index);
        }
        for image in self.images {
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
