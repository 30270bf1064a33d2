//! In: what the program needs. Out: an opened device with its queue, memory, bindless set and frames; and its orderly end.
//! Never knows: what is drawn.

use crate::{
    Bindless, DeviceInfo, Fault, GpuError, SamplerDesc, ShowIn, SurfaceScript,
    cache::PipelineCache,
    choose::choose,
    error::vulkan_error,
    features,
    frames::Frames,
    info::{clamp, describe},
    instance::{Root, has},
    memory::{LiveObjects, Memory},
    readback::Readbacks,
    seam::Functions,
    staging::Staging,
    timers::GpuStages,
};
use ash::{
    prelude::VkResult,
    vk::{self, Handle},
};
use std::{ffi::c_char, path::PathBuf, sync::Arc};

/// Set to anything but nothing or 0, it turns validation on if the request does not; `gpu` means [`Validation::GpuAssisted`].
pub const VALIDATION_VARIABLE: &str = "TERRANE_VALIDATION";

/// Whether Vulkan's use is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// No, unless [`VALIDATION_VARIABLE`] says so.
    #[default]
    Off,
    /// Core checks and synchronization; an error if the layer is missing.
    On,
    /// Core checks and, in every shader while it runs, the indices of descriptors and buffers. Very slow. An error if the layer is missing.
    /// Layers before 1.3.250 or so make shaders that software drivers never finish.
    GpuAssisted,
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
    /// Where to show pictures; nowhere without.
    pub window: Option<ShowIn>,
    /// How many frames the CPU may be ahead: 1 to 3; others are brought into that range.
    pub frames_in_flight: u32,
    /// Folder for the pipeline cache; none without.
    pub cache_dir: Option<PathBuf>,
    /// Uses the device as if it had no optional feature and only the limits that Vulkan guarantees.
    pub portable: bool,
    /// Names of [`CLAMPS`](crate::CLAMPS) without which the device is used, for tests; a portable one is used without any.
    pub without: &'a [&'static str],
    /// Memory of the device to use at most, bytes; most of what it offers without.
    pub memory_bytes_max: Option<u64>,
    /// Calls that are to fail, for tests; calls that open the device can too.
    pub faults: &'a [Fault],
}

impl Default for DeviceRequest<'_> {
    fn default() -> Self {
        DeviceRequest {
            app_name: "terrane",
            driver: None,
            validation: Validation::Off,
            window: None,
            frames_in_flight: 2,
            cache_dir: None,
            portable: false,
            without: &[],
            memory_bytes_max: None,
            faults: &[],
        }
    }
}

/// An opened device. Everything made from it is destroyed before [`Device::destroy`], which counts what was not.
/// One that is dropped instead leaks itself and all of that.
pub struct Device {
    pub(crate) functions: Arc<Functions>,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) queue: vk::Queue,
    pub(crate) queue_family: u32,
    pub(crate) info: DeviceInfo,
    pub(crate) objects: LiveObjects,
    pub(crate) memory: Memory,
    pub(crate) bindless: Bindless,
    pub(crate) cache: PipelineCache,
    pub(crate) frames: Frames,
    pub(crate) staging: Staging,
    pub(crate) readbacks: Readbacks,
    pub(crate) gpu_stages: GpuStages,
    pub(crate) sampler_indices: Vec<(SamplerDesc, u32)>,
    pub(crate) root: Root,
}

impl Device {
    /// Opens the device that the request means.
    ///
    /// Errors: no loader, no layer, no device (each one found is named with what it lacks), no device of that name.
    pub fn new(request: &DeviceRequest) -> Result<Device, GpuError> {
        let mut root = Root::new(request.app_name, request.window, asked(request.validation))?;
        match open(&root, request) {
            Ok(opened) => Device::assemble(root, request, opened),
            Err(error) => {
                root.end();
                Err(error)
            }
        }
    }

    fn assemble(mut root: Root, request: &DeviceRequest, opened: Opened) -> Result<Device, GpuError> {
        let Opened { functions, physical, queue, queue_family, info } = opened;
        match Parts::new(&root, request, &functions, physical, queue_family, &info) {
            Ok(Parts { memory, bindless, cache, frames }) => {
                tracing::info!("device: {} ({})", info.name, info.driver);
                let (objects, staging, readbacks, gpu_stages, sampler_indices) = Default::default();
                let mut device = Device {
                    functions,
                    physical,
                    queue,
                    queue_family,
                    info,
                    objects,
                    memory,
                    bindless,
                    cache,
                    frames,
                    staging,
                    readbacks,
                    gpu_stages,
                    sampler_indices,
                    root,
                };
                device.start_gpu_timeline();
                Ok(device)
            }
            Err(error) => {
                // SAFETY: the parts have ended themselves, and nothing else was made from the device.
                unsafe { functions.device.destroy_device(None) };
                root.end();
                Err(error)
            }
        }
    }

    /// What is known of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Buffers, images, pipelines and swapchains that the program made and has not yet ended. Retired ones count until their frame is done.
    pub fn live_objects(&self) -> usize {
        self.objects.count() - self.staging.own_objects() - self.readbacks.own_objects()
    }

    /// Messages of the validation layer so far.
    pub fn validation_messages(&self) -> u64 {
        self.root.messages.count()
    }

    /// The first of them.
    pub fn validation_texts(&self) -> Vec<String> {
        self.root.messages.texts()
    }

    /// Makes a call of Vulkan fail later, for tests of what then happens.
    pub fn plan_fault(&mut self, fault: Fault) {
        self.functions.plan(fault);
    }

    /// The planned failures that have not happened yet.
    pub fn planned_faults(&self) -> Vec<Fault> {
        self.functions.planned()
    }

    /// What the surface says from now on, for tests.
    pub fn script_surface(&mut self, script: SurfaceScript) {
        if let Some(surface) = &mut self.root.surface {
            surface.script = script;
        }
    }

    /// Ends it and returns the layer's last count of messages. What is still alive is ended with it and named in the error.
    pub fn destroy(mut self) -> Result<u64, GpuError> {
        // A device that cannot be waited for is lost, and a lost one is idle.
        let _ = self.wait_idle();
        self.end_all_retired();
        self.end_readbacks();
        self.end_staging();
        if self.functions.is_hung() {
            // Its objects may be in use for ever: all of it stays, until the process ends.
            let messages = self.root.messages.count();
            std::mem::forget(self);
            return Ok(messages);
        }
        let mut leaked = self.objects.names();
        leaked.extend(self.bindless.bound());
        // A leak of ours is none of the driver's.
        self.end_objects_since(0);
        self.cache.save(&self.functions.device);
        let device = &self.functions.device;
        self.cache.destroy(device);
        self.frames.destroy(device);
        self.bindless.destroy(device);
        self.memory.end();
        // SAFETY: the device is idle or lost; what was made from it and counted has ended, the rest is a bug that is reported.
        unsafe { device.destroy_device(None) };
        self.root.end();
        if leaked.is_empty() { Ok(self.root.messages.count()) } else { Err(GpuError::Leaked { names: leaked }) }
    }

    pub(crate) fn raw(&self) -> &ash::Device {
        &self.functions.device
    }

    pub(crate) fn call<T>(&self, name: &'static str, call: impl FnOnce(&ash::Device) -> VkResult<T>) -> Result<T, GpuError> {
        self.functions.call(name, call)
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

/// The devices of this machine, usable or not, in the order that `--driver` counts them.
pub fn list_devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let mut root = Root::new("terrane", None, Validation::Off)?;
    let infos = root.physical_devices().map(|all| all.iter().map(|physical| describe(&root, *physical)).collect());
    root.end();
    infos
}

/// What the request says, or else the variable.
fn asked(validation: Validation) -> Validation {
    match std::env::var(VALIDATION_VARIABLE).as_deref() {
        _ if validation != Validation::Off => validation,
        Err(_) | Ok("" | "0") => Validation::Off,
        Ok("gpu") => Validation::GpuAssisted,
        Ok(_) => Validation::On,
    }
}

struct Opened {
    functions: Arc<Functions>,
    physical: vk::PhysicalDevice,
    queue: vk::Queue,
    queue_family: u32,
    info: DeviceInfo,
}

fn open(root: &Root, request: &DeviceRequest) -> Result<Opened, GpuError> {
    let physicals = root.physical_devices()?;
    let infos: Vec<_> = physicals.iter().map(|physical| describe(root, *physical)).collect();
    let index = choose(&infos, request.driver)?;
    let info = clamp(infos[index].clone(), request.portable, request.without);
    let (physical, queue_family) = (physicals[index], info.queue_family.unwrap_or(0));
    let device = create_device(root, physical, queue_family, &info)?;
    // SAFETY: the family has at least the one queue that was asked for.
    let queue = unsafe { device.get_device_queue(queue_family, 0) };
    let debug = root.validates().then(|| ash::ext::debug_utils::Device::new(&root.instance, &device));
    Ok(Opened { functions: Arc::new(Functions::new(device, debug, request.faults)), physical, queue, queue_family, info })
}

fn create_device(root: &Root, physical: vk::PhysicalDevice, queue_family: u32, info: &DeviceInfo) -> Result<ash::Device, GpuError> {
    let mut wanted = features::enable(&info.optional);
    let mut all = vk::PhysicalDeviceFeatures2::default().features(wanted.core).push_next(&mut wanted.v11).push_next(&mut wanted.v12).push_next(&mut wanted.v13);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
    // SAFETY: the device is of this instance.
    let known = unsafe { root.instance.enumerate_device_extension_properties(physical) };
    let mut extensions: Vec<*const c_char> = Vec::new();
    extensions.extend(root.surface.is_some().then_some(ash::khr::swapchain::NAME.as_ptr()));
    extensions.extend(info.memory_budget.then_some(ash::ext::memory_budget::NAME.as_ptr()));
    // A device that has it must be opened with it.
    extensions.extend(has(&known, ash::khr::portability_subset::NAME).then_some(ash::khr::portability_subset::NAME.as_ptr()));
    let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions).push_next(&mut all);
    // SAFETY: only features are enabled that the device reports; everything that the info points to lives across the call.
    let device = unsafe { root.instance.create_device(physical, &create, None) };
    device.map_err(|result| vulkan_error("vkCreateDevice", "opening the device", result))
}

/// What is made from a device before it is of use. If one cannot be made, those before it end.
struct Parts {
    memory: Memory,
    bindless: Bindless,
    cache: PipelineCache,
    frames: Frames,
}

impl Parts {
    fn new(
        root: &Root,
        request: &DeviceRequest,
        functions: &Functions,
        physical: vk::PhysicalDevice,
        queue_family: u32,
        info: &DeviceInfo,
    ) -> Result<Parts, GpuError> {
        let device = &functions.device;
        let mut memory = Memory::new(&root.instance, device, physical, info, request.memory_bytes_max)?;
        let made = (|| {
            let mut bindless = Bindless::new(functions)?;
            let mut cache = PipelineCache::open(functions, request.cache_dir.as_deref(), &info.cache_key).inspect_err(|_| bindless.destroy(device))?;
            let count = request.frames_in_flight.clamp(1, 3);
            let frames = Frames::new(functions, queue_family, count, info.timestamp_period_ns > 0.0).inspect_err(|_| {
                cache.destroy(device);
                bindless.destroy(device);
            })?;
            Ok((bindless, cache, frames))
        })();
        match made {
            Ok((bindless, cache, frames)) => Ok(Parts { memory, bindless, cache, frames }),
            Err(error) => {
                memory.end();
                Err(error)
            }
        }
    }
}
