//! In: a test that needs a device. Out: one that is checked while it is used, and a small compute shader.
//! Never knows: what is tested.
#![allow(dead_code, reason = "each file of tests uses a part")]

use terrane_gpu::{Buffer, BufferDesc, Device, DeviceRequest, MemoryKind, Validation, vk};

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

pub const COPY_WRITE: terrane_gpu::Access = (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE);
pub const COPY_READ: terrane_gpu::Access = (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_READ);

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
