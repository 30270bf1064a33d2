//! In: a seed and shape settings. Out: the heights and plant cover of the terrain world, as a pure function of metres.
//! Never knows: chunks, meshes, plants, light.

use super::terrain_erosion::{Worn, WornDesc};
use terrane_base::Seed;
use terrane_worldgen::{
    GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    curve::Curve,
    noise::{Stack, StackDesc, smooth},
    phase::WARP_UNITS_PER_M,
};

/// What shapes the land.
#[derive(Clone, Debug)]
pub struct LandShape {
    pub valley_wavelength_m: f64,
    pub ridge_wavelength_m: f64,
    pub multiplier_m: f32,
    pub curve: Curve,
}

impl Default for LandShape {
    fn default() -> LandShape {
        LandShape { valley_wavelength_m: 7000.0, ridge_wavelength_m: 3000.0, multiplier_m: 520.0,
            curve: Curve::new(&[[0.0, 0.0], [0.25, 0.1], [0.6, 0.5], [1.0, 1.1]]).unwrap() }
    }
}

/// The ground of the terrain world.
pub struct TerrainField {
    warp: [Stack; 2],
    range: Stack,
    valley: Stack,
    worn: Worn,
    detail: Stack,
    cover: Stack,
    shape: LandShape,
}

impl TerrainField {
    pub fn new(seed: Seed, shape: &LandShape) -> TerrainField {
        let stack = |salt: &str, octaves, wavelength_m, persistence| {
            Stack::new(seed.stream(salt), &StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence, period_cells: 0 })
        };
        TerrainField {
            warp: [stack("terrain warp x", 4, 2800.0, 0.45), stack("terrain warp z", 4, 2800.0, 0.45)],
            range: stack("terrain range", 2, 15000.0, 0.5),
            valley: stack("terrain valley", 1, shape.valley_wavelength_m, 0.5),
            worn: Worn::new(seed.stream("terrain worn"), &WornDesc { octaves: 8, wavelength_m: shape.ridge_wavelength_m, persistence: 0.5, warp: 0.12 }),
            detail: stack("terrain detail", 8, 900.0, 0.5),
            cover: stack("terrain cover", 5, 700.0, 0.55),
            shape: shape.clone(),
        }
    }
}

const WARP_M: f32 = 420.0;

impl HeightField for TerrainField {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let count = area.edge * area.edge;
        scratch.reserve(6, 2, count);
        let [a, range, valley, _ridge, detail, cover] = &mut scratch.layers[..6] else { return };
        let [wx, wz] = &mut scratch.warps[..2] else { return };
        self.warp[0].fbm_grid(area, &mut scratch.noise, a);
        wx.iter_mut().zip(a.iter()).for_each(|(w, v)| *w = (v * WARP_M * WARP_UNITS_PER_M) as i32);
        self.warp[1].fbm_grid(area, &mut scratch.noise, a);
        wz.iter_mut().zip(a.iter()).for_each(|(w, v)| *w = (v * WARP_M * WARP_UNITS_PER_M) as i32);
        self.range.fbm_grid(area, &mut scratch.noise, range);
        self.valley.ridged_warped(area, [wx, wz], 2.0, valley);
        self.detail.fbm_grid(area, &mut scratch.noise, detail);
        self.cover.fbm_grid(area, &mut scratch.noise, cover);
        out.edge = area.edge;
        out.height_q.clear();
        out.cover.clear();
        for i in 0..count {
            let x_m = area.x_m + (i % area.edge) as i64 * i64::from(area.step_m);
            let z_m = area.z_m + (i / area.edge) as i64 * i64::from(area.step_m);
            let v = valley[i] * 2.0; // (1-|n|)^2
            let mountain = smooth((0.86 - v) * 1.5);
            let hills = smooth((0.95 - v) * 3.0);
            let range = 0.62 + range[i] * 0.8;
            let range = if range < 0.12 { 0.12 } else { range };
            let worn = self.worn.value([x_m, z_m], [wx[i] / 3, wz[i] / 3]);
            let h = 0.02 + hills * 0.05 + detail[i] * (0.012 + 0.02 * hills + 0.02 * mountain) + mountain * range * (0.1 + 1.25 * (worn - 0.3));
            let y = (self.shape.curve.value(h) + h) * self.shape.multiplier_m;
            out.height_q.push((y * HEIGHT_UNITS_PER_M as f32) as i32);
            let c = 0.5 + cover[i] * 0.6;
            out.cover.push((if c < 0.0 { 0.0 } else if c > 1.0 { 1.0 } else { c } * 255.0) as u8);
        }
    }
}
