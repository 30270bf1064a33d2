//! In: a seed, numbers, a square of tile corners. Out: land, water, heights and colours of a world made of square tiles; its mesh.
//! Never knows: Vulkan, cameras, time, or who walks there.
//!
//! A tile is water where the noise at its lowest corner is under [`WATER_NOISE`], else land. Land has the heights of its four corners;
//! water lies flat at [`WATER_Y_M`] over a bed. Both are functions of the corner alone, so a tile of twice the edge finds its class and its
//! heights at corners that the finer tiles have too: levels of detail merge tiles, and nothing else is asked for.

mod mesh;
mod scatter;
#[cfg(test)]
mod tests;
mod white;

pub use mesh::{TileVertex, drawn_corner_m, drawn_tile_height_m, mesh_tiles, tile_vertex_height_m, unpack_tile_vertex};
pub use scatter::{Sort, TileKinds, scatter_tiles};
pub use white::{fold_seed, seed_offsets, tile_hash, tree_hash, tree_place, white_noise};

use crate::{
    GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    noise::{Stack, StackDesc, smooth},
};
use terrane_base::{Seed, hash::hash2};

/// Noise under this is water.
pub const WATER_NOISE: f32 = 0.25;
/// Where the surface of all water lies, metres.
pub const WATER_Y_M: f32 = -0.5;
/// Height units of a corner in a metre.
pub const TILE_UNITS_PER_M: i32 = 64;
/// Depth units of a bed in a metre.
pub const DEPTH_UNITS_PER_M: i32 = 16;
/// Heights of land reach from 0 to this, metres: 16 bits from [`LAND_LOW_M`] on.
pub const LAND_HIGH_M: f32 = 895.0;
/// What the code 0 of a height stands for, metres.
pub const LAND_LOW_M: i32 = -128;

/// What makes a world of tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct TileDesc {
    /// The noise: octaves, wavelength, persistence, lacunarity.
    pub noise: StackDesc,
    /// What the signed, normalised sum is multiplied by before it becomes 0.5 +- half of it, cut to [0, 1].
    pub amplitude: f32,
    /// Height of land for a noise of 1, metres.
    pub height_m: f32,
    /// How high cliffs stand over the shore, metres.
    pub cliff_m: f32,
    /// From bay to bay, metres.
    pub cliff_wavelength_m: f64,
    /// Share of the shore that is cliffs, 0 to 1.
    pub cliff_share: f32,
    /// Depth of the water for a noise of 0, metres.
    pub depth_m: f32,
    /// Size of groves and clearings, metres.
    pub grove_wavelength_m: f64,
    /// Colours of the land.
    pub colors: TileColors,
}

/// Colours from the shore up, sRGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileColors {
    /// Beaches.
    pub sand: [f32; 3],
    /// Low meadows.
    pub meadow: [f32; 3],
    /// Higher ones.
    pub grass: [f32; 3],
    /// The ground under trees.
    pub grove: [f32; 3],
    /// Hilltops.
    pub earth: [f32; 3],
    /// Under shallow water.
    pub bed: [f32; 3],
    /// Under deep water.
    pub deep: [f32; 3],
}

/// A world of tiles as a function of global coordinates, metres.
#[derive(Clone, Debug)]
pub struct TileField {
    desc: TileDesc,
    noise: Stack,
    coast: Stack,
    grove: Stack,
    /// How far the seed shifts the noise, 2^-16 m.
    shift: [i32; 2],
    /// The seed folded to 32 bits.
    pub seed: i32,
    colors_seed: u32,
}

/// Every layer of noise is drawn with its own stream of this seed: a world's seed only shifts the origin.
const NOISE_SEED: u32 = 0x7e44_a9e1;

/// Corners of tiles, row by row: `z * edge + x`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileCorners {
    /// Corners along the edge.
    pub edge: usize,
    /// The noise, 0 to 1.
    pub noise: Vec<f32>,
    /// Height of land that has this corner, in 1/64 m; never below 0.
    pub land_q: Vec<i32>,
    /// Depth of a bed that has it, in 1/16 m below the water's surface; at least 4.
    pub depth_q: Vec<u8>,
    /// How much it belongs to a grove, 0 to 255.
    pub grove: Vec<u8>,
    /// Variation of colour, 0 to 255.
    pub speck: Vec<u8>,
}

impl TileCorners {
    /// Bytes of all layers.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.noise[..]) + size_of_val(&self.land_q[..]) + self.depth_q.len() + self.grove.len() + self.speck.len()
    }

    /// Whether the tile whose lowest corner this is is water.
    pub fn is_water(&self, x: usize, z: usize) -> bool {
        self.noise[z * self.edge + x] < WATER_NOISE
    }

    /// Height of a corner as a tile of a class has it, metres.
    pub fn height_m(&self, x: usize, z: usize, water: bool) -> f32 {
        let at = z * self.edge + x;
        if water { WATER_Y_M - f32::from(self.depth_q[at]) / DEPTH_UNITS_PER_M as f32 } else { self.land_q[at] as f32 / TILE_UNITS_PER_M as f32 }
    }
}

impl TileField {
    /// The field of a seed; `desc.noise` has passed its check.
    pub fn new(seed: Seed, desc: TileDesc) -> TileField {
        let layer = |salt: u32, wavelength_m: f64| {
            Stack::new(NOISE_SEED ^ salt, &StackDesc { octaves: 3, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 })
        };
        let folded = fold_seed(seed);
        // Offsets lie within +-1000 m and are kept to 2^-16 m.
        let shift = seed_offsets(folded).map(|metres| (metres * 65536.0).floor() as i32);
        TileField {
            noise: Stack::new(NOISE_SEED, &desc.noise),
            coast: layer(0x2b, desc.cliff_wavelength_m),
            grove: layer(0x57, desc.grove_wavelength_m),
            desc,
            shift,
            seed: folded,
            colors_seed: seed.stream("tile colours"),
        }
    }

    /// What it was made from.
    pub fn desc(&self) -> &TileDesc {
        &self.desc
    }

    /// The corners of a square of tiles. Equal coordinates give equal bits, whatever area and step asks.
    pub fn corners(&self, area: &GridArea, scratch: &mut Scratch, out: &mut TileCorners) {
        let count = area.edge * area.edge;
        scratch.reserve(2, 2, count);
        let (layers, warps) = (&mut scratch.layers, &mut scratch.warps);
        warps[0].fill(self.shift[0]);
        warps[1].fill(self.shift[1]);
        let warp = [&warps[0][..count], &warps[1][..count]];
        out.edge = area.edge;
        out.noise.clear();
        out.noise.reserve_exact(count);
        out.noise.resize(count, 0.0);
        self.noise.fbm_warped(area, warp, &mut out.noise);
        let [coast, grove] = layers.first_chunk_mut::<2>().expect("two layers were asked for");
        self.coast.fbm_warped(area, warp, &mut coast[..count]);
        self.grove.fbm_warped(area, warp, &mut grove[..count]);
        let gain = 0.5 * self.desc.amplitude / self.noise.amplitude_sum();
        let (coast_gain, grove_gain) = (0.5 / self.coast.amplitude_sum(), 0.5 / self.grove.amplitude_sum());
        out.noise.iter_mut().for_each(|value| *value = unit(0.5 + *value * gain));
        out.land_q.clear();
        out.land_q.reserve_exact(count);
        for layer in [&mut out.depth_q, &mut out.grove, &mut out.speck] {
            layer.clear();
            layer.reserve_exact(count);
        }
        for (i, &n) in out.noise.iter().enumerate() {
            let cliff = smooth((0.5 + coast[i] * coast_gain - CLIFF_MIDDLE + (self.desc.cliff_share - 0.5) * CLIFF_REACH) * CLIFF_STEEPNESS);
            out.depth_q.push(self.depth_q(n));
            out.grove.push((smooth((0.5 + grove[i] * grove_gain - 0.44) * 6.0) * 255.0 + 0.5) as u8);
            let (x, z) = (i % area.edge, i / area.edge);
            let at = [(area.x_m, x), (area.z_m, z)].map(|(from, i)| (from + i as i64 * i64::from(area.step_m)) as i32);
            let speck = (hash2(self.colors_seed, at[0], at[1]) >> 24) as u8;
            out.land_q.push(self.land_q(n, cliff, speck));
            out.speck.push(speck);
        }
    }

    /// Land rises from the shore; where the coast is a cliff, all of it stands higher.
    fn land_q(&self, n: f32, cliff: f32, speck: u8) -> i32 {
        let over = if n > WATER_NOISE { n - WATER_NOISE } else { 0.0 };
        let rise = over * (1.0 / (1.0 - WATER_NOISE));
        // Flat beaches and meadows, then hills.
        let height_m = self.desc.height_m * rise * rise * (1.6 - 0.6 * rise) + self.desc.cliff_m * cliff;
        // No field is quite level: facets catch the light.
        let height_m = height_m + f32::from(speck) * (FACET_M / 255.0) * smooth(rise * 9.0);
        let height_m = if height_m > LAND_HIGH_M { LAND_HIGH_M } else { height_m };
        (height_m * TILE_UNITS_PER_M as f32 + 0.5) as i32
    }

    fn depth_q(&self, n: f32) -> u8 {
        let under = if n < WATER_NOISE { WATER_NOISE - n } else { 0.0 };
        let depth_m = 0.25 + self.desc.depth_m * under * (1.0 / WATER_NOISE);
        let units = depth_m * DEPTH_UNITS_PER_M as f32 + 0.5;
        if units > 255.0 { 255 } else { units as u8 }
    }
}

/// How much a corner rises or not by itself, metres.
const FACET_M: f32 = 0.22;
/// Where the coast turns into a cliff, for a share of a half.
const CLIFF_MIDDLE: f32 = 0.5;
/// How far the share moves that.
const CLIFF_REACH: f32 = 0.5;
/// How quickly the land climbs onto a cliff.
const CLIFF_STEEPNESS: f32 = 9.0;

/// Clamped to [0, 1] by comparing, for equal bits everywhere.
#[expect(clippy::manual_clamp, reason = "see above")]
fn unit(t: f32) -> f32 {
    if t > 1.0 {
        1.0
    } else if t < 0.0 {
        0.0
    } else {
        t
    }
}

impl HeightField for TileField {
    /// What one stands on, tile by tile: land, or the water's surface.
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let mut corners = TileCorners::default();
        self.corners(area, scratch, &mut corners);
        let units = HEIGHT_UNITS_PER_M / TILE_UNITS_PER_M;
        let water = (WATER_Y_M * HEIGHT_UNITS_PER_M as f32) as i32;
        out.edge = area.edge;
        out.height_q.clear();
        out.height_q.extend(corners.noise.iter().zip(&corners.land_q).map(|(n, land)| if *n < WATER_NOISE { water } else { land * units }));
        out.cover.clone_from(&corners.grove);
    }
}
