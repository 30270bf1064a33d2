//! In: a seed. Out: a meadow seen from above: thatch, then blades from low to high, clover and straw between them.
//! Never knows: the tint of the land, which the renderer adds over many tiles.

use super::canvas::{Canvas, Stroke};
use super::tile::{Texel, even_out, fbm, mix, noise, pack, texel_places, unit};
use super::{MaterialLayer, TEXTURE_EDGE};
use glam::{Vec2, Vec3};
use terrane_base::hash::{hash2, pcg};

/// Linear albedo of the whole tile.
const MEAN: Vec3 = Vec3::new(0.079, 0.096, 0.040);
/// Clumps along an edge of the tile: one every 14 cm on a tile of 4 m.
const CLUMPS_EDGE: i32 = 28;
const BLADES_PER_CLUMP: u32 = 26;
/// Blades are painted in storeys, so that long ones lie over short ones wherever their clumps stand.
const STOREYS: u32 = 4;

/// A meadow; one tile is meant to cover 4 m, so a texel is 8 mm.
pub fn grass(seed: u32) -> MaterialLayer {
    let mut canvas = Canvas { texels: soil(seed) };
    for storey in 0..STOREYS {
        for clump in clumps(seed) {
            paint_blades(&mut canvas, &clump, storey);
        }
        if storey == 1 {
            paint_clover(&mut canvas, pcg(seed ^ 0xc10e));
        }
        if storey == 2 {
            paint_straw(&mut canvas, pcg(seed ^ 0x57a3));
        }
    }
    even_out(&mut canvas.texels, 40, 0.9);
    pack(&canvas.texels, MEAN)
}

fn soil(seed: u32) -> Vec<Texel> {
    let place = |i: usize| (i as f32 + 0.5) / TEXTURE_EDGE as f32;
    texel_places()
        .map(|(x, y)| {
            let crumbs = fbm(seed ^ 0x5011, place(x), place(y), 48, 3);
            let color = Vec3::new(0.034, 0.030, 0.014).lerp(Vec3::new(0.075, 0.062, 0.030), (crumbs * 0.6 + 0.5).clamp(0.0, 1.0));
            Texel { height: crumbs * 0.3 - 0.2, color, smoothness: 0.05 }
        })
        .collect()
}

/// Blades that grow from one root and lean away from it.
struct Clump {
    hash: u32,
    root: Vec2,
    /// Where the wind and the weight of the clump push it.
    lean: Vec2,
    size: f32,
    /// 0 is blue-green and young, 1 is yellow-green.
    warmth: f32,
}

fn clumps(seed: u32) -> impl Iterator<Item = Clump> {
    let texels = TEXTURE_EDGE as f32 / CLUMPS_EDGE as f32;
    (0..CLUMPS_EDGE * CLUMPS_EDGE).map(move |i| {
        let (cx, cy) = (i % CLUMPS_EDGE, i / CLUMPS_EDGE);
        let hash = hash2(seed, cx, cy);
        let jitter = Vec2::new(unit(hash), unit(pcg(hash)));
        let place = (Vec2::new(cx as f32, cy as f32) + jitter) / CLUMPS_EDGE as f32;
        let wind = |salt: u32| noise(seed ^ salt, place.x, place.y, 5, 5);
        Clump {
            hash: pcg(hash ^ 0xb1ade),
            root: place * CLUMPS_EDGE as f32 * texels,
            lean: Vec2::new(wind(0x11) * 1.3, wind(0x22) * 1.3) + (jitter - 0.5) * 0.5,
            size: mix(0.7, 1.25, unit(pcg(hash ^ 1))),
            warmth: (0.5 + 0.55 * noise(seed ^ 0x33, place.x, place.y, 9, 9) + 0.35 * (unit(pcg(hash ^ 2)) - 0.5)).clamp(0.0, 1.0),
        }
    })
}

fn paint_blades(canvas: &mut Canvas, clump: &Clump, storey: u32) {
    let level = storey as f32 / (STOREYS - 1) as f32;
    for blade in 0..BLADES_PER_CLUMP / STOREYS + 3 * (STOREYS - 1 - storey) {
        let mut dice = Dice(pcg(clump.hash ^ pcg(storey * 64 + blade)));
        let angle = dice.roll() * std::f32::consts::TAU;
        let out = Vec2::new(angle.cos(), angle.sin());
        let root = clump.root + out * dice.roll().sqrt() * mix(15.0, 7.0, level) * clump.size;
        let direction = (out * 0.8 + clump.lean + dice.spread(0.7)).normalize_or(out);
        let length = mix(7.0, 19.0, level) * clump.size * mix(0.6, 1.2, dice.roll());
        let bend = dice.spread(0.45);
        let middle = root + direction * length * 0.55;
        let tip = middle + (direction + bend).normalize_or(direction) * length * 0.5;
        let width = mix(0.55, 0.95, dice.roll());
        let color = blade_colors(clump.warmth + (dice.roll() - 0.5) * 0.5, mix(0.45, 1.0, level) * mix(0.82, 1.18, dice.roll()));
        let base = level * 0.8;
        let rise = mix(0.25, 0.6, level);
        let stroke = |from, to, half_width, color, height| Stroke { from, to, half_width, color, height, bulge: 0.15, smoothness: mix(0.14, 0.34, level) };
        canvas.paint(&stroke(root, middle, [width, width], [color[0], color[1]], [base, base + rise * 0.7]));
        canvas.paint(&stroke(middle, tip, [width, 0.15], [color[1], color[2]], [base + rise * 0.7, base + rise]));
    }
}

/// Root, middle, tip. Roots stand in the shade of their neighbours; tips are dry and yellow.
fn blade_colors(warmth: f32, light: f32) -> [Vec3; 3] {
    let warmth = warmth.clamp(0.0, 1.0);
    let body = Vec3::new(0.058, 0.098, 0.040).lerp(Vec3::new(0.125, 0.138, 0.040), warmth) * light;
    let shade = body * Vec3::new(0.50, 0.53, 0.56);
    let tip = body.lerp(Vec3::new(0.190, 0.175, 0.075) * light, 0.25 + 0.35 * warmth);
    [shade, body, tip]
}

/// Three round leaflets on a stalk, in small colonies.
fn paint_clover(canvas: &mut Canvas, seed: u32) {
    for colony in 0..34 {
        let mut dice = Dice(pcg(seed ^ colony));
        let center = Vec2::new(dice.roll(), dice.roll()) * TEXTURE_EDGE as f32;
        for _ in 0..5 + (dice.roll() * 9.0) as u32 {
            let place = center + dice.spread(26.0);
            let turn = dice.roll() * std::f32::consts::TAU;
            let light = mix(0.55, 0.95, dice.roll());
            let color = Vec3::new(0.056, 0.104, 0.040) * light;
            for leaflet in 0..3 {
                let angle = turn + leaflet as f32 * (std::f32::consts::TAU / 3.0);
                let out = Vec2::new(angle.cos(), angle.sin());
                canvas.paint(&Stroke {
                    from: place + out * 0.9,
                    to: place + out * 2.1,
                    half_width: [0.7, 1.5],
                    color: [color * 1.25, color],
                    height: [0.65, 0.75],
                    bulge: 0.2,
                    smoothness: 0.28,
                });
            }
        }
    }
}

/// Dead stalks, lying across.
fn paint_straw(canvas: &mut Canvas, seed: u32) {
    for stalk in 0..420 {
        let mut dice = Dice(pcg(seed ^ stalk));
        let from = Vec2::new(dice.roll(), dice.roll()) * TEXTURE_EDGE as f32;
        let angle = dice.roll() * std::f32::consts::TAU;
        let to = from + Vec2::new(angle.cos(), angle.sin()) * mix(7.0, 20.0, dice.roll());
        let color = Vec3::new(0.205, 0.165, 0.080) * mix(0.55, 1.05, dice.roll());
        canvas.paint(&Stroke { from, to, half_width: [0.45, 0.3], color: [color * 0.8, color], height: [1.0, 1.2], bulge: 0.15, smoothness: 0.2 });
    }
}

/// A row of random numbers.
struct Dice(u32);

impl Dice {
    /// In [0, 1).
    fn roll(&mut self) -> f32 {
        self.0 = pcg(self.0);
        unit(self.0)
    }

    /// Each axis within -reach..reach.
    fn spread(&mut self, reach: f32) -> Vec2 {
        (Vec2::new(self.roll(), self.roll()) * 2.0 - 1.0) * reach
    }
}
