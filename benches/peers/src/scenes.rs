//! In: nothing. Out: the worlds that are meshed, made by plain functions so that no kernel under test has a part in them.
//! Never knows: who meshes them.

use terrane_base::{
    Digest,
    hash::{hash2, pcg},
};

/// Voxels or samples along the edge of a block.
pub const EDGE: usize = 64;
/// Of a block.
pub const COUNT: usize = EDGE * EDGE * EDGE;

/// Smooth value noise, -1 to 1.
pub fn noise(seed: u32, at: [f32; 3]) -> f32 {
    let cell = at.map(f32::floor);
    let t = [0, 1, 2].map(|axis| {
        let t: f32 = at[axis] - cell[axis];
        t * t * (3.0 - 2.0 * t)
    });
    let corner = |i: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| cell[axis] as i32 + (i >> axis & 1) as i32);
        (pcg(seed ^ hash2(y as u32, x, z)) >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let x = [0, 2, 4, 6].map(|i| lerp(corner(i), corner(i + 1), t[0]));
    lerp(lerp(x[0], x[1], t[1]), lerp(x[2], x[3], t[1]), t[2])
}

fn fbm(seed: u32, at: [f32; 3], octaves: u32) -> f32 {
    (0..octaves).map(|octave| noise(seed + octave, at.map(|c| c * (1 << octave) as f32)) / (1 << octave) as f32).sum()
}

/// Height above the ground of voxel (x, y, z): rolling hills.
fn above_ground(x: usize, y: usize, z: usize) -> f32 {
    y as f32 - 31.0 - 16.0 * fbm(7, [x as f32 / 48.0, 0.5, z as f32 / 48.0], 4)
}

/// Hills with grass, earth and stone: 0 to 3.
pub fn hills(x: usize, y: usize, z: usize) -> u16 {
    let above = above_ground(x, y, z);
    if above > 0.0 { 0 } else { 1 + u16::from(above < -1.0) + u16::from(above < -4.0) }
}

/// Stone of two kinds, full of caves.
pub fn caves(x: usize, y: usize, z: usize) -> u16 {
    let at = [x as f32 / 14.0, y as f32 / 11.0, z as f32 / 14.0];
    if fbm(3, at, 3) > 0.1 { 0 } else { 2 + u16::from(noise(90, at) > 0.2) }
}

/// Signed distance of sorts to the hills.
pub fn hills_distance(x: usize, y: usize, z: usize) -> f32 {
    above_ground(x, y, z) * 0.7
}

/// The same to the walls of caves.
pub fn caves_distance(x: usize, y: usize, z: usize) -> f32 {
    0.1 - fbm(3, [x as f32 / 14.0, y as f32 / 11.0, z as f32 / 14.0], 3)
}

/// A block in our order: `(y * 64 + z) * 64 + x`.
pub fn block<T>(value: impl Fn(usize, usize, usize) -> T) -> Vec<T> {
    (0..COUNT).map(|i| value(i % EDGE, i / EDGE / EDGE, i / EDGE % EDGE)).collect()
}

/// A number for an output.
pub fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut digest = Digest::default();
    words.into_iter().for_each(|word| digest.write_u64(word));
    digest.finish().0[0]
}
