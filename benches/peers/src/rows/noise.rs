//! Rows 1 to 4: gradient and simplex noise beside the libraries that others use.

use crate::{
    harness::{Goal, Session},
    scenes,
};
use fastnoise_lite::{FastNoiseLite, FractalType, NoiseType};
use noise::{Fbm, MultiFractal, NoiseFn, Perlin, Simplex};
use simdnoise::NoiseBuilder;
use std::hint::black_box;
use terrane_base::hash::pcg;
use terrane_simd::Isa;
use terrane_worldgen::{
    GridArea,
    noise::{Basis, Block, Fractal, NoiseScratch, Stack, Stack3, StackDesc},
};

const SEED: i32 = 7;
const OCTAVES: u32 = 6;
const WAVELENGTH_M: f64 = 100.0;
/// Of the noise in space.
const WAVELENGTH_3_M: f64 = 20.0;
/// Samples along the edge of the plane and of the block.
const PLANE: usize = 256;
const SPACE: usize = 64;
/// Positions in space.
const PLACES: usize = 1 << 16;

fn desc(octaves: u32, wavelength_m: f64) -> StackDesc {
    StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }
}

/// A value for each instruction set.
fn each<T>(make: impl Fn(Isa) -> T) -> Vec<T> {
    Isa::ALL.into_iter().map(make).collect()
}

fn lite(kind: NoiseType, octaves: u32, wavelength_m: f64) -> FastNoiseLite {
    let mut noise = FastNoiseLite::with_seed(SEED);
    noise.set_noise_type(Some(kind));
    noise.set_fractal_type(Some(if octaves > 1 { FractalType::FBm } else { FractalType::None }));
    noise.set_fractal_octaves(Some(octaves as i32));
    noise.set_frequency(Some(1.0 / wavelength_m as f32));
    noise
}

/// Positions around the origin in units of 2^-16 m, and in metres: a grid that swings by 30 m, or no order at all.
fn places(count: usize, axes: usize, random: bool) -> (Vec<Vec<i32>>, Vec<Vec<f32>>) {
    let metres = |axis: usize, i: usize| {
        if random {
            return (pcg((i + axis * 99_999) as u32) >> 8) as f64 / 16_777_216.0 * 2000.0 - 1000.0;
        }
        let (x, z) = ((i % PLANE) as f64, (i / PLANE) as f64);
        [x, z][axis % 2] + 30.0 * (z * 0.02 + x * 0.013 + axis as f64 * 37.0).sin()
    };
    let units: Vec<Vec<i32>> = (0..axes).map(|axis| (0..count).map(|i| (metres(axis, i) * 65536.0) as i32).collect()).collect();
    let metres = units.iter().map(|units| units.iter().map(|units| *units as f32 / 65536.0).collect()).collect();
    (units, metres)
}

fn hash(values: &[f32]) -> u64 {
    scenes::hash(values.iter().map(|value| u64::from(value.to_bits())))
}

pub fn noise(session: &mut Session) {
    if session.wants_row("1") {
        plane_grid(session, 0x2bea_6ab0_3a47_8df4);
    }
    if session.wants_row("2") {
        plane_places(session, [0x764b_75a0_7ace_e7f4, 0x3941_1509_a769_fa01]);
    }
    if session.wants_row("3") {
        space_grid(session, 0x5c6e_148d_0d70_62fd);
    }
    if session.wants_row("4") {
        space_places(session, 0x7854_960f_ab79_c801);
    }
}

/// Row 1.
fn plane_grid(session: &mut Session, pinned: u64) {
    let name = |peer: &str| format!("1 fBm 6 octaves, 256^2 grid: {peer}");
    let stacks = each(|isa| Stack::new(SEED as u32, &desc(OCTAVES, WAVELENGTH_M)).with_isa(isa));
    let area = GridArea { x_m: 0, z_m: 0, step_m: 1, edge: PLANE };
    let (mut scratch, mut out, mut peer_out) = (NoiseScratch::default(), vec![0.0; PLANE * PLANE], vec![0.0f32; PLANE * PLANE]);
    let mut ours = |isa: Isa| stacks[isa as usize].fbm_grid(black_box(&area), &mut scratch, &mut out);
    let fbm = Fbm::<Perlin>::new(SEED as u32).set_octaves(OCTAVES as usize).set_frequency(1.0 / WAVELENGTH_M);
    session.race(&name("noise"), Goal::times(40.0, 80.0), "", &mut ours, || {
        peer_out.iter_mut().enumerate().for_each(|(i, out)| *out = fbm.get([(i % PLANE) as f64, (i / PLANE) as f64]) as f32);
        black_box(&peer_out);
    });
    let fbm = lite(NoiseType::Perlin, OCTAVES, WAVELENGTH_M);
    session.race(&name("fastnoise-lite"), Goal::NONE, "", &mut ours, || {
        peer_out.iter_mut().enumerate().for_each(|(i, out)| *out = fbm.get_noise_2d((i % PLANE) as f32, (i / PLANE) as f32));
        black_box(&peer_out);
    });
    session.race(&name("simdnoise"), Goal::NONE, "its fBm is of simplex noise; AVX2 at most; it allocates its output", &mut ours, || {
        let mut settings = NoiseBuilder::fbm_2d(PLANE, PLANE);
        black_box(settings.with_seed(SEED).with_freq(1.0 / WAVELENGTH_M as f32).with_octaves(OCTAVES as u8).with_gain(0.5).with_lacunarity(2.0).generate());
    });
    #[cfg(feature = "fastnoise2")]
    {
        use fastnoise2::generator::prelude::{Generator as _, perlin as perlin_node};
        let node = perlin_node().fbm(0.5, 0.0, OCTAVES as i32, 2.0).build();
        session.race(&name("FastNoise2"), Goal::times(4.0, 7.0), "", &mut ours, || {
            node.gen_uniform_grid_2d(&mut peer_out, 0, 0, PLANE as i32, PLANE as i32, 1.0 / WAVELENGTH_M as f32, SEED);
        });
    }
    ours(session.isa);
    session.check_hash("fBm on a grid", hash(&out), pinned);
}

/// Row 2.
fn plane_places(session: &mut Session, pinned: [u64; 2]) {
    let count = PLANE * PLANE;
    for (index, (kind, basis)) in [("warped", Basis::Gradient), ("random", Basis::QuickGradient)].into_iter().enumerate() {
        let name = |peer: &str| format!("2 fBm 6 octaves, 65,536 {kind} places: {peer}");
        let stacks = each(|isa| Stack::with_basis(SEED as u32, &desc(OCTAVES, WAVELENGTH_M), basis).with_isa(isa));
        let (units, metres) = places(count, 2, kind == "random");
        let (block, mut out, mut peer_out) = (Block::places([0, 0], count), vec![0.0; count], vec![0.0f32; count]);
        let mut ours = |isa: Isa| stacks[isa as usize].points(Fractal::Fbm, black_box(&block), [&units[0], &units[1]], &mut out);
        let fbm = Fbm::<Perlin>::new(SEED as u32).set_octaves(OCTAVES as usize).set_frequency(1.0 / WAVELENGTH_M);
        session.race(&name("noise"), Goal::NONE, "", &mut ours, || {
            peer_out.iter_mut().zip(&metres[0]).zip(&metres[1]).for_each(|((out, x), z)| *out = fbm.get([f64::from(*x), f64::from(*z)]) as f32);
            black_box(&peer_out);
        });
        let fbm = lite(NoiseType::Perlin, OCTAVES, WAVELENGTH_M);
        session.race(&name("fastnoise-lite"), Goal::NONE, "", &mut ours, || {
            peer_out.iter_mut().zip(&metres[0]).zip(&metres[1]).for_each(|((out, x), z)| *out = fbm.get_noise_2d(*x, *z));
            black_box(&peer_out);
        });
        #[cfg(feature = "fastnoise2")]
        {
            use fastnoise2::generator::prelude::{Generator as _, perlin as perlin_node};
            let node = perlin_node().fbm(0.5, 0.0, OCTAVES as i32, 2.0).build();
            let scaled: Vec<Vec<f32>> = metres.iter().map(|axis| axis.iter().map(|metre| metre / WAVELENGTH_M as f32).collect()).collect();
            session.race(&name("FastNoise2"), Goal::times(1.0, 1.1), "", &mut ours, || {
                node.gen_position_array_2d(&mut peer_out, &scaled[0], &scaled[1], 0.0, 0.0, SEED);
            });
        }
        ours(session.isa);
        session.check_hash(&format!("fBm at {kind} places"), hash(&out), pinned[index]);
    }
}

/// Row 3.
fn space_grid(session: &mut Session, pinned: u64) {
    let name = |peer: &str| format!("3 gradient noise, 64^3 grid: {peer}");
    let count = SPACE * SPACE * SPACE;
    let stacks = each(|isa| Stack3::new(SEED as u32, &desc(1, WAVELENGTH_3_M)).with_isa(isa));
    let block = Block { metres: [0; 3], step_m: 1, counts: [SPACE; 3] };
    let (mut scratch, mut out, mut peer_out) = (NoiseScratch::default(), vec![0.0; count], vec![0.0f32; count]);
    let mut ours = |isa: Isa| stacks[isa as usize].grid(Fractal::Fbm, black_box(&block), &mut scratch, &mut out);
    let at = |i: usize| [i % SPACE, i / SPACE % SPACE, i / SPACE / SPACE];
    let perlin = Perlin::new(SEED as u32);
    session.race(&name("noise"), Goal::NONE, "", &mut ours, || {
        peer_out.iter_mut().enumerate().for_each(|(i, out)| *out = perlin.get(at(i).map(|c| c as f64 / WAVELENGTH_3_M)) as f32);
        black_box(&peer_out);
    });
    let lite = lite(NoiseType::Perlin, 1, WAVELENGTH_3_M);
    session.race(&name("fastnoise-lite"), Goal::NONE, "", &mut ours, || {
        peer_out.iter_mut().enumerate().for_each(|(i, out)| {
            let [x, y, z] = at(i).map(|c| c as f32);
            *out = lite.get_noise_3d(x, y, z);
        });
        black_box(&peer_out);
    });
    #[cfg(feature = "fastnoise2")]
    {
        use fastnoise2::generator::prelude::{Generator as _, perlin as perlin_node};
        let (node, edge) = (perlin_node().build(), SPACE as i32);
        session.race(&name("FastNoise2"), Goal::times(4.0, 7.0), "", &mut ours, || {
            node.gen_uniform_grid_3d(&mut peer_out, 0, 0, 0, edge, edge, edge, 1.0 / WAVELENGTH_3_M as f32, SEED);
        });
    }
    ours(session.isa);
    session.check_hash("gradient noise in space", hash(&out), pinned);
}

/// Row 4.
fn space_places(session: &mut Session, pinned: u64) {
    let name = |peer: &str| format!("4 simplex noise, 65,536 places in space: {peer}");
    let stacks = each(|isa| Stack3::with_basis(SEED as u32, &desc(1, WAVELENGTH_3_M), Basis::Simplex).with_isa(isa));
    let (units, metres) = places(PLACES, 3, true);
    let (block, mut out, mut peer_out) = (Block::places([0; 3], PLACES), vec![0.0; PLACES], vec![0.0f32; PLACES]);
    let mut ours = |isa: Isa| stacks[isa as usize].points(Fractal::Fbm, black_box(&block), [&units[0], &units[1], &units[2]], &mut out);
    let simplex = Simplex::new(SEED as u32);
    session.race(&name("noise"), Goal::NONE, "", &mut ours, || {
        for (i, out) in peer_out.iter_mut().enumerate() {
            *out = simplex.get([0, 1, 2].map(|axis| f64::from(metres[axis][i]) / WAVELENGTH_3_M)) as f32;
        }
        black_box(&peer_out);
    });
    // Its functions for single places are not safe to call; a grid takes no advantage of being one.
    session.race(
        &name("simdnoise"),
        Goal::times(1.0, 1.0),
        "peer on a grid of 64 x 32 x 32, which it takes place by place; AVX2 at most; allocates",
        &mut ours,
        || {
            let mut settings = NoiseBuilder::gradient_3d(64, 32, 32);
            black_box(settings.with_seed(SEED).with_freq(1.0 / WAVELENGTH_3_M as f32).generate());
        },
    );
    #[cfg(feature = "fastnoise2")]
    {
        use fastnoise2::generator::prelude::{Generator as _, simplex as simplex_node};
        let node = simplex_node().build();
        let scaled: Vec<Vec<f32>> = metres.iter().map(|axis| axis.iter().map(|metre| metre / WAVELENGTH_3_M as f32).collect()).collect();
        session.race(&name("FastNoise2"), Goal::times(0.9, 1.0), "", &mut ours, || {
            node.gen_position_array_3d(&mut peer_out, &scaled[0], &scaled[1], &scaled[2], 0.0, 0.0, 0.0, SEED);
        });
    }
    ours(session.isa);
    session.check_hash("simplex noise in space", hash(&out), pinned);
}
