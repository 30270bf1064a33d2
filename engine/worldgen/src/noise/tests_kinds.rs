//! Tests of every noise and way to sum it, in the plane and in space: equal bits on all instruction sets, ranges, alike near and far.

use super::{
    tests::{bits, extremes},
    *,
};
use proptest::prelude::*;

const BASES: [Basis; 5] = [Basis::Gradient, Basis::Simplex, Basis::Worley(Worley::F1), Basis::Worley(Worley::F2), Basis::Worley(Worley::F2MinusF1)];
const FRACTALS: [Fractal; 3] = [Fractal::Fbm, Fractal::Billow, Fractal::Ridged { sharpness: 2.0 }];

fn one(wavelength_m: f64) -> StackDesc {
    StackDesc { octaves: 1, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }
}

fn cube(basis: Basis, metres: [i64; 3], step_m: u32, count: usize) -> Vec<f32> {
    let block = Block { metres, step_m, counts: [count; 3] };
    let mut out = vec![f32::NAN; block.count()];
    Stack3::with_basis(3, &one(40.0), basis).grid(Fractal::Fbm, &block, &mut NoiseScratch::default(), &mut out);
    out
}

/// Offsets of a kind, 2^-16 m.
fn offsets(kind: u32, count: usize) -> [Vec<i32>; 3] {
    [0, 1, 2].map(|axis: u32| {
        let random = |i: usize| pcg(i as u32 ^ axis << 20 ^ kind) as i32;
        let at = |i: usize| match kind % 3 {
            0 => 0,
            1 => random(i) >> 9,
            _ => random(i),
        };
        (0..count).map(at).collect()
    })
}

/// Sums of a stack over a block on every instruction set: on the grid without offsets, and with them.
macro_rules! same_on_all {
    ($stack:expr, $block:expr, $kind:expr, $axes:literal) => {
        let (stack, block) = ($stack, $block);
        let mut expected: [Vec<f32>; 2] = Default::default();
        let all = offsets($kind, block.count());
        let offsets: [&[i32]; $axes] = std::array::from_fn(|axis| &all[axis][..]);
        for fractal in FRACTALS {
            for isa in Isa::supported() {
                let stack = stack.clone().with_isa(isa);
                let mut results = [vec![f32::NAN; block.count()], vec![f32::NAN; block.count()]];
                stack.grid(fractal, &block, &mut NoiseScratch::default(), &mut results[0]);
                stack.points(fractal, &block, offsets, &mut results[1]);
                if isa == Isa::Scalar {
                    prop_assert!(results.iter().flatten().all(|value| value.is_finite()), "{:?}", fractal);
                    prop_assert!(!$kind.is_multiple_of(3) || bits(&results[0]) == bits(&results[1]), "grid and places differ: {:?}", fractal);
                    expected = results;
                } else {
                    prop_assert!(bits(&results[0]) == bits(&expected[0]), "grid: {:?} {}", fractal, isa);
                    prop_assert!(bits(&results[1]) == bits(&expected[1]), "places: {:?} {}", fractal, isa);
                }
            }
        }
    };
}

fn descs() -> impl Strategy<Value = StackDesc> {
    (1u32..5, 1.0f64..300.0, 1.7f64..2.2, 0.3f32..0.8, proptest::sample::select(vec![0, 0, 2, 16])).prop_map(
        |(octaves, wavelength, lacunarity, persistence, period_cells)| {
            let wavelength_m = wavelength * lacunarity.powi(octaves as i32 - 1);
            StackDesc { octaves, wavelength_m, lacunarity, persistence, period_cells }
        },
    )
}

fn seeds() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), proptest::sample::select(vec![0, 1, u32::MAX, 1 << 31])]
}

fn steps() -> impl Strategy<Value = u32> {
    prop_oneof![1u32..40, proptest::sample::select(vec![0, 64, 4096, u32::MAX])]
}

proptest! {
    #[test]
    fn noise_in_space_has_the_same_bits_on_every_instruction_set(
        (desc, seed, basis) in (descs(), seeds(), proptest::sample::select(BASES.to_vec())),
        (metres, step_m, counts, kind) in ([extremes(), extremes(), extremes()], steps(), [1usize..35, 1usize..6, 1usize..6], any::<u32>()),
    ) {
        same_on_all!(Stack3::with_basis(seed, &desc, basis), Block { metres, step_m, counts }, kind, 3);
    }

    #[test]
    fn noise_in_the_plane_has_the_same_bits_on_every_instruction_set(
        (desc, seed, basis) in (descs(), seeds(), proptest::sample::select(BASES.to_vec())),
        (metres, step_m, counts, kind) in ([extremes(), extremes()], steps(), [1usize..140, 1usize..9], any::<u32>()),
    ) {
        same_on_all!(Stack::with_basis(seed, &desc, basis), Block { metres, step_m, counts }, kind, 2);
    }
}

#[test]
fn one_octave_reaches_far_and_stays_within_one() {
    for basis in [Basis::Gradient, Basis::QuickGradient, Basis::Simplex] {
        let mut plane = vec![0.0; 512 * 512];
        Stack::with_basis(7, &one(40.0), basis).grid(
            Fractal::Fbm,
            &Block { metres: [0; 2], step_m: 7, counts: [512; 2] },
            &mut NoiseScratch::default(),
            &mut plane,
        );
        for (name, values) in [("plane", plane), ("space", cube(basis, [0; 3], 7, 128))] {
            let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
            assert!((-1.001..-0.75).contains(&low) && (0.75..1.001).contains(&high), "{basis:?} in {name}: {low} {high}");
        }
    }
}

#[test]
fn slopes_are_those_of_the_sums() {
    let desc = StackDesc { octaves: 3, wavelength_m: 2000.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
    let block = Block { metres: [-10_000_000, 77], step_m: 1, counts: [100, 40] };
    let mut expected: Option<Vec<Vec<u32>>> = None;
    for isa in Isa::supported() {
        let stack = Stack::new(7, &desc).with_isa(isa);
        let (mut sum, mut parts) = (vec![0.0; 4000], vec![vec![0.0; 4000]; 3]);
        let [value, dx, dz] = parts.as_mut_slice() else { unreachable!("three") };
        stack.grid(Fractal::Fbm, &block, &mut NoiseScratch::default(), &mut sum);
        stack.fbm_slopes(&block, None, [value, dx, dz]);
        assert_eq!(bits(value), bits(&sum), "{isa}");
        for i in (0..39).flat_map(|z| (1..99).map(move |x| z * 100 + x)).skip(100) {
            // Over two metres of a shortest cell of 500: off by the third derivative, and by the rounding of the sums.
            let along_x = (sum[i + 1] - sum[i - 1]) * 0.5;
            let along_z = (sum[i + 100] - sum[i - 100]) * 0.5;
            assert!((dx[i] - along_x).abs() < 2e-6 && (dz[i] - along_z).abs() < 2e-6, "{isa} {i}: {} {along_x}, {} {along_z}", dx[i], dz[i]);
        }
        let all: Vec<Vec<u32>> = parts.iter().map(|part| bits(part)).collect();
        assert_eq!(*expected.get_or_insert(all.clone()), all, "{isa}");
    }
}

#[test]
fn noise_has_no_jumps() {
    for basis in BASES {
        // Steps of a fortieth of a cell: the steepest slope of any is well below ten a cell.
        let values = cube(basis, [-20; 3], 1, 64);
        for (stride, name) in [(1, "x"), (64, "y"), (64 * 64, "z")] {
            let steepest = (0..64 * 64 * 63).filter(|i| stride != 1 || i % 64 != 63).filter(|i| stride != 64 || i / 64 % 64 != 63);
            let steepest = steepest.map(|i| (values[i + stride] - values[i]).abs()).fold(0.0, f32::max);
            assert!(steepest < 0.25, "{basis:?} along {name}: {steepest}");
        }
    }
}

#[test]
fn distances_are_those_to_random_points() {
    let [first, second, difference] = [Worley::F1, Worley::F2, Worley::F2MinusF1].map(|which| cube(Basis::Worley(which), [9; 3], 3, 48));
    assert!(first.iter().all(|value| (0.0..3.0).contains(value)));
    for i in 0..first.len() {
        assert!(first[i] <= second[i] && difference[i] == second[i] - first[i]);
    }
    // A point a cell: the mean squared distance to the nearest of a Poisson set is 0.347; one a cell is more even.
    let mean = first.iter().sum::<f32>() / first.len() as f32;
    assert!((0.2..0.35).contains(&mean), "{mean}");
}

#[test]
fn statistics_in_space_far_out_are_those_of_the_origin() {
    for basis in BASES {
        let describe = |origin: i64| {
            let values = cube(basis, [origin, -origin, origin], 13, 64);
            // How often each slope along x occurs.
            let mut histogram = [0.0f32; 16];
            for pair in values.windows(2) {
                histogram[((pair[1] - pair[0]) * 16.0 + 8.0).clamp(0.0, 15.0) as usize] += 1.0 / values.len() as f32;
            }
            let mut all = bits(&values);
            all.sort_unstable();
            all.dedup();
            (all.len() as f32 / values.len() as f32, histogram)
        };
        let (near, far) = (describe(0), describe(10_000_000));
        assert!((near.0 - far.0).abs() < 0.03, "{basis:?}: {} and {} of the values are distinct", near.0, far.0);
        let differs: f32 = near.1.iter().zip(far.1).map(|(near, far)| (near - far).abs()).sum();
        assert!(differs < 0.12, "{basis:?}: {differs} {:?} {:?}", near.1, far.1);
    }
}

#[test]
fn neighbours_have_independent_gradients() {
    for basis in [Basis::Gradient, Basis::QuickGradient, Basis::Simplex] {
        let mut plane = vec![0.0; 512 * 512];
        let block = Block { metres: [11, 13], step_m: 80, counts: [512; 2] };
        Stack::with_basis(7, &one(40.0), basis).grid(Fractal::Fbm, &block, &mut NoiseScratch::default(), &mut plane);
        assert_independent(basis, &plane, &[1, 512, 513, 511, 2, 3, 2 * 512]);
        assert_independent(basis, &cube(basis, [11, 13, 17], 80, 64), &[1, 64, 64 * 64, 1 + 64, 1 + 64 + 64 * 64, 2, 3]);
    }
}

/// Signs two cells apart, where no corner is shared, along rows, planes and diagonals: half of the neighbours agree.
fn assert_independent(basis: Basis, values: &[f32], strides: &[usize]) {
    for stride in strides {
        let agree = (0..values.len() - stride).filter(|i| (values[*i] < 0.0) == (values[i + stride] < 0.0)).count() as f32;
        let share = agree / (values.len() - stride) as f32;
        assert!((share - 0.5).abs() < 0.02, "{basis:?} of {} {stride}: {share}", values.len());
    }
}

#[test]
fn skewed_phases_are_summed_before_they_are_rounded() {
    // Moving a place by offsets or by metres must give the same phases, also for frequencies whose products need more than 64 bits, and for
    // octaves that share products.
    for (wavelength_m, octaves) in [(20.0, 1), (300.0, 6), (1.0, 3), (0.01, 1)] {
        let desc = StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
        for isa in Isa::supported() {
            let stack = Stack3::with_basis(9, &desc, Basis::Simplex).with_isa(isa);
            let places: Vec<[i64; 3]> = (0..40).map(|i: i64| [i * 811 - 16_000, 300 - i * 37, i * i - 900]).collect();
            let offsets = [0, 1, 2].map(|axis| places.iter().map(|place| (place[axis] * 65536) as i32).collect::<Vec<i32>>());
            let mut moved = vec![0.0; places.len()];
            stack.points(Fractal::Fbm, &Block::places([77; 3], places.len()), [&offsets[0], &offsets[1], &offsets[2]], &mut moved);
            for (place, moved) in places.iter().zip(moved) {
                let mut straight = [0.0];
                let block = Block { metres: place.map(|metre| metre + 77), step_m: 1, counts: [1; 3] };
                stack.grid(Fractal::Fbm, &block, &mut NoiseScratch::default(), &mut straight);
                assert_eq!(moved.to_bits(), straight[0].to_bits(), "{isa}, {wavelength_m} m, at {place:?}");
            }
        }
    }
}

#[test]
fn the_quick_hash_does_not_repeat_nearby() {
    // Gradients of corners up to 24 cells apart: no more alike than independent ones, whose correlations over 104 x 104 pairs deviate by 0.007.
    let edge = 128;
    for (seed, x_m, z_m) in [(1, 0, 0), (77, -5_000_000, 900_000)] {
        let stack = Stack::with_basis(seed, &one(1024.0), Basis::QuickGradient);
        let Octave { seed, offset, .. } = stack.octaves()[0];
        let cell = |metres: i64, axis: usize| Frequency::from_wavelength(1024.0).phase(metres, offset[axis]).cell() as u32;
        let (x, z) = (cell(x_m, 0), cell(z_m, 1));
        let directions: Vec<[f32; 2]> = (0..edge * edge).map(|i| quick_gradient(seed, x + i % edge, z.wrapping_add(i / edge))).collect();
        for dz in 0..24 {
            for dx in 0..24 {
                let pairs = (0..edge - dz).flat_map(|z| (0..edge - dx).map(move |x| [z * edge + x, (z + dz) * edge + x + dx]));
                let products = pairs.map(|[a, b]| [a, b].map(|i| directions[i as usize])).map(|[a, b]| a[0] * b[0] + a[1] * b[1]);
                let (count, sum) = products.fold((0, 0.0), |(count, sum), product| (count + 1, sum + product));
                let correlation = sum / count as f32 / (1.0 + lattice::K * lattice::K);
                assert!((dx, dz) == (0, 0) || correlation.abs() < 0.035, "{correlation} at {dx}, {dz}");
            }
        }
    }
}

/// The gradient at a corner: the definition of `quick`, one corner at a time.
fn quick_gradient(seed: u32, x: u32, z: u32) -> [f32; 2] {
    let shares = x.wrapping_mul(0x9e37_79b1) ^ z.wrapping_mul(0x85eb_ca77) ^ seed;
    let bits = shares.wrapping_mul(0x2c1b_3c6d) >> 29;
    let (far, near) = (1.0 - 2.0 * (bits & 1) as f32, lattice::K * (1.0 - (bits & 2) as f32));
    if bits & 4 == 0 { [far, near] } else { [near, far] }
}

#[test]
fn quick_noise_has_the_gradients_of_its_definition() {
    // Close to a corner the noise is its gradient times the way there.
    let wavelength_m = 1024.0;
    let stack = Stack::with_basis(5, &one(wavelength_m), Basis::QuickGradient);
    let Octave { seed, offset, frequency, .. } = stack.octaves()[0];
    for i in 0..200i64 {
        // A metre whose phase is just past a corner, less than 1/1024 of a cell.
        let corner = |axis: usize| (i - 100) * 1024 + (1024 - (frequency.phase(0, offset[axis]).fraction() * 1024.0).floor() as i64);
        let metres = [corner(0), corner(1)];
        let phases = [0, 1].map(|axis| frequency.phase(metres[axis], offset[axis]));
        let gradient = quick_gradient(seed, phases[0].cell() as u32, phases[1].cell() as u32);
        let expected = (gradient[0] * phases[0].fraction() + gradient[1] * phases[1].fraction()) * SCALE;
        let mut out = [0.0];
        stack.grid(Fractal::Fbm, &Block { metres, step_m: 1, counts: [1, 1] }, &mut NoiseScratch::default(), &mut out);
        assert!((out[0] - expected).abs() < 2e-5, "{} {expected} at {metres:?}", out[0]);
    }
}
