//! In: descriptions of images. Out: images with their views and memory of their own name, counted until they are destroyed.
//! Never knows: what is in them.

use crate::{Device, GpuError, memory::Object};
use ash::vk;
use gpu_allocator::{MemoryLocation, vulkan::Allocation};

/// What an image is for.
#[derive(Clone, Copy, Debug)]
pub struct ImageDesc {
    /// Its name in tools, errors and the list of live objects.
    pub name: &'static str,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Levels of its mip chain.
    pub mips: u32,
    /// Layers.
    pub layers: u32,
    /// Samples a pixel.
    pub samples: u32,
    /// Format.
    pub format: vk::Format,
    /// How it is used.
    pub usage: vk::ImageUsageFlags,
    /// Whether shaders see a 2D array, also with one layer.
    pub array_view: bool,
}

/// An image with a view of all of it. Not `Drop`: it is destroyed or retired by name.
#[derive(Debug)]
#[must_use = "an image lives until it is destroyed or retired"]
pub struct Image {
    /// Vulkan's handle.
    pub handle: vk::Image,
    /// All mips and layers.
    pub view: vk::ImageView,
    /// A view of each mip where shaders write them (usage STORAGE); else empty.
    pub mip_views: Vec<vk::ImageView>,
    /// Format.
    pub format: vk::Format,
    /// Size of mip 0.
    pub extent: vk::Extent2D,
    /// Mips.
    pub mips: u32,
    /// Layers.
    pub layers: u32,
    /// Samples a pixel.
    pub samples: u32,
    /// Bytes that the allocator gave it.
    pub bytes: u64,
    /// Its name.
    pub name: &'static str,
}

impl Image {
    /// Size of a mip.
    pub fn mip_extent(&self, mip: u32) -> vk::Extent2D {
        let shrink = |edge: u32| edge.checked_shr(mip).unwrap_or(0).max(1);
        vk::Extent2D { width: shrink(self.extent.width), height: shrink(self.extent.height) }
    }
}

impl Device {
    /// Makes an image and its views. One that is larger than the device allows is refused by name.
    pub fn create_image(&mut self, desc: &ImageDesc) -> Result<Image, GpuError> {
        self.check_image(desc)?;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(desc.format)
            .extent(vk::Extent3D { width: desc.width.max(1), height: desc.height.max(1), depth: 1 })
            .mip_levels(desc.mips)
            .array_layers(desc.layers)
            .samples(vk::SampleCountFlags::from_raw(desc.samples))
            .usage(desc.usage);
        // SAFETY: the device is alive and the info is complete.
        let handle = self.call("vkCreateImage", |device| unsafe { device.create_image(&info, None) })?;
        match self.back_image(handle, desc) {
            Ok((image, allocation)) => {
                let views = image.mip_views.iter().copied().chain([image.view]).collect();
                self.objects.add_with(handle, Object { name: desc.name, allocation: Some(allocation), views, ..Object::default() });
                self.set_name(handle, desc.name);
                self.set_name(image.view, desc.name);
                Ok(image)
            }
            Err(error) => {
                // SAFETY: nothing uses the image yet; its views are ended.
                unsafe { self.raw().destroy_image(handle, None) };
                Err(error)
            }
        }
    }

    /// Ends an image now. The device must be done with it; else retire it.
    pub fn destroy_image(&mut self, image: Image) {
        // The caller says that the device is done with it, and the image is moved in; its views go with it.
        self.end_known(image.handle);
    }

    /// Whether images of a format, in the device's own layout, can be used so.
    pub fn supports_format(&self, format: vk::Format, features: vk::FormatFeatureFlags) -> bool {
        // SAFETY: the physical device is of the instance, which is alive.
        let properties = unsafe { self.root.instance.get_physical_device_format_properties(self.physical, format) };
        properties.optimal_tiling_features.contains(features)
    }

    fn check_image(&self, desc: &ImageDesc) -> Result<(), GpuError> {
        let limit = |limit, wanted: u32, allowed: u32| match wanted <= allowed {
            true => Ok(()),
            false => Err(GpuError::Limit { name: desc.name.to_owned(), limit, wanted: wanted.into(), allowed: allowed.into() }),
        };
        limit("maxImageDimension2D", desc.width.max(desc.height), self.info.image_edge_max)?;
        limit("maxImageArrayLayers", desc.layers, self.info.image_layers_max)?;
        // A mask of counts, of which Vulkan guarantees 1 and 4.
        match self.info.sample_counts & desc.samples {
            0 => limit("framebufferColorSampleCounts", desc.samples.max(2), 1),
            _ => Ok(()),
        }
    }

    fn back_image(&mut self, handle: vk::Image, desc: &ImageDesc) -> Result<(Image, Allocation), GpuError> {
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { self.raw().get_image_memory_requirements(handle) };
        let allocation = self.memory.allocate(&self.functions, desc.name, requirements, MemoryLocation::GpuOnly, false)?;
        let bound = self.call("vkBindImageMemory", |device| {
            // SAFETY: memory and image are new, sizes come from the requirements.
            unsafe { device.bind_image_memory(handle, allocation.memory(), allocation.offset()) }
        });
        match bound.and_then(|()| self.views(handle, desc)) {
            Ok((view, mip_views)) => {
                let image = Image {
                    handle,
                    view,
                    mip_views,
                    format: desc.format,
                    extent: vk::Extent2D { width: desc.width.max(1), height: desc.height.max(1) },
                    mips: desc.mips,
                    layers: desc.layers,
                    samples: desc.samples,
                    bytes: allocation.size(),
                    name: desc.name,
                };
                Ok((image, allocation))
            }
            Err(error) => {
                self.memory.free(allocation);
                Err(error)
            }
        }
    }

    /// The view of everything, and where shaders write to it, one of each mip.
    fn views(&self, handle: vk::Image, desc: &ImageDesc) -> Result<(vk::ImageView, Vec<vk::ImageView>), GpuError> {
        let mips = if desc.usage.contains(vk::ImageUsageFlags::STORAGE) { desc.mips } else { 0 };
        let ranges = std::iter::once(all_of(aspect(desc.format))).chain((0..mips).map(|mip| one_mip(aspect(desc.format), mip)));
        let mut views = Vec::new();
        for range in ranges {
            let info = vk::ImageViewCreateInfo::default()
                .image(handle)
                .view_type(if desc.array_view { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D })
                .format(desc.format)
                .subresource_range(range);
            // SAFETY: the image is bound to memory, and the range lies within it.
            match self.call("vkCreateImageView", |device| unsafe { device.create_image_view(&info, None) }) {
                Ok(view) => views.push(view),
                Err(error) => {
                    // SAFETY: nothing uses the views yet.
                    views.iter().for_each(|view| unsafe { self.raw().destroy_image_view(*view, None) });
                    return Err(error);
                }
            }
        }
        Ok((views.remove(0), views))
    }
}

/// What a format holds.
fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT | vk::Format::X8_D24_UNORM_PACK32 => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

pub(crate) fn all_of(aspect_mask: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

fn one_mip(aspect_mask: vk::ImageAspectFlags, base_mip_level: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange { base_mip_level, level_count: 1, ..all_of(aspect_mask) }
}

pub(crate) fn color_layers(mip_level: u32, base_array_layer: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, mip_level, base_array_layer, layer_count: 1 }
}
