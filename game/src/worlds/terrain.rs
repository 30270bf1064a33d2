//! The row of the terrain world: an endless land of ranges and valleys, an hour before sunset.
//!
//! In: a seed and settings. Out: its field, plants, materials and light as one value.
//! Never knows: chunks, Vulkan.

use super::{
    Pose, PoseHeight, World, WorldInstance,
    terrain_field::{LandShape, TerrainField},
    terrain_plants,
};
use crate::settings::{
    Kind::{Curve, Number},
    Setting, Values,
};
use std::sync::Arc;
use terrane_base::Seed;
use terrane_render::Look;
use terrane_worldgen::{curve, props::terrain_props, rings::Shape, texture};

/// The row.
pub const WORLD: World = World {
    name: "terrain",
    summary: "an endless land of snowy ranges, broad valleys, meadows and forests",
    shape: Shape::Plane,
    view_distance_m: 4000.0,
    settings: SETTINGS,
    poses: POSES,
    make,
};

const fn number(name: &'static str, unit: &'static str, default: f64, low: f64, high: f64, help: &'static str) -> Setting {
    Setting { name, unit, help, kind: Number { default, low, high } }
}

const SETTINGS: &[Setting] = &[
    number("height_multiplier_m", "m", 520.0, 1.0, 2000.0, "Height y = (curve(h) + h) x this."),
    Setting {
        name: "height_curve",
        unit: "",
        help: "Shapes heights: broad valleys where it is flat, steep ranges where it climbs; below and above it stays at its ends.",
        kind: Curve { default: &[[0.0, 0.0], [0.25, 0.1], [0.6, 0.5], [1.0, 1.1]] },
    },
];

const POSES: &[Pose] = &[Pose {
    name: "valley",
    x_m: 0.0,
    z_m: 0.0,
    height: PoseHeight::OverGround(3.0),
    yaw_deg: 0.0,
    pitch_deg: 0.0,
    mood: "a meadow and the lit ridge across the valley",
}];

fn make(seed: Seed, values: &Values) -> Result<WorldInstance, String> {
    let curve = curve::Curve::new(values.curve("height_curve")).map_err(|error| error.to_string())?;
    let shape = LandShape { multiplier_m: values.number("height_multiplier_m") as f32, curve, ..LandShape::default() };
    let look = Look::default();
    let scatter_kinds = terrain_plants::kinds(&look, 1.0);
    Ok(WorldInstance {
        field: Arc::new(TerrainField::new(seed, &shape)),
        scatter_kinds,
        scatter_seed: seed.stream("terrain scatter"),
        art_seed: seed.stream("terrain art"),
        props: terrain_props,
        layers: |seed| [texture::grass(seed), texture::snow(seed), texture::rock(seed)],
        look,
    })
}
