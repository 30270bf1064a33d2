//! In: nothing. Out: microseconds of each noise on each instruction set of this processor, one thread, median and least of many runs.
//! Never knows: worlds. `cargo run --release -p terrane-worldgen --example noise_speed [PART OF A NAME]`
#![forbid(unsafe_code)]

use std::{hint::black_box, time::Instant};
use terrane_base::hash::pcg;
use terrane_simd::Isa;
use terrane_worldgen::{
    GridArea,
    noise::{NoiseScratch, Stack, StackDesc, Worn, WornDesc},
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
    for wavelength_m in [50.0, 500.0] {
        row(&format!("fbm grid 256^2, 6 octaves from {wavelength_m} m"), |isa| {
            let (stack, mut scratch, mut out) = (stack(wavelength_m, isa), NoiseScratch::default(), vec![0.0; count]);
            Box::new(move || stack.fbm_grid(black_box(&area), &mut scratch, &mut out))
        });
        let wanted: [(&str, &dyn Fn(usize) -> Vec<i32>); 2] = [("swinging", &swing), ("random", &random)];
        for (kind, warp) in wanted {
            row(&format!("fbm {kind} 256^2, 6 octaves from {wavelength_m} m"), |isa| {
                let (stack, warp, mut out) = (stack(wavelength_m, isa), [warp(0), warp(1)], vec![0.0; count]);
                Box::new(move || stack.fbm_warped(black_box(&area), [&warp[0], &warp[1]], &mut out))
            });
        }
        row(&format!("ridged swinging 256^2, 6 octaves from {wavelength_m} m"), |isa| {
            let (stack, warp, mut out) = (stack(wavelength_m, isa), [swing(0), swing(1)], vec![0.0; count]);
            Box::new(move || stack.ridged_warped(black_box(&area), [&warp[0], &warp[1]], 2.0, &mut out))
        });
    }
    for step_m in [1, 8, 64] {
        row(&format!("worn 133^2, 8 octaves from 2700 m, step {step_m}"), |isa| {
            let worn = Worn::new(5, &WornDesc { octaves: 8, wavelength_m: 2700.0, persistence: 0.6, wear: 0.16 }).with_isa(isa);
            let (warp, mut out) = ([swing(0), swing(1)], vec![0.0; 133]);
            Box::new(move || {
                for z in 0..133 {
                    let row = z * 133..(z + 1) * 133;
                    worn.row(black_box([0, z as i64 * i64::from(step_m)]), step_m, [&warp[0][row.clone()], &warp[1][row]], &mut out);
                }
            })
        });
    }
}
