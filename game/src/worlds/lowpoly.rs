//! The row of the low-poly world: tiles, boxes and colours, without one texture.
//!
//! In: a seed and settings. Out: its tiles, boxes and light as one value.
//! Never knows: chunks, Vulkan.

use super::{Ground, Pose, PoseHeight, TileGround, World, WorldInstance, lowpoly_boxes as boxes, lowpoly_light::look_at, lowpoly_solids::LowpolySolids};
use crate::settings::{
    Kind::{self, Number, Whole},
    Setting, Values,
};
use glam::Vec3;
use std::sync::Arc;
use terrane_base::Seed;
use terrane_render::Look;
use terrane_worldgen::{
    noise::StackDesc,
    rings::Shape,
    tiles::{Sort, TileColors, TileDesc, TileField, TileKinds},
};

/// The row.
pub const WORLD: World = World {
    name: "lowpoly",
    summary: "a paper diorama of tiles and boxes: meadows, groves, beaches and cliffs, coloured by the vertex",
    view_distance_m: 2000.0,
    settings: SETTINGS,
    poses: POSES,
    make,
};

const fn number(name: &'static str, unit: &'static str, default: f64, low: f64, high: f64, help: &'static str) -> Setting {
    Setting { name, unit, help, kind: Number { default, low, high } }
}

const fn whole(name: &'static str, unit: &'static str, default: i64, low: i64, high: i64, help: &'static str) -> Setting {
    Setting { name, unit, help, kind: Whole { default, low, high } }
}

/// Tiles along the edge of a chunk: of the world to the horizon, and of its model.
const TILES: u32 = 64;
const MODEL_TILES: u32 = 16;
/// Chunks in each direction around the model's own: 5 x 5.
const MODEL_RADIUS: u32 = 2;

const SETTINGS: &[Setting] = &[
    Setting {
        name: "preset",
        unit: "",
        help: "horizon draws on with tiles that merge; model keeps the 5 x 5 chunks of 16 x 16 tiles around the viewer, and nothing else.",
        kind: Kind::Text { default: "horizon", allowed: &["horizon", "model"] },
    },
    Setting { name: "palette", unit: "", help: "Colours of crowns and meadows.", kind: Kind::Text { default: "green", allowed: &["green", "autumn"] } },
    number("wavelength_m", "m", 190.0, 16.0, 4000.0, "Wavelength of the noise's first octave."),
    whole("octaves", "", 4, 1, 8, "Octaves of the noise."),
    number("persistence", "", 0.5, 0.0, 0.8, "Amplitude from octave to octave."),
    number("lacunarity", "", 2.0, 1.5, 2.5, "Frequency from octave to octave."),
    number("amplitude", "", 2.6, 0.1, 4.0, "Spreads the noise around 0.5; under 0.25 is water."),
    number("height_m", "m", 30.0, 0.0, 200.0, "Height of hills where the noise is 1."),
    number("cliff_m", "m", 3.2, 0.0, 40.0, "How high cliffs stand over the shore."),
    number("cliff_share", "", 0.45, 0.0, 1.0, "How much of the shore is cliffs."),
    number("depth_m", "m", 5.0, 0.0, 15.0, "Depth of the water where the noise is 0."),
    number("tree_density", "", 0.07, 0.0, 0.5, "Share of tiles in groves that bear a tree."),
    number("rock_density", "", 0.004, 0.0, 0.1, "Share of tiles that bear a rock."),
    number("grass_density", "", 0.10, 0.0, 0.5, "Share of tiles that bear a bunch of grass."),
    number("time_of_day_h", "h", 8.5, 0.0, 24.0, "The hour: the sun rises at 6 and sets at 19, then the moon shines."),
    number("sunrise_deg", "degrees", 218.0, 0.0, 360.0, "Where the sun rises, clockwise from north."),
    number("haze", "", 0.16, 0.001, 1.0, "How much of a thing at the view distance is still seen through the haze."),
    number("exposure", "", 1.0, 0.05, 20.0, "Brightness before the tonemap."),
];

const POSES: &[Pose] = &[
    pose("beach", [352.0, 57.0], 1.7, 316.0, -1.0, "a beach, cliffs over the water, trees in three depths"),
    pose("cove", [-190.0, 20.0], 3.0, 20.0, 0.0, "from the water: a shore with trees, a hill behind"),
    pose("cliffs", [131.0, -309.0], 1.7, 48.0, 1.0, "walls of earth across the bay"),
    pose("grove", [-57.0, -134.0], 1.7, 322.0, 2.0, "among the trees, their shadows on the meadow"),
    pose("lake", [110.0, 200.0], 60.0, 330.0, -22.0, "a lake between hills, from the air"),
    pose("horizon", [-200.0, 0.0], 70.0, 60.0, -9.0, "the same world to the horizon"),
];

const fn pose(name: &'static str, [x_m, z_m]: [f64; 2], over_ground_m: f64, yaw_deg: f64, pitch_deg: f64, mood: &'static str) -> Pose {
    Pose { name, x_m, z_m, height: PoseHeight::OverGround(over_ground_m), yaw_deg, pitch_deg, mood }
}

fn make(seed: Seed, values: &Values) -> Result<WorldInstance, String> {
    let number = |name| values.number(name) as f32;
    let noise = StackDesc {
        octaves: values.whole("octaves") as u32,
        wavelength_m: values.number("wavelength_m"),
        lacunarity: values.number("lacunarity"),
        persistence: number("persistence"),
        period_cells: 0,
    };
    noise.check().map_err(|error| error.to_string())?;
    let autumn = values.text("palette") == "autumn";
    let model = values.text("preset") == "model";
    let desc = TileDesc {
        noise,
        amplitude: number("amplitude"),
        height_m: number("height_m"),
        cliff_m: number("cliff_m"),
        cliff_wavelength_m: 170.0,
        cliff_share: number("cliff_share"),
        depth_m: number("depth_m"),
        grove_wavelength_m: 95.0,
        colors: if autumn { AUTUMN } else { GREEN },
    };
    let kinds = TileKinds {
        trees: Sort { density: number("tree_density"), lod_max: 5, props: boxes::TREES },
        rocks: Sort { density: number("rock_density"), lod_max: 2, props: boxes::ROCKS },
        grass: Sort { density: number("grass_density"), lod_max: 0, props: boxes::GRASS },
    };
    let field = TileField::new(seed, desc);
    let tiles = if model { MODEL_TILES } else { TILES };
    let art_seed = seed.stream("lowpoly art");
    let ground = Arc::new(TileGround { field: field.clone(), kinds, tiles });
    Ok(WorldInstance {
        solids: Arc::new(LowpolySolids::new(ground.clone(), &boxes::solids(art_seed))),
        field: Arc::new(field),
        scatter_kinds: Vec::new(),
        scatter_seed: 0,
        art_seed,
        props: if autumn { boxes::autumn } else { boxes::green },
        shape: Shape::PlaneOf { edge_m: tiles },
        square_chunks: model.then_some(MODEL_RADIUS),
        ground: Ground::Tiles(ground),
        look: look(values),
    })
}

const GREEN: TileColors = TileColors {
    sand: [0.90, 0.82, 0.62],
    meadow: [0.70, 0.78, 0.46],
    grass: [0.52, 0.67, 0.40],
    grove: [0.40, 0.54, 0.34],
    earth: [0.66, 0.54, 0.40],
    bed: [0.80, 0.78, 0.60],
    deep: [0.42, 0.58, 0.56],
};

const AUTUMN: TileColors = TileColors { meadow: [0.82, 0.74, 0.42], grass: [0.72, 0.62, 0.34], grove: [0.58, 0.44, 0.28], ..GREEN };

/// A soft sky and haze of cream; by default a clear morning.
fn look(values: &Values) -> Look {
    let number = |name| values.number(name) as f32;
    Look {
        bounce: Vec3::new(0.34, 0.32, 0.22),
        haze_at_view_distance: number("haze"),
        haze_extinction: Vec3::new(0.85, 1.0, 1.15),
        haze_height_m: 300.0,
        cloud_amount: 0.55,
        exposure: number("exposure"),
        contrast: 1.22,
        saturation: 1.22,
        wall_color: Vec3::new(0.42, 0.27, 0.16),
        water_color: Vec3::new(0.035, 0.36, 0.36),
        water_absorption: Vec3::new(0.42, 0.09, 0.10),
        ..look_at(number("time_of_day_h"), number("sunrise_deg"))
    }
}
