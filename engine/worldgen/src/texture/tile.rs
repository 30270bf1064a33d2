//! In: texel positions on a tile that wraps. Out: periodic noise, cells, and layers made of height and colour.
//! Never knows: which material it serves.

use super::{MaterialLayer, TEXTURE_EDGE};
use glam::Vec3;
use terrane_base::hash::{hash2, pcg};

/// What a material computes for a texel before the layer is packed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Texel {
    /// In texels, so that the slope needs no scale.
    pub height: f32,
    /// Linear albedo.
    pub color: Vec3,
    pub smoothness: f32,
}

/// Packs texels: the normal is the slope of the height, and `mean` is the linear albedo that the layer must have on average,
/// so that a change of a detail does not change how bright the land is.
pub(super) fn pack(texels: &[Texel], mean: Vec3) -> MaterialLayer {
    assert_eq!(texels.len(), TEXTURE_EDGE * TEXTURE_EDGE);
    let sum = texels.iter().fold(glam::DVec3::ZERO, |sum, texel| sum + texel.color.as_dvec3());
    let gain = mean / (sum / texels.len() as f64).as_vec3();
    let at = |x: usize, y: usize| texels[(y % TEXTURE_EDGE) * TEXTURE_EDGE + x % TEXTURE_EDGE].height;
    let back = TEXTURE_EDGE - 1;
    let normal = texel_places().map(|(x, y)| {
        let slope_x = (at(x + 1, y) - at(x + back, y)) * 0.5;
        let slope_y = (at(x, y + 1) - at(x, y + back)) * 0.5;
        let n = Vec3::new(-slope_x, -slope_y, 1.0).normalize();
        [n.x, n.y].map(|axis| (128.0 + axis * 127.0 + 0.5) as u8)
    });
    MaterialLayer {
        normal: normal.collect(),
        color: texels.iter().map(|texel| srgb(texel.color * gain)).collect(),
        smoothness: texels.iter().map(|texel| (texel.smoothness.clamp(0.0, 1.0) * 255.0 + 0.5) as u8).collect(),
    }
}

/// Columns and rows in the order of a layer.
pub(super) fn texel_places() -> impl Iterator<Item = (usize, usize)> {
    (0..TEXTURE_EDGE * TEXTURE_EDGE).map(|i| (i % TEXTURE_EDGE, i / TEXTURE_EDGE))
}

/// Takes out of the brightness what is wider than about `reach` texels: a tile whose left is darker than its right shows itself
/// when it repeats. `share` of it is taken.
pub(super) fn even_out(texels: &mut [Texel], reach: usize, share: f32) {
    let mut wide: Vec<f32> = texels.iter().map(|texel| luminance(texel.color)).collect();
    // Two box passes an axis are close enough to a bell.
    for _ in 0..2 {
        wide = blur_rows(&wide, reach);
        wide = blur_rows(&transpose(&wide), reach);
        wide = transpose(&wide);
    }
    let mean = wide.iter().map(|&value| value as f64).sum::<f64>() as f32 / wide.len() as f32;
    for (texel, wide) in texels.iter_mut().zip(wide) {
        texel.color *= mix(1.0, mean / wide, share);
    }
}

fn blur_rows(values: &[f32], reach: usize) -> Vec<f32> {
    let count = (2 * reach + 1) as f64;
    let mut blurred = Vec::with_capacity(values.len());
    for row in values.chunks_exact(TEXTURE_EDGE) {
        let at = |x: usize| row[(x + TEXTURE_EDGE) % TEXTURE_EDGE] as f64;
        let mut sum: f64 = (0..=2 * reach).map(|x| at(x + TEXTURE_EDGE - reach)).sum();
        for x in 0..TEXTURE_EDGE {
            blurred.push((sum / count) as f32);
            sum += at(x + reach + 1) - at(x + TEXTURE_EDGE - reach);
        }
    }
    blurred
}

fn transpose(values: &[f32]) -> Vec<f32> {
    texel_places().map(|(x, y)| values[x * TEXTURE_EDGE + y]).collect()
}

pub(super) fn luminance(linear: Vec3) -> f32 {
    linear.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// Encodes a linear colour.
pub(super) fn srgb(linear: Vec3) -> [u8; 4] {
    let encode = |value: f32| {
        let value = value.clamp(0.0, 1.0);
        let code = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (code * 255.0 + 0.5) as u8
    };
    [encode(linear.x), encode(linear.y), encode(linear.z), 255]
}

/// In [0, 1), from a hash.
pub(super) fn unit(hash: u32) -> f32 {
    (hash >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Gradient noise in about -1..1 with `cells_x` by `cells_y` lattice cells over the tile; x and y in 0..1 of the tile.
pub(super) fn noise(seed: u32, x: f32, y: f32, cells_x: i32, cells_y: i32) -> f32 {
    let (px, py) = (x * cells_x as f32, y * cells_y as f32);
    let (cell_x, cell_y) = (floor(px), floor(py));
    let (fx, fy) = (px - cell_x as f32, py - cell_y as f32);
    let corner = |dx: i32, dy: i32| {
        let hash = hash2(seed, wrap(cell_x + dx, cells_x), wrap(cell_y + dy, cells_y));
        // A gradient from the diamond |x| + |y| = 1: even enough, and free of trigonometry.
        let gx = (hash & 0xffff) as f32 * (2.0 / 65_535.0) - 1.0;
        let gy = (1.0 - gx.abs()) * if hash >> 16 & 1 == 0 { 1.0 } else { -1.0 };
        gx * (fx - dx as f32) + gy * (fy - dy as f32)
    };
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (fade(fx), fade(fy));
    let near = mix(corner(0, 0), corner(1, 0), u);
    let far = mix(corner(0, 1), corner(1, 1), u);
    mix(near, far, v) * 2.0
}

/// Octaves of [`noise`], each twice as fine and half as strong.
pub(super) fn fbm(seed: u32, x: f32, y: f32, cells: i32, octaves: u32) -> f32 {
    (0..octaves).map(|o| noise(pcg(seed ^ o), x, y, cells << o, cells << o) / (1u32 << o) as f32).sum()
}

/// A point of a jittered lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub hash: u32,
    /// From the point to the place, in cells.
    pub offset: [f32; 2],
}

/// The nine points around a place on a lattice of `cells_x` by `cells_y` over the tile.
pub(super) fn neighbours(seed: u32, x: f32, y: f32, cells_x: i32, cells_y: i32) -> impl Iterator<Item = Neighbour> {
    let (px, py) = (x * cells_x as f32, y * cells_y as f32);
    around(floor(px), floor(py), 1).map(move |(cx, cy)| {
        let hash = hash2(seed, wrap(cx, cells_x), wrap(cy, cells_y));
        let jitter = |bits: u32| (bits & 0xffff) as f32 * (0.9 / 65_535.0) + 0.05;
        Neighbour { hash, offset: [px - cx as f32 - jitter(hash), py - cy as f32 - jitter(hash >> 16)] }
    })
}

/// The nearest cells to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// Hash of the nearest cell.
    pub id: u32,
    /// From the nearest point to the place, in cells.
    pub offset: [f32; 2],
    /// Distance to the nearest border between cells, in cells.
    pub border: f32,
}

/// Voronoi cells, `cells_x` by `cells_y` over the tile, with the true distance to the border (two passes; after I. Quilez,
/// "Voronoi edges": the border is the bisector of the two points).
pub(super) fn cells(seed: u32, x: f32, y: f32, cells_x: i32, cells_y: i32) -> Cells {
    let (px, py) = (x * cells_x as f32, y * cells_y as f32);
    let (cell_x, cell_y) = (floor(px), floor(py));
    let point = |cx: i32, cy: i32| {
        let hash = hash2(seed, wrap(cx, cells_x), wrap(cy, cells_y));
        let jitter = |bits: u32| (bits & 0xffff) as f32 * (0.9 / 65_535.0) + 0.05;
        (cx as f32 + jitter(hash) - px, cy as f32 + jitter(hash >> 16) - py, hash)
    };
    let (mut nearest, mut nearest_sq, mut nearest_cell) = ((0.0, 0.0, 0), f32::MAX, (0, 0));
    for (cx, cy) in around(cell_x, cell_y, 1) {
        let p = point(cx, cy);
        let sq = p.0 * p.0 + p.1 * p.1;
        if sq < nearest_sq {
            (nearest, nearest_sq, nearest_cell) = (p, sq, (cx, cy));
        }
    }
    let mut border = f32::MAX;
    for (cx, cy) in around(nearest_cell.0, nearest_cell.1, 1).filter(|&cell| cell != nearest_cell) {
        let p = point(cx, cy);
        let (dx, dy) = (p.0 - nearest.0, p.1 - nearest.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-6);
        border = border.min(((p.0 + nearest.0) * dx + (p.1 + nearest.1) * dy) * 0.5 / length);
    }
    Cells { id: pcg(nearest.2), offset: [-nearest.0, -nearest.1], border: border.max(0.0) }
}

/// Without the call to the C library that f32::floor is where the processor's own rounding may not be assumed.
fn floor(value: f32) -> i32 {
    let toward_zero = value as i32;
    toward_zero - i32::from((toward_zero as f32) > value)
}

/// A remainder without a division: places are bent by less than a tile, so that one step always leads back.
fn wrap(cell: i32, cells: i32) -> i32 {
    debug_assert!((-cells..2 * cells).contains(&cell), "{cell} is more than a tile away from 0..{cells}");
    if cell < 0 {
        cell + cells
    } else if cell >= cells {
        cell - cells
    } else {
        cell
    }
}

fn around(x: i32, y: i32, reach: i32) -> impl Iterator<Item = (i32, i32)> {
    (y - reach..=y + reach).flat_map(move |cy| (x - reach..=x + reach).map(move |cx| (cx, cy)))
}

pub(super) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

pub(super) fn smoothstep(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
