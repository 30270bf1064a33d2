//! In: nothing. Out: the structs that the overlay's painter shares with `overlay.vert` and `overlay.frag`; as in `shared`, declared once.
//! Never knows: Vulkan, what the overlay shows.

use crate::{shared_limits, shared_struct};

shared_limits! {
    /// Words of an OverlayVertex: indices follow the vertices in the same buffer, and are found by words.
    pub const OVERLAY_VERTEX_WORDS: u32 = 5;
}

shared_struct! {
    /// A corner of the overlay's triangles.
    pub struct OverlayVertex {
        /// In points from the upper left corner.
        pub position: [f32; 2],
        /// In its texture, 0 to 1.
        pub uv: [f32; 2],
        /// sRGB and alpha, a byte each, red the lowest; premultiplied.
        pub color: u32,
    }

    /// What one draw of the overlay needs.
    pub struct OverlayPush {
        /// Index of the buffer: OverlayVertex[], then indices.
        pub corners: u32,
        /// The word where the indices begin.
        pub indices: u32,
        /// Index of the texture.
        pub texture: u32,
        /// Index of its sampler.
        pub texels: u32,
        /// From points to clip space: 2 x pixels of a point / pixels of the picture.
        pub scale: [f32; 2],
    }
}
