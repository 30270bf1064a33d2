//! In: a seed and the shape of the land. Out: heights and plant cover of the terrain world, a pure function of metres.
//! Never knows: chunks, meshes, plants, light.
//!
//! Big shapes first. The zero lines of one slow noise are a net of winding valleys; away from them the land rises through
//! foothills into mountains worn by water (worldgen's `worn.rs`), by regions higher or lower; fBm lies over all of it. The sum h goes through the
//! height curve last: y = (curve(h) + h) x multiplier. As everywhere below the settings: only +, -, * and selection.

use terrane_base::Seed;
use terrane_worldgen::{
    GridArea, GroundLayers, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    curve::Curve,
    field::{Field, FieldBuilder, FieldError},
    noise::{StackDesc, WornDesc},
};

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
    /// Its layers: height in metres, cover from 0 to 1.
    field: Field,
    offset_m: [i64; 2],
}

/// Even the lowest region has some hills.
const REGION_MIN: f32 = 0.2;

impl TerrainField {
    /// The land of a seed. Settings that make no noise are refused.
    pub fn new(seed: Seed, shape: &LandShape) -> Result<TerrainField, FieldError> {
        let f = FieldBuilder::default();
        let stack = |octaves, wavelength_m, persistence| StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence, period_cells: 0 };
        let noise = |salt: &str, desc: &StackDesc| f.noise(seed.stream(salt), desc);
        let windings = stack(5, shape.warp_wavelength_m, 0.5);
        let warp = f.warp(noise("terrain warp x", &windings), noise("terrain warp z", &windings), shape.warp_m);

        // 1/2 in the middle of a valley; it falls to 0 half a wavelength away: (1 - |n|)^2 / 2.
        let valley = f.ridged(seed.stream("terrain valley"), &stack(1, shape.valley_wavelength_m, 0.5), 2.0, warp) * 2.0;
        // Share of mountain, and of hills: 0 on valley floors.
        let floor = 1.0 - shape.valley_width;
        let floor_ends = floor * floor;
        let rise = f.smooth((floor_ends - valley) * 1.8);
        let hills = f.smooth((floor_ends + 0.09 - valley) * 3.0);
        let crests = f.worn(seed.stream("terrain ridges"), &shape.ridges, warp, rise);

        let region = noise("terrain region", &stack(2, shape.region_wavelength_m, 0.5));
        let region = f.clamp(region * shape.mountain_variation + shape.mountain_height, REGION_MIN, f32::MAX);
        let mountains = rise * region * (rise * 0.12 + (crests - 0.33) * 1.15);
        let relief = noise("terrain relief", &shape.relief) * shape.relief_height * (hills + 1.0);
        let h = hills * 0.05 + 0.02 + relief + mountains;
        let y = (f.curve(h, &shape.height_curve) + h) * shape.height_multiplier_m;

        // Forests climb the foothills and thin out towards valley floors, where meadows lie.
        let cover = noise("terrain cover", &stack(6, shape.cover_wavelength_m, 0.58));
        let cover = cover * 0.62 + 0.36 + hills * (1.0 - rise) * 0.3 + rise * 0.12;
        let field = f.finish(&[f.clamp(y, -HEIGHT_MAX_M, HEIGHT_MAX_M), f.clamp(cover, 0.0, 1.0)])?;
        Ok(TerrainField { field, offset_m: shape.offset_m })
    }
}

impl HeightField for TerrainField {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let area = GridArea { x_m: area.x_m + self.offset_m[0], z_m: area.z_m + self.offset_m[1], ..*area };
        self.field.fill(&area, &mut scratch.field);
        out.edge = area.edge;
        scratch.field.output_i32(0, HEIGHT_UNITS_PER_M as f32, &mut out.height_q);
        scratch.field.output_u8(1, 255.0, &mut out.cover);
    }

    fn layers(&self) -> Option<GroundLayers<'_>> {
        Some(GroundLayers { field: &self.field, offset_m: self.offset_m })
    }
}
