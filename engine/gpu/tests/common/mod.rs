//! In: a test that needs a device. Out: one that is checked while it is used, and a small compute shader.
//! Never knows: what is tested.
#![allow(dead_code, reason = "each file of tests uses a part")]

use terrane_gpu::{
    Access, Acquire, Acquired, Buffer, BufferDesc, Cmd, ColorAttachment, Device, DeviceRequest, GpuError, Image, ImageBarrier, ImageDesc, LoadOp, MemoryKind,
    Presented, RenderingDesc, ShowIn, Swapchain, Validation, vk,
};

/// A device on which every message of the validation layer is a failure.
pub fn open() -> Device {
    open_with(&DeviceRequest::default())
}

pub fn open_with(request: &DeviceRequest) -> Device {
    Device::new(&DeviceRequest { validation: Validation::On, ..request.clone() }).expect("a Vulkan device and the validation layer")
}

/// Ends it: nothing may be alive, and the layer silent.
pub fn close(device: Device) {
    assert_eq!(device.live_objects(), 0, "objects are alive");
    let texts = device.validation_texts();
    assert_eq!(device.destroy().expect("the device ends in order"), 0, "the validation layer has something to say: {texts:#?}");
}

/// A buffer that can be used in every way.
pub fn buffer(device: &mut Device, name: &'static str, bytes: u64) -> Buffer {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
    device.create_buffer(&BufferDesc { name, bytes, usage, memory: MemoryKind::Device }).expect("a small buffer")
}

pub const COPY_WRITE: Access = (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE);
pub const COPY_READ: Access = (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_READ);

/// A small window.
pub const SIZE: (u32, u32) = (80, 60);

/// A device with a window that nobody sees.
pub fn open_window(frames_in_flight: u32) -> Device {
    open_with(&DeviceRequest { window: Some(ShowIn::Headless), frames_in_flight, ..DeviceRequest::default() })
}

/// A picture of light 0.5, as the renderer makes them: encoded bytes in a format that does not know it. An sRGB attachment has encoded them.
pub struct Grey {
    encoder: Image,
    pub picture: Image,
}

impl Grey {
    pub fn new(device: &mut Device) -> Grey {
        let mut image = |name, format, usage| {
            let (width, height) = SIZE;
            let usage = usage | vk::ImageUsageFlags::TRANSFER_SRC;
            device.create_image(&ImageDesc { name, width, height, mips: 1, layers: 1, samples: 1, format, usage, array_view: false }).expect("a small image")
        };
        Grey {
            encoder: image("encoder", vk::Format::R8G8B8A8_SRGB, vk::ImageUsageFlags::COLOR_ATTACHMENT),
            picture: image("picture", vk::Format::R8G8B8A8_UNORM, vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED),
        }
    }

    pub fn draw(&self, cmd: &mut Cmd) {
        let draw = (vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE);
        let (read, write) = (COPY_READ, COPY_WRITE);
        let (undefined, attachment) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        change(cmd, self.encoder.handle, (undefined, attachment), read, draw);
        let color = ColorAttachment { view: self.encoder.view, load: LoadOp::Clear([0.5, 0.5, 0.5, 1.0]), store: true, resolve: None };
        cmd.begin_rendering(&RenderingDesc { extent: SIZE, colors: &[color], depth: None });
        cmd.end_rendering();
        change(cmd, self.encoder.handle, (attachment, source), draw, read);
        change(cmd, self.picture.handle, (undefined, target), read, write);
        cmd.copy_image(&self.encoder, &self.picture);
        change(cmd, self.picture.handle, (target, source), write, read);
    }

    pub fn destroy(self, device: &mut Device) {
        device.destroy_image(self.encoder);
        device.destroy_image(self.picture);
    }
}

/// An image goes from one use to the next.
pub fn change(cmd: &mut Cmd, image: vk::Image, (old_layout, new_layout): (vk::ImageLayout, vk::ImageLayout), src: Access, dst: Access) {
    cmd.image_barriers(&[ImageBarrier { image, aspect: vk::ImageAspectFlags::COLOR, old_layout, new_layout, src, dst }]);
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    Shown,
    Recreate,
    NoPicture,
}

/// One frame as a game draws it, with something done to the acquired image after the picture is in it.
pub fn frame_with(device: &mut Device, swapchain: &mut Swapchain, grey: &Grey, more: impl FnOnce(&mut Cmd, &Acquired)) -> Result<Became, GpuError> {
    let mut cmd = device.begin_frame()?;
    grey.draw(&mut cmd);
    match swapchain.acquire(device)? {
        Acquire::Image(acquired) => {
            swapchain.show(device, &mut cmd, &grey.picture, &acquired)?;
            more(&mut cmd, &acquired);
            match device.submit_and_present(cmd, swapchain, &acquired)? {
                Presented::Shown => Ok(Became::Shown),
                Presented::OutOfDate => Ok(Became::Recreate),
            }
        }
        Acquire::OutOfDate => device.submit_frame(cmd).map(|_| Became::Recreate),
        Acquire::Busy | Acquire::Hidden => device.submit_frame(cmd).map(|_| Became::NoPicture),
    }
}

/// One frame as a game draws it.
pub fn frame(device: &mut Device, swapchain: &mut Swapchain, grey: &Grey) -> Result<Became, GpuError> {
    frame_with(device, swapchain, grey, |_, _| ())
}

/// Ends all of it: nothing may be alive, and the layer silent.
pub fn end(mut device: Device, swapchain: Swapchain, grey: Grey) {
    swapchain.destroy(&mut device);
    grey.destroy(&mut device);
    close(device);
}

/// `buffers[push.index].words[i] = i * push.factor` for 64 words a workgroup, assembled by hand: this room has no compiler.
pub fn multiply_spirv() -> Vec<u32> {
    multiply_spirv_of(64)
}

/// The same with workgroups of another width.
pub fn multiply_spirv_of(width: u32) -> Vec<u32> {
    const MAIN: [u32; 2] = [u32::from_le_bytes(*b"main"), 0];
    let mut words = vec![0x0723_0203, 0x0001_0500, 0, 31, 0];
    let mut op = |code: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | code);
        words.extend_from_slice(operands);
    };
    op(17, &[1]); // capability Shader
    op(17, &[30]); // StorageBufferArrayDynamicIndexing
    op(17, &[5302]); // RuntimeDescriptorArray
    op(14, &[0, 1]); // memory model Logical, GLSL450
    op(15, &[5, 1, MAIN[0], MAIN[1], 2, 12, 16]); // entry point GLCompute
    op(16, &[1, 17, width, 1, 1]); // LocalSize width 1 1
    op(71, &[2, 11, 28]); // %2 is GlobalInvocationId
    op(71, &[8, 6, 4]); // ArrayStride 4
    op(71, &[9, 2]); // Block
    op(72, &[9, 0, 35, 0]); // Offset 0
    op(71, &[12, 34, 0]); // set 0
    op(71, &[12, 33, 0]); // binding 0: storage buffers
    op(71, &[14, 2]); // Block
    op(72, &[14, 0, 35, 0]);
    op(72, &[14, 1, 35, 4]);
    op(19, &[3]); // void
    op(33, &[4, 3]); // void()
    op(21, &[5, 32, 0]); // uint
    op(23, &[6, 5, 3]); // uvec3
    op(32, &[7, 1, 6]); // pointer to it, Input
    op(29, &[8, 5]); // uint[]
    op(30, &[9, 8]); // struct { uint words[]; }
    op(29, &[10, 9]); // that, as many as there are
    op(32, &[11, 12, 10]); // pointer, StorageBuffer
    op(32, &[13, 12, 5]);
    op(30, &[14, 5, 5]); // struct { uint index, factor; }
    op(32, &[15, 9, 14]); // pointer, PushConstant
    op(32, &[17, 9, 5]);
    op(32, &[20, 1, 5]);
    op(43, &[5, 18, 0]); // 0
    op(43, &[5, 19, 1]); // 1
    op(59, &[7, 2, 1]); // the variables
    op(59, &[11, 12, 12]);
    op(59, &[15, 16, 9]);
    op(54, &[3, 1, 0, 4]); // main
    op(248, &[21]);
    op(65, &[20, 22, 2, 18]); // i = GlobalInvocationID.x
    op(61, &[5, 23, 22]);
    op(65, &[17, 24, 16, 18]); // push.index
    op(61, &[5, 25, 24]);
    op(65, &[17, 26, 16, 19]); // push.factor
    op(61, &[5, 27, 26]);
    op(132, &[5, 28, 23, 27]); // i * factor
    op(65, &[13, 29, 12, 25, 18, 23]); // buffers[index].words[i]
    op(62, &[29, 28]);
    op(253, &[]);
    op(56, &[]);
    words
}
