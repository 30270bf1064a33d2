//! In: a tile and a seed. Out: the hashes that decide what stands on it, each a formula that a test can check.
//! Never knows: noise, or what is decided.
//!
//! Sines are those of the crate `libm`, in f64: the same bits on every machine, which a platform's own are not.

use terrane_base::Seed;

/// A world's seed in 32 bits: one that fits stays as it is; else its upper half is mixed in.
pub fn fold_seed(seed: Seed) -> i32 {
    let (low, high) = (seed.0 as i32, (seed.0 >> 32) as i32);
    low ^ high ^ (low >> 31)
}

/// How far a seed shifts the origin of the noise along x and z, metres: the truncated remainder of a sine, in (-1000, 1000).
pub fn seed_offsets(seed: i32) -> [f64; 2] {
    [12.9898, 78.233].map(|factor| (libm::sin(f64::from(seed) * factor) * 43758.5453) % 1000.0)
}

/// The integer of a tile, 0 to 2^31 - 1, from 32-bit signed arithmetic that wraps.
pub fn tile_hash(x: i64, z: i64, seed: i32) -> u32 {
    let h = (x as i32).wrapping_mul(374_761_393).wrapping_add((z as i32).wrapping_mul(668_265_263)).wrapping_add(seed.wrapping_mul(1_442_695_041));
    let h = (h ^ (h >> 13)).wrapping_mul(1_274_126_177);
    ((h ^ (h >> 16)) & 0x7fff_ffff) as u32
}

/// White noise of a tile, 0 to 1, independent of its neighbours.
pub fn white_noise(x: i64, z: i64, seed: i32) -> f32 {
    tile_hash(x, z, seed) as f32 * (1.0 / 2_147_483_648.0)
}

/// Whether a tree stands on a tile: it does where this, 0 to 1, is under the density. The seed moves the sine by a salt, 0 for seed 0.
pub fn tree_hash(x: i64, z: i64, seed: i32) -> f64 {
    let at = x as f64 * 12.9898 + z as f64 * 78.233 + salt(seed);
    fraction(libm::sin(at) * 43758.5453)
}

/// Where in its tile the tree stands, 0 to 1 along x and z.
pub fn tree_place(x: i64, z: i64, seed: i32) -> [f64; 2] {
    let (x, z) = (x as f64, z as f64);
    [fraction(libm::cos(x * 45.23 + z * 12.81 + salt(seed)) * 2345.67), fraction(libm::sin(x * 93.71 + z * 31.41 + salt(seed)) * 5678.91)]
}

/// Seeds become angles that lie far from each other: multiples of the golden section, in [0, 1000).
fn salt(seed: i32) -> f64 {
    let turns = f64::from(seed) * 0.618_033_988_749_894_9;
    (turns - turns.floor()) * 1000.0
}

fn fraction(value: f64) -> f64 {
    let value = value.abs();
    value - value.floor()
}
