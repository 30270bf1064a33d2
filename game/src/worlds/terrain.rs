//! The row of the terrain world: an endless land of ranges and valleys, an hour before sunset.
//!
//! In: a seed and settings. Out: its field, plants, materials and light as one value.
//! Never knows: chunks, Vulkan.

use super::{
    FieldSolids, Ground, Pose, PoseHeight, World, WorldInstance,
    terrain_field::{LandShape, TerrainField, WARP_LIMIT_M},
    terrain_plants,
};
use crate::settings::{
    Kind::{self, Number, Whole},
    Setting, Values,
};
use std::sync::Arc;
use terrane_base::Seed;
use terrane_render::Look;
use terrane_worldgen::{
    curve::Curve,
    noise::{StackDesc, WornDesc},
    props::{terrain_props, terrain_solids},
    rings::Shape,
    texture,
};

/// The row.
pub const WORLD: World = World {
    name: "terrain",
    summary: "an endless land of snowy ranges, broad valleys, meadows and forests",
    view_distance_m: 4000.0,
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

/// Furthest that an offset moves the world, metres; with it every place still fits 2^29.
const OFFSET_LIMIT_M: i64 = 100_000_000;

// Snow and rock have other defaults than the model's 42/8.3 and 0.78/0.97: its mountains are 100 high and gentle, these rise 1,000 m at
// 30 to 45 degrees, where its masks would paint everything white or bare.
const SETTINGS: &[Setting] = &[
    number("height_multiplier_m", "m", 440.0, 1.0, 2000.0, "Height y = (curve(h) + h) x this."),
    Setting {
        name: "height_curve",
        unit: "",
        help: "Shapes heights h: flat parts make valleys, steep parts ranges; beyond its ends it stays as it is there.",
        kind: Kind::Curve { default: &[[0.0, 0.0], [0.25, 0.1], [0.6, 0.5], [1.0, 1.1]] },
    },
    whole("octaves", "", 8, 1, 10, "Octaves of the relief, the fBm that lies over the whole land."),
    number("persistence", "", 0.5, 0.0, 0.8, "Amplitude of the relief from octave to octave."),
    number("lacunarity", "", 2.0, 1.5, 2.5, "Frequency of the relief from octave to octave."),
    number("scale_m", "m", 900.0, 100.0, 20_000.0, "Wavelength of the relief's first octave."),
    number("relief_height", "", 0.024, 0.0, 1.0, "Amplitude of the relief on valley floors, before the curve; hills have twice as much."),
    whole("offset_x_m", "m", 0, -OFFSET_LIMIT_M, OFFSET_LIMIT_M, "Moves the world to the west."),
    whole("offset_z_m", "m", 0, -OFFSET_LIMIT_M, OFFSET_LIMIT_M, "Moves the world to the north."),
    number("valley_wavelength_m", "m", 5400.0, 500.0, 100_000.0, "About twice the distance from valley to valley."),
    number("valley_width", "", 0.08, 0.0, 0.6, "Width of the valley floors."),
    number("mountain_height", "", 0.95, 0.0, 3.0, "How high mountains are, before the curve."),
    number("mountain_variation", "", 0.8, 0.0, 3.0, "How much that differs from region to region."),
    number("region_wavelength_m", "m", 12_000.0, 1000.0, 1_000_000.0, "Size of regions of high and low mountains."),
    number("ridge_wavelength_m", "m", 2700.0, 500.0, 50_000.0, "Distance from crest to crest."),
    whole("ridge_octaves", "", 8, 1, 9, "Octaves of crests, spurs and gullies."),
    number("ridge_persistence", "", 0.6, 0.0, 0.8, "How rough crests are."),
    number("ridge_wear", "", 0.16, 0.0, 0.4, "How far spurs and gullies are drawn down the slopes."),
    number("warp_m", "m", 420.0, 0.0, WARP_LIMIT_M, "How far valleys and crests wind."),
    number("warp_wavelength_m", "m", 2400.0, 200.0, 100_000.0, "Length of the windings."),
    number("cover_wavelength_m", "m", 1500.0, 100.0, 100_000.0, "Size of forests and meadows."),
    number("snow_offset_m", "m", 540.0, -8000.0, 8000.0, "Snow begins at this height."),
    number("snow_contrast_m", "m", 200.0, 0.1, 8000.0, "And is whole this much higher."),
    number("rock_low", "", 0.70, 0.0, 0.85, "Rock is whole where the normal's y is below this."),
    number("rock_high", "", 0.86, 0.86, 1.0, "Rock is gone where the normal's y is above this."),
    number("tree_line_m", "m", 430.0, -8000.0, 8000.0, "Trees end about here."),
    number("plant_density", "", 1.0, 0.0, 2.0, "How many plants and stones there are."),
    number("sun_height_deg", "degrees", 21.0, 0.5, 90.0, "Height of the sun over the horizon."),
    number("sun_azimuth_deg", "degrees", 250.0, 0.0, 360.0, "Direction of the sun, clockwise from north."),
    number("haze", "", 0.45, 0.001, 1.0, "How much of a thing at the view distance is still seen through the haze."),
    number("clouds", "", 1.0, 0.0, 1.0, "How many clouds there are."),
    number("exposure", "", 1.15, 0.05, 20.0, "Brightness before the tonemap."),
];

const POSES: &[Pose] = &[
    pose("valley", [1800.0, -1900.0], 24.0, 75.0, 7.0, "groves on a meadow, and the gate of the valley in the last sun"),
    pose("gate", [-900.0, 2200.0], 2.5, 200.0, 4.0, "the way out of the valley between two shoulders, against the light"),
    pose("grove", [1010.0, -1290.0], 2.4, 80.0, 8.0, "the edge of a forest, tall grass in front"),
    pose("summit", [-1116.0, -3540.0], 14.0, 110.0, -10.0, "snow at the feet, the valley far below, ranges behind it"),
    pose("slope", [2500.0, -3000.0], 3.0, 50.0, 6.0, "scree and rock over the last meadow"),
    pose("soaring", [-1000.0, 1300.0], 260.0, 215.0, -8.0, "hills, forests and a wide floor from the air"),
];

const fn pose(name: &'static str, [x_m, z_m]: [f64; 2], over_ground_m: f64, yaw_deg: f64, pitch_deg: f64, mood: &'static str) -> Pose {
    Pose { name, x_m, z_m, height: PoseHeight::OverGround(over_ground_m), yaw_deg, pitch_deg, mood }
}

fn make(seed: Seed, values: &Values) -> Result<WorldInstance, String> {
    let look = look(values);
    let density = values.number("plant_density") as f32;
    let field = Arc::new(TerrainField::new(seed, &land_shape(values)?).map_err(|error| error.to_string())?);
    let (scatter_kinds, scatter_seed, art_seed) = (terrain_plants::kinds(&look, density), seed.stream("terrain scatter"), seed.stream("terrain art"));
    Ok(WorldInstance {
        solids: Arc::new(FieldSolids::new(field.clone(), &scatter_kinds, scatter_seed, terrain_solids(art_seed))),
        field,
        scatter_kinds,
        scatter_seed,
        art_seed,
        props: terrain_props,
        shape: Shape::Plane,
        square_chunks: None,
        ground: Ground::Layers(|seed| [texture::grass(seed), texture::snow(seed), texture::rock(seed)]),
        look,
    })
}

fn land_shape(values: &Values) -> Result<LandShape, String> {
    let number = |name| values.number(name) as f32;
    Ok(LandShape {
        height_multiplier_m: number("height_multiplier_m"),
        height_curve: Curve::new(values.curve("height_curve")).map_err(|error| error.to_string())?,
        relief: StackDesc {
            octaves: values.whole("octaves") as u32,
            wavelength_m: values.number("scale_m"),
            lacunarity: values.number("lacunarity"),
            persistence: number("persistence"),
            period_cells: 0,
        },
        relief_height: number("relief_height"),
        offset_m: [values.whole("offset_x_m"), values.whole("offset_z_m")],
        valley_wavelength_m: values.number("valley_wavelength_m"),
        valley_width: number("valley_width"),
        mountain_height: number("mountain_height"),
        mountain_variation: number("mountain_variation"),
        region_wavelength_m: values.number("region_wavelength_m"),
        ridges: WornDesc {
            octaves: values.whole("ridge_octaves") as usize,
            wavelength_m: values.number("ridge_wavelength_m"),
            persistence: number("ridge_persistence"),
            wear: number("ridge_wear"),
        },
        warp_m: number("warp_m"),
        warp_wavelength_m: values.number("warp_wavelength_m"),
        cover_wavelength_m: values.number("cover_wavelength_m"),
    })
}

fn look(values: &Values) -> Look {
    let number = |name| values.number(name) as f32;
    Look {
        snow_offset_m: number("snow_offset_m"),
        snow_contrast_m: number("snow_contrast_m"),
        rock_low: number("rock_low"),
        rock_high: number("rock_high"),
        tree_line_m: number("tree_line_m"),
        sun_height_deg: number("sun_height_deg"),
        sun_azimuth_deg: number("sun_azimuth_deg"),
        haze_at_view_distance: number("haze"),
        cloud_amount: number("clouds"),
        exposure: number("exposure"),
        ..Look::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;
    use terrane_worldgen::GridArea;

    /// Share of an area for which something holds, by height over and slope at each sample.
    fn share(samples: &terrane_worldgen::Samples, step_m: f32, holds: impl Fn(f32, f32) -> bool) -> f32 {
        let edge = samples.edge;
        let height = |x: usize, z: usize| samples.height_q[z * edge + x] as f32 / 1024.0;
        let inner = (1..edge - 1).flat_map(|z| (1..edge - 1).map(move |x| (x, z)));
        let count = inner.filter(|&(x, z)| {
            let dx = (height(x + 1, z) - height(x - 1, z)) / (2.0 * step_m);
            let dz = (height(x, z + 1) - height(x, z - 1)) / (2.0 * step_m);
            holds(height(x, z), (dx * dx + dz * dz).sqrt())
        });
        count.count() as f32 / ((edge - 2) * (edge - 2)) as f32
    }

    #[test]
    fn the_land_has_valley_floors_slopes_and_snowy_ranges_whatever_the_seed() {
        for (seed, middle) in [(1, 0), (2, -10_000_000), (77, 10_000_000)] {
            let made = make(Seed(seed), &Values::defaults(SETTINGS)).expect("a world");
            let area = GridArea { x_m: middle - 16_000, z_m: middle - 16_000, step_m: 64, edge: 500 };
            let samples = map::sample(&made, area, 2);
            let share = |holds: &dyn Fn(f32, f32) -> bool| share(&samples, 64.0, holds);
            let shares = [
                share(&|height, slope| height < 80.0 && slope < 0.1),
                share(&|_, slope| slope < 1.0),
                share(&|_, slope| slope > 0.5),
                share(&|height, _| height > made.look.snow_offset_m),
                share(&|height, _| !(-150.0..1500.0).contains(&height)),
            ];
            assert!((0.12..0.5).contains(&shares[0]), "wide floors: {shares:?}");
            assert!(shares[1] > 0.85, "mostly under 45 degrees: {shares:?}");
            assert!((0.12..0.45).contains(&shares[2]), "and steep in places: {shares:?}");
            assert!((0.03..0.3).contains(&shares[3]), "snow: {shares:?}");
            assert!(shares[4] == 0.0, "nothing out of scale: {shares:?}");
        }
    }
}
