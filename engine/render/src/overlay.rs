//! In: triangles and textures as egui made them. Out: the same over the finished picture. (Phase: overlay.)
//! Never knows: what they show. The only file here that names egui.
//!
//! Colours are blended as they are encoded: that is what egui asks for, and what the output holds. While the overlay is closed there is no
//! picture of it, so nothing is sent, bound or drawn; its buffers and textures are made when it first opens.

use crate::{ShaderSource, targets::OUTPUT_FORMAT};
use egui::{ClippedPrimitive, ColorImage, ImageData, TextureId, TexturesDelta, epaint::Primitive};
use std::fmt;
use terrane_gpu::{
    Blend, Buffer, BufferDesc, Cmd, Device, GpuError, GraphicsDesc, Image, ImageBarrier, ImageDesc, MemoryKind, Pipeline, PipelineDesc, SamplerDesc, vk,
};
use terrane_shaders::shared_overlay::{OVERLAY_VERTEX_WORDS, OverlayPush, OverlayVertex};

/// Words of vertices and indices of a frame at most: 8 MiB, twenty times what all panels take. What does not fit is not drawn.
const WORDS_MAX: usize = 2 << 20;
/// The first buffer: what two panels of text take, 256 KiB.
const WORDS_MIN: usize = 1 << 16;

/// What is drawn over one picture.
#[derive(Default)]
pub struct OverlayPicture {
    /// Triangles, each list with the part of the picture that it may touch.
    pub primitives: Vec<ClippedPrimitive>,
    /// The textures that they name.
    pub textures: OverlayTextures,
    /// Pixels of a point.
    pub pixels_per_point: f32,
}

/// The textures of an overlay as the CPU has them. A renderer that is made anew, on another device perhaps, finds all of them here.
#[derive(Default)]
pub struct OverlayTextures {
    list: Vec<CpuTexture>,
    changes: u64,
}

impl fmt::Debug for OverlayPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (primitives, textures) = (self.primitives.len(), self.textures.list.len());
        f.debug_struct("OverlayPicture").field("primitives", &primitives).field("textures", &textures).finish_non_exhaustive()
    }
}

struct CpuTexture {
    id: TextureId,
    image: ColorImage,
    /// The number of its last change: greater than that of any change before.
    version: u64,
}

impl OverlayTextures {
    /// Takes in what egui says has changed.
    pub fn apply(&mut self, mut delta: TexturesDelta) {
        for (id, changes) in delta.set.drain() {
            for change in changes {
                let ImageData::Color(image) = change.image;
                self.change(id, change.pos, &image);
            }
        }
        self.list.retain(|texture| !delta.free.contains(&texture.id));
        delta.clear();
    }

    fn change(&mut self, id: TextureId, at: Option<[usize; 2]>, image: &ColorImage) {
        self.changes += 1;
        let version = self.changes;
        let known = self.list.iter_mut().find(|texture| texture.id == id);
        match (known, at) {
            (Some(texture), Some(at)) => {
                paste(&mut texture.image, at, image);
                texture.version = version;
            }
            (Some(texture), None) => (texture.image, texture.version) = (image.clone(), version),
            (None, _) => self.list.push(CpuTexture { id, image: image.clone(), version }),
        }
    }
}

/// A part of an image is another one.
fn paste(target: &mut ColorImage, [x, y]: [usize; 2], part: &ColorImage) {
    let [width, height] = part.size;
    if x + width > target.size[0] || y + height > target.size[1] {
        return;
    }
    for row in 0..height {
        let start = (y + row) * target.size[0] + x;
        target.pixels[start..start + width].copy_from_slice(&part.pixels[row * width..(row + 1) * width]);
    }
}

/// The pipeline.
pub(crate) struct OverlayPass {
    pipeline: Pipeline,
    sampler: u32,
}

impl OverlayPass {
    pub(crate) fn new(device: &mut Device, shaders: ShaderSource) -> Result<OverlayPass, GpuError> {
        let desc = PipelineDesc::Graphics(GraphicsDesc {
            name: "overlay",
            vertex: shaders("overlay.vert")?,
            fragment: Some(shaders("overlay.frag")?),
            color_formats: &[OUTPUT_FORMAT],
            blend: Blend::Alpha,
            ..GraphicsDesc::default()
        });
        let address = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let sampler = device.bind_sampler(&SamplerDesc { name: "overlay", filter: vk::Filter::LINEAR, address, anisotropy: 1.0 })?;
        Ok(OverlayPass { pipeline: device.create_pipelines(&[desc])?.remove(0), sampler })
    }

    /// Draws into the output, which is open.
    pub(crate) fn record(&self, cmd: &mut Cmd, store: &OverlayStore) {
        let Some(drawn) = store.draws.first() else { return };
        cmd.zone_begin("overlay");
        cmd.bind_pipeline(&self.pipeline);
        let mut push = OverlayPush { texels: self.sampler, texture: drawn.image, ..store.push };
        cmd.push(push.as_bytes());
        for draw in &store.draws {
            if draw.image != push.texture {
                push.texture = draw.image;
                cmd.push(push.as_bytes());
            }
            cmd.set_scissor(draw.area);
            cmd.draw(draw.count, 1, draw.first, 0);
        }
        cmd.zone_end();
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.pipeline);
    }
}

/// What the overlay has on the GPU: nothing until it first opens.
pub(crate) struct OverlayStore {
    /// One for each frame in flight.
    buffers: Vec<Option<(Buffer, u32)>>,
    textures: Vec<GpuTexture>,
    /// This frame's.
    draws: Vec<Draw>,
    push: OverlayPush,
    sent_bytes: u64,
}

struct GpuTexture {
    id: TextureId,
    version: u64,
    image: Image,
    index: u32,
}

struct Draw {
    /// x, y, width, height in pixels.
    area: [u32; 4],
    first: u32,
    count: u32,
    image: u32,
}

impl OverlayStore {
    pub(crate) fn new(frames_in_flight: u32) -> OverlayStore {
        let buffers = (0..frames_in_flight).map(|_| None).collect();
        OverlayStore { buffers, textures: Vec::new(), draws: Vec::new(), push: OverlayPush::default(), sent_bytes: 0 }
    }

    pub(crate) fn draw_count(&self) -> u32 {
        self.draws.len() as u32
    }

    pub(crate) fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Sends what has changed; outside a pass, because textures are copied.
    pub(crate) fn prepare(&mut self, device: &mut Device, cmd: &mut Cmd, picture: Option<&OverlayPicture>, extent: (u32, u32)) -> Result<(), GpuError> {
        self.draws.clear();
        self.sent_bytes = 0;
        let Some(picture) = picture else { return Ok(()) };
        self.renew_textures(device, cmd, &picture.textures)?;
        let words = self.collect(picture, extent);
        if words.indices.is_empty() {
            self.draws.clear();
            return Ok(());
        }
        let vertices = OverlayVertex::slice_bytes(&words.vertices);
        let indices: Vec<u8> = words.indices.iter().flat_map(|index| index.to_ne_bytes()).collect();
        let bytes = vertices.len() + indices.len();
        let (buffer, index) = self.buffer(device, bytes)?;
        buffer.slice_mut()[..vertices.len()].copy_from_slice(vertices);
        buffer.slice_mut()[vertices.len()..bytes].copy_from_slice(&indices);
        let scale = [extent.0, extent.1].map(|edge| 2.0 * picture.pixels_per_point / edge as f32);
        self.push = OverlayPush { corners: index, indices: words.vertices.len() as u32 * OVERLAY_VERTEX_WORDS, scale, ..OverlayPush::default() };
        self.sent_bytes += bytes as u64;
        Ok(())
    }

    /// Ends everything. The device must be idle.
    pub(crate) fn destroy(self, device: &mut Device) {
        for (buffer, index) in self.buffers.into_iter().flatten() {
            device.unbind_buffer(index);
            device.destroy_buffer(buffer);
        }
        for texture in self.textures {
            device.unbind_image(texture.index);
            device.destroy_image(texture.image);
        }
    }

    /// Triangles in one list, and a draw for each part of it.
    fn collect(&mut self, picture: &OverlayPicture, extent: (u32, u32)) -> Words {
        let mut words = Words::default();
        for ClippedPrimitive { clip_rect, primitive } in &picture.primitives {
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(texture) = self.textures.iter().find(|texture| texture.id == mesh.texture_id) else { continue };
            let Some(area) = pixels(*clip_rect, picture.pixels_per_point, extent) else { continue };
            if words.count() + mesh.vertices.len() * OVERLAY_VERTEX_WORDS as usize + mesh.indices.len() > WORDS_MAX {
                break;
            }
            let (base, first) = (words.vertices.len() as u32, words.indices.len() as u32);
            words.vertices.extend(mesh.vertices.iter().map(|corner| OverlayVertex {
                position: corner.pos.into(),
                uv: corner.uv.into(),
                color: u32::from_le_bytes(corner.color.to_array()),
            }));
            words.indices.extend(mesh.indices.iter().map(|index| base + index));
            self.draws.push(Draw { area, first, count: mesh.indices.len() as u32, image: texture.index });
        }
        words
    }

    /// This frame's buffer, with room for so many bytes.
    fn buffer(&mut self, device: &mut Device, bytes: usize) -> Result<(&mut Buffer, u32), GpuError> {
        let slot = &mut self.buffers[device.frame_index()];
        if slot.as_ref().is_none_or(|(buffer, _)| buffer.bytes < bytes as u64) {
            let words = bytes.div_ceil(4).next_power_of_two().max(WORDS_MIN);
            let desc = BufferDesc { name: "overlay", bytes: words as u64 * 4, usage: vk::BufferUsageFlags::STORAGE_BUFFER, memory: MemoryKind::Upload };
            let buffer = device.create_buffer(&desc)?;
            let index = match device.bind_buffer(&buffer) {
                Ok(index) => index,
                Err(error) => {
                    device.destroy_buffer(buffer);
                    return Err(error);
                }
            };
            if let Some((old, old_index)) = slot.replace((buffer, index)) {
                device.retire_buffer_index(old_index);
                device.retire_buffer(old);
            }
        }
        let (buffer, index) = slot.as_mut().expect("it was just made");
        Ok((buffer, *index))
    }

    fn renew_textures(&mut self, device: &mut Device, cmd: &mut Cmd, textures: &OverlayTextures) -> Result<(), GpuError> {
        let is_named = |texture: &GpuTexture| textures.list.iter().any(|named| named.id == texture.id);
        while let Some(gone) = self.textures.iter().position(|texture| !is_named(texture)) {
            retire(device, self.textures.swap_remove(gone));
        }
        for texture in &textures.list {
            let known = self.textures.iter().position(|known| known.id == texture.id);
            if known.is_none_or(|known| self.textures[known].version != texture.version) {
                self.renew_texture(device, cmd, texture, known)?;
            }
        }
        Ok(())
    }

    /// All of a texture is sent again: it changes when new letters come into sight, so seldom.
    fn renew_texture(&mut self, device: &mut Device, cmd: &mut Cmd, texture: &CpuTexture, known: Option<usize>) -> Result<(), GpuError> {
        let [width, height] = texture.image.size.map(|edge| edge as u32);
        let at = match known.filter(|known| self.textures[*known].image.extent == vk::Extent2D { width, height }) {
            Some(at) => at,
            None => {
                let made = create(device, texture.id, width, height)?;
                known.into_iter().for_each(|known| retire(device, self.textures.swap_remove(known)));
                self.textures.push(made);
                self.textures.len() - 1
            }
        };
        let on_gpu = &mut self.textures[at];
        let bytes: Vec<u8> = texture.image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
        let barrier = |old_layout, new_layout, src, dst| ImageBarrier {
            image: on_gpu.image.handle,
            aspect: vk::ImageAspectFlags::COLOR,
            old_layout,
            new_layout,
            src,
            dst,
        };
        let (read, written) = (
            (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ),
            (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE),
        );
        let (undefined, target, sampled) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        // Earlier frames may still read it; its old texels are not needed.
        cmd.image_barriers(&[barrier(undefined, target, (read.0, vk::AccessFlags2::NONE), written)]);
        let sent = device.upload_image(cmd, &on_gpu.image, 0, 0, &bytes)?;
        cmd.image_barriers(&[barrier(target, sampled, written, read)]);
        if sent {
            on_gpu.version = texture.version;
            self.sent_bytes += bytes.len() as u64;
        } else {
            // The ring is full of chunks. Its texels are gone, so it is not drawn with in this frame, and sent in the next.
            retire(device, self.textures.swap_remove(at));
        }
        Ok(())
    }
}

/// Vertices and indices of a frame.
#[derive(Default)]
struct Words {
    vertices: Vec<OverlayVertex>,
    indices: Vec<u32>,
}

impl Words {
    fn count(&self) -> usize {
        self.vertices.len() * OVERLAY_VERTEX_WORDS as usize + self.indices.len()
    }
}

fn create(device: &mut Device, id: TextureId, width: u32, height: u32) -> Result<GpuTexture, GpuError> {
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = device.create_image(&ImageDesc { name: "overlay texture", width, height, mips: 1, layers: 1, samples: 1, format, usage, array_view: false })?;
    match device.bind_image(image.view) {
        Ok(index) => Ok(GpuTexture { id, version: 0, image, index }),
        Err(error) => {
            device.destroy_image(image);
            Err(error)
        }
    }
}

fn retire(device: &mut Device, texture: GpuTexture) {
    device.retire_image_index(texture.index);
    device.retire_image(texture.image);
}

/// The pixels of an area in points, as far as the picture goes; `None` if there are none.
fn pixels(area: egui::Rect, pixels_per_point: f32, extent: (u32, u32)) -> Option<[u32; 4]> {
    let at = |points: f32, edge: u32| (points * pixels_per_point).round().clamp(0.0, edge as f32) as u32;
    let (x, y) = (at(area.min.x, extent.0), at(area.min.y, extent.1));
    let (right, bottom) = (at(area.max.x, extent.0), at(area.max.y, extent.1));
    (right > x && bottom > y).then(|| [x, y, right - x, bottom - y])
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Color32, ImageData, Rect, TextureOptions, epaint::ImageDelta, pos2};
    use std::sync::Arc;

    fn delta(at: Option<[usize; 2]>, size: [usize; 2], color: Color32) -> TexturesDelta {
        let mut delta = TexturesDelta::default();
        let image = ImageData::Color(Arc::new(ColorImage::filled(size, color)));
        delta.push(TextureId::Managed(0), ImageDelta { image, options: TextureOptions::LINEAR, pos: at });
        delta
    }

    #[test]
    fn parts_of_a_texture_change_it_where_they_are() {
        let mut textures = OverlayTextures::default();
        textures.apply(delta(None, [4, 3], Color32::BLACK));
        let before = textures.list[0].version;
        textures.apply(delta(Some([2, 1]), [2, 2], Color32::WHITE));
        let CpuTexture { image, version, .. } = &textures.list[0];
        assert!(*version > before);
        let white: Vec<usize> = image.pixels.iter().enumerate().filter(|(_, pixel)| **pixel == Color32::WHITE).map(|(at, _)| at).collect();
        assert_eq!(white, [6, 7, 10, 11]);
        // One that reaches over the edge would be a bug of egui's; it changes nothing.
        textures.apply(delta(Some([3, 2]), [2, 2], Color32::RED));
        assert!(textures.list[0].image.pixels.iter().all(|pixel| *pixel != Color32::RED));
        let mut gone = TexturesDelta::default();
        gone.free(TextureId::Managed(0));
        textures.apply(gone);
        assert!(textures.list.is_empty());
    }

    #[test]
    fn areas_are_cut_at_the_picture_and_scaled_to_its_pixels() {
        let area = |min: (f32, f32), max: (f32, f32)| Rect::from_min_max(pos2(min.0, min.1), pos2(max.0, max.1));
        assert_eq!(pixels(area((1.0, 2.0), (3.0, 5.0)), 2.0, (100, 100)), Some([2, 4, 4, 6]));
        assert_eq!(pixels(area((-9.0, -9.0), (1e9, 1e9)), 1.0, (64, 36)), Some([0, 0, 64, 36]));
        assert_eq!(pixels(area((70.0, 0.0), (80.0, 9.0)), 1.0, (64, 36)), None);
        assert_eq!(pixels(area((f32::NAN, 0.0), (f32::NAN, 9.0)), 1.0, (64, 36)), None);
    }
}
