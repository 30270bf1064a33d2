//! In: a chunk's samples and one kind. Out: its instances, in the order of the lattice.
//! Never knows: other kinds, or how many instances a chunk may have.
//!
//! A lattice row is hashed a vector at a time. What is in the chunk, has a rank that some level keeps and is not out of luck everywhere goes
//! into batches, one array a trait; a batch asks the ground (`ground.rs`) for its chances. `plain.rs` is the same, a candidate at a time,
//! and the bits are the same: each step rounds where it does there.

use super::{
    Instance, SCATTER_LEVELS, ScatterKind, UNITS_PER_M,
    ground::{Cell, Ground},
};
use crate::{CHUNK_EDGE_M, Samples, noise::pcg_lanes};
use terrane_base::{ChunkKey, hash::pcg};
use terrane_simd::{Kernel, LANES_MAX, Simd};

/// Candidates that are decided together; the arrays of a batch stay in the first-level cache.
const ROOM: usize = 128;
/// It is decided when the next vector might not fit.
const FULL: usize = ROOM - LANES_MAX;
/// Lattice points are nearer than this to each other, in position units: 67,000 km. A candidate's place fits 32 bits then.
const SPACING_MAX: i64 = 1 << 30;
/// Lucks that there are.
const LUCK: f32 = 16_777_216.0;
/// Stands for no level.
const NO_LEVEL: u32 = 255;

/// The arguments: a kind with keep above 0 at the level of `key`.
pub(super) struct Candidates<'a> {
    pub(super) samples: &'a Samples,
    pub(super) key: ChunkKey,
    pub(super) seed: u32,
    pub(super) kind: &'a ScatterKind,
    pub(super) out: &'a mut Vec<Instance>,
}

/// Candidates that have a place in the chunk and a level, side by side.
struct Batch {
    count: usize,
    /// Position: x and z, 16 bits each.
    place: [u32; ROOM],
    traits: [u32; ROOM],
    /// Rank, with the coarsest level that keeps it in place of the low bits.
    rank_level: [u32; ROOM],
    /// Of 2^24: below its chance, a candidate grows.
    luck: [u32; ROOM],
}

impl Kernel for Candidates<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Candidates { samples, key, seed, kind, out } = self;
        let spacing = ((f64::from(kind.spacing_m.max(0.25)) * UNITS_PER_M as f64) as i64).min(SPACING_MAX);
        let edge = (CHUNK_EDGE_M << key.lod) * UNITS_PER_M;
        let corner = [i64::from(key.x) * edge, i64::from(key.z) * edge];
        // A candidate is moved within its own lattice cell, so the cells that touch the chunk are all.
        let [first, last] = [0, edge - 1].map(|reach| corner.map(|c| (c + reach).div_euclid(spacing)));
        let levels = Levels::new(kind, key.lod);
        let mut ground = Ground::new(S::ISA, samples, key.lod, kind);
        let mut batch = Batch { count: 0, place: [0; ROOM], traits: [0; ROOM], rank_level: [0; ROOM], luck: [0; ROOM] };
        // No ground gives more than the kind's density: who is out of luck there needs no ground.
        let luck_max = s.f32(kind.density * LUCK);
        for z in first[1]..=last[1] {
            let (row_hash, z_local) = (s.u32(pcg(z as u32)), s.u32((z * spacing - corner[1]) as u32));
            for x in (first[0]..=last[0]).step_by(S::LANES) {
                let place = pcg_lanes(s, s.u32(seed) ^ pcg_lanes(s, s.ramp(x as u32, 1) ^ row_hash));
                let traits = pcg_lanes(s, place ^ s.u32(0x68bc_21eb));
                let rank = pcg_lanes(s, traits ^ s.u32(0x02e5_be93));
                let level = levels.coarsest(s, rank);
                let x_local = s.ramp((x * spacing - corner[0]) as u32, spacing as u32) + share(s, place & s.u32(0xffff), spacing);
                let z_local = z_local + share(s, s.shr(place, 16), spacing);
                // The edge is a power of two: what lies outside has a bit above it, and so has what is below 0.
                let outside = (x_local | z_local) & s.u32(!(edge as u32 - 1)) | level & s.u32(NO_LEVEL - 7);
                let luck = s.shr(pcg_lanes(s, traits), 8);
                let wanted = s.equal(outside, s.u32(0)) & s.less(s.to_f32(luck), luck_max);
                batch.add(s, [x_local | s.shl(z_local, 16), traits, rank & s.u32(0xff00_0000) | level, luck], wanted);
                if batch.count > FULL {
                    batch.decide(s, &mut ground, kind, out);
                    batch.count = 0;
                }
            }
        }
        batch.decide(s, &mut ground, kind, out);
    }
}

/// `share / 2^16` of the spacing, rounded down. The product has more than 32 bits, so the spacing goes in halves.
#[inline(always)]
fn share<S: Simd>(s: S, share: S::U32, spacing: i64) -> S::U32 {
    share * s.u32((spacing >> 16) as u32) + s.shr(share * s.u32(spacing as u32 & 0xffff), 16)
}

/// The levels that keep any rank, from the chunk's own, and the highest rank that each keeps.
struct Levels {
    highest: [(u32, u32); SCATTER_LEVELS],
    count: usize,
}

impl Levels {
    #[inline(always)]
    fn new(kind: &ScatterKind, lod: u8) -> Levels {
        let mut levels = Levels { highest: [(0, 0); SCATTER_LEVELS], count: 0 };
        for (level, keep) in kind.keep.into_iter().enumerate().skip(usize::from(lod)) {
            // As integers, so that the comparison is exact.
            if let Some(highest) = ((f64::from(keep.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64).checked_sub(1) {
                levels.highest[levels.count] = (level as u32, highest as u32);
                levels.count += 1;
            }
        }
        levels
    }

    /// The coarsest level that keeps each rank, or [`NO_LEVEL`].
    #[inline(always)]
    fn coarsest<S: Simd>(&self, s: S, rank: S::U32) -> S::U32 {
        // Signed comparison of what has its highest bit turned is unsigned comparison.
        let turned = rank ^ s.u32(1 << 31);
        self.highest[..self.count]
            .iter()
            .fold(s.u32(NO_LEVEL), |coarsest, (level, highest)| s.select_u32(s.less_i32(s.u32(highest ^ 1 << 31), turned), coarsest, s.u32(*level)))
    }
}

impl Batch {
    /// Keeps the wanted lanes.
    #[inline(always)]
    fn add<S: Simd>(&mut self, s: S, candidates: [S::U32; 4], wanted: S::Mask) {
        let ([place, traits, rank_level, luck], count) = s.compress(wanted, candidates);
        s.store_u32(place, &mut self.place[self.count..]);
        s.store_u32(traits, &mut self.traits[self.count..]);
        s.store_u32(rank_level, &mut self.rank_level[self.count..]);
        s.store_u32(luck, &mut self.luck[self.count..]);
        self.count += count;
    }

    /// Adds those that grow.
    #[inline(always)]
    fn decide<S: Simd>(&self, s: S, ground: &mut Ground, kind: &ScatterKind, out: &mut Vec<Instance>) {
        let looks = self.looks(s, kind);
        let (mut cells, mut lucks) = ([Cell::default(); ROOM], [0.0; ROOM]);
        for i in 0..ROOM {
            cells[i] = Cell::of(self.rank_level[i] & 7, self.place[i] & 0xffff, self.place[i] >> 16);
            lucks[i] = self.luck[i] as i32 as f32;
        }
        // Who grows is moved to the front without asking: chance is no branch that a processor could guess.
        let (mut growing, mut count) = ([Instance::default(); ROOM], 0);
        for i in 0..self.count.min(ROOM) {
            growing[count % ROOM] = Instance { words: [self.place[i], looks[i]] };
            count += usize::from(lucks[i] < ground.chance(cells[i]) * LUCK);
        }
        out.extend_from_slice(&growing[..count]);
    }

    /// The second word of what each would be: rotation, scale, prop, rank.
    #[inline(always)]
    fn looks<S: Simd>(&self, s: S, kind: &ScatterKind) -> [u32; ROOM] {
        let mut looks = [0; ROOM];
        let props = u32::from(kind.props[1].max(1));
        let share_of_props = s.f32(1.0 / props as f32);
        for at in (0..ROOM).step_by(S::LANES) {
            let traits = s.load_u32(&self.traits[at..]);
            let share = s.div(s.to_f32(s.shr(traits, 8) & s.u32(0xff)), s.f32(255.0));
            let scale = s.f32(kind.scale[0]) + s.f32(kind.scale[1] - kind.scale[0]) * share;
            let scale = s.to_i32(scale * s.f32(64.0));
            let scale = s.select_u32(s.less_i32(scale, s.u32(1)), s.u32(1), scale);
            let scale = s.select_u32(s.less_i32(s.u32(255), scale), s.u32(255), scale);
            // The remainder by way of f32: a whole number and a half, below 2^16, is far enough from each quotient's end to be cut off right.
            let dice = s.shr(traits, 16);
            let rest = dice - s.to_i32((s.to_f32(dice) + s.f32(0.5)) * share_of_props) * s.u32(props);
            let prop = (s.u32(u32::from(kind.props[0])) + rest) & s.u32(0xff);
            let rank = s.load_u32(&self.rank_level[at..]) & s.u32(0xff00_0000);
            s.store_u32(traits & s.u32(0xff) | s.shl(scale, 8) | s.shl(prop, 16) | rank, &mut looks[at..]);
        }
        looks
    }
}
