//! In: what the program needs. Out: an opened device with its queue, memory, bindless set and frames; and its orderly end.
//! Never knows: what is drawn.

use crate::{
    Bindless, DeviceInfo, GpuError, Optional,
    choose::{choose, describe},
    cmd::Functions,
    error::Check,
    features,
    frames::Frames,
    memory::LiveObjects,
    pipeline,
    readback::Readbacks,
    staging::Staging,
    timers::GpuStages,
    validation::{Messages, messenger_info},
};
use ash::vk::{self, Handle};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};
use std::{ffi::CStr, path::PathBuf, sync::Arc};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Whether Vulkan's use is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// No.
    #[default]
    Off,
    /// Core checks and synchronization; an error if the layer is missing.
    On,
}

/// What the program needs of a device.
#[derive(Clone, Debug)]
pub struct DeviceRequest<'a> {
    /// Name for the driver.
    pub app_name: &'a str,
    /// A part of the device's or driver's name, or its number; the best one without.
    pub driver: Option<&'a str>,
    /// Whether Vulkan's use is checked.
    pub validation: Validation,
    /// The window to show pictures in.
    pub window: Option<(RawDisplayHandle, RawWindowHandle)>,
    /// How many frames the CPU may be ahead: 1 to 3.
    pub frames_in_flight: u32,
    /// Folder for the pipeline cache; none without.
    pub cache_dir: Option<PathBuf>,
}

impl Default for DeviceRequest<'_> {
    fn default() -> Self {
        DeviceRequest { app_name: "terrane", driver: None, validation: Validation::Off, window: None, frames_in_flight: 2, cache_dir: None }
    }
}

pub(crate) struct Surface {
    pub functions: ash::khr::surface::Instance,
    pub handle: vk::SurfaceKHR,
}

/// An opened device. Everything made from it is destroyed before [`Device::destroy`], which counts what was not.
pub struct Device {
    // Field order is not the order of the end: `destroy` is.
    pub(crate) functions: Arc<Functions>,
    pub(crate) instance: ash::Instance,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) queue: vk::Queue,
    pub(crate) queue_family: u32,
    pub(crate) surface: Option<Surface>,
    pub(crate) allocator: Option<Allocator>,
    pub(crate) info: DeviceInfo,
    pub(crate) objects: LiveObjects,
    pub(crate) bindless: Bindless,
    pub(crate) pipeline_cache: vk::PipelineCache,
    pub(crate) frames: Frames,
    pub(crate) staging: Staging,
    pub(crate) readbacks: Readbacks,
    pub(crate) gpu_stages: GpuStages,
    pub(crate) last_zone: &'static str,
    cache_path: Option<PathBuf>,
    debug: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    messages: Box<Messages>,
    _entry: ash::Entry,
}

impl Device {
    /// Opens the device that the request means.
    pub fn new(request: &DeviceRequest) -> Result<Device, GpuError> {
        let entry = load()?;
        let messages = Box::new(Messages::default());
        let instance = create_instance(&entry, request, &messages)?;
        match Device::open(&entry, &instance, request, messages) {
            Ok(device) => Ok(device),
            Err(error) => {
                // SAFETY: whatever was made from it has ended with the error, but for a surface or messenger, which end with it.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    fn open(entry: &ash::Entry, instance: &ash::Instance, request: &DeviceRequest, messages: Box<Messages>) -> Result<Device, GpuError> {
        // SAFETY: the instance is alive.
        let physicals = unsafe { instance.enumerate_physical_devices() }.check("vkEnumeratePhysicalDevices")?;
        let infos: Vec<_> = physicals.iter().map(|physical| describe(instance, *physical)).collect();
        let index = choose(&infos, request.driver)?;
        let (physical, info) = (physicals[index], infos[index].clone());
        let surface = request.window.map(|window| create_surface(entry, instance, window)).transpose()?;
        let queue_family = queue_family(instance, physical, surface.as_ref()).ok_or_else(|| no_queue(&info))?;
        let device = create_device(instance, physical, queue_family, &info.optional, surface.is_some())?;
        // SAFETY: the family has at least the one queue that was asked for.
        let queue = unsafe { device.get_device_queue(queue_family, 0) };
        let debug = (request.validation == Validation::On).then(|| create_messenger(entry, instance, &messages)).transpose()?;
        let functions = Arc::new(Functions { debug: debug.is_some().then(|| ash::ext::debug_utils::Device::new(instance, &device)), device });
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.clone(),
            device: functions.device.clone(),
            physical_device: physical,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: Default::default(),
        })
        .map_err(|_| GpuError::OutOfMemory { name: "the allocator".to_owned(), bytes: 0 })?;
        // SAFETY: the instance is alive.
        let properties = unsafe { instance.get_physical_device_properties(physical) };
        let cache_path = pipeline::cache_path(request.cache_dir.as_ref(), &properties);
        tracing::info!("device: {} ({})", info.name, info.driver);
        Ok(Device {
            bindless: Bindless::new(&functions.device)?,
            pipeline_cache: pipeline::open_cache(&functions.device, cache_path.as_ref())?,
            frames: Frames::new(&functions, queue_family, request.frames_in_flight.clamp(1, 3), info.timestamp_period_ns > 0.0)?,
            functions,
            instance: instance.clone(),
            physical,
            queue,
            queue_family,
            surface,
            allocator: Some(allocator),
            info,
            objects: LiveObjects::default(),
            staging: Staging::default(),
            readbacks: Readbacks::default(),
            gpu_stages: GpuStages::default(),
            last_zone: "start",
            cache_path,
            debug,
            messages,
            _entry: entry.clone(),
        })
    }

    /// What is known of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Buffers, images, pipelines and swapchains that are alive.
    pub fn live_objects(&self) -> usize {
        self.objects.count()
    }

    /// Messages of the validation layer so far.
    pub fn validation_messages(&self) -> u64 {
        self.messages.count()
    }

    /// The first of them.
    pub fn validation_texts(&self) -> Vec<String> {
        self.messages.texts()
    }

    /// Ends it. What is still alive then is named in the error; it is ended all the same. Also returns validation's last count.
    pub fn destroy(mut self) -> Result<u64, GpuError> {
        let idle = self.wait_idle();
        self.end_all_retired();
        self.end_readbacks();
        self.end_staging();
        let mut leaked = self.objects.names();
        leaked.extend(self.bindless.bound());
        pipeline::save_cache(&self.functions.device, self.pipeline_cache, self.cache_path.as_ref());
        let device = &self.functions.device;
        self.frames.destroy(device);
        self.bindless.destroy(device);
        drop(self.allocator.take());
        // SAFETY: the device is idle or lost; in the order children, device, surface, messenger, instance.
        unsafe {
            device.destroy_pipeline_cache(self.pipeline_cache, None);
            device.destroy_device(None);
            if let Some(surface) = &self.surface {
                surface.functions.destroy_surface(surface.handle, None);
            }
            if let Some((functions, messenger)) = &self.debug {
                functions.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
        idle?;
        if leaked.is_empty() { Ok(self.messages.count()) } else { Err(GpuError::Leaked { names: leaked }) }
    }

    pub(crate) fn raw(&self) -> &ash::Device {
        &self.functions.device
    }

    /// Names an object for debuggers and validation messages.
    pub(crate) fn set_name(&self, handle: impl Handle, name: &str) {
        if let Some(debug) = &self.functions.debug
            && let Ok(text) = std::ffi::CString::new(name)
        {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&text);
            // SAFETY: the object is alive. A name that cannot be set is no reason to stop.
            let _ = unsafe { debug.set_debug_utils_object_name(&info) };
        }
    }
}

/// The devices of this machine, usable or not.
pub fn list_devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let entry = load()?;
    let messages = Messages::default();
    let instance = create_instance(&entry, &DeviceRequest::default(), &messages)?;
    // SAFETY: the instance is alive, and ends here.
    unsafe {
        let physicals = instance.enumerate_physical_devices().check("vkEnumeratePhysicalDevices");
        let infos = physicals.map(|all| all.iter().map(|physical| describe(&instance, *physical)).collect());
        instance.destroy_instance(None);
        infos
    }
}

fn load() -> Result<ash::Entry, GpuError> {
    // SAFETY: the loader is the system's Vulkan library; loading it runs its initialisers, as for every Vulkan program.
    unsafe { ash::Entry::load() }.map_err(|error| GpuError::NoLoader { reason: error.to_string() })
}

fn create_instance(entry: &ash::Entry, request: &DeviceRequest, messages: &Messages) -> Result<ash::Instance, GpuError> {
    let name = std::ffi::CString::new(request.app_name).unwrap_or_default();
    let app = vk::ApplicationInfo::default().application_name(&name).engine_name(c"terrane").api_version(vk::API_VERSION_1_3);
    let mut extensions = Vec::new();
    if let Some((display, _)) = request.window {
        extensions.extend_from_slice(ash_window::enumerate_required_extensions(display).check("vkEnumerateInstanceExtensionProperties")?);
    }
    let mut layers = Vec::new();
    let validate = request.validation == Validation::On;
    if validate {
        // SAFETY: the loader is loaded.
        let known = unsafe { entry.enumerate_instance_layer_properties() }.check("vkEnumerateInstanceLayerProperties")?;
        if !known.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) {
            return Err(GpuError::NoLayer);
        }
        layers.push(VALIDATION_LAYER.as_ptr());
        extensions.push(ash::ext::debug_utils::NAME.as_ptr());
    }
    let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
    let mut messenger = messenger_info(messages);
    let mut info = vk::InstanceCreateInfo::default().application_info(&app).enabled_extension_names(&extensions).enabled_layer_names(&layers);
    if validate {
        info = info.push_next(&mut features).push_next(&mut messenger);
    }
    // SAFETY: everything that the info points to lives across the call.
    unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
        // The loader's word for 'no driver is installed'.
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => GpuError::NoDevice { refused: Vec::new() },
        result => GpuError::Vulkan { call: "vkCreateInstance", result },
    })
}

fn create_messenger(entry: &ash::Entry, instance: &ash::Instance, messages: &Messages) -> Result<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT), GpuError> {
    let functions = ash::ext::debug_utils::Instance::new(entry, instance);
    // SAFETY: the messages are boxed and live as long as the device, which ends the messenger.
    let messenger = unsafe { functions.create_debug_utils_messenger(&messenger_info(messages), None) }.check("vkCreateDebugUtilsMessengerEXT")?;
    Ok((functions, messenger))
}

fn create_surface(entry: &ash::Entry, instance: &ash::Instance, window: (RawDisplayHandle, RawWindowHandle)) -> Result<Surface, GpuError> {
    // SAFETY: the handles are those of a window that outlives the device: the game drops it last.
    let handle = unsafe { ash_window::create_surface(entry, instance, window.0, window.1, None) }.check("vkCreateSurfaceKHR")?;
    Ok(Surface { functions: ash::khr::surface::Instance::new(entry, instance), handle })
}

/// The first family that draws, computes and, with a window, presents: one queue does everything.
fn queue_family(instance: &ash::Instance, physical: vk::PhysicalDevice, surface: Option<&Surface>) -> Option<u32> {
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the instance is alive.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    (0..).zip(&families).find_map(|(index, family)| {
        let presents = surface.is_none_or(|surface| {
            // SAFETY: device and surface are of this instance.
            unsafe { surface.functions.get_physical_device_surface_support(physical, index, surface.handle) }.unwrap_or(false)
        });
        (family.queue_flags.contains(wanted) && presents).then_some(index)
    })
}

fn no_queue(info: &DeviceInfo) -> GpuError {
    let missing = vec!["a queue that draws, computes and presents to this window".to_owned()];
    GpuError::NoDevice { refused: vec![crate::Refused { device: info.name.clone(), missing }] }
}

fn create_device(instance: &ash::Instance, physical: vk::PhysicalDevice, queue_family: u32, optional: &Optional, window: bool) -> Result<ash::Device, GpuError> {
    let mut wanted = features::enable(optional);
    let mut all = vk::PhysicalDeviceFeatures2::default()
        .features(wanted.core)
        .push_next(&mut wanted.v11)
        .push_next(&mut wanted.v12)
        .push_next(&mut wanted.v13);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
    let extensions: &[*const std::ffi::c_char] = if window { &[ash::khr::swapchain::NAME.as_ptr()] } else { &[] };
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(extensions).push_next(&mut all);
    // SAFETY: only features are enabled that the device reports; everything that the info points to lives across the call.
    unsafe { instance.create_device(physical, &info, None) }.check("vkCreateDevice")
}
