//! In: bytes of the CPU. Out: the same in buffers and images of the device, through a ring that frames take turns in.
//! Never knows: what the bytes are.

use crate::{Buffer, BufferDesc, Cmd, Device, GpuError, Image, MemoryKind, image::color_layers};
use ash::vk::{self, Handle};
use std::collections::VecDeque;

/// The ring, if nobody sets another size: four frames of 8 MiB, more than are ever in flight.
pub const STAGING_BYTES: u64 = 32 << 20;
/// Copies start at multiples of this: the widest texel is 16 bytes.
const ALIGN: u64 = 16;

/// A ring buffer of upload memory. Positions count bytes since the start and never wrap; the place is the position modulo the size.
pub(crate) struct Staging {
    ring: Option<Buffer>,
    /// Size of the ring, or of the one that is made next.
    bytes: u64,
    head: u64,
    tail: u64,
    submitted: VecDeque<(u64, u64)>,
}

impl Default for Staging {
    fn default() -> Staging {
        Staging { ring: None, bytes: STAGING_BYTES, head: 0, tail: 0, submitted: VecDeque::new() }
    }
}

impl Staging {
    pub(crate) fn frame_submitted(&mut self, value: u64) {
        self.submitted.push_back((value, self.head));
    }

    pub(crate) fn reclaim(&mut self, finished: u64) {
        while let Some((value, head)) = self.submitted.front().copied()
            && value <= finished
        {
            self.tail = head;
            self.submitted.pop_front();
        }
    }

    /// Buffers that are the device's own.
    pub(crate) fn own_objects(&self) -> usize {
        usize::from(self.ring.is_some())
    }

    pub(crate) fn own_handles(&self) -> impl Iterator<Item = vk::Buffer> {
        self.ring.iter().map(|ring| ring.handle)
    }

    /// Room for so many bytes in one piece: its place in the ring. `None` while the ring is full.
    fn take(&mut self, bytes: u64) -> Option<u64> {
        let (head, place) = ring_place(self.head, bytes, self.bytes);
        if head + bytes - self.tail > self.bytes {
            return None;
        }
        self.head = head + bytes;
        Some(place)
    }
}

/// Where a piece starts: aligned, and not across the end of the ring. (Position, place.)
fn ring_place(head: u64, bytes: u64, size: u64) -> (u64, u64) {
    let start = head.next_multiple_of(ALIGN);
    let place = start % size;
    if place + bytes <= size { (start, place) } else { (start.next_multiple_of(size), 0) }
}

impl Device {
    /// Sets the size of the ring, between frames, and makes it; one of another size ends once the GPU is done with it.
    pub fn set_staging_bytes(&mut self, bytes: u64) -> Result<(), GpuError> {
        if bytes != self.staging.bytes {
            let before = std::mem::replace(&mut self.staging, Staging { bytes, ..Staging::default() });
            if let Some(ring) = before.ring {
                self.retire_buffer(ring);
            }
        }
        self.make_ring()
    }

    /// Bytes of the device's own memory that the ring has: none where it lies in the host's.
    pub fn staging_local_bytes(&self) -> u64 {
        self.staging.ring.as_ref().map_or(0, |ring| self.objects.local_bytes(vk::ObjectType::BUFFER, ring.handle.as_raw()))
    }

    /// Copies bytes into a buffer as part of this frame. False: the ring is full, try again in the next frame.
    /// The caller's barriers order the copy against its readers. More bytes than the ring holds are an error.
    pub fn upload(&mut self, cmd: &mut Cmd, target: &Buffer, offset: u64, bytes: &[u8]) -> Result<bool, GpuError> {
        self.upload_with(cmd, target, offset, bytes.len() as u64, |staged| staged.copy_from_slice(bytes))
    }

    /// The same for so many bytes that `write` writes where the device takes them from: each of them, in order, and it reads none.
    pub fn upload_with(&mut self, cmd: &mut Cmd, target: &Buffer, offset: u64, size: u64, write: impl FnOnce(&mut [u8])) -> Result<bool, GpuError> {
        target.check_range(offset, size);
        let Some(place) = self.stage(target.name, size, write)? else { return Ok(false) };
        if let Some(ring) = &self.staging.ring {
            cmd.copy_buffer(ring, target, &[vk::BufferCopy { src_offset: place, dst_offset: offset, size }]);
        }
        Ok(true)
    }

    /// The same for one mip of one layer of an image in TRANSFER_DST_OPTIMAL. `bytes` are all its texels, row after row.
    pub fn upload_image(&mut self, cmd: &mut Cmd, target: &Image, mip: u32, layer: u32, bytes: &[u8]) -> Result<bool, GpuError> {
        assert!(mip < target.mips && layer < target.layers, "'{}' has no mip {mip} of layer {layer}", target.name);
        let Some(place) = self.stage(target.name, bytes.len() as u64, |staged| staged.copy_from_slice(bytes))? else { return Ok(false) };
        let region =
            vk::BufferImageCopy::default().buffer_offset(place).image_subresource(color_layers(mip, layer)).image_extent(target.mip_extent(mip).into());
        if let Some(ring) = &self.staging.ring {
            cmd.copy_buffer_to_image(ring, target.handle, &[region]);
        }
        Ok(true)
    }

    pub(crate) fn end_staging(&mut self) {
        if let Some(ring) = self.staging.ring.take() {
            self.destroy_buffer(ring);
        }
    }

    fn make_ring(&mut self) -> Result<(), GpuError> {
        if self.staging.ring.is_none() {
            let bytes = self.staging.bytes;
            let desc = BufferDesc { name: "staging ring", bytes, usage: vk::BufferUsageFlags::TRANSFER_SRC, memory: MemoryKind::Upload };
            let mut ring = self.create_buffer(&desc)?;
            // Touched once here, at start-up: the first write to a page costs microseconds, and frames have 2,048 pages to fill.
            ring.slice_mut().fill(0);
            self.staging.ring = Some(ring);
        }
        Ok(())
    }

    /// Puts bytes into the ring, which is made at its first use: their place there, or `None` while it is full.
    fn stage(&mut self, name: &str, size: u64, write: impl FnOnce(&mut [u8])) -> Result<Option<u64>, GpuError> {
        let allowed = self.staging.bytes;
        if size > allowed {
            return Err(GpuError::Limit { name: name.to_owned(), limit: "bytes of the staging ring", wanted: size, allowed });
        }
        self.make_ring()?;
        let place = self.staging.take(size);
        if let (Some(place), Some(ring)) = (place, &mut self.staging.ring) {
            write(&mut ring.slice_mut()[place as usize..][..size as usize]);
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_never_crosses_the_end_of_the_ring() {
        assert_eq!(ring_place(0, 10, 64), (0, 0));
        assert_eq!(ring_place(10, 10, 64), (16, 16));
        assert_eq!(ring_place(50, 10, 64), (64, 0));
        assert_eq!(ring_place(48, 16, 64), (48, 48));
        assert_eq!(ring_place(65, 1, 64), (80, 16));
    }

    #[test]
    fn a_full_ring_waits_for_its_frames() {
        let mut staging = Staging::default();
        assert!(staging.take(STAGING_BYTES).is_some());
        assert_eq!(staging.take(16), None);
        staging.frame_submitted(1);
        staging.reclaim(0);
        assert_eq!(staging.take(16), None);
        staging.reclaim(1);
        assert_eq!(staging.take(16), Some(0));
    }
}
