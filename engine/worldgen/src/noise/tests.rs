//! Tests of the noise: bit for bit wherever it is asked, alike near and far, within its range.

use super::*;
use proptest::prelude::*;

fn stack(octaves: u32) -> Stack {
    Stack::new(7, &StackDesc { octaves, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 })
}

fn grid(stack: &Stack, x_m: i64, z_m: i64, step_m: u32, edge: usize) -> Vec<f32> {
    let mut out = vec![0.0; edge * edge];
    stack.fbm_grid(&GridArea { x_m, z_m, step_m, edge }, &mut NoiseScratch::default(), &mut out);
    out
}

#[test]
fn grids_agree_bit_for_bit_wherever_they_share_a_sample() {
    let stack = stack(8);
    for origin in [-10_000_000i64, -64, -1, 0, 10_000_000] {
        let fine = grid(&stack, origin, -origin, 1, 65);
        let coarse = grid(&stack, origin - 64, -origin - 64, 8, 33);
        for z in 0..9 {
            for x in 0..9 {
                let (a, b) = (fine[z * 8 * 65 + x * 8], coarse[(z + 8) * 33 + x + 8]);
                assert_eq!(a.to_bits(), b.to_bits(), "at {origin}: {x} {z}");
            }
        }
    }
}

#[test]
fn warped_samples_and_grid_are_the_same_function() {
    let stack = stack(6);
    for (x_m, z_m, step_m) in [(5_000_000, -77, 3), (-10_000_000, 10_000_000, 32), (-1, -1, 1)] {
        let moved_m = [-7i64, 300];
        let straight = grid(&stack, x_m + moved_m[0], z_m + moved_m[1], step_m, 70);
        let area = GridArea { x_m, z_m, step_m, edge: 70 };
        let warp = moved_m.map(|metres| vec![metres as i32 * 65536; 70 * 70]);
        let mut warped = vec![9.0; 70 * 70];
        stack.fbm_warped(&area, [&warp[0], &warp[1]], &mut warped);
        assert_eq!(warped, straight, "at {x_m}, {z_m}");
    }
}

#[test]
fn slopes_are_those_of_the_values() {
    let place = |i: u32| Phase(u64::from(pcg(i)) << 32 | u64::from(pcg(!i)) & 0xfff0_0000);
    let value = |x: Phase, z: Phase| reference::value_and_slope(5, u32::MAX, x, z)[0];
    for i in 0..2000 {
        let (x, z) = (place(i), place(i + 50_000));
        let [_, dx, dz] = reference::value_and_slope(5, u32::MAX, x, z);
        // A 1024th of a cell: the difference is off by the third derivative, at most 60 x 2^-20, and by the rounding of the values.
        let h = 1u64 << 22;
        let along_x = (value(x.moved(h), z) - value(x.moved(h.wrapping_neg()), z)) * 512.0;
        let along_z = (value(x, z.moved(h)) - value(x, z.moved(h.wrapping_neg()))) * 512.0;
        assert!((dx - along_x).abs() < 1e-3 && (dz - along_z).abs() < 1e-3, "{dx} {along_x}, {dz} {along_z}");
    }
}

/// Places, seeds and steps where something may wrap, and others.
pub(super) fn extremes() -> impl Strategy<Value = i64> {
    let far = vec![0, 1, -1, 1 << 31, -(1 << 31), 1_000_000_000_000, -1_000_000_000_000, i64::MAX, i64::MIN, 10_000_000];
    prop_oneof![proptest::sample::select(far), any::<i64>(), -20_000i64..20_000]
}

fn areas() -> impl Strategy<Value = GridArea> {
    let steps = prop_oneof![1u32..40, proptest::sample::select(vec![64, 256, 4096, 1 << 20, u32::MAX])];
    (extremes(), extremes(), steps, 1usize..37).prop_map(|(x_m, z_m, step_m, edge)| GridArea { x_m, z_m, step_m, edge })
}

fn stacks() -> impl Strategy<Value = Stack> {
    let seeds = prop_oneof![any::<u32>(), proptest::sample::select(vec![0, 1, u32::MAX, 1 << 31])];
    let periods = proptest::sample::select(vec![0, 0, 1, 16]);
    (seeds, 1u32..8, 1.0f64..4000.0, 1.7f64..2.2, 0.3f32..0.8, periods).prop_map(|(seed, octaves, wavelength, lacunarity, persistence, period_cells)| {
        // The last octave is at least a metre long.
        let wavelength_m = wavelength * lacunarity.powi(octaves as i32 - 1);
        Stack::new(seed, &StackDesc { octaves, wavelength_m, lacunarity, persistence, period_cells })
    })
}

/// Smooth, rough and extreme warps, 2^-16 m.
fn warp_of(kind: u32, count: usize) -> [Vec<i32>; 2] {
    [0, 1].map(|axis| {
        let random = |i: usize| pcg(i as u32 ^ axis << 20 ^ kind) as i32;
        let at = |i: usize| match kind % 4 {
            0 => 0,
            1 => (i as i32).wrapping_mul(3000).wrapping_sub(5_000_000),
            2 => random(i) >> 12,
            _ => [random(i), i32::MIN, i32::MAX][i % 3],
        };
        (0..count).map(at).collect()
    })
}

fn worn_mountains() -> impl Strategy<Value = Worn> {
    (any::<u32>(), 1usize..10, 500.0f64..20_000.0, 0.3f32..0.8, 0.0f32..0.5)
        .prop_map(|(seed, octaves, wavelength_m, persistence, wear)| Worn::new(seed, &WornDesc { octaves, wavelength_m, persistence, wear }))
}

pub(super) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #[test]
    fn every_instruction_set_gives_the_bits_of_the_definition(stack in stacks(), area in areas(), kind in any::<u32>(), sharpness in 0.0f32..4.0) {
        let count = area.edge * area.edge;
        let straight = warp_of(0, count);
        let warp = warp_of(kind, count);
        let [straight, warp] = [&straight, &warp].map(|warp| [&warp[0][..], &warp[1][..]]);
        let grid = reference::fbm(&stack, &area, straight);
        prop_assert!(grid.iter().all(|value| value.is_finite()));
        let (warped, ridged) = (reference::fbm(&stack, &area, warp), reference::ridged(&stack, &area, warp, sharpness));
        for isa in Isa::supported() {
            let (stack, mut out) = (stack.clone().with_isa(isa), vec![f32::NAN; count]);
            stack.fbm_grid(&area, &mut NoiseScratch::default(), &mut out);
            prop_assert_eq!(bits(&out), bits(&grid), "{} grid", isa);
            stack.fbm_warped(&area, warp, &mut out);
            prop_assert_eq!(bits(&out), bits(&warped), "{} warped", isa);
            stack.ridged_warped(&area, warp, sharpness, &mut out);
            prop_assert_eq!(bits(&out), bits(&ridged), "{} ridged", isa);
        }
    }

    #[test]
    fn worn_mountains_have_the_bits_of_their_definition(worn in worn_mountains(), area in areas(), kind in any::<u32>()) {
        let area = GridArea { edge: area.edge + 50, ..area };
        let count = area.edge * area.edge;
        let warp = warp_of(kind, count);
        let sample = |i: usize| reference::worn(&worn, Block::from(&area).metres(i), [warp[0][i], warp[1][i]]);
        // Enough of them: the definition is slow.
        let some: Vec<(usize, f32)> = (0..count).step_by(7).map(|i| (i, sample(i))).collect();
        prop_assert!(some.iter().all(|(_, value)| value.is_finite()));
        for isa in Isa::supported() {
            let mut out = vec![f32::NAN; count];
            worn.clone().with_isa(isa).grid_warped(&area, [&warp[0], &warp[1]], &|_| true, &mut out);
            let differs = some.iter().find(|(i, value)| out[*i].to_bits() != value.to_bits());
            prop_assert_eq!(differs, None, "{}", isa);
        }
    }
}

#[test]
fn worn_mountains_stay_near_their_range_also_far_out() {
    let worn = Worn::new(5, &WornDesc { octaves: 8, wavelength_m: 2700.0, persistence: 0.6, wear: 0.16 });
    for x_m in [0, 10_000_000] {
        let mut values = vec![0.0; 4096];
        let area = GridArea { x_m, z_m: 77, step_m: 1000, edge: 64 };
        worn.grid_warped(&area, [&[3000; 4096], &[-9_000_000; 4096]], &|_| true, &mut values);
        let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!((-0.05..0.3).contains(&low) && (0.7..1.3).contains(&high), "{low} {high}");
    }
}

#[test]
fn ridges_agree_bit_for_bit_wherever_they_share_a_sample() {
    let stack = stack(7);
    let ridged = |x_m: i64, z_m: i64, step_m: u32, edge: usize| {
        // A warp that is a function of global metres, as a field's is.
        let at = |i: usize| [x_m + (i % edge) as i64 * i64::from(step_m), z_m + (i / edge) as i64 * i64::from(step_m)];
        let warp = [0, 1].map(|axis| (0..edge * edge).map(|i| (pcg(at(i)[axis] as u32) >> 7) as i32).collect::<Vec<i32>>());
        let mut out = vec![0.0; edge * edge];
        stack.ridged_warped(&GridArea { x_m, z_m, step_m, edge }, [&warp[0], &warp[1]], 2.0, &mut out);
        out
    };
    for origin in [-10_000_000i64, -1, 0, 10_000_000] {
        let (fine, coarse) = (ridged(origin, -origin, 1, 129), ridged(origin, -origin, 16, 9));
        for i in 0..81 {
            assert_eq!(fine[i / 9 * 16 * 129 + i % 9 * 16].to_bits(), coarse[i].to_bits(), "at {origin}: {i}");
        }
    }
}

#[test]
fn statistics_far_out_are_those_of_the_origin() {
    let stack = stack(4);
    let describe = |origin: i64| {
        let values = grid(&stack, origin, origin, 37, 257);
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / values.len() as f32).sqrt();
        let mut bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        bits.sort_unstable();
        bits.dedup();
        (mean, deviation, bits.len())
    };
    let (near, far) = (describe(0), describe(10_000_000));
    assert!(near.0.abs() < 0.05 && far.0.abs() < 0.05, "{near:?} {far:?}");
    assert!((near.1 - far.1).abs() < 0.05 * near.1, "{near:?} {far:?}");
    assert!(near.2 > 60_000 && far.2 > 60_000, "{near:?} {far:?}");
}

#[test]
fn one_octave_stays_within_one_and_reaches_far() {
    let values = grid(&stack(1), 0, 0, 7, 512);
    let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    assert!((-1.001..-0.75).contains(&low) && (0.75..1.001).contains(&high), "{low} {high}");
}

#[test]
fn a_periodic_stack_repeats() {
    let desc = StackDesc { octaves: 4, wavelength_m: 256.0, lacunarity: 2.0, persistence: 0.5, period_cells: 16 };
    let stack = Stack::new(3, &desc);
    assert_eq!(grid(&stack, 12, 34, 1, 64), grid(&stack, 12 + 4096 * 2441, 34 - 4096 * 2441, 1, 64));
    assert_ne!(grid(&stack, 12, 34, 1, 64), grid(&stack, 12 + 1024, 34, 1, 64));
}

#[test]
fn ridges_stay_in_their_range() {
    let stack = stack(6);
    let area = GridArea { x_m: 0, z_m: 0, step_m: 11, edge: 128 };
    let zero = vec![0; 128 * 128];
    let mut out = vec![0.0; 128 * 128];
    stack.ridged_warped(&area, [&zero, &zero], 2.0, &mut out);
    let (low, high) = out.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    assert!(low >= 0.0 && high <= 1.0 && high - low > 0.5, "{low} {high}");
}
