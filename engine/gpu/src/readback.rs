//! In: a range of a buffer and the frame it belongs to. Out: its bytes, when that frame is done; nobody waits.
//! Never knows: what the bytes mean.

use crate::{
    Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind,
    staging::{COPY_WRITE, HOST_READ},
};
use ash::vk;

/// Readbacks on their way at a time: some for every frame in flight.
pub const READBACKS_MAX: usize = 64;

/// A readback that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadbackTicket {
    slot: usize,
    value: u64,
}

struct Slot {
    buffer: Buffer,
    /// The frame that fills it; 0 when it is free.
    value: u64,
    bytes: u64,
}

#[derive(Default)]
pub(crate) struct Readbacks {
    slots: Vec<Slot>,
}

impl Device {
    /// Copies a range for the CPU as part of this frame. `None`: too many are on their way, try again later.
    /// The caller's barriers make the range readable for copies.
    pub fn readback(&mut self, cmd: &mut Cmd, source: &Buffer, offset: u64, bytes: u64) -> Result<Option<ReadbackTicket>, GpuError> {
        let fits = |slot: &Slot| slot.value == 0 && slot.buffer.bytes >= bytes && slot.buffer.bytes < 4 * bytes.max(1);
        let slot = match self.readbacks.slots.iter().position(fits) {
            Some(slot) => slot,
            None if self.readbacks.slots.len() >= READBACKS_MAX => return Ok(None),
            None => {
                let desc = BufferDesc { name: "readback", bytes, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Readback };
                let buffer = self.create_buffer(&desc)?;
                self.readbacks.slots.push(Slot { buffer, value: 0, bytes: 0 });
                self.readbacks.slots.len() - 1
            }
        };
        let value = self.frames.next_value;
        let target = &mut self.readbacks.slots[slot];
        (target.value, target.bytes) = (value, bytes);
        cmd.copy_buffer_handles(source.handle, target.buffer.handle, &[vk::BufferCopy { src_offset: offset, dst_offset: 0, size: bytes }]);
        cmd.memory_barrier(COPY_WRITE, HOST_READ);
        Ok(Some(ReadbackTicket { slot, value }))
    }

    /// The bytes of a readback, once, or `None` while its frame is not done.
    pub fn poll_readback(&mut self, ticket: ReadbackTicket) -> Result<Option<Vec<u8>>, GpuError> {
        if self.finished_value()? < ticket.value {
            return Ok(None);
        }
        let slot = &mut self.readbacks.slots[ticket.slot];
        assert_eq!(slot.value, ticket.value, "a readback is taken once");
        slot.value = 0;
        Ok(Some(slot.buffer.slice()[..slot.bytes as usize].to_vec()))
    }

    pub(crate) fn end_readbacks(&mut self) {
        for slot in std::mem::take(&mut self.readbacks.slots) {
            self.destroy_buffer(slot.buffer);
        }
    }
}
