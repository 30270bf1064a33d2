//! In: a seed. Out: meshes of plants and stones in three levels of detail, with their distances.
//! Never knows: where they stand, Vulkan, cameras, time.

mod build;
mod leafy;
mod pine;
mod solid;
mod stone;
#[cfg(test)]
mod tests;
mod tuft;

pub use solid::{PropSolid, terrain_solids};

/// A corner of a prop's mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropVertex {
    /// Metres; y is up and the base stands at y = 0.
    pub position: [f32; 3],
    /// Unit length. Leaves and blades bend theirs away from the sheet, so that a plant is lit as one body.
    pub normal: [f32; 3],
    /// sRGB albedo with baked ambient occlusion. Alpha is softness: above 8 the wind sways it and light shines through.
    pub color: [u8; 4],
}

/// One level of detail of a prop. Drawn without culling of back faces; closed bodies wind counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PropMesh {
    /// Corners; at most 65,536, so that an index fits 16 bits.
    pub vertices: Vec<PropVertex>,
    /// Triangles, three corners each.
    pub indices: Vec<u16>,
    /// Radius of the bounding sphere around (0, `height_m` / 2, 0).
    pub radius_m: f32,
    /// Highest corner.
    pub height_m: f32,
}

/// A thing that is scattered over the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    /// For logs and tables.
    pub name: &'static str,
    /// From the finest to the coarsest.
    pub lods: [PropMesh; 3],
    /// Distances where level 1 and level 2 take over.
    pub lod_distance_m: [f32; 2],
    /// Beyond this distance it is not drawn.
    pub hide_m: f32,
    /// Metres of sway for each metre of height.
    pub sway: f32,
    /// Whether it takes the tint of the meadow that it stands in.
    pub meadow: bool,
}

const TUFT_DISTANCE_M: [f32; 2] = [12.0, 40.0];
const STONE_DISTANCE_M: [f32; 2] = [15.0, 50.0];
const BOULDER_DISTANCE_M: [f32; 2] = [40.0, 150.0];
const TREE_DISTANCE_M: [f32; 2] = [60.0, 220.0];
const BUSH_DISTANCE_M: [f32; 2] = [30.0, 110.0];

/// The props of the terrain world, in the order that its scatter kinds name them: 0 and 1 tufts, 2 flower, 3 stone, 4 boulder,
/// 5 and 6 conifers, 7 broadleaf, 8 bush, 9 log.
pub fn terrain_props(seed: u32) -> Vec<Prop> {
    let prop = |name, lods, lod_distance_m, hide_m, sway, meadow| Prop { name, lods, lod_distance_m, hide_m, sway, meadow };
    vec![
        prop("tuft a", tuft::tuft(seed ^ 1, &tuft::LOW), TUFT_DISTANCE_M, 130.0, 0.06, true),
        prop("tuft b", tuft::tuft(seed ^ 2, &tuft::TALL), TUFT_DISTANCE_M, 130.0, 0.06, true),
        prop("flower", tuft::flower(seed ^ 3), TUFT_DISTANCE_M, 130.0, 0.05, false),
        prop("stone", stone::stone(seed ^ 4), STONE_DISTANCE_M, 400.0, 0.0, false),
        prop("boulder", stone::boulder(seed ^ 5), BOULDER_DISTANCE_M, 2500.0, 0.0, false),
        prop("conifer a", pine::conifer(seed ^ 6, &pine::SPRUCE), TREE_DISTANCE_M, 4500.0, 0.004, false),
        prop("conifer b", pine::conifer(seed ^ 7, &pine::FIR), TREE_DISTANCE_M, 4500.0, 0.004, false),
        prop("broadleaf", leafy::broadleaf(seed ^ 8), TREE_DISTANCE_M, 4500.0, 0.004, false),
        prop("bush", leafy::bush(seed ^ 9), BUSH_DISTANCE_M, 1200.0, 0.01, false),
        prop("log", stone::log(seed ^ 10), STONE_DISTANCE_M, 600.0, 0.0, false),
    ]
}
