//! In: begin and submit. Out: frames that overlap by a fixed number, and objects that end when their frame has.
//! Never knows: what a frame draws.

use crate::{
    Buffer, Cmd, CmdCalls, Device, GpuError, Image, Pipeline,
    seam::Functions,
    swapchain::{Acquired, Presented, Swapchain},
    timers::{FrameZones, GpuTiming, create_queries},
};
use ash::vk;
use std::{collections::VecDeque, sync::Arc};

/// The phase around all others.
const FRAME_ZONE: &str = "frame";
/// Waits no longer than this for the GPU: a software driver may take seconds for a large picture, never a minute.
const WAIT_NS: u64 = 60_000_000_000;

/// A frame slot: its commands are reused once its last frame is finished. What is not yet made is null, which Vulkan destroys as nothing.
#[derive(Default)]
struct FrameSlot {
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    queries: vk::QueryPool,
    zones: FrameZones,
    acquired: vk::Semaphore,
    /// An image of a window was acquired: whatever is submitted next must wait for the semaphore, or it could not be used again.
    acquired_pending: bool,
    value: u64,
}

/// What waits for the GPU before it ends.
enum Retired {
    Buffer(Buffer),
    Image(Image),
    Pipeline(Pipeline),
    BufferIndex(u32),
    ImageIndex(u32),
    ImageArrayIndex(u32),
    StorageImageIndex(u32),
    DepthImageIndex(u32),
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
        let slots = (0..count).map(|_| FrameSlot::default()).collect();
        let mut frames = Frames { slots, current: 0, timeline: vk::Semaphore::null(), next_value: 1, retired: VecDeque::new(), timings: Vec::new() };
        frames.make(functions, queue_family, timestamps).inspect_err(|_| frames.destroy(&functions.device))?;
        Ok(frames)
    }

    fn make(&mut self, functions: &Functions, queue_family: u32, timestamps: bool) -> Result<(), GpuError> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device is alive; the info lives across the call.
        self.timeline = functions.call("vkCreateSemaphore", |device| unsafe { device.create_semaphore(&info, None) })?;
        self.slots.iter_mut().try_for_each(|slot| slot.make(functions, queue_family, timestamps))
    }

    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the device is idle.
        unsafe {
            for slot in self.slots.drain(..) {
                device.destroy_query_pool(slot.queries, None);
                device.destroy_command_pool(slot.pool, None);
                device.destroy_semaphore(slot.acquired, None);
            }
            device.destroy_semaphore(self.timeline, None);
        }
    }
}

impl FrameSlot {
    fn make(&mut self, functions: &Functions, queue_family: u32, timestamps: bool) -> Result<(), GpuError> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(queue_family).flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: here and below, the device is alive; infos live across their calls.
        self.pool = functions.call("vkCreateCommandPool", |device| unsafe { device.create_command_pool(&info, None) })?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: as above.
        self.buffer = functions.call("vkAllocateCommandBuffers", |device| unsafe { device.allocate_command_buffers(&info) })?[0];
        // SAFETY: as above.
        self.acquired = functions.call("vkCreateSemaphore", |device| unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) })?;
        if timestamps {
            self.queries = create_queries(functions)?;
        }
        Ok(())
    }
}

impl Device {
    /// Waits until the oldest frame in flight is done, ends what waited for it, and begins to record.
    pub fn begin_frame(&mut self) -> Result<Cmd, GpuError> {
        self.wait(self.frames.slots[self.frames.current].value)?;
        self.collect_finished()?;
        let functions = Arc::clone(&self.functions);
        self.collect_timings(self.frames.current);
        let slot = &mut self.frames.slots[self.frames.current];
        let (handle, zones) = (slot.buffer, FrameZones::new(slot.queries));
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the slot's last frame is done, so its pool is not in use.
        functions.call("vkResetCommandPool", |device| unsafe { device.reset_command_pool(slot.pool, vk::CommandPoolResetFlags::empty()) })?;
        // SAFETY: the buffer is of that pool, and so in its initial state.
        functions.call("vkBeginCommandBuffer", |device| unsafe { device.begin_command_buffer(handle, &info) })?;
        let mut cmd =
            Cmd { functions, handle, layout: self.bindless.pipeline_layout, set: self.bindless.set, zones, bound: [false; 2], calls: CmdCalls::default() };
        cmd.zone_begin(FRAME_ZONE);
        Ok(cmd)
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
        self.submit(cmd, &[])
    }

    /// The same for a frame that is shown. The swapchain's image, acquired in this frame, must be in PRESENT_SRC_KHR.
    pub fn submit_and_present(&mut self, cmd: Cmd, swapchain: &mut Swapchain, acquired: &Acquired) -> Result<Presented, GpuError> {
        let signal = swapchain.present_semaphore(acquired);
        self.submit(cmd, &[signal])?;
        swapchain.present(self, acquired)
    }

    pub(crate) fn acquire_semaphore(&self) -> vk::Semaphore {
        self.frames.slots[self.frames.current].acquired
    }

    pub(crate) fn acquire_pending(&mut self) {
        self.frames.slots[self.frames.current].acquired_pending = true;
    }

    /// Whether an image was acquired in a frame that was given up; waits on the GPU for its semaphore, which is then free again.
    pub(crate) fn give_up_acquired(&mut self) -> Result<bool, GpuError> {
        let slot = &self.frames.slots[self.frames.current];
        if !slot.acquired_pending {
            return Ok(false);
        }
        let waits = [vk::SemaphoreSubmitInfo::default().semaphore(slot.acquired).stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submit = [vk::SubmitInfo2::default().wait_semaphore_infos(&waits)];
        // SAFETY: the semaphore is signalled, or will be.
        self.call("vkQueueSubmit2", |device| unsafe { device.queue_submit2(self.queue, &submit, vk::Fence::null()) })?;
        self.frames.slots[self.frames.current].acquired_pending = false;
        Ok(true)
    }

    fn submit(&mut self, mut cmd: Cmd, signal: &[vk::Semaphore]) -> Result<u64, GpuError> {
        self.functions.set_last_zone(cmd.zones.last());
        while !cmd.zones.all_ended() {
            cmd.zone_end();
        }
        let value = self.frames.next_value;
        let info = |semaphore: &vk::Semaphore| vk::SemaphoreSubmitInfo::default().semaphore(*semaphore).stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS);
        let slot = &self.frames.slots[self.frames.current];
        let waits: Vec<_> = slot.acquired_pending.then(|| info(&slot.acquired)).into_iter().collect();
        let mut signals: Vec<_> = signal.iter().map(info).collect();
        signals.push(info(&self.frames.timeline).value(value));
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(cmd.handle)];
        let submit = [vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals).command_buffer_infos(&buffers)];
        // SAFETY: this frame's commands are complete.
        self.call("vkEndCommandBuffer", |device| unsafe { device.end_command_buffer(cmd.handle) })?;
        // SAFETY: the commands are recorded against live objects; what they use is retired by this value.
        self.call("vkQueueSubmit2", |device| unsafe { device.queue_submit2(self.queue, &submit, vk::Fence::null()) })?;
        let slot = &mut self.frames.slots[self.frames.current];
        (slot.zones, slot.value, slot.acquired_pending) = (cmd.zones, value, false);
        self.frames.current = (self.frames.current + 1) % self.frames.slots.len();
        self.frames.next_value += 1;
        self.staging.frame_submitted(value);
        Ok(value)
    }

    /// Waits until the timeline has reached a value. A minute without is a lost device, which is left as it is.
    pub fn wait(&mut self, value: u64) -> Result<(), GpuError> {
        let (semaphores, values) = ([self.frames.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore is alive.
        let waited = self.functions.raw_call("vkWaitSemaphores", |device| unsafe { device.wait_semaphores(&info, WAIT_NS) });
        waited.map_err(|result| match result {
            vk::Result::TIMEOUT => {
                self.functions.set_hung();
                self.functions.error("vkWaitSemaphores", vk::Result::ERROR_DEVICE_LOST)
            }
            result => self.functions.error("vkWaitSemaphores", result),
        })
    }

    /// Waits until the GPU has nothing to do, and ends everything that waited for it.
    pub fn wait_idle(&mut self) -> Result<(), GpuError> {
        if self.functions.is_hung() {
            return Err(self.functions.error("vkDeviceWaitIdle", vk::Result::ERROR_DEVICE_LOST));
        }
        // SAFETY: nobody else submits: the queue is this device's alone.
        self.call("vkDeviceWaitIdle", |device| unsafe { device.device_wait_idle() })?;
        // From the oldest frame to the newest; without this the last frames would miss in every table.
        let slots = self.frames.slots.len();
        (0..slots).for_each(|age| self.collect_timings((self.frames.current + age) % slots));
        self.collect_finished()
    }

    /// Takes in the times of a slot whose frame is done.
    fn collect_timings(&mut self, slot: usize) {
        let timings = self.frames.slots[slot].zones.collect(&self.functions.device, self.info.timestamp_period_ns);
        if !timings.is_empty() {
            self.gpu_stages.record(&timings);
            self.frames.timings = timings;
        }
    }

    /// The value that the GPU has reached.
    pub fn finished_value(&self) -> Result<u64, GpuError> {
        // SAFETY: the semaphore is alive.
        self.call("vkGetSemaphoreCounterValue", |device| unsafe { device.get_semaphore_counter_value(self.frames.timeline) })
    }

    /// Ends a buffer once the frame that is being recorded is done.
    pub fn retire_buffer(&mut self, buffer: Buffer) {
        self.retire(Retired::Buffer(buffer));
    }

    /// Ends an image once the frame that is being recorded is done.
    pub fn retire_image(&mut self, image: Image) {
        self.retire(Retired::Image(image));
    }

    /// Ends a pipeline once the frame that is being recorded is done.
    pub fn retire_pipeline(&mut self, pipeline: Pipeline) {
        self.retire(Retired::Pipeline(pipeline));
    }

    /// Frees the index of a buffer once the frame that is being recorded is done.
    pub fn retire_buffer_index(&mut self, index: u32) {
        self.retire(Retired::BufferIndex(index));
    }

    /// Frees the index of an image once the frame that is being recorded is done.
    pub fn retire_image_index(&mut self, index: u32) {
        self.retire(Retired::ImageIndex(index));
    }

    /// Frees the index of an image array once the frame that is being recorded is done.
    pub fn retire_image_array_index(&mut self, index: u32) {
        self.retire(Retired::ImageArrayIndex(index));
    }

    /// Frees the index of a storage image once the frame that is being recorded is done.
    pub fn retire_storage_image_index(&mut self, index: u32) {
        self.retire(Retired::StorageImageIndex(index));
    }

    /// Frees the index of a depth image once the frame that is being recorded is done.
    pub fn retire_depth_image_index(&mut self, index: u32) {
        self.retire(Retired::DepthImageIndex(index));
    }

    /// GPU milliseconds of the last frame that is known, a phase each, in the order in which they began; the whole frame is the first.
    pub fn gpu_timings(&self) -> &[GpuTiming] {
        &self.frames.timings
    }

    fn retire(&mut self, object: Retired) {
        self.frames.retired.push_back((self.frames.next_value, object));
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
            Some((_, Retired::Pipeline(pipeline))) => self.destroy_pipeline(pipeline),
            Some((_, Retired::BufferIndex(index))) => self.unbind_buffer(index),
            Some((_, Retired::ImageIndex(index))) => self.unbind_image(index),
            Some((_, Retired::ImageArrayIndex(index))) => self.unbind_image_array(index),
            Some((_, Retired::StorageImageIndex(index))) => self.unbind_storage_image(index),
            Some((_, Retired::DepthImageIndex(index))) => self.unbind_depth_image(index),
            None => {}
        }
    }
}
