//! In: a range of a buffer and the frame it belongs to. Out: its bytes, when that frame is done; nobody waits.
//! Never knows: what the bytes mean.

use crate::{
    Buffer, BufferDesc, Cmd, Device, GpuError, MemoryKind,
    immediate::{COPY_WRITE, HOST_READ},
};
use ash::vk;

/// Readbacks on their way at a time: some for every frame in flight.
pub const READBACKS_MAX: usize = 64;
/// A single one: a chunk's samples are about 90 KiB, a depth pyramid 11 MiB.
pub const READBACK_BYTES_MAX: u64 = 32 << 20;

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

impl Readbacks {
    /// Buffers that are the device's own.
    pub(crate) fn own_objects(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn own_handles(&self) -> impl Iterator<Item = vk::Buffer> {
        self.slots.iter().map(|slot| slot.buffer.handle)
    }
}

impl Device {
    /// Copies a range for the CPU as part of this frame. `None`: too many are on their way, try again later.
    /// The caller's barriers make the range readable for copies.
    pub fn readback(&mut self, cmd: &mut Cmd, source: &Buffer, offset: u64, bytes: u64) -> Result<Option<ReadbackTicket>, GpuError> {
        if bytes > READBACK_BYTES_MAX {
            return Err(GpuError::Limit { name: source.name.to_owned(), limit: "bytes of a readback", wanted: bytes, allowed: READBACK_BYTES_MAX });
        }
        source.check_range(offset, bytes);
        let Some(slot) = self.readback_slot(bytes)? else { return Ok(None) };
        let value = self.frames.next_value;
        let target = &mut self.readbacks.slots[slot];
        (target.value, target.bytes) = (value, bytes);
        cmd.copy_buffer(source, &target.buffer, &[vk::BufferCopy { src_offset: offset, dst_offset: 0, size: bytes }]);
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

    /// A free slot that is large enough and not far too large, else a new one, else one in the place of a free one.
    fn readback_slot(&mut self, bytes: u64) -> Result<Option<usize>, GpuError> {
        let slots = &self.readbacks.slots;
        let fits = |slot: &Slot| slot.value == 0 && slot.buffer.bytes >= bytes && slot.buffer.bytes < 4 * bytes.max(64);
        if let Some(slot) = slots.iter().position(fits) {
            return Ok(Some(slot));
        }
        let free = slots.iter().position(|slot| slot.value == 0);
        if slots.len() >= READBACKS_MAX && free.is_none() {
            return Ok(None);
        }
        let desc = BufferDesc { name: "readback", bytes, usage: vk::BufferUsageFlags::TRANSFER_DST, memory: MemoryKind::Readback };
        let new = Slot { buffer: self.create_buffer(&desc)?, value: 0, bytes: 0 };
        match free.filter(|_| self.readbacks.slots.len() >= READBACKS_MAX) {
            Some(slot) => {
                // Its frame is done and its bytes are taken.
                let old = std::mem::replace(&mut self.readbacks.slots[slot], new);
                self.destroy_buffer(old.buffer);
                Ok(Some(slot))
            }
            None => {
                self.readbacks.slots.push(new);
                Ok(Some(self.readbacks.slots.len() - 1))
            }
        }
    }

    pub(crate) fn end_readbacks(&mut self) {
        for slot in std::mem::take(&mut self.readbacks.slots) {
            self.destroy_buffer(slot.buffer);
        }
    }
}
