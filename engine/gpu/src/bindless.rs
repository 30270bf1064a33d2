//! In: buffers, views, samplers. Out: indices at which every shader finds them, in the one descriptor set.
//! Never knows: what the shaders do with them.

use crate::{Buffer, Device, GpuError, seam::Functions};
use ash::vk;

/// Storage buffers: the scene's are about 20.
pub const BUFFERS_MAX: u32 = 128;
/// Sampled 2D images: targets and their pyramids.
pub const IMAGES_MAX: u32 = 128;
/// Sampled 2D arrays: materials.
pub const IMAGE_ARRAYS_MAX: u32 = 64;
/// Samplers.
pub const SAMPLERS_MAX: u32 = 16;
/// Storage images.
pub const STORAGE_IMAGES_MAX: u32 = 64;
/// Depth images, with one or several samples: they are attachments in one pass and read in the next, so no other pass may name their array.
pub const DEPTH_IMAGES_MAX: u32 = 8;
// Together 408 of the 1,024 descriptors that the design allows.

const KINDS: [(vk::DescriptorType, u32); 6] = [
    (vk::DescriptorType::STORAGE_BUFFER, BUFFERS_MAX),
    (vk::DescriptorType::SAMPLED_IMAGE, IMAGES_MAX),
    (vk::DescriptorType::SAMPLED_IMAGE, IMAGE_ARRAYS_MAX),
    (vk::DescriptorType::SAMPLER, SAMPLERS_MAX),
    (vk::DescriptorType::STORAGE_IMAGE, STORAGE_IMAGES_MAX),
    (vk::DescriptorType::SAMPLED_IMAGE, DEPTH_IMAGES_MAX),
];
const NAMES: [&str; 6] =
    ["bindless buffers", "bindless images", "bindless image arrays", "bindless samplers", "bindless storage images", "bindless depth images"];
const BUFFERS: usize = 0;
const IMAGES: usize = 1;
const IMAGE_ARRAYS: usize = 2;
const SAMPLERS: usize = 3;
const STORAGE_IMAGES: usize = 4;
const DEPTH_IMAGES: usize = 5;

/// Bytes of push constants: the least that every device offers.
pub const PUSH_BYTES: u32 = 128;

/// How a texture is read between its texels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerDesc {
    /// Its name.
    pub name: &'static str,
    /// Nearest or linear, between mips too.
    pub filter: vk::Filter,
    /// Beyond the edge.
    pub address: vk::SamplerAddressMode,
    /// 1 is none; used where the device offers it.
    pub anisotropy: f32,
}

pub(crate) struct Bindless {
    pub layout: vk::DescriptorSetLayout,
    pub pipeline_layout: vk::PipelineLayout,
    pub set: vk::DescriptorSet,
    pool: vk::DescriptorPool,
    free: [Vec<u32>; 6],
    samplers: Vec<vk::Sampler>,
}

/// Limits of the one set that a device does not reach, by name. Where the baseline's features are, nearly all reach 500,000.
pub(crate) fn missing_limits(has: &vk::PhysicalDeviceDescriptorIndexingProperties) -> Vec<String> {
    let images = IMAGES_MAX + IMAGE_ARRAYS_MAX + DEPTH_IMAGES_MAX;
    let all: u32 = KINDS.iter().map(|(_, count)| count).sum();
    [
        ("maxUpdateAfterBindDescriptorsInAllPools", all, has.max_update_after_bind_descriptors_in_all_pools),
        // A stage also counts its attachments: one colour.
        ("maxPerStageUpdateAfterBindResources", all + 1, has.max_per_stage_update_after_bind_resources),
        ("maxPerStageDescriptorUpdateAfterBindStorageBuffers", BUFFERS_MAX, has.max_per_stage_descriptor_update_after_bind_storage_buffers),
        ("maxPerStageDescriptorUpdateAfterBindSampledImages", images, has.max_per_stage_descriptor_update_after_bind_sampled_images),
        ("maxPerStageDescriptorUpdateAfterBindSamplers", SAMPLERS_MAX, has.max_per_stage_descriptor_update_after_bind_samplers),
        ("maxPerStageDescriptorUpdateAfterBindStorageImages", STORAGE_IMAGES_MAX, has.max_per_stage_descriptor_update_after_bind_storage_images),
        ("maxDescriptorSetUpdateAfterBindStorageBuffers", BUFFERS_MAX, has.max_descriptor_set_update_after_bind_storage_buffers),
        ("maxDescriptorSetUpdateAfterBindSampledImages", images, has.max_descriptor_set_update_after_bind_sampled_images),
        ("maxDescriptorSetUpdateAfterBindSamplers", SAMPLERS_MAX, has.max_descriptor_set_update_after_bind_samplers),
        ("maxDescriptorSetUpdateAfterBindStorageImages", STORAGE_IMAGES_MAX, has.max_descriptor_set_update_after_bind_storage_images),
    ]
    .into_iter()
    .filter(|(_, wanted, has)| wanted > has)
    .map(|(name, wanted, has)| format!("{name} of {wanted} (it has {has})"))
    .collect()
}

impl Bindless {
    pub(crate) fn new(functions: &Functions) -> Result<Bindless, GpuError> {
        let mut bindless = Bindless {
            layout: vk::DescriptorSetLayout::null(),
            pipeline_layout: vk::PipelineLayout::null(),
            set: vk::DescriptorSet::null(),
            pool: vk::DescriptorPool::null(),
            free: KINDS.map(|(_, count)| (0..count).rev().collect()),
            samplers: Vec::new(),
        };
        // What is not yet made is null, which Vulkan destroys as nothing.
        bindless.make(functions).inspect_err(|_| bindless.destroy(&functions.device))?;
        Ok(bindless)
    }

    fn make(&mut self, functions: &Functions) -> Result<(), GpuError> {
        self.layout = set_layout(functions)?;
        let sizes = KINDS.map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes).flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND);
        // SAFETY: here and below, the device is alive; all infos live across their calls.
        self.pool = functions.call("vkCreateDescriptorPool", |device| unsafe { device.create_descriptor_pool(&info, None) })?;
        let layouts = [self.layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        // SAFETY: as above.
        self.set = functions.call("vkAllocateDescriptorSets", |device| unsafe { device.allocate_descriptor_sets(&info) })?[0];
        let ranges = [vk::PushConstantRange { stage_flags: crate::cmd::PUSH_STAGES, offset: 0, size: PUSH_BYTES }];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: as above.
        self.pipeline_layout = functions.call("vkCreatePipelineLayout", |device| unsafe { device.create_pipeline_layout(&info, None) })?;
        Ok(())
    }

    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the device is idle and about to be destroyed.
        unsafe {
            self.samplers.drain(..).for_each(|sampler| device.destroy_sampler(sampler, None));
            device.destroy_pipeline_layout(self.pipeline_layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_descriptor_set_layout(self.layout, None);
        }
    }

    /// Indices that are bound now, samplers aside: they live as long as the device.
    pub(crate) fn bound(&self) -> Vec<String> {
        let bound = |kind: usize| KINDS[kind].1 as usize - self.free[kind].len();
        [BUFFERS, IMAGES, IMAGE_ARRAYS, STORAGE_IMAGES, DEPTH_IMAGES]
            .into_iter()
            .filter(|kind| bound(*kind) > 0)
            .map(|kind| format!("{} of the {}", bound(kind), NAMES[kind]))
            .collect()
    }

    pub(crate) fn free_indices(&self) -> [Vec<u32>; 6] {
        self.free.clone()
    }

    /// Frees the indices that were free at an earlier time; samplers stay.
    pub(crate) fn free_since(&mut self, before: &[Vec<u32>; 6]) {
        for kind in [BUFFERS, IMAGES, IMAGE_ARRAYS, STORAGE_IMAGES] {
            let taken: Vec<u32> = before[kind].iter().copied().filter(|index| !self.free[kind].contains(index)).collect();
            self.free[kind].extend(taken);
        }
    }

    fn give(&mut self, kind: usize, index: u32) {
        debug_assert!(!self.free[kind].contains(&index), "an index is freed twice: {index} of the {}", NAMES[kind]);
        self.free[kind].push(index);
    }

    fn take(&mut self, kind: usize) -> Result<u32, GpuError> {
        let allowed = u64::from(KINDS[kind].1);
        self.free[kind].pop().ok_or(GpuError::Limit { name: NAMES[kind].to_owned(), limit: "descriptors of the one set", wanted: allowed + 1, allowed })
    }
}

fn set_layout(functions: &Functions) -> Result<vk::DescriptorSetLayout, GpuError> {
    let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::COMPUTE;
    let bindings: Vec<_> = (0..)
        .zip(KINDS)
        .map(|(binding, (kind, count))| {
            vk::DescriptorSetLayoutBinding::default().binding(binding).descriptor_type(kind).descriptor_count(count).stage_flags(stages)
        })
        .collect();
    // Indices are written while frames are in flight that do not use them.
    let flags =
        vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
    let flags = [flags; KINDS.len()];
    let mut flag_info = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
        .push_next(&mut flag_info);
    // SAFETY: the device is alive; all infos live across the call.
    functions.call("vkCreateDescriptorSetLayout", |device| unsafe { device.create_descriptor_set_layout(&info, None) })
}

impl Device {
    /// Makes a whole storage buffer visible to shaders.
    pub fn bind_buffer(&mut self, buffer: &Buffer) -> Result<u32, GpuError> {
        let index = self.bindless.take(BUFFERS)?;
        let infos = [vk::DescriptorBufferInfo { buffer: buffer.handle, offset: 0, range: vk::WHOLE_SIZE }];
        self.write_descriptor(BUFFERS, index, |write| write.buffer_info(&infos));
        Ok(index)
    }

    /// Makes a 2D view visible to shaders, in SHADER_READ_ONLY_OPTIMAL.
    pub fn bind_image(&mut self, view: vk::ImageView) -> Result<u32, GpuError> {
        self.bind_view(IMAGES, view, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// Makes a 2D array view visible to shaders, in SHADER_READ_ONLY_OPTIMAL.
    pub fn bind_image_array(&mut self, view: vk::ImageView) -> Result<u32, GpuError> {
        self.bind_view(IMAGE_ARRAYS, view, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// Makes the view of a depth image visible to shaders, in SHADER_READ_ONLY_OPTIMAL.
    pub fn bind_depth_image(&mut self, view: vk::ImageView) -> Result<u32, GpuError> {
        self.bind_view(DEPTH_IMAGES, view, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// Makes a 2D view writable by compute shaders, in GENERAL.
    pub fn bind_storage_image(&mut self, view: vk::ImageView) -> Result<u32, GpuError> {
        self.bind_view(STORAGE_IMAGES, view, vk::ImageLayout::GENERAL)
    }

    /// Makes a sampler; it lives as long as the device. One that is there already is used again: worlds are made anew many times.
    pub fn bind_sampler(&mut self, desc: &SamplerDesc) -> Result<u32, GpuError> {
        if let Some((_, index)) = self.sampler_indices.iter().find(|(known, _)| known == desc) {
            return Ok(*index);
        }
        let index = self.bindless.take(SAMPLERS)?;
        let anisotropic = desc.anisotropy > 1.0 && self.info.optional.sampler_anisotropy;
        let mip = if desc.filter == vk::Filter::LINEAR { vk::SamplerMipmapMode::LINEAR } else { vk::SamplerMipmapMode::NEAREST };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(desc.filter)
            .min_filter(desc.filter)
            .mipmap_mode(mip)
            .address_mode_u(desc.address)
            .address_mode_v(desc.address)
            .address_mode_w(desc.address)
            .anisotropy_enable(anisotropic)
            .max_anisotropy(if anisotropic { desc.anisotropy.min(self.info.anisotropy_max) } else { 1.0 })
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is alive and the info is complete.
        let made = self.call("vkCreateSampler", |device| unsafe { device.create_sampler(&info, None) });
        let sampler = made.inspect_err(|_| self.bindless.give(SAMPLERS, index))?;
        self.bindless.samplers.push(sampler);
        self.sampler_indices.push((*desc, index));
        self.set_name(sampler, desc.name);
        let infos = [vk::DescriptorImageInfo { sampler, ..Default::default() }];
        self.write_descriptor(SAMPLERS, index, |write| write.image_info(&infos));
        Ok(index)
    }

    /// Frees the index of a buffer. No frame in flight may still use it.
    pub fn unbind_buffer(&mut self, index: u32) {
        self.bindless.give(BUFFERS, index);
    }

    /// Frees the index of an image. No frame in flight may still use it.
    pub fn unbind_image(&mut self, index: u32) {
        self.bindless.give(IMAGES, index);
    }

    /// Frees the index of an image array. No frame in flight may still use it.
    pub fn unbind_image_array(&mut self, index: u32) {
        self.bindless.give(IMAGE_ARRAYS, index);
    }

    /// Frees the index of a depth image. No frame in flight may still use it.
    pub fn unbind_depth_image(&mut self, index: u32) {
        self.bindless.give(DEPTH_IMAGES, index);
    }

    /// Frees the index of a storage image. No frame in flight may still use it.
    pub fn unbind_storage_image(&mut self, index: u32) {
        self.bindless.give(STORAGE_IMAGES, index);
    }

    fn bind_view(&mut self, kind: usize, view: vk::ImageView, layout: vk::ImageLayout) -> Result<u32, GpuError> {
        let index = self.bindless.take(kind)?;
        let infos = [vk::DescriptorImageInfo { image_view: view, image_layout: layout, ..Default::default() }];
        self.write_descriptor(kind, index, |write| write.image_info(&infos));
        Ok(index)
    }

    fn write_descriptor<'a>(&self, kind: usize, index: u32, fill: impl FnOnce(vk::WriteDescriptorSet<'a>) -> vk::WriteDescriptorSet<'a>) {
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.bindless.set)
            .dst_binding(kind as u32)
            .dst_array_element(index)
            .descriptor_count(1)
            .descriptor_type(KINDS[kind].0);
        // SAFETY: the binding updates after bind, the index is free, and no pending frame reads an index that is free.
        unsafe { self.raw().update_descriptor_sets(&[fill(write)], &[]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_stays_within_what_the_design_allows() {
        assert!(KINDS.iter().map(|(_, count)| count).sum::<u32>() <= 1024);
    }

    #[test]
    fn a_limit_that_is_too_small_is_named_with_both_numbers() {
        let mut has = vk::PhysicalDeviceDescriptorIndexingProperties {
            max_update_after_bind_descriptors_in_all_pools: 500_000,
            max_per_stage_update_after_bind_resources: 500_000,
            max_per_stage_descriptor_update_after_bind_storage_buffers: 500_000,
            max_per_stage_descriptor_update_after_bind_sampled_images: 128,
            max_per_stage_descriptor_update_after_bind_samplers: 16,
            max_per_stage_descriptor_update_after_bind_storage_images: 500_000,
            max_descriptor_set_update_after_bind_storage_buffers: 500_000,
            max_descriptor_set_update_after_bind_sampled_images: 500_000,
            max_descriptor_set_update_after_bind_samplers: 500_000,
            max_descriptor_set_update_after_bind_storage_images: 500_000,
            ..Default::default()
        };
        assert_eq!(missing_limits(&has), ["maxPerStageDescriptorUpdateAfterBindSampledImages of 200 (it has 128)"]);
        has.max_per_stage_descriptor_update_after_bind_sampled_images = 200;
        assert!(missing_limits(&has).is_empty());
    }
}
