//! In: pieces of rows of samples, moved by a warp. Out: mountains that look worn by water: sharp crests, branching spurs, gullies.
//! Never knows: how high they become, or where valleys lie.
//!
//! Swiss turbulence after G. de Carpentier ("Scape: 2. Procedural extensions", 2012): octaves of ridged gradient noise, where each is
//! moved downhill by the slopes of those before it and counts as much as they stand out. The result is local: no
//! water flows, so a chunk needs no neighbour. Octaves turn by atan(3/4) each, so that no lattice direction adds up.

use super::{
    SCALE,
    block::{BATCH, Batch, Block, Piece},
    lattice::{Along, Walk, shift, value_and_slope},
    near::Near,
};
use crate::{
    GridArea,
    phase::{Frequency, Phase, WARP_UNITS_PER_M},
};
use std::ops::Range;
use terrane_base::hash::pcg;
use terrane_simd::{Isa, Kernel, Simd};

/// Octaves at most: nine steps of 1.93 go from the least wavelength of 500 m to 2.6 m, and no frequency passes one cell a metre.
pub const OCTAVES_MAX: usize = 9;
/// Frequency from octave to octave; not 2, so that no two octaves have a common lattice point but by chance.
const LACUNARITY: f64 = 1.93;
/// Warp from octave to octave: moved as far as the large ones, small crests would be drawn out into hair.
pub(super) const WARP_FALL: f32 = 0.62;

/// What makes worn mountains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WornDesc {
    /// Octaves, 1 to [`OCTAVES_MAX`].
    pub octaves: usize,
    /// Distance of the largest crests, metres.
    pub wavelength_m: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// How far slopes move the next octaves, share of the first wavelength.
    pub wear: f32,
}

/// Worn mountains for a seed.
#[derive(Clone, Debug)]
pub struct Worn {
    pub(super) octaves: Vec<Octave>,
    pub(super) persistence: f32,
    /// Warp in 2^-16 m for a slope sum of 1.
    pub(super) wear_units: f32,
    isa: Isa,
}

/// One octave: a lattice turned by its own angle.
#[derive(Clone, Copy, Debug)]
pub struct Octave {
    /// Of its gradients.
    pub seed: u32,
    /// What a metre along world x and z adds to lattice x, and to lattice z. Two's complement carries the signs.
    pub steps: [[Frequency; 2]; 2],
    /// The phases at metre 0.
    pub offset: [Phase; 2],
    /// Cosine and sine of the angle.
    pub turn: [f32; 2],
}

impl Worn {
    /// Octaves with their own offsets, gradients and angles.
    pub fn new(seed: u32, desc: &WornDesc) -> Worn {
        let (mut cos, mut sin) = (1.0f64, 0.0f64);
        let mut cells_per_m = 1.0 / desc.wavelength_m;
        let octaves = (0..desc.octaves.clamp(1, OCTAVES_MAX)).map(|index| {
            let seed = pcg(seed ^ pcg(index as u32));
            let step = |factor: f64| Frequency((4_294_967_296.0 * cells_per_m * factor).round() as i64 as u64);
            let octave = Octave {
                seed,
                steps: [[step(cos), step(sin)], [step(-sin), step(cos)]],
                offset: [Phase::random(seed, 0), Phase::random(seed, 1)],
                turn: [cos as f32, sin as f32],
            };
            (cos, sin) = (cos * 0.8 - sin * 0.6, sin * 0.8 + cos * 0.6);
            cells_per_m *= LACUNARITY;
            octave
        });
        let wear_units = desc.wear * desc.wavelength_m as f32 * WARP_UNITS_PER_M;
        Worn { octaves: octaves.collect(), persistence: desc.persistence, wear_units, isa: Isa::chosen() }
    }

    /// The same mountains, computed with another instruction set: the same bits at another speed.
    pub fn with_isa(self, isa: Isa) -> Worn {
        Worn { isa, ..self }
    }

    /// What it is made of, for whoever computes the same elsewhere.
    pub fn octaves(&self) -> &[Octave] {
        &self.octaves
    }

    /// Amplitude from octave to octave.
    pub fn persistence(&self) -> f32 {
        self.persistence
    }

    /// For each octave, how far a slope sum of 1 moves it, 2^-16 m.
    pub fn wear_units(&self) -> impl Iterator<Item = f32> {
        std::iter::successors(Some(self.wear_units), |units| Some(units * WARP_FALL)).take(self.octaves.len())
    }

    /// Samples of an area, each moved by `warp` (2^-16 m along x and z): about 0 in hollows, 1 on crests. They are made in pieces of
    /// rows; `wanted` says, from a piece's range of samples, whether it is needed. Else it is 0.
    pub fn grid_warped(&self, area: &GridArea, warp: [&[i32]; 2], wanted: &dyn Fn(Range<usize>) -> bool, out: &mut [f32]) {
        self.isa.run(Moved { worn: self, block: area.into(), warp, wanted, out });
    }

    /// Samples of a block, each moved by offsets: 2^-16 m along x and z.
    pub fn points(&self, block: &Block<2>, offsets: [&[i32]; 2], out: &mut [f32]) {
        self.isa.run(Moved { worn: self, block: *block, warp: offsets, wanted: &|_| true, out });
    }
}

/// See [`Worn::grid_warped`].
struct Moved<'a> {
    worn: &'a Worn,
    block: Block<2>,
    warp: [&'a [i32]; 2],
    wanted: &'a dyn Fn(Range<usize>) -> bool,
    out: &'a mut [f32],
}

impl Kernel for Moved<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Moved { worn, block, warp, wanted, out } = self;
        let mut kept = [Kept { near: Near::new(s), walks: [Walk::new(s, 0); 2] }; OCTAVES_MAX];
        for (octave, kept) in worn.octaves.iter().zip(&mut kept) {
            kept.walks = [Walk::new(s, octave.steps[0][0].over(block.step_m)), Walk::new(s, octave.steps[1][0].over(block.step_m))];
        }
        let mut piece = Piece::new();
        for samples in block.pieces() {
            if !wanted(samples.clone()) {
                out[samples].fill(0.0);
                continue;
            }
            piece.enter(&block, &samples, Some(warp));
            let mut state = State::new();
            let mut wear_units = worn.wear_units;
            for (octave, kept) in worn.octaves.iter().zip(&mut kept) {
                state.add(s, octave, kept, &piece, wear_units, worn.persistence);
                wear_units *= WARP_FALL;
            }
            for (sums, out) in state.sums.0.chunks_exact(S::LANES).zip(out[samples].chunks_mut(S::LANES)) {
                s.store_part(s.load(sums) * s.f32(0.5), out);
            }
        }
    }
}

/// What one octave keeps from piece to piece.
#[derive(Clone, Copy)]
struct Kept<S: Simd> {
    near: Near<S>,
    /// How rows go on along both lattice axes.
    walks: [Walk<S>; 2],
}

/// What octaves hand on, for each sample of a piece.
struct State {
    sums: Batch<f32>,
    /// How much the next octave counts.
    amplitudes: Batch<f32>,
    /// Downhill, along world x and z.
    slopes: [Batch<f32>; 2],
}

impl State {
    #[inline(always)]
    fn new() -> State {
        let zero = Batch([0.0; BATCH]);
        State { sums: zero, amplitudes: Batch([1.0; BATCH]), slopes: [zero; 2] }
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, s: S, octave: &Octave, kept: &mut Kept<S>, piece: &Piece<2>, wear_units: f32, persistence: f32) {
        let (zero, one) = (s.f32(0.0), s.f32(1.0));
        let Kept { near, walks } = kept;
        let mut places = [walks[0].from(s, octave.phase(0, piece.metres)), walks[1].from(s, octave.phase(1, piece.metres))];
        for at in (0..piece.len).step_by(S::LANES) {
            let slopes = [s.load(&self.slopes[0].0[at..]), s.load(&self.slopes[1].0[at..])];
            let x_warp = piece.offset(s, 0, at) + s.to_i32(slopes[0] * s.f32(wear_units));
            let z_warp = piece.offset(s, 1, at) + s.to_i32(slopes[1] * s.f32(wear_units));
            let along_x = Along::new(s, places[0] + shift(s, octave.steps[0][0], x_warp) + shift(s, octave.steps[0][1], z_warp));
            let along_z = Along::new(s, places[1] + shift(s, octave.steps[1][0], x_warp) + shift(s, octave.steps[1][1], z_warp));
            places = [places[0] + walks[0].stride, places[1] + walks[1].stride];
            let [value, dx, dz] = octave.noise(s, near, &along_x, &along_z);
            let amplitude = s.load(&self.amplitudes.0[at..]);
            let sum = s.load(&self.sums.0[at..]) + amplitude * s.select(s.less(value, zero), one + value, one - value);
            s.store(sum, &mut self.sums.0[at..]);
            s.store(slopes[0] - amplitude * dx * value, &mut self.slopes[0].0[at..]);
            s.store(slopes[1] - amplitude * dz * value, &mut self.slopes[1].0[at..]);
            let above = sum * s.f32(0.8);
            s.store(amplitude * s.f32(persistence) * s.select(s.less(one, above), one, above), &mut self.amplitudes.0[at..]);
        }
    }
}

impl Octave {
    /// The place along a lattice axis.
    #[inline(always)]
    pub fn phase(&self, axis: usize, metres: [i64; 2]) -> Phase {
        let steps = self.steps[axis];
        steps[0].phase(metres[0], self.offset[axis]).moved(steps[1].phase(metres[1], Phase(0)).0)
    }

    /// Noise, and its slopes along world x and z for a cell of the octave's lattice.
    #[inline(always)]
    fn noise<S: Simd>(&self, s: S, near: &mut Near<S>, x: &Along<S>, z: &Along<S>) -> [S::F32; 3] {
        let [value, dx, dz] = value_and_slope(s, x, z, near.corners(self.seed, u32::MAX, x.cell, z.cell));
        // Back from the turned lattice: the transpose of its rotation.
        let (cos, sin, scale) = (s.f32(self.turn[0]), s.f32(self.turn[1]), s.f32(SCALE));
        [value * scale, (dx * cos - dz * sin) * scale, (dx * sin + dz * cos) * scale]
    }
}
