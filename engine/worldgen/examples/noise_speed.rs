//! In: nothing. Out: microseconds of each noise on each instruction set of this processor, one thread, median and least of many runs.
//! Never knows: worlds. `cargo run --release -p terrane-worldgen --example noise_speed [PART OF A NAME]`
#![forbid(unsafe_code)]

use std::{hint::black_box, time::Instant};
use terrane_base::hash::pcg;
use terrane_simd::Isa;
use terrane_worldgen::{
    GridArea,
    noise::{Basis, Block, Fractal, NoiseScratch, Stack, Stack3, StackDesc, Worley, Worn, WornDesc},
};

/// Runs of each, after one to warm up.
const RUNS: usize = 41;

/// Prints a row: every instruction set's median and least time.
fn row(name: &str, mut prepare: impl FnMut(Isa) -> Box<dyn FnMut()>) {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    if !name.contains(&wanted) {
        return;
    }
    print!("{name:<44}");
    for isa in Isa::supported() {
        let mut run = prepare(isa);
        run();
        let mut times: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        print!("  {isa} {:8.1} us ({:.1})", times[RUNS / 2], times[0]);
    }
    println!();
}

fn main() {
    let area = GridArea { x_m: 12_345, z_m: -54_321, step_m: 1, edge: 256 };
    let count = area.edge * area.edge;
    let stack = |wavelength_m, isa| Stack::new(7, &StackDesc { octaves: 6, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }).with_isa(isa);
    // A slow swing, and places without order.
    let swing = move |axis: usize| {
        (0..count).map(|i| ((i / 256 + axis * 37) as f32 * 0.02 + (i % 256) as f32 * 0.013).sin() * 30.0 * 65536.0).map(|v| v as i32).collect::<Vec<i32>>()
    };
    let random = move |axis: usize| (0..count).map(|i| pcg((i + axis * 99_999) as u32) as i32).collect::<Vec<i32>>();
    for wavelength_m in [50.0, 100.0, 500.0] {
        row(&format!("fbm grid 256^2, 6 octaves from {wavelength_m} m"), |isa| {
            let (stack, mut scratch, mut out) = (stack(wavelength_m, isa), NoiseScratch::default(), vec![0.0; count]);
            Box::new(move || stack.fbm_grid(black_box(&area), &mut scratch, &mut out))
        });
        for kind in ["swinging", "random"] {
            let warp = |axis| if kind == "random" { random(axis) } else { swing(axis) };
            row(&format!("fbm {kind} 256^2, 6 octaves from {wavelength_m} m"), |isa| {
                let (stack, warp, mut out) = (stack(wavelength_m, isa), [warp(0), warp(1)], vec![0.0; count]);
                Box::new(move || stack.fbm_warped(black_box(&area), [&warp[0], &warp[1]], &mut out))
            });
        }
        row(&format!("quick fbm random 256^2, 6 octaves from {wavelength_m} m"), |isa| {
            let desc = StackDesc { octaves: 6, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
            let (stack, warp, mut out) = (Stack::with_basis(7, &desc, Basis::QuickGradient).with_isa(isa), [random(0), random(1)], vec![0.0; count]);
            Box::new(move || stack.fbm_warped(black_box(&area), [&warp[0], &warp[1]], &mut out))
        });
        row(&format!("ridged swinging 256^2, 6 octaves from {wavelength_m} m"), |isa| {
            let (stack, warp, mut out) = (stack(wavelength_m, isa), [swing(0), swing(1)], vec![0.0; count]);
            Box::new(move || stack.ridged_warped(black_box(&area), [&warp[0], &warp[1]], 2.0, &mut out))
        });
    }
    let block = Block { metres: [12_345, -54_321, 99], step_m: 1, counts: [64; 3] };
    let of = |wavelength_m, octaves| StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
    for (octaves, wavelength_m) in [(1, 10.0), (1, 40.0), (4, 100.0)] {
        row(&format!("fbm grid 64^3, {octaves} octaves from {wavelength_m} m"), |isa| {
            let (stack, mut scratch, mut out) = (Stack3::new(7, &of(wavelength_m, octaves)).with_isa(isa), NoiseScratch::default(), vec![0.0; block.count()]);
            Box::new(move || stack.grid(Fractal::Fbm, black_box(&block), &mut scratch, &mut out))
        });
    }
    for (name, basis) in [("gradient", Basis::Gradient), ("simplex", Basis::Simplex), ("F1", Basis::Worley(Worley::F1))] {
        row(&format!("{name} at 64^3 places, 1 octave of 40 m"), |isa| {
            let stack = Stack3::with_basis(7, &of(40.0, 1), basis).with_isa(isa);
            let offsets = [0, 1, 2].map(|axis| (0..block.count()).map(|i| pcg((i + axis * 9_999_999) as u32) as i32).collect::<Vec<i32>>());
            let mut out = vec![0.0; block.count()];
            let places = Block::places([5, 6, 7], block.count());
            Box::new(move || stack.points(Fractal::Fbm, black_box(&places), offsets.each_ref().map(|axis| &axis[..]), &mut out))
        });
        row(&format!("{name} at 256^2 places, 1 octave of 40 m"), |isa| {
            let stack = Stack::with_basis(7, &of(40.0, 1), basis).with_isa(isa);
            let (warp, mut out) = ([random(0), random(1)], vec![0.0; count]);
            Box::new(move || stack.fbm_warped(black_box(&area), [&warp[0], &warp[1]], &mut out))
        });
    }
    for step_m in [1, 8, 64] {
        row(&format!("worn 133^2, 8 octaves from 2700 m, step {step_m}"), |isa| {
            let worn = Worn::new(5, &WornDesc { octaves: 8, wavelength_m: 2700.0, persistence: 0.6, wear: 0.16 }).with_isa(isa);
            let (warp, mut out) = ([swing(0), swing(1)], vec![0.0; 133 * 133]);
            let area = GridArea { step_m, edge: 133, ..area };
            Box::new(move || worn.grid_warped(black_box(&area), [&warp[0], &warp[1]], &|_| true, &mut out))
        });
    }
}
