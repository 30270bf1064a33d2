//! In: begin and submit. Out: frames that overlap by a fixed number, and objects that end when their frame has.
//! Never knows: what a frame draws.

use crate::{
    Buffer, Cmd, Device, GpuError, Image,
    cmd::Functions,
    error::{Check, vulkan_error},
    swapchain::{Acquired, Presented, Swapchain},
    timers::{FrameZones, GpuTiming},
};
use ash::vk;
use std::{collections::VecDeque, sync::Arc};

/// Waits no longer than this for the GPU: a software driver may take seconds for a large picture, never a minute.
const WAIT_NS: u64 = 60_000_000_000;

/// A frame slot: its commands are reused once its last frame is finished.
struct FrameSlot {
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    zones: Option<FrameZones>,
    acquired: vk::Semaphore,
    value: u64,
}

/// What waits for the GPU before it ends.
pub(crate) enum Retired {
    Buffer(Buffer),
    Image(Image),
    ImageIndex(u32),
}

pub(crate) struct Frames {
    slots: Vec<FrameSlot>,
    current: usize,
    timeline: vk::Semaphore,
    /// Value that the frame being recorded, or the next one, signals.
    pub(crate) next_value: u64,
    retired: VecDeque<(u64, Retired)>,
    timings: Vec<GpuTiming>,
}

impl Frames {
    pub(crate) fn new(functions: &Functions, queue_family: u32, count: u32, timestamps: bool) -> Result<Frames, GpuError> {
        let device = &functions.device;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        // SAFETY: the device is alive; infos live across their calls.
        let timeline = unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None) }.check("vkCreateSemaphore")?;
        let slots = (0..count).map(|_| FrameSlot::new(device, queue_family, timestamps)).collect::<Result<_, _>>()?;
        Ok(Frames { slots, current: 0, timeline, next_value: 1, retired: VecDeque::new(), timings: Vec::new() })
    }

    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        for mut slot in self.slots.drain(..) {
            slot.zones.iter_mut().for_each(|zones| zones.destroy(device));
            // SAFETY: the device is idle.
            unsafe {
                device.destroy_command_pool(slot.pool, None);
                device.destroy_semaphore(slot.acquired, None);
            }
        }
        // SAFETY: the device is idle.
        unsafe { device.destroy_semaphore(self.timeline, None) };
    }
}

impl FrameSlot {
    fn new(device: &ash::Device, queue_family: u32, timestamps: bool) -> Result<FrameSlot, GpuError> {
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(queue_family).flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive; infos live across their calls.
        unsafe {
            let pool = device.create_command_pool(&pool_info, None).check("vkCreateCommandPool")?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let buffer = device.allocate_command_buffers(&info).check("vkAllocateCommandBuffers")?[0];
            let acquired = device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).check("vkCreateSemaphore")?;
            Ok(FrameSlot { pool, buffer, zones: Some(FrameZones::new(device, timestamps)?), acquired, value: 0 })
        }
    }
}

impl Device {
    /// Waits until the oldest frame in flight is done, ends what waited for it, and begins to record.
    pub fn begin_frame(&mut self) -> Result<Cmd, GpuError> {
        let slot_value = self.frames.slots[self.frames.current].value;
        self.wait(slot_value)?;
        self.collect_finished()?;
        let functions = Arc::clone(&self.functions);
        let period = self.info.timestamp_period_ns;
        let slot = &mut self.frames.slots[self.frames.current];
        let mut zones = slot.zones.take().unwrap_or_else(FrameZones::none);
        let timings = zones.collect(&functions.device, period);
        if !timings.is_empty() {
            self.gpu_stages.record(&timings);
            self.frames.timings = timings;
        }
        // SAFETY: the slot's last frame is done, so its pool is not in use.
        unsafe {
            functions.device.reset_command_pool(slot.pool, vk::CommandPoolResetFlags::empty()).check("vkResetCommandPool")?;
            let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            functions.device.begin_command_buffer(slot.buffer, &info).check("vkBeginCommandBuffer")?;
        }
        let handle = slot.buffer;
        Ok(Cmd { functions, handle, layout: self.bindless.pipeline_layout, set: self.bindless.set, zones, bound: [false; 2] })
    }

    /// Which of the frames in flight is being recorded: data that the CPU writes each frame exists once for each.
    pub fn frame_index(&self) -> usize {
        self.frames.current
    }

    /// How many frames may be in flight.
    pub fn frames_in_flight(&self) -> u32 {
        self.frames.slots.len() as u32
    }

    /// Ends the recording and submits it. The timeline has the returned value once it is done.
    pub fn submit_frame(&mut self, cmd: Cmd) -> Result<u64, GpuError> {
        self.submit(cmd, &[], &[])
    }

    /// The same for a frame that is shown. The swapchain's image must be in PRESENT_SRC_KHR.
    pub fn submit_and_present(&mut self, cmd: Cmd, swapchain: &mut Swapchain, acquired: &Acquired) -> Result<Presented, GpuError> {
        let wait = self.frames.slots[self.frames.current].acquired;
        let signal = swapchain.present_semaphore(acquired);
        self.submit(cmd, &[wait], &[signal])?;
        swapchain.present(self, acquired)
    }

    pub(crate) fn acquire_semaphore(&self) -> vk::Semaphore {
        self.frames.slots[self.frames.current].acquired
    }

    fn submit(&mut self, cmd: Cmd, wait: &[vk::Semaphore], signal: &[vk::Semaphore]) -> Result<u64, GpuError> {
        let value = self.frames.next_value;
        let last_zone = cmd.zones.last();
        let info = |semaphore: &vk::Semaphore| {
            vk::SemaphoreSubmitInfo::default().semaphore(*semaphore).stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        };
        let waits: Vec<_> = wait.iter().map(info).collect();
        let mut signals: Vec<_> = signal.iter().map(info).collect();
        signals.push(info(&self.frames.timeline).value(value));
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(cmd.handle)];
        let submit = [vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals).command_buffer_infos(&buffers)];
        // SAFETY: the commands are recorded against live objects; what they use is retired by this value.
        unsafe {
            self.raw().end_command_buffer(cmd.handle).check("vkEndCommandBuffer")?;
            self.raw().queue_submit2(self.queue, &submit, vk::Fence::null()).map_err(|result| vulkan_error("vkQueueSubmit2", last_zone, result))?;
        }
        let slot = &mut self.frames.slots[self.frames.current];
        slot.zones = Some(cmd.zones);
        slot.value = value;
        self.last_zone = last_zone;
        self.frames.current = (self.frames.current + 1) % self.frames.slots.len();
        self.frames.next_value += 1;
        self.staging.frame_submitted(value);
        Ok(value)
    }

    /// Waits until the timeline has reached a value.
    pub fn wait(&mut self, value: u64) -> Result<(), GpuError> {
        let (semaphores, values) = ([self.frames.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore is alive.
        unsafe { self.raw().wait_semaphores(&info, WAIT_NS) }.map_err(|result| match result {
            vk::Result::TIMEOUT => GpuError::DeviceLost { zone: self.last_zone.to_owned() },
            result => vulkan_error("vkWaitSemaphores", self.last_zone, result),
        })
    }

    /// Waits until the GPU has nothing to do, and ends everything that waited for it.
    pub fn wait_idle(&mut self) -> Result<(), GpuError> {
        // SAFETY: nobody else submits: the queue is this device's alone.
        unsafe { self.raw().device_wait_idle() }.map_err(|result| vulkan_error("vkDeviceWaitIdle", self.last_zone, result))?;
        self.collect_finished()
    }

    /// The value that the GPU has reached.
    pub fn finished_value(&self) -> Result<u64, GpuError> {
        // SAFETY: the semaphore is alive.
        unsafe { self.raw().get_semaphore_counter_value(self.frames.timeline) }
            .map_err(|result| vulkan_error("vkGetSemaphoreCounterValue", self.last_zone, result))
    }

    /// Ends a buffer once the frame that is being recorded is done.
    pub fn retire_buffer(&mut self, buffer: Buffer) {
        self.frames.retired.push_back((self.frames.next_value, Retired::Buffer(buffer)));
    }

    /// Ends an image once the frame that is being recorded is done.
    pub fn retire_image(&mut self, image: Image) {
        self.frames.retired.push_back((self.frames.next_value, Retired::Image(image)));
    }

    /// Frees the index of an image once the frame that is being recorded is done.
    pub fn retire_image_index(&mut self, index: u32) {
        self.frames.retired.push_back((self.frames.next_value, Retired::ImageIndex(index)));
    }

    /// GPU milliseconds of the last frame that is known, a phase each.
    pub fn gpu_timings(&self) -> &[GpuTiming] {
        &self.frames.timings
    }

    fn collect_finished(&mut self) -> Result<(), GpuError> {
        let finished = self.finished_value()?;
        self.staging.reclaim(finished);
        while self.frames.retired.front().is_some_and(|(value, _)| *value <= finished) {
            self.end_one_retired();
        }
        Ok(())
    }

    /// For the end of the device: it is idle, nothing waits any longer.
    pub(crate) fn end_all_retired(&mut self) {
        while !self.frames.retired.is_empty() {
            self.end_one_retired();
        }
    }

    fn end_one_retired(&mut self) {
        match self.frames.retired.pop_front() {
            Some((_, Retired::Buffer(buffer))) => self.destroy_buffer(buffer),
            Some((_, Retired::Image(image))) => self.destroy_image(image),
            Some((_, Retired::ImageIndex(index))) => self.unbind_image(index),
            None => {}
        }
    }
}
