//! In: nothing. Out: what the game hands over each frame, and what it gets back.
//! Never knows: Vulkan.

use crate::{Camera, Look, OverlayPicture};
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
    /// What the culling thinks: grey is drawn, red outside of the view, blue hidden. All is drawn.
    Culling,
    /// Which shadow cascade a place reads.
    Cascades,
    /// The gradient: along x red, along z green; half is level.
    Gradient,
    /// Where grass shows.
    Grass,
    /// Where snow shows.
    Snow,
    /// Where rock shows.
    Rock,
    /// Plants and stones a hectare in the slot of each chunk, on a logarithmic scale.
    Density,
    /// The noises that disturb the masks: the wide one red, the narrow one green.
    Noise,
}

impl DebugView {
    /// Every view with the name that the command line takes.
    pub const ALL: [(DebugView, &'static str, u32); 18] = [
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
        (DebugView::Culling, "culling", shared::VIEW_CULLING),
        (DebugView::Cascades, "cascades", shared::VIEW_CASCADES),
        (DebugView::Gradient, "gradient", shared::VIEW_GRADIENT),
        (DebugView::Grass, "grass", shared::VIEW_GRASS),
        (DebugView::Snow, "snow", shared::VIEW_SNOW),
        (DebugView::Rock, "rock", shared::VIEW_ROCK),
        (DebugView::Density, "density", shared::VIEW_DENSITY),
        (DebugView::Noise, "noise", shared::VIEW_NOISE),
    ];

    /// The name that the command line takes.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(view, ..)| *view == self).map_or("none", |(_, name, _)| *name)
    }

    /// The view of that name.
    pub fn parse(name: &str) -> Option<DebugView> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(view, _, _)| *view)
    }

    pub(crate) fn code(self) -> u32 {
        Self::ALL.iter().find(|(view, _, _)| *view == self).map_or(shared::VIEW_NONE, |(_, _, code)| *code)
    }
}

/// What is done and drawn; optimisations can be turned off, for figures before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Leave out what is outside of the view.
    pub cull: bool,
    /// Leave out what is behind something else.
    pub occlusion: bool,
    /// Draw shadows.
    pub shadows: bool,
    /// Draw plants and stones.
    pub props: bool,
    /// Draw the ground.
    pub ground: bool,
    /// Draw lines instead of triangles, where the device offers it.
    pub wireframe: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches { cull: true, occlusion: true, shadows: true, props: true, ground: true, wireframe: false }
    }
}

/// One frame's input.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The viewer.
    pub camera: Camera,
    /// Where the culling looks from, if it is frozen there: what it leaves out can then be seen from elsewhere.
    pub cull_camera: Option<Camera>,
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
    /// Scales the distances at which props change their mesh, thin out and end: 1 as they are meant, more is as if they were farther away.
    pub prop_distance_scale: f32,
    /// What is drawn over the picture; nothing is done for it without.
    pub overlay: Option<&'a OverlayPicture>,
}

/// Why chunks or instances were drawn or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// Drawn; they were visible before.
    pub early: u32,
    /// Drawn; they have just come into sight.
    pub late: u32,
    /// Outside of the view.
    pub outside: u32,
    /// Behind something else.
    pub occluded: u32,
    /// Farther than their kind is drawn.
    pub too_far: u32,
    /// Thinned out with the distance.
    pub thinned: u32,
}

impl Reasons {
    pub(crate) fn of(counters: &[u32]) -> Reasons {
        let at = |reason: u32| counters[reason as usize];
        Reasons {
            early: at(shared::REASON_EARLY),
            late: at(shared::REASON_LATE),
            outside: at(shared::REASON_FRUSTUM),
            occluded: at(shared::REASON_OCCLUDED),
            too_far: at(shared::REASON_FAR),
            thinned: at(shared::REASON_THINNED),
        }
    }

    /// All of them.
    pub fn sum(&self) -> u32 {
        self.early + self.late + self.outside + self.occluded + self.too_far + self.thinned
    }
}

/// What a frame did. Counters come from the GPU and are those of a frame or two ago.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Why the ground of chunks was drawn or not.
    pub chunk_reasons: Reasons,
    /// Why instances were drawn or not.
    pub instance_reasons: Reasons,
    /// Chunks drawn into each shadow cascade.
    pub shadow_chunks: [u32; shared::CASCADES as usize],
    /// Instances drawn into each.
    pub shadow_instances: [u32; shared::CASCADES as usize],
    /// Instances that did not fit into each.
    pub shadow_instances_dropped: [u32; shared::CASCADES as usize],
    /// Bytes of chunk data sent to the GPU in this frame.
    pub upload_bytes: u64,
    /// Draws recorded for this frame: one for each kind of thing and pass, however many there are of it.
    pub draws: u32,
    /// Bytes of the textures that the world brings, as the allocator counts them.
    pub texture_bytes: u64,
    /// Draws of the overlay in this frame; none while it is closed.
    pub overlay_draws: u32,
    /// Bytes that the overlay sent to the GPU in this frame.
    pub overlay_bytes: u64,
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
