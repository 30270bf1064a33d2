//! In: nothing. Out: what the game hands over each frame, and what it gets back.
//! Never knows: Vulkan.

use crate::{Camera, Look};
use terrane_base::ChunkKey;
use terrane_shaders::shared;

/// A place for one chunk's vertices and instances on the GPU. Owned by the chunk's entity until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) u32);

/// A chunk of the drawn cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutChunk {
    /// Where its data is.
    pub slot: Slot,
    /// Which chunk it is.
    pub key: ChunkKey,
    /// Lower bound of its morph, 1 to 0: a late arrival starts with its parent's shape.
    pub morph_min: f32,
    /// Lowest vertex, metres.
    pub height_min_m: f32,
    /// Highest vertex, metres.
    pub height_max_m: f32,
    /// Instances in its slot.
    pub instance_count: u32,
}

/// What is painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugView {
    /// The picture.
    #[default]
    None,
    /// Surface colour without light.
    Albedo,
    /// Level of detail.
    Lod,
    /// Height.
    Height,
    /// Slope.
    Slope,
    /// Plant cover.
    Cover,
    /// Rock, grass and snow masks as red, green and blue.
    Masks,
    /// Normals.
    Normal,
    /// A colour for each chunk.
    Chunks,
    /// The morph between levels.
    Morph,
}

impl DebugView {
    /// Every view with the name that the command line takes.
    pub const ALL: [(DebugView, &'static str, u32); 10] = [
        (DebugView::None, "none", shared::VIEW_NONE),
        (DebugView::Albedo, "albedo", shared::VIEW_ALBEDO),
        (DebugView::Lod, "lod", shared::VIEW_LOD),
        (DebugView::Height, "height", shared::VIEW_HEIGHT),
        (DebugView::Slope, "slope", shared::VIEW_SLOPE),
        (DebugView::Cover, "cover", shared::VIEW_COVER),
        (DebugView::Masks, "masks", shared::VIEW_MASKS),
        (DebugView::Normal, "normal", shared::VIEW_NORMAL),
        (DebugView::Chunks, "chunks", shared::VIEW_CHUNKS),
        (DebugView::Morph, "morph", shared::VIEW_MORPH),
    ];

    /// The view of that name.
    pub fn parse(name: &str) -> Option<DebugView> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(view, _, _)| *view)
    }

    pub(crate) fn code(self) -> u32 {
        Self::ALL.iter().find(|(view, _, _)| *view == self).map_or(shared::VIEW_NONE, |(_, _, code)| *code)
    }
}

/// Switches that turn an optimisation off, for figures before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Cull by frustum on the GPU.
    pub cull: bool,
    /// Draw plants and stones.
    pub props: bool,
    /// Draw the ground.
    pub ground: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches { cull: true, props: true, ground: true }
    }
}

/// One frame's input.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The viewer.
    pub camera: Camera,
    /// Height over the ground, as the rings were given it: morphs use the same distance.
    pub eye_m: f32,
    /// The drawn cut, near to far; at most `CHUNKS_DRAWN_MAX`, the rest is left out and counted.
    pub chunks: &'a [CutChunk],
    /// Where each level begins and ends to morph, metres, by level; the last level never does.
    pub morph_range_m: &'a [(f32, f32)],
    /// View distance, for the haze.
    pub view_distance_m: f32,
    /// Light and masks.
    pub look: Look,
    /// Seconds since the start.
    pub time_s: f32,
    /// What is painted.
    pub view: DebugView,
    /// Optimisations.
    pub switches: Switches,
}

/// What a frame did. Counters come from the GPU and are those of the frame before last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameStats {
    /// Chunks of the cut.
    pub chunks: u32,
    /// Chunks of the cut that did not fit.
    pub chunks_dropped: u32,
    /// Instances in the cut's slots.
    pub instances: u32,
    /// Chunks that were drawn.
    pub chunks_drawn: u32,
    /// Instances that were drawn.
    pub instances_drawn: u32,
    /// Instances that were seen and did not fit.
    pub instances_dropped: u32,
    /// Bytes of chunk data sent to the GPU in this frame.
    pub upload_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_its_own_name_and_code() {
        for (i, (view, name, code)) in DebugView::ALL.iter().enumerate() {
            assert_eq!(DebugView::parse(name), Some(*view));
            assert_eq!(view.code(), *code);
            assert!(DebugView::ALL.iter().skip(i + 1).all(|other| other.1 != *name && other.2 != *code));
        }
        assert_eq!(DebugView::parse("Lod"), None);
    }
}
