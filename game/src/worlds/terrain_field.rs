//! In: a seed and the shape of the land. Out: heights and plant cover of the terrain world, a pure function of metres.
//! Never knows: chunks, meshes, plants, light.
//!
//! Big shapes first. The zero lines of one slow noise are a net of winding valleys; away from them the land rises through
//! foothills into worn mountains ([`Worn`]), by regions higher or lower; fBm lies over all of it. The sum h goes through the
//! height curve last: y = (curve(h) + h) x multiplier. As everywhere below the settings: only +, -, * and selection.

use terrane_base::Seed;
use terrane_worldgen::{
    GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    curve::Curve,
    noise::{NoiseScratch, Stack, StackDesc, Worn, WornDesc, smooth},
    phase::WARP_UNITS_PER_M,
};

/// Samples of a row that are looked at together: whether mountains stand on any of them.
const BATCH: usize = 64;
/// Heights end here, whatever the settings: half of what worldgen allows.
pub const HEIGHT_MAX_M: f32 = 8190.0;
/// Moved at most so far by warp: 2^31 units / 2^16 a metre = 32 km, and octaves sum to less than twice the first.
pub const WARP_LIMIT_M: f64 = 16_000.0;

/// What shapes the land. The ranges of these are those of the settings of the same name.
#[derive(Clone, Debug, PartialEq)]
pub struct LandShape {
    /// Last factor of the height.
    pub height_multiplier_m: f32,
    /// Shapes h.
    pub height_curve: Curve,
    /// The fBm over all of it; its first wavelength is its scale.
    pub relief: StackDesc,
    /// Amplitude of the fBm on valley floors, in h.
    pub relief_height: f32,
    /// Moves the whole world, metres along x and z.
    pub offset_m: [i64; 2],
    /// Distance from valley to valley, about half of this.
    pub valley_wavelength_m: f64,
    /// Half width of a valley floor, in the value of its noise.
    pub valley_width: f32,
    /// How high mountains are, in h.
    pub mountain_height: f32,
    /// How much that differs from region to region.
    pub mountain_variation: f32,
    /// Size of the regions.
    pub region_wavelength_m: f64,
    /// Crests, spurs and gullies.
    pub ridges: WornDesc,
    /// How far valleys and crests wind.
    pub warp_m: f32,
    /// Length of the windings.
    pub warp_wavelength_m: f64,
    /// Size of forests and meadows.
    pub cover_wavelength_m: f64,
}

/// The ground of the terrain world.
#[derive(Debug)]
pub struct TerrainField {
    shape: LandShape,
    warp: [Stack; 2],
    region: Stack,
    valley: Stack,
    ridges: Worn,
    relief: Stack,
    cover: Stack,
    /// Where the mountains begin, in valley values.
    floor_ends: f32,
}

impl TerrainField {
    /// The land of a seed.
    pub fn new(seed: Seed, shape: LandShape) -> TerrainField {
        let stack = |salt: &str, octaves, wavelength_m, persistence| {
            Stack::new(seed.stream(salt), &StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence, period_cells: 0 })
        };
        let floor = 1.0 - shape.valley_width;
        TerrainField {
            warp: [stack("terrain warp x", 5, shape.warp_wavelength_m, 0.5), stack("terrain warp z", 5, shape.warp_wavelength_m, 0.5)],
            region: stack("terrain region", 2, shape.region_wavelength_m, 0.5),
            valley: stack("terrain valley", 1, shape.valley_wavelength_m, 0.5),
            ridges: Worn::new(seed.stream("terrain ridges"), &shape.ridges),
            relief: Stack::new(seed.stream("terrain relief"), &shape.relief),
            cover: stack("terrain cover", 6, shape.cover_wavelength_m, 0.58),
            floor_ends: floor * floor,
            shape,
        }
    }

    fn warp_layer(&self, axis: usize, area: &GridArea, noise: &mut NoiseScratch, layer: &mut [f32], warp: &mut [i32]) {
        self.warp[axis].fbm_grid(area, noise, layer);
        let units = self.shape.warp_m * WARP_UNITS_PER_M;
        warp.iter_mut().zip(layer.iter()).for_each(|(units_there, value)| *units_there = (value * units) as i32);
    }

    /// Share of mountain at a valley value, and of hills: 0 on valley floors.
    fn rise(&self, valley: f32) -> (f32, f32) {
        // The layer's 1/2 lies in the middle of a valley; it falls to 0 half a wavelength away: (1 - |n|)^2 / 2.
        let valley = valley * 2.0;
        (smooth((self.floor_ends - valley) * 1.8), smooth((self.floor_ends + 0.09 - valley) * 3.0))
    }

    /// Height in 1/1024 m and cover at one sample, from its layers.
    fn ground(&self, at: &Layers) -> (i32, u8) {
        let (rise, hills) = self.rise(at.valley);
        let region = self.shape.mountain_height + at.region * self.shape.mountain_variation;
        let region = if region < REGION_MIN { REGION_MIN } else { region };
        let mountains = rise * region * (0.12 * rise + 1.15 * (at.crests - 0.33));
        let relief = at.relief * self.shape.relief_height * (1.0 + hills);
        let h = 0.02 + hills * 0.05 + relief + mountains;
        let y = (self.shape.height_curve.value(h) + h) * self.shape.height_multiplier_m;
        let y = within(y, -HEIGHT_MAX_M, HEIGHT_MAX_M);
        // Forests climb the foothills and thin out towards valley floors, where meadows lie.
        let cover = 0.36 + at.cover * 0.62 + hills * (1.0 - rise) * 0.3 + rise * 0.12;
        ((y * HEIGHT_UNITS_PER_M as f32) as i32, (within(cover, 0.0, 1.0) * 255.0) as u8)
    }
}

/// Even the lowest region has some hills.
const REGION_MIN: f32 = 0.2;

/// What the layers say at one sample.
struct Layers {
    region: f32,
    valley: f32,
    crests: f32,
    relief: f32,
    cover: f32,
}

impl HeightField for TerrainField {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let area = GridArea { x_m: area.x_m + self.shape.offset_m[0], z_m: area.z_m + self.shape.offset_m[1], ..*area };
        let count = area.edge * area.edge;
        scratch.reserve(5, 2, count);
        let Scratch { noise, layers, warps } = scratch;
        let [spare, region, valley, relief, cover, ..] = layers.as_mut_slice() else { return };
        let [warp_x, warp_z, ..] = warps.as_mut_slice() else { return };
        // Layers may be longer than this area from a larger one before.
        let (spare, region, valley) = (&mut spare[..count], &mut region[..count], &mut valley[..count]);
        let (relief, cover, warp_x, warp_z) = (&mut relief[..count], &mut cover[..count], &mut warp_x[..count], &mut warp_z[..count]);
        self.warp_layer(0, &area, noise, spare, warp_x);
        self.warp_layer(1, &area, noise, spare, warp_z);
        self.region.fbm_grid(&area, noise, region);
        self.valley.ridged_warped(&area, [warp_x, warp_z], 2.0, valley);
        self.relief.fbm_grid(&area, noise, relief);
        self.cover.fbm_grid(&area, noise, cover);
        out.edge = area.edge;
        out.height_q.resize(count, 0);
        out.cover.resize(count, 0);
        for row in 0..area.edge {
            let z_m = area.z_m + row as i64 * i64::from(area.step_m);
            for first in (0..area.edge).step_by(BATCH) {
                let x_m = area.x_m + first as i64 * i64::from(area.step_m);
                let piece = row * area.edge + first..row * area.edge + area.edge.min(first + BATCH);
                let mut crests = [0.0; BATCH];
                // Valley floors are spared the dear part; where the share of mountain is 0 its height counts for nothing.
                if valley[piece.clone()].iter().any(|valley| self.rise(*valley).0 > 0.0) {
                    let warp = [&warp_x[piece.clone()], &warp_z[piece.clone()]];
                    self.ridges.row([x_m, z_m], area.step_m, warp, &mut crests[..piece.len()]);
                }
                for (i, crests) in piece.zip(crests) {
                    let at = Layers { region: region[i], valley: valley[i], crests, relief: relief[i], cover: cover[i] };
                    (out.height_q[i], out.cover[i]) = self.ground(&at);
                }
            }
        }
    }
}

fn within(value: f32, low: f32, high: f32) -> f32 {
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}
