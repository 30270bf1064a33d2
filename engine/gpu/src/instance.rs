//! In: whether there is a window and whether Vulkan's use is checked. Out: the instance, with its surface and the layer's messages.
//! Never knows: devices.

use crate::{
    GpuError, ShowIn, Validation,
    error::Check,
    seam::Functions,
    surface::{self, Surface},
    validation::{Messages, messenger_info},
};
use ash::{prelude::VkResult, vk};
use std::{
    ffi::{CStr, CString, c_char},
    mem::ManuallyDrop,
    sync::Arc,
};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What a device hangs on. One that is dropped without `end` leaks and leaves nothing dangling.
pub(crate) struct Root {
    pub instance: ash::Instance,
    pub surface: Option<Surface>,
    pub messages: Arc<Messages>,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// The messenger's own reference to the messages.
    messenger_data: *const Messages,
    validation: Validation,
    /// Stays loaded for good: threads of drivers may outlive the instance.
    entry: ManuallyDrop<ash::Entry>,
}

// SAFETY: the pointer is a counted reference to `Messages`, which is Sync; it is only given back, by `end`.
unsafe impl Send for Root {}

impl Root {
    pub(crate) fn new(app_name: &str, target: Option<ShowIn>, validation: Validation) -> Result<Root, GpuError> {
        // SAFETY: the loader is the system's Vulkan library; loading it runs its initialisers, as for every Vulkan program.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| GpuError::NoLoader { reason: error.to_string() })?;
        let messages = Arc::new(Messages::default());
        let messenger_data = Arc::into_raw(Arc::clone(&messages));
        let instance = match create_instance(&entry, app_name, target, validation, &messages) {
            Ok(instance) => instance,
            Err(error) => {
                // SAFETY: the reference was made above, and there is no instance that could use it.
                unsafe { Arc::decrement_strong_count(messenger_data) };
                return Err(error);
            }
        };
        let mut root = Root { instance, surface: None, messages, messenger: None, messenger_data, validation, entry: ManuallyDrop::new(entry) };
        match root.attach(target) {
            Ok(()) => Ok(root),
            Err(error) => {
                root.end();
                Err(error)
            }
        }
    }

    /// Ends it; the device is gone.
    pub(crate) fn end(&mut self) {
        // SAFETY: nothing of the instance is left but these; messages last, since the instance's own end may write some.
        unsafe {
            if let Some(mut surface) = self.surface.take() {
                surface.end();
            }
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            self.instance.destroy_instance(None);
            Arc::decrement_strong_count(self.messenger_data);
        }
    }

    pub(crate) fn validates(&self) -> bool {
        self.messenger.is_some()
    }

    pub(crate) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, GpuError> {
        // SAFETY: the instance is alive.
        unsafe { self.instance.enumerate_physical_devices() }.check("vkEnumeratePhysicalDevices")
    }

    /// Makes a lost surface anew; its swapchain has ended.
    pub(crate) fn renew_surface(&mut self, functions: &Functions) -> Result<(), GpuError> {
        self.surface.as_mut().ok_or(GpuError::SurfaceLost)?.renew(functions, &self.entry, &self.instance)
    }

    fn attach(&mut self, target: Option<ShowIn>) -> Result<(), GpuError> {
        if self.validation != Validation::Off {
            let functions = ash::ext::debug_utils::Instance::new(&self.entry, &self.instance);
            // SAFETY: the messages are counted and live until `end`, which ends the messenger first.
            let messenger = unsafe { functions.create_debug_utils_messenger(&messenger_info(&self.messages), None) };
            self.messenger = Some((functions, messenger.check("vkCreateDebugUtilsMessengerEXT")?));
        }
        if let Some(target) = target {
            self.surface = Some(Surface::new(&self.entry, &self.instance, target)?);
        }
        Ok(())
    }
}

fn create_instance(entry: &ash::Entry, app_name: &str, target: Option<ShowIn>, validation: Validation, messages: &Messages) -> Result<ash::Instance, GpuError> {
    let name = CString::new(app_name).unwrap_or_default();
    let app = vk::ApplicationInfo::default().application_name(&name).engine_name(c"terrane").api_version(vk::API_VERSION_1_3);
    let (extensions, portable) = extensions(entry, target)?;
    let mut info = vk::InstanceCreateInfo::default().application_info(&app);
    if portable {
        info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
    }
    if validation == Validation::Off {
        return create(entry, &info.enabled_extension_names(&extensions));
    }
    let (layers, extensions, can_be_asked) = layer(entry, extensions)?;
    let enabled = checks(validation);
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(enabled);
    let mut messenger = messenger_info(messages);
    let mut info = info.enabled_extension_names(&extensions).enabled_layer_names(&layers).push_next(&mut messenger);
    if can_be_asked {
        info = info.push_next(&mut features);
    }
    create(entry, &info)
}

fn create(entry: &ash::Entry, info: &vk::InstanceCreateInfo) -> Result<ash::Instance, GpuError> {
    // SAFETY: everything that the info points to lives across the call; the messages that it names, longer than the instance.
    unsafe { entry.create_instance(info, None) }.map_err(|result| match result {
        // The loader's word for 'no driver is installed'.
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => GpuError::NoDevice { refused: Vec::new() },
        result => GpuError::Vulkan { call: "vkCreateInstance", result },
    })
}

/// What the window needs, and what shows devices that are Vulkan but for a few features (on macOS, all are).
fn extensions(entry: &ash::Entry, target: Option<ShowIn>) -> Result<(Vec<*const c_char>, bool), GpuError> {
    let mut names = surface::extensions(target)?;
    // SAFETY: the loader is loaded.
    let known = unsafe { entry.enumerate_instance_extension_properties(None) };
    let portable = has(&known, ash::khr::portability_enumeration::NAME);
    names.extend(portable.then_some(ash::khr::portability_enumeration::NAME.as_ptr()));
    Ok((names, portable))
}

/// What the layer is to check beyond its core. Not both at once: each makes the other many times slower.
fn checks(validation: Validation) -> &'static [vk::ValidationFeatureEnableEXT] {
    match validation {
        Validation::Off => &[],
        Validation::On => &[vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION],
        Validation::GpuAssisted => &[vk::ValidationFeatureEnableEXT::GPU_ASSISTED, vk::ValidationFeatureEnableEXT::GPU_ASSISTED_RESERVE_BINDING_SLOT],
    }
}

type Names = Vec<*const c_char>;

/// The layer, the extensions with its own, and whether it can be asked for more than its core.
fn layer(entry: &ash::Entry, mut extensions: Names) -> Result<(Names, Names, bool), GpuError> {
    // SAFETY: the loader is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.check("vkEnumerateInstanceLayerProperties")?;
    if !layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) {
        return Err(GpuError::NoLayer);
    }
    // SAFETY: as above; the layer was found.
    let own = unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) };
    let can_be_asked = has(&own, ash::ext::validation_features::NAME);
    if can_be_asked {
        extensions.push(ash::ext::validation_features::NAME.as_ptr());
    } else {
        tracing::warn!("this validation layer cannot be asked to check synchronization or shaders; it only does if its own settings say so");
    }
    extensions.push(ash::ext::debug_utils::NAME.as_ptr());
    Ok((vec![VALIDATION_LAYER.as_ptr()], extensions, can_be_asked))
}

/// Whether an extension is in a list; a list that cannot be had is empty.
pub(crate) fn has(list: &VkResult<Vec<vk::ExtensionProperties>>, name: &CStr) -> bool {
    list.iter().flatten().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}
