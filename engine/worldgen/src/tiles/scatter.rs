//! In: tiles of a chunk. Out: what stands on them: trees, rocks, bunches of grass.
//! Never knows: their meshes, cameras.
//!
//! Every tile of the finest level may bear each of them, by its own hash. A tile of level L has one of its four children as its
//! representative, chosen by hash, so the representatives of level L + 1 are among those of level L. A coarse chunk asks the
//! representatives two levels below its own: the number of candidates stays the same, what stands there stands in finer chunks too, and
//! the rank says how many levels share it.

use super::{TileCorners, TileField, tree_hash, tree_place, white_noise};
use crate::{
    GridArea, Scratch,
    scatter::{Instance, SCATTER_LEVELS, UNITS_PER_M},
};
use terrane_base::{ChunkKey, hash::hash3};

/// What makes one sort of thing stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sort {
    /// Share of tiles that bear one.
    pub density: f32,
    /// The coarsest level that shows it.
    pub lod_max: u8,
    /// Its first mesh, and how many there are to choose from.
    pub props: [u8; 2],
}

/// The three sorts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileKinds {
    /// In groves mostly.
    pub trees: Sort,
    /// Anywhere.
    pub rocks: Sort,
    /// Bunches, outside of groves and beaches.
    pub grass: Sort,
}

impl TileKinds {
    /// The share of ranks that each level keeps. A level that shows fewer keeps its own with room to spare, since sizes ramp over 1/12.
    pub const KEEP: [f32; SCATTER_LEVELS] = [1.0, 1.0, 1.0, 0.7, 0.4, 0.15];
    /// Where the ranks of a thing begin that j levels of representatives share, in 1/256; each spans [`RANK_SPAN`].
    const RANKS: [u32; 4] = [180, 103, 39, 0];
}

/// Ranks within a band: a fifth of 256, less than to the next band.
const RANK_SPAN: u32 = 14;
/// Levels below its own whose representatives a chunk asks.
const LEVELS_BELOW: u8 = 2;
const ROCK_SALT: i32 = 0x51ed_270b;
const GRASS_SALT: i32 = 0x2f0b_9e41;
const REPRESENTATIVE_SALT: u32 = 0x9d2c_5680;

/// A tile of the finest level, with how many levels of representatives it has behind it.
#[derive(Clone, Copy)]
struct Candidate {
    tile: [i64; 2],
    shared: usize,
}

/// Everything on a chunk of `tiles` x `tiles` tiles of 2^lod m: row by row of candidates, on each a tree, a rock or grass, at most one.
pub fn scatter_tiles(field: &TileField, kinds: &TileKinds, key: ChunkKey, tiles: u32, scratch: &mut Scratch, out: &mut Vec<Instance>) {
    out.clear();
    if usize::from(key.lod) >= SCATTER_LEVELS {
        return;
    }
    let asked = key.lod.saturating_sub(LEVELS_BELOW);
    let edge = tiles << (key.lod - asked);
    let first = [key.x, key.z].map(|index| i64::from(index) * i64::from(edge));
    let origin = [key.x, key.z].map(|index| i64::from(index) * (i64::from(tiles) << key.lod));
    let mut corners = TileCorners::default();
    if asked == 0 {
        field.corners(&GridArea { x_m: origin[0], z_m: origin[1], step_m: 1, edge: edge as usize }, scratch, &mut corners);
    }
    for z in 0..edge as usize {
        for x in 0..edge as usize {
            let candidate = representative([first[0] + x as i64, first[1] + z as i64], asked);
            if asked > 0 {
                // Few candidates bear anything, so the hashes are asked first, and then the ground of that tile alone.
                let [x, z] = candidate.tile;
                let may = (tree_hash(x, z, field.seed) as f32) < kinds.trees.density || white_noise(x, z, field.seed ^ ROCK_SALT) < kinds.rocks.density;
                if !may {
                    continue;
                }
                field.corners(&GridArea { x_m: x, z_m: z, step_m: 1, edge: 1 }, scratch, &mut corners);
            }
            let at = if asked == 0 { z * corners.edge + x } else { 0 };
            let ground = Ground::of(&corners, at);
            out.extend(ground.and_then(|ground| thing(field, kinds, key, candidate, ground, origin)));
        }
    }
}

/// The finest tile that stands for one of level `lod`.
fn representative(tile: [i64; 2], lod: u8) -> Candidate {
    let mut tile = tile;
    // Upwards: for how many levels more its parents choose it.
    let shared = {
        let (mut at, mut level, mut shared) = (tile, lod, usize::from(lod));
        while shared + 1 < TileKinds::RANKS.len() && chosen(at.map(|index| index >> 1), level + 1) == at {
            (at, level, shared) = (at.map(|index| index >> 1), level + 1, shared + 1);
        }
        shared
    };
    for level in (1..=lod).rev() {
        tile = chosen(tile, level);
    }
    Candidate { tile, shared: shared.min(TileKinds::RANKS.len() - 1) }
}

/// The child that stands for a tile of level `lod`.
fn chosen(tile: [i64; 2], lod: u8) -> [i64; 2] {
    let h = hash3(REPRESENTATIVE_SALT, tile[0] as i32, i32::from(lod), tile[1] as i32);
    [tile[0] * 2 + i64::from(h >> 30 & 1), tile[1] * 2 + i64::from(h >> 31)]
}

/// What a thing must know of the ground.
#[derive(Clone, Copy)]
struct Ground {
    /// Noise over the shore, 0 to 1.
    inland: f32,
    grove: f32,
}

impl Ground {
    /// The ground of a finest tile; none if it is water.
    fn of(corners: &TileCorners, at: usize) -> Option<Ground> {
        let inland = (corners.noise[at] - super::WATER_NOISE) * (1.0 / (1.0 - super::WATER_NOISE));
        (inland >= 0.0).then_some(Ground { inland, grove: f32::from(corners.grove[at]) * (1.0 / 255.0) })
    }
}

fn thing(field: &TileField, kinds: &TileKinds, key: ChunkKey, candidate: Candidate, ground: Ground, origin: [i64; 2]) -> Option<Instance> {
    let [x, z] = candidate.tile;
    let h = hash3(REPRESENTATIVE_SALT ^ 1, x as i32, field.seed, z as i32);
    let place = |at: [f64; 2], sort: &Sort, rotation: u32, rank: u32| {
        let units = [0, 1].map(|axis| {
            let metres = (candidate.tile[axis] - origin[axis]) as f64 + at[axis];
            (metres * UNITS_PER_M as f64) as u32
        });
        let prop = u32::from(sort.props[0]) + (h >> 8 & 0xffff) % u32::from(sort.props[1].max(1));
        // Size 1 in 1/64: boxes keep their measures.
        Instance { words: [units[0] | units[1] << 16, rotation | 64 << 8 | prop << 16 | rank << 24] }
    };
    let rank = TileKinds::RANKS[candidate.shared] + h % RANK_SPAN;
    let shows = |sort: &Sort| key.lod <= sort.lod_max && sort.density > 0.0;
    if shows(&kinds.trees) {
        // Trees keep off the beach, and stand in groves with a few between them.
        let density = kinds.trees.density * (0.10 + 0.90 * ground.grove) * if ground.inland > 0.05 { 1.0 } else { 0.0 };
        if (tree_hash(x, z, field.seed) as f32) < density {
            return Some(place(tree_place(x, z, field.seed), &kinds.trees, 0, rank));
        }
    }
    if shows(&kinds.rocks) && white_noise(x, z, field.seed ^ ROCK_SALT) < kinds.rocks.density {
        return Some(place(inside(h), &kinds.rocks, h >> 24, rank));
    }
    let suits = ground.inland > 0.07;
    if shows(&kinds.grass) && suits && white_noise(x, z, field.seed ^ GRASS_SALT) < kinds.grass.density * (1.0 - 0.6 * ground.grove) {
        return Some(place(inside(h.rotate_left(9)), &kinds.grass, h >> 24, rank));
    }
    None
}

/// A place in the middle half of a tile.
fn inside(h: u32) -> [f64; 2] {
    [h & 0xff, h >> 8 & 0xff].map(|byte| 0.25 + f64::from(byte) * (0.5 / 256.0))
}
