//! In: a material layer. Out: its chain of halved copies down to one texel.
//! Never knows: how the layer was drawn.

use super::tile::srgb;
use super::{MaterialLayer, TEXTURE_EDGE};
use glam::Vec3;

#[derive(Clone, Copy)]
struct Average {
    color: Vec3,
    normal: Vec3,
    smoothness: f32,
}

/// The full chain: level 0 is the layer itself, the last is one texel. Colours are averaged as light. Normals are averaged
/// unnormalised through the whole chain: what length they lose is roughness that has become too small to see, so it lowers
/// the smoothness (after Toksvig, "Mipmapping Normal Maps", 2005).
pub fn mips(layer: &MaterialLayer) -> Vec<MaterialLayer> {
    let mut chain = vec![layer.clone()];
    let mut edge = TEXTURE_EDGE;
    assert_eq!(layer.color.len(), edge * edge, "a layer has {edge} x {edge} texels");
    let linear: [f32; 256] = std::array::from_fn(|code| linear(code as u8));
    let mut level: Vec<Average> = (0..edge * edge).map(|i| average_of(layer, i, &linear)).collect();
    while edge > 1 {
        level = halve(&level, edge);
        edge /= 2;
        chain.push(encode(&level));
    }
    chain
}

fn average_of(layer: &MaterialLayer, i: usize, linear: &[f32; 256]) -> Average {
    let [red, green, blue, _] = layer.color[i].map(|code| linear[code as usize]);
    let [x, y] = layer.normal[i].map(|code| (code as f32 - 128.0) / 127.0);
    let z = (1.0 - x * x - y * y).max(0.0).sqrt();
    Average { color: Vec3::new(red, green, blue), normal: Vec3::new(x, y, z), smoothness: layer.smoothness[i] as f32 / 255.0 }
}

fn halve(level: &[Average], edge: usize) -> Vec<Average> {
    let half = edge / 2;
    let quad = |i: usize| {
        let corner = i / half * 2 * edge + i % half * 2;
        [corner, corner + 1, corner + edge, corner + edge + 1].map(|at| level[at])
    };
    (0..half * half)
        .map(|i| {
            let [a, b, c, d] = quad(i);
            Average {
                color: (a.color + b.color + c.color + d.color) * 0.25,
                normal: (a.normal + b.normal + c.normal + d.normal) * 0.25,
                smoothness: (a.smoothness + b.smoothness + c.smoothness + d.smoothness) * 0.25,
            }
        })
        .collect()
}

fn encode(level: &[Average]) -> MaterialLayer {
    let normal = |average: &Average| {
        let n = average.normal.normalize_or(Vec3::Z);
        [n.x, n.y].map(|axis| (128.0 + axis * 127.0 + 0.5) as u8)
    };
    MaterialLayer {
        color: level.iter().map(|average| srgb(average.color)).collect(),
        normal: level.iter().map(normal).collect(),
        smoothness: level.iter().map(|average| (smoothness(average) * 255.0 + 0.5) as u8).collect(),
    }
}

/// Smoothness s stands for a roughness alpha of (1 - s)^2; variance of the normals, 1 - length, adds to alpha^2.
fn smoothness(average: &Average) -> f32 {
    let alpha = (1.0 - average.smoothness).powi(2);
    let variance = 2.0 * (1.0 - average.normal.length()).max(0.0);
    1.0 - (alpha * alpha + variance).min(1.0).powf(0.25)
}

fn linear(code: u8) -> f32 {
    let value = code as f32 / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
