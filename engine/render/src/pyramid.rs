//! In: the depth that the early draws left. Out: for every patch of the picture, the farthest depth in it.
//! Never knows: what is tested against it. (Phase: depth pyramid.)
//!
//! A texel of level L is the farthest depth of 2^(L+1) x 2^(L+1) pixels; sizes are rounded up, so an odd edge has its own texel and no pixel
//! counts twice or never. It lies in a storage buffer, level after level: nothing filters it, and no image feature is needed.

use crate::{ShaderSource, bound::Bound, cull::DRAW_STAGES};
use terrane_gpu::{Buffer, Cmd, Device, GpuError, ImageBarrier, Pipeline, PipelineDesc, vk};
use terrane_shaders::shared::{PYRAMID_LEVELS_MAX, ScenePush};

/// Texels along the edge of a workgroup.
const GROUP: u32 = 8;

/// Where the levels of a picture's pyramid lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PyramidShape {
    pub extent: (u32, u32),
    pub first: [u32; PYRAMID_LEVELS_MAX as usize],
    pub levels: u32,
}

impl PyramidShape {
    pub(crate) fn new(extent: (u32, u32)) -> PyramidShape {
        let mut shape = PyramidShape { extent, ..PyramidShape::default() };
        let mut words = 0;
        for (level, first) in (0..).zip(shape.first.iter_mut()) {
            let (width, height) = level_size(extent, level);
            *first = words;
            words += width * height;
            shape.levels = level + 1;
            if (width, height) == (1, 1) {
                break;
            }
        }
        shape
    }

    fn words(&self) -> u32 {
        let last = self.levels - 1;
        let (width, height) = level_size(self.extent, last);
        self.first[last as usize] + width * height
    }
}

fn level_size(extent: (u32, u32), level: u32) -> (u32, u32) {
    let shrink = |edge: u32| edge.div_ceil(1 << (level + 1)).max(1);
    (shrink(extent.0), shrink(extent.1))
}

pub(crate) struct PyramidPipelines {
    first: Pipeline,
    next: Pipeline,
}

impl PyramidPipelines {
    pub(crate) fn new(device: &mut Device, samples: u32, shaders: ShaderSource) -> Result<PyramidPipelines, GpuError> {
        let first = if samples == 1 { "pyramid_first.comp" } else { "pyramid_first_multisampled.comp" };
        let names = [first, "pyramid.comp"];
        let table = names.into_iter().map(|name| Ok(PipelineDesc::Compute { name, spirv: shaders(name)? }));
        let mut pipelines = device.create_pipelines(&table.collect::<Result<Vec<_>, GpuError>>()?)?.into_iter();
        let mut next = || pipelines.next().expect("a pipeline for each description");
        Ok(PyramidPipelines { first: next(), next: next() })
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        device.destroy_pipeline(self.first);
        device.destroy_pipeline(self.next);
    }
}

pub(crate) struct Pyramid {
    shape: PyramidShape,
    buffer: Bound,
}

impl Pyramid {
    /// All far: nothing is hidden behind a picture that was never drawn.
    pub(crate) fn new(device: &mut Device, extent: (u32, u32)) -> Result<Pyramid, GpuError> {
        let shape = PyramidShape::new(extent);
        let buffer = Bound::new(device, "depth pyramid", u64::from(shape.words()) * 4)?;
        Ok(Pyramid { shape, buffer })
    }

    pub(crate) fn resize(&mut self, device: &mut Device, extent: (u32, u32)) -> Result<(), GpuError> {
        let new = Pyramid::new(device, extent)?;
        std::mem::replace(self, new).buffer.retire(device);
        Ok(())
    }

    pub(crate) fn shape(&self) -> &PyramidShape {
        &self.shape
    }

    pub(crate) fn index(&self) -> u32 {
        self.buffer.index
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer.buffer
    }

    /// Reduces the depth image `push.source_image`, which shaders can read.
    pub(crate) fn record(&self, cmd: &mut Cmd, pipelines: &PyramidPipelines, push: &ScenePush) {
        cmd.zone_begin("depth pyramid");
        let compute = vk::PipelineStageFlags2::COMPUTE_SHADER;
        let storage = vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::SHADER_STORAGE_WRITE;
        for level in 0..self.shape.levels {
            // Draws before the first level, for they could name the buffer too.
            let before = if level == 0 { compute | DRAW_STAGES } else { compute };
            cmd.memory_barrier((before, vk::AccessFlags2::SHADER_STORAGE_WRITE), (compute, storage));
            let (width, height) = level_size(self.shape.extent, level);
            cmd.bind_pipeline(if level == 0 { &pipelines.first } else { &pipelines.next });
            cmd.push(ScenePush { level, ..*push }.as_bytes());
            cmd.dispatch(width.div_ceil(GROUP), height.div_ceil(GROUP), 1);
        }
        cmd.zone_end();
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        self.buffer.destroy(device);
    }
}

/// Reads every sample of a depth image: row by row, a pixel's samples side by side. Waits for the GPU. For tests.
pub(crate) fn read_depth(device: &mut Device, samples: u32, depth: ImageBarrier, push: &ScenePush, extent: (u32, u32)) -> Result<Vec<f32>, GpuError> {
    let name = if samples == 1 { "read_depth.comp" } else { "read_depth_multisampled.comp" };
    let pipeline = device.create_pipelines(&[PipelineDesc::Compute { name, spirv: crate::built_in_shaders(name)? }])?.remove(0);
    let target = Bound::new(device, "depth read back", u64::from(extent.0) * u64::from(extent.1) * u64::from(samples) * 4)?;
    device.immediate(|cmd| {
        cmd.image_barriers(&[depth]);
        cmd.bind_pipeline(&pipeline);
        cmd.push(ScenePush { pyramid: target.index, ..*push }.as_bytes());
        cmd.dispatch(extent.0.div_ceil(GROUP), extent.1.div_ceil(GROUP), 1);
    })?;
    let bytes = device.read_buffer(&target.buffer, 0, target.buffer.bytes)?;
    target.destroy(device);
    device.destroy_pipeline(pipeline);
    Ok(bytes.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// The same pyramid from depths of `samples` a pixel, row by row: what a test compares with.
pub fn pyramid_of(extent: (u32, u32), samples: u32, depth: &[f32]) -> Vec<f32> {
    let shape = PyramidShape::new(extent);
    let mut words = vec![0.0f32; shape.words() as usize];
    let pixel = |x: u32, y: u32| {
        let at = ((y * extent.0 + x) * samples) as usize;
        depth[at..at + samples as usize].iter().copied().fold(f32::INFINITY, f32::min)
    };
    for level in 0..shape.levels {
        let (width, height) = level_size(extent, level);
        let edge = 1u32 << (level + 1);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let rows = y * edge..((y + 1) * edge).min(extent.1);
            let farthest = rows.flat_map(|row| (x * edge..((x + 1) * edge).min(extent.0)).map(move |column| (column, row)));
            words[(shape.first[level as usize] + y * width + x) as usize] = farthest.map(|(column, row)| pixel(column, row)).fold(f32::INFINITY, f32::min);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_each_other_down_to_one_texel() {
        for extent in [(1, 1), (3, 1), (255, 257), (1279, 719), (4096, 4096), (16384, 3)] {
            let shape = PyramidShape::new(extent);
            let mut words = 0;
            for level in 0..shape.levels {
                assert_eq!(shape.first[level as usize], words, "{extent:?}");
                let (width, height) = level_size(extent, level);
                words += width * height;
            }
            assert_eq!(words, shape.words());
            assert_eq!(level_size(extent, shape.levels - 1), (1, 1), "{extent:?}");
        }
    }

    #[test]
    fn the_farthest_of_all_samples_is_at_the_top() {
        let depth: Vec<f32> = (0..7 * 5 * 4).map(|i| 1.0 - i as f32 / 1000.0).collect();
        let words = pyramid_of((7, 5), 4, &depth);
        assert_eq!(words.last(), depth.last());
        assert_eq!(words[0], depth[(7 + 1) * 4 + 3]);
    }
}
