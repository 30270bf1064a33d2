//! In: what a device reports. Out: which of the baseline it lacks, by name, and which of the optional features it has.
//! Never knows: what the features are used for. docs/ARCHITECTURE.md lists the fallback of each optional one.

use ash::vk;

/// Optional features; each has a fallback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optional {
    /// The number of indirect draws comes from the GPU.
    pub draw_indirect_count: bool,
    /// Samplers that reduce to minimum or maximum.
    pub sampler_filter_minmax: bool,
    /// 64-bit integers in shaders.
    pub shader_int64: bool,
    /// gl_DrawID and gl_BaseInstance.
    pub shader_draw_parameters: bool,
    /// Anisotropic filtering.
    pub sampler_anisotropy: bool,
    /// Wireframe.
    pub fill_mode_non_solid: bool,
}

impl Optional {
    /// Names of those that are missing.
    pub fn missing(&self) -> Vec<&'static str> {
        [
            (self.draw_indirect_count, "drawIndirectCount"),
            (self.sampler_filter_minmax, "samplerFilterMinmax"),
            (self.shader_int64, "shaderInt64"),
            (self.shader_draw_parameters, "shaderDrawParameters"),
            (self.sampler_anisotropy, "samplerAnisotropy"),
            (self.fill_mode_non_solid, "fillModeNonSolid"),
        ]
        .into_iter()
        .filter(|(has, _)| !has)
        .map(|(_, name)| name)
        .collect()
    }
}

/// What a device reports of its features.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reported {
    pub core: vk::PhysicalDeviceFeatures,
    pub v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub v13: vk::PhysicalDeviceVulkan13Features<'static>,
}

macro_rules! baseline {
    ($( $part:ident . $field:ident = $name:literal ),* $(,)?) => {
        /// Names of the baseline's features that are missing.
        pub(crate) fn missing(reported: &Reported) -> Vec<String> {
            let mut names = Vec::new();
            $( if reported.$part.$field == vk::FALSE { names.push($name.to_owned()); } )*
            names
        }

        /// The features to enable: the baseline and those optional ones that are there.
        pub(crate) fn enable(optional: &Optional) -> Reported {
            let mut wanted = Reported::default();
            $( wanted.$part.$field = vk::TRUE; )*
            wanted.v12.draw_indirect_count = optional.draw_indirect_count.into();
            wanted.v12.sampler_filter_minmax = optional.sampler_filter_minmax.into();
            wanted.core.shader_int64 = optional.shader_int64.into();
            wanted.v11.shader_draw_parameters = optional.shader_draw_parameters.into();
            wanted.core.sampler_anisotropy = optional.sampler_anisotropy.into();
            wanted.core.fill_mode_non_solid = optional.fill_mode_non_solid.into();
            wanted
        }
    };
}

baseline! {
    core.multi_draw_indirect = "multiDrawIndirect",
    core.draw_indirect_first_instance = "drawIndirectFirstInstance",
    core.shader_sampled_image_array_dynamic_indexing = "shaderSampledImageArrayDynamicIndexing",
    core.shader_storage_buffer_array_dynamic_indexing = "shaderStorageBufferArrayDynamicIndexing",
    v12.descriptor_indexing = "descriptorIndexing",
    v12.runtime_descriptor_array = "runtimeDescriptorArray",
    v12.descriptor_binding_partially_bound = "descriptorBindingPartiallyBound",
    v12.descriptor_binding_update_unused_while_pending = "descriptorBindingUpdateUnusedWhilePending",
    v12.descriptor_binding_storage_buffer_update_after_bind = "descriptorBindingStorageBufferUpdateAfterBind",
    v12.descriptor_binding_sampled_image_update_after_bind = "descriptorBindingSampledImageUpdateAfterBind",
    v12.descriptor_binding_storage_image_update_after_bind = "descriptorBindingStorageImageUpdateAfterBind",
    v12.shader_sampled_image_array_non_uniform_indexing = "shaderSampledImageArrayNonUniformIndexing",
    v12.scalar_block_layout = "scalarBlockLayout",
    v12.timeline_semaphore = "timelineSemaphore",
    v12.host_query_reset = "hostQueryReset",
    v13.dynamic_rendering = "dynamicRendering",
    v13.shader_demote_to_helper_invocation = "shaderDemoteToHelperInvocation",
    v13.synchronization2 = "synchronization2",
}

/// Which of the optional features a device has.
pub(crate) fn optional(reported: &Reported) -> Optional {
    Optional {
        draw_indirect_count: reported.v12.draw_indirect_count == vk::TRUE,
        sampler_filter_minmax: reported.v12.sampler_filter_minmax == vk::TRUE,
        shader_int64: reported.core.shader_int64 == vk::TRUE,
        shader_draw_parameters: reported.v11.shader_draw_parameters == vk::TRUE,
        sampler_anisotropy: reported.core.sampler_anisotropy == vk::TRUE,
        fill_mode_non_solid: reported.core.fill_mode_non_solid == vk::TRUE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_feature_is_named() {
        let mut reported = enable(&Optional::default());
        assert!(missing(&reported).is_empty());
        reported.v12.timeline_semaphore = vk::FALSE;
        reported.core.multi_draw_indirect = vk::FALSE;
        assert_eq!(missing(&reported), ["multiDrawIndirect", "timelineSemaphore"]);
        assert_eq!(missing(&Reported::default()).len(), 18);
    }

    #[test]
    fn optional_features_are_only_enabled_where_they_are() {
        let has = Optional { shader_int64: true, ..Optional::default() };
        let wanted = enable(&has);
        assert_eq!((wanted.core.shader_int64, wanted.v12.draw_indirect_count), (vk::TRUE, vk::FALSE));
        assert_eq!(optional(&wanted), has);
        assert_eq!(has.missing().len(), 5);
    }
}
