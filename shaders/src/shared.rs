//! In: nothing. Out: the structs and limits that CPU and shaders share, declared once.
//! Never knows: Vulkan, or how the values are found.
//!
//! Shaders get them by `#include "shared.gen.glsl"`, which `shaders-compile` writes from this file. Blocks that hold them are
//! declared with `layout(scalar)`, push constants too.

use crate::{shared_limits, shared_struct};

shared_limits! {
    /// Quads along the edge of a ground chunk, at every level.
    pub const CHUNK_QUADS: i32 = 128;
    /// Vertices along that edge.
    pub const CHUNK_VERTICES: i32 = 129;
    /// Vertices of a chunk: 129 x 129; 8 bytes each.
    pub const GROUND_VERTICES: u32 = 16641;
    /// Indices of a chunk: 128 x 128 quads and 4 x 128 skirt quads, 6 each.
    pub const GROUND_INDICES: u32 = 101376;
    /// Of these, the quads come first. Shadow maps draw no skirts: seen edge-on, they are slivers whose depth is not exact.
    pub const GROUND_INDICES_QUADS: u32 = 98304;
    /// The quads over every second vertex, 64 x 64; they start after the full ones and their skirts.
    pub const GROUND_INDICES_HALF: u32 = 24576;
    /// The quads over every fourth, 32 x 32; they start after those.
    pub const GROUND_INDICES_QUARTER: u32 = 6144;
    /// Height units of a packed vertex in a metre.
    pub const MESH_HEIGHT_UNITS_PER_M: i32 = 128;
    /// Height units of a corner of a tile in a metre.
    pub const TILE_UNITS_PER_M: i32 = 64;
    /// What its height of 0 stands for, metres.
    pub const TILE_LAND_LOW_M: i32 = -128;
    /// Depth units of the bed under a tile of water in a metre.
    pub const TILE_DEPTH_UNITS_PER_M: i32 = 16;
    /// Where the surface of the water of tiles lies, metres.
    pub const TILE_WATER_Y_M: f32 = -0.5;
    /// How far a skirt hangs down, in steps of its chunk. It only shows while neighbours wait for their level.
    pub const SKIRT_DEPTH_STEPS: f32 = 4.0;
    /// Instances that a chunk's slot holds: 64 KiB at 8 bytes.
    pub const INSTANCES_PER_CHUNK_MAX: u32 = 8192;
    /// Levels that carry instances: a coordinate of 16 bits in 1/16 m spans the 4,096 m of level 5.
    pub const SCATTER_LEVELS: u32 = 6;
    /// Chunks of a drawn cut: 16 km of view distance take about 500.
    pub const CHUNKS_DRAWN_MAX: u32 = 1024;
    /// Levels of detail of a prop's mesh.
    pub const PROP_LODS: u32 = 3;
    /// Props x their levels of detail.
    pub const BUCKETS_MAX: u32 = 96;
    /// Lanes of a culling workgroup: the least that every Vulkan device offers.
    pub const CULL_GROUP: u32 = 128;
    /// Clusters of a slot: as many consecutive instances as a workgroup has lanes are judged together first.
    pub const CLUSTERS_PER_CHUNK: u32 = 64;
    /// Shadow cascades around the camera.
    pub const CASCADES: u32 = 4;
    /// Planes of a volume. The view: left, right, bottom, top and near, its far plane is at infinity. A cascade: four sides and the one away
    /// from the sun; towards the sun it is open, for whatever stands there casts into it.
    pub const VOLUME_PLANES: i32 = 5;
    /// Planes of all volumes: the view's, then those of the cascades.
    pub const VOLUMES_PLANES: i32 = 25;
    /// Lists that are drawn: what was visible in the frame before; a list for each cascade; what has come into sight since.
    pub const LISTS: u32 = 6;
    /// The list of what was visible in the frame before.
    pub const LIST_EARLY: u32 = 0;
    /// The list of the first cascade.
    pub const LIST_SHADOW: u32 = 1;
    /// The list of what is visible now and was not in the frame before.
    pub const LIST_LATE: u32 = 5;
    /// Bins of distance: when a list is full, the farthest bins are left out.
    pub const DISTANCE_BINS: u32 = 64;
    /// Bins in a doubling of the distance: 64 reach 9 km, where no prop is drawn.
    pub const BINS_PER_DOUBLING: f32 = 4.875;
    /// Bits of `InstanceRecord.packed`: the bucket starts at bit 0 and takes 7.
    pub const RECORD_BUCKET_BITS: i32 = 7;
    /// Here the six bits of the lists start.
    pub const RECORD_LISTS_SHIFT: i32 = 7;
    /// Here the six bits of the distance bin start.
    pub const RECORD_BIN_SHIFT: i32 = 13;
    /// Here the six bits of the cover start.
    pub const RECORD_COVER_SHIFT: i32 = 19;
    /// Here the three bits of the reason start.
    pub const RECORD_REASON_SHIFT: i32 = 25;
    /// Here the four bits of the fade start: how far the next mesh has taken over, in 16ths; 0 while only one is drawn.
    pub const RECORD_FADE_SHIFT: i32 = 28;
    /// For the last part of the way to the distance of its next mesh an instance is drawn with both, which share the pixels.
    pub const LOD_FADE_SHARE: f32 = 0.2;
    /// Bits of `DrawInstance.packed`: here the four bits of the fade start.
    pub const DRAWN_FADE_SHIFT: i32 = 25;
    /// Set where the instance is drawn with the mesh that takes over.
    pub const DRAWN_NEXT_BIT: u32 = 0x2000_0000;
    /// Instances of a drawn cut that can be considered: 2 million records of 12 bytes are 24 MiB.
    pub const RECORDS_MAX: u32 = 2_097_152;
    /// Words of the visibility of a slot: a bit for each instance, then one word for its ground.
    pub const VISIBILITY_WORDS: u32 = 257;
    /// A chunk's flag for a list: instances may be in it.
    pub const FLAG_INSTANCES: u32 = 1;
    /// Its ground is in the volume.
    pub const FLAG_GROUND: u32 = 2;
    /// Its ground is in the list.
    pub const FLAG_LISTED: u32 = 4;
    /// Of the late list: all of its instances are behind something.
    pub const FLAG_HIDDEN: u32 = 8;
    /// Here its reason starts, 4 bits.
    pub const FLAG_REASON_SHIFT: i32 = 4;
    /// Here the number of its instances in the list starts.
    pub const FLAG_COUNT_SHIFT: i32 = 8;
    /// Levels of the depth pyramid; the first halves the picture.
    pub const PYRAMID_LEVELS_MAX: u32 = 14;
    /// Reason: it is drawn, and was visible before.
    pub const REASON_EARLY: u32 = 0;
    /// Reason: it is drawn, and has just come into sight.
    pub const REASON_LATE: u32 = 1;
    /// Reason: outside of the view.
    pub const REASON_FRUSTUM: u32 = 2;
    /// Reason: behind something.
    pub const REASON_OCCLUDED: u32 = 3;
    /// Reason: farther than its kind is drawn.
    pub const REASON_FAR: u32 = 4;
    /// Reason: thinned out with the distance.
    pub const REASON_THINNED: u32 = 5;
    /// Reasons.
    pub const REASONS: u32 = 6;
    /// Texture coordinates wrap here, in metres; every tiling divides it, and f32 keeps half a millimetre below it.
    pub const TEXTURE_WRAP_M: i32 = 4096;
    /// Counters: chunks by REASON_*.
    pub const COUNTER_CHUNKS: u32 = 0;
    /// Counters: instances by REASON_*.
    pub const COUNTER_INSTANCES: u32 = 6;
    /// Counters: chunks in each list.
    pub const COUNTER_LIST_CHUNKS: u32 = 12;
    /// Counters: instances in each list.
    pub const COUNTER_LIST_INSTANCES: u32 = 18;
    /// Counters: instances that did not fit, of each list.
    pub const COUNTER_LIST_DROPPED: u32 = 24;
    /// Counters: the words before the counts by bucket.
    pub const COUNTER_BUCKETS: u32 = 30;
    /// Words of the counters: a count for each list and bucket follows.
    pub const COUNTERS: u32 = 606;
    /// Prop flag: takes the tint of the meadow that it stands on.
    pub const PROP_MEADOW: u32 = 1;
    /// Debug view: the picture.
    pub const VIEW_NONE: u32 = 0;
    /// Debug view: the surface colour without light.
    pub const VIEW_ALBEDO: u32 = 1;
    /// Debug view: level of detail, darker where it morphs.
    pub const VIEW_LOD: u32 = 2;
    /// Debug view: height.
    pub const VIEW_HEIGHT: u32 = 3;
    /// Debug view: slope.
    pub const VIEW_SLOPE: u32 = 4;
    /// Debug view: plant cover.
    pub const VIEW_COVER: u32 = 5;
    /// Debug view: rock, grass and snow masks.
    pub const VIEW_MASKS: u32 = 6;
    /// Debug view: normals.
    pub const VIEW_NORMAL: u32 = 7;
    /// Debug view: one colour a chunk.
    pub const VIEW_CHUNKS: u32 = 8;
    /// Debug view: the morph factor.
    pub const VIEW_MORPH: u32 = 9;
    /// Debug view: what the culling thinks of each chunk and instance; all are drawn.
    pub const VIEW_CULLING: u32 = 10;
    /// Debug view: the shadow cascades.
    pub const VIEW_CASCADES: u32 = 11;
}

shared_struct! {
    /// What every shader of a frame reads. Positions are in metres relative to the camera; colours are linear.
    pub struct FrameConstants {
        /// From camera-relative metres to clip space; reversed Z, infinite far plane.
        pub view_projection: [[f32; 4]; 4],
        /// Planes of the volumes, normals inward, relative to the culling camera.
        pub planes: [[f32; 4]; VOLUMES_PLANES],
        /// For each cascade: centre along the sun's right and up, 1 / half width, metres of a texel.
        pub cascades: [[f32; 4]; CASCADES],
        /// The smallest radius that casts a shadow into each cascade, metres.
        pub cascade_radius_min_m: [f32; 4],
        /// Across the light, level.
        pub sun_right: [f32; 3],
        /// Across the light, up.
        pub sun_up: [f32; 3],
        /// Depth in a shadow map: of a metre towards the sun.
        pub shadow_depth_per_m: f32,
        /// Texels along the edge of one cascade; the map holds two by two.
        pub shadow_edge: f32,
        /// Index of the shadow map among the images.
        pub shadow_image: u32,
        /// 1 draws shadows.
        pub shadows: u32,
        /// From the camera to the culling camera's view: added to a position before it is culled. Zero unless frozen.
        pub cull_offset_m: [f32; 3],
        /// The culling camera's right axis, divided by the half width of the picture at distance 1.
        pub cull_right: [f32; 3],
        /// Its up axis, divided likewise.
        pub cull_up: [f32; 3],
        /// Where it looks.
        pub cull_forward: [f32; 3],
        /// Nearest distance that is drawn.
        pub near_m: f32,
        /// Width of the picture that the pyramid was made from.
        pub pyramid_width: u32,
        /// Height of that picture.
        pub pyramid_height: u32,
        /// First word of each level of the pyramid.
        pub pyramid_first: [u32; PYRAMID_LEVELS_MAX],
        /// Levels of the pyramid.
        pub pyramid_levels: u32,
        /// 1 culls what lies behind something.
        pub occlusion: u32,
        /// Lists that the early culling makes: 1, or 5 with shadows.
        pub early_lists: u32,
        /// The camera within its cell, each in [0, 1).
        pub camera_offset_m: [f32; 3],
        /// The y of the camera's cell: what heights are taken relative to.
        pub camera_cell_y_m: f32,
        /// Camera height over the world's zero, for the haze.
        pub camera_height_m: f32,
        /// Height over the ground that enters the distance of the level of detail.
        pub eye_m: f32,
        /// Seconds, for wind.
        pub time_s: f32,
        /// One of VIEW_*.
        pub debug_view: u32,
        /// The camera modulo TEXTURE_WRAP_M.
        pub texture_offset_m: [f32; 3],
        /// 1 culls what is outside of a volume, 0 keeps everything.
        pub cull: u32,
        /// Right axis of the view, scaled by the half width of the picture at distance 1.
        pub view_right: [f32; 3],
        /// Up axis, scaled likewise.
        pub view_up: [f32; 3],
        /// Forward axis.
        pub view_forward: [f32; 3],
        /// Towards the sun.
        pub sun_direction: [f32; 3],
        /// Irradiance of the sun on a surface that faces it.
        pub sun_color: [f32; 3],
        /// Strength of the forward scattering around the sun.
        pub sun_glow: [f32; 3],
        /// Radiance of the sky overhead.
        pub sky_zenith: [f32; 3],
        /// Radiance of the sky low over the horizon.
        pub sky_horizon: [f32; 3],
        /// Radiance of the band at the horizon.
        pub sky_haze: [f32; 3],
        /// Irradiance from above.
        pub ambient_up: [f32; 3],
        /// Irradiance from the side.
        pub ambient_horizon: [f32; 3],
        /// Irradiance from the ground.
        pub ambient_down: [f32; 3],
        /// Extinction per channel, relative to haze_density.
        pub haze_extinction: [f32; 3],
        /// Extinction per metre at height zero.
        pub haze_density: f32,
        /// Decrease of the density per metre of height.
        pub haze_falloff: f32,
        /// 0 clear to 1 as many clouds as there are.
        pub cloud_amount: f32,
        /// Where the clouds have drifted to.
        pub cloud_offset: [f32; 2],
        /// Scale of the light before the tonemap.
        pub exposure: f32,
        /// Power of the display curve; 1 leaves it.
        pub contrast: f32,
        /// 1 leaves colours.
        pub saturation: f32,
        /// Shown behind everything in the debug views, where a test looks for holes.
        pub background: [f32; 3],
        /// Snow begins here.
        pub snow_offset_m: f32,
        /// And is whole this much higher.
        pub snow_contrast_m: f32,
        /// Rock is whole where the normal's y is below.
        pub rock_low: f32,
        /// And gone above.
        pub rock_high: f32,
        /// Trees end about here.
        pub tree_line_m: f32,
        /// Forest begins at this cover.
        pub forest_cover_low: f32,
        /// And is closed at this.
        pub forest_cover_high: f32,
        /// Mean colour of the grass texture.
        pub grass_mean: [f32; 3],
        /// Mean colour of the rock texture.
        pub rock_mean: [f32; 3],
        /// Tiles along the edge of a chunk; 0 for a ground that is no tiles.
        pub tiles: u32,
        /// Steps along the edge of a chunk.
        pub ground_quads: i32,
        /// Colour of walls between tiles, linear.
        pub wall_color: [f32; 3],
        /// Colour that water scatters, linear.
        pub water_color: [f32; 3],
        /// What water absorbs of red, green and blue in a metre.
        pub water_absorption: [f32; 3],
        /// Scales distances for the choice of a prop's mesh: less is finer.
        pub lod_scale: f32,
        /// Scales the distances at which props change their mesh, thin out and end; 1 as they are meant.
        pub prop_distance_scale: f32,
        /// Chunks of the drawn cut.
        pub chunk_count: u32,
        /// Props x PROP_LODS.
        pub bucket_count: u32,
        /// Capacity of what is drawn in the view: the early and the late list together.
        pub draw_instances_max: u32,
        /// Capacity of each cascade.
        pub shadow_instances_max: u32,
        /// Index of the material colours among the image arrays.
        pub material_color: u32,
        /// Index of the material normals.
        pub material_normal: u32,
        /// Index of the material smoothness.
        pub material_smoothness: u32,
        /// Sampler: repeat, trilinear, anisotropic where offered.
        pub material_sampler: u32,
        /// Sampler: nearest, clamped.
        pub clamp_sampler: u32,
    }

    /// A chunk of the drawn cut, near to far.
    pub struct DrawChunk {
        /// Corner in x and z, metres relative to the camera's cell.
        pub origin_m: [i32; 2],
        /// Metres between vertices.
        pub step_m: f32,
        /// Slot of its vertices and instances.
        pub slot: u32,
        /// Distance where the morph begins.
        pub morph_start_m: f32,
        /// 1 / (end - start); 0 for the coarsest level, which never morphs.
        pub morph_scale: f32,
        /// Lower bound of the morph: a late arrival starts as its parent's shape.
        pub morph_min: f32,
        /// Level, 0 the finest.
        pub lod: u32,
        /// Lowest point.
        pub height_min_m: f32,
        /// Highest point.
        pub height_max_m: f32,
        /// Instances in its slot.
        pub instance_count: u32,
        /// Where the records of its instances start.
        pub record_first: u32,
        /// How far its instances reach over its highest point.
        pub prop_top_m: f32,
        /// Beyond its edges, and under its lowest point.
        pub prop_reach_m: f32,
    }

    /// What holds for CULL_GROUP consecutive instances of a slot; made when the chunk arrives.
    pub struct InstanceCluster {
        /// Least and greatest x, in 1/16 m from the chunk's corner, 16 bits each.
        pub x: u32,
        /// The same along z.
        pub z: u32,
        /// None of them is drawn beyond.
        pub hide_m: f32,
        /// Largest bounding sphere.
        pub radius_m: f32,
        /// How far they rise over the ground.
        pub top_m: f32,
    }

    /// What the culling knows of an instance of the drawn cut: decided once, so that whoever counts and whoever writes agree.
    pub struct InstanceRecord {
        /// RECORD_*: bucket, lists, bin of distance, cover, reason, fade.
        pub packed: u32,
        /// Height of its base over the camera, metres.
        pub y: f32,
        /// Its size, thinned out.
        pub scale: f32,
    }

    /// An instance that is drawn, written by the culling.
    pub struct DrawInstance {
        /// Base, relative to the camera.
        pub position: [f32; 3],
        /// Size, fade included.
        pub scale: f32,
        /// Rotation (8 bits), prop (8), cover (6), reason (3), fade (4), whether it is the mesh that takes over (1).
        pub packed: u32,
    }

    /// A vertex of a prop.
    pub struct PropVertex {
        /// Metres, base at y = 0.
        pub position: [f32; 3],
        /// Unit normal.
        pub normal: [f32; 3],
        /// sRGB and softness, a byte each.
        pub color: u32,
    }

    /// A prop: where its meshes are and how it thins out.
    pub struct PropRow {
        /// First index of each level of detail.
        pub first_index: [u32; 3],
        /// Number of indices.
        pub index_count: [u32; 3],
        /// First vertex.
        pub first_vertex: [u32; 3],
        /// Bounding sphere around half the height, at scale 1.
        pub radius_m: f32,
        /// Height at scale 1.
        pub height_m: f32,
        /// Distances of the second and third mesh.
        pub lod_distance_m: [f32; 2],
        /// Not drawn beyond.
        pub hide_m: f32,
        /// How far the wind moves it, per metre of height.
        pub sway: f32,
        /// PROP_* bits.
        pub flags: u32,
        /// Share of ranks that each level keeps.
        pub keep: [f32; SCATTER_LEVELS],
    }

    /// VkDrawIndexedIndirectCommand.
    pub struct DrawCommand {
        /// Indices of the mesh.
        pub index_count: u32,
        /// How many are drawn.
        pub instance_count: u32,
        /// First index.
        pub first_index: u32,
        /// Added to each index.
        pub vertex_offset: i32,
        /// First instance: the start of its bucket.
        pub first_instance: u32,
    }

    /// Indices of the buffers of a scene in the bindless set.
    pub struct ScenePush {
        /// FrameConstants.
        pub frame: u32,
        /// DrawChunk[].
        pub chunks: u32,
        /// Ground vertices of all slots.
        pub ground: u32,
        /// Instances of all slots.
        pub instances: u32,
        /// Indices of the chunks in each list: LISTS x CHUNKS_DRAWN_MAX.
        pub list_chunks: u32,
        /// For each list and chunk of the cut, whether instances may be in it.
        pub chunk_flags: u32,
        /// Chunks of the cut whose instances may be in a list; how many; then, for each chunk of the cut, how many survivors it has.
        pub active_chunks: u32,
        /// For each active chunk, from its first record on: which of its instances are in a list, in their order.
        pub survivors: u32,
        /// InstanceCluster[], CLUSTERS_PER_CHUNK for each slot.
        pub clusters: u32,
        /// For each cluster of each chunk of the cut, the early lists that its instances may be in.
        pub cluster_lists: u32,
        /// InstanceRecord[].
        pub records: u32,
        /// What was visible in the frame before, by slot.
        pub visibility: u32,
        /// DrawInstance[]: the view, then each cascade.
        pub draw_instances: u32,
        /// DrawCommand[]: for each list the ground, then a bucket each.
        pub commands: u32,
        /// Counts, then offsets, per list, bucket and active chunk.
        pub counts: u32,
        /// Per list: counts of the bins; then the first bin that is left out; then VkDispatchIndirectCommand of the recount.
        pub bins: u32,
        /// COUNTER_*.
        pub counters: u32,
        /// Farthest depth, level after level, as the bits of floats.
        pub pyramid: u32,
        /// PropVertex[].
        pub prop_vertices: u32,
        /// PropRow[].
        pub props: u32,
        /// Image that a full-screen pass or the pyramid reads.
        pub source_image: u32,
        /// List that a pass makes or draws, or the first of several.
        pub list: u32,
        /// Level of the pyramid that a pass makes.
        pub level: u32,
    }
}
