//! In: random and extreme seeds, places and phases. Out: proof that the GPU computes the bits of the CPU, on each driver.
//! Never knows: worlds.

use std::{path::PathBuf, process::Command};
use terrane_base::hash::pcg;
use terrane_gpu::{Device, DeviceKind, DeviceRequest, GpuError, Validation};
use terrane_render::{FieldOutput, FieldProgram, FieldRunner, NoiseCheck, built_in_shaders, field_place};
use terrane_worldgen::{
    GridArea,
    curve::Curve,
    field::{Field, FieldBuilder, FieldScratch, Node},
    noise::{Basis, Block, Fractal, Stack, Stack3, StackDesc, Worley, Worn, WornDesc},
};

/// The manifest of the second driver.
const SECOND_DRIVER: &str = "TERRANE_SECOND_DRIVER";
const BASES: [Basis; 6] =
    [Basis::Gradient, Basis::QuickGradient, Basis::Simplex, Basis::Worley(Worley::F1), Basis::Worley(Worley::F2), Basis::Worley(Worley::F2MinusF1)];
const FRACTALS: [Fractal; 3] = [Fractal::Fbm, Fractal::Billow, Fractal::Ridged { sharpness: 2.0 }];
const METRES: [i64; 12] = [0, 1, -1, 1 << 31, -(1 << 31), (1 << 32) - 1, 10_000_000, -10_000_000, 1_000_000_000_000, -1_000_000_000_000, i64::MAX, i64::MIN];
const UNITS: [i32; 6] = [0, 1, -1, 65536 * 16_000, i32::MAX, i32::MIN];
const SEEDS: [u32; 4] = [0, 1, u32::MAX, 1 << 31];

/// Random numbers, the same every time.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(1);
        pcg(self.0)
    }

    fn wide(&mut self) -> i64 {
        (u64::from(self.next()) << 32 | u64::from(self.next())) as i64
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.next() as usize % list.len()]
    }

    fn metre(&mut self) -> i64 {
        match self.next() % 3 {
            0 => self.one_of(&METRES),
            1 => self.wide(),
            _ => i64::from(self.next() as i32 >> 12),
        }
    }

    fn units(&mut self) -> i32 {
        if self.next().is_multiple_of(2) { self.one_of(&UNITS) } else { self.next() as i32 >> (self.next() % 24) }
    }

    fn seed(&mut self) -> u32 {
        if self.next().is_multiple_of(2) { self.one_of(&SEEDS) } else { self.next() }
    }

    /// Any octaves that are allowed: also the shortest, the most, and persistences at the ends.
    fn desc(&mut self) -> StackDesc {
        let share = |bits: u32| f64::from(bits) / f64::from(u32::MAX);
        let octaves = if self.next().is_multiple_of(4) { self.one_of(&[1, 16]) } else { 1 + self.next() % 6 };
        let lacunarity = 1.7 + share(self.next()) * 0.5;
        let last_m = if self.next().is_multiple_of(4) { 1.001 / 256.0 } else { 1.0 + share(self.next()) * 3000.0 };
        let persistence = if self.next().is_multiple_of(4) { self.one_of(&[0.0, 1.0, 16.0]) } else { 0.3 + share(self.next()) as f32 * 0.5 };
        let desc = StackDesc {
            octaves,
            wavelength_m: last_m * lacunarity.powi(octaves as i32 - 1),
            lacunarity,
            persistence,
            period_cells: self.one_of(&[0, 0, 1, 16]),
        };
        assert_eq!(desc.check(), Ok(()));
        desc
    }
}

type Place = ([i64; 3], [i32; 3]);

/// A device, a runner, and what was compared.
struct Bench {
    device: Device,
    runner: FieldRunner,
    compared: usize,
}

impl Bench {
    fn open() -> Bench {
        let mut device = Device::new(&DeviceRequest { validation: Validation::On, ..DeviceRequest::default() }).expect("a device");
        let runner = FieldRunner::new(&mut device, &built_in_shaders).expect("a pipeline");
        Bench { device, runner, compared: 0 }
    }

    /// Layers at places: those of the program against those of the CPU.
    fn compare(&mut self, what: &str, program: &FieldProgram, places: &[Place], expected: &[Vec<f32>]) {
        let places: Vec<_> = places.iter().map(|(metres, units)| field_place(*metres, *units)).collect();
        let found = self.runner.places(&mut self.device, program, &places).expect("it runs");
        let expected: Vec<u32> = expected.iter().flatten().map(|value| value.to_bits()).collect();
        self.compare_words(what, &found, &expected);
    }

    fn compare_words(&mut self, what: &str, found: &[u32], expected: &[u32]) {
        assert_eq!(found.len(), expected.len(), "{what}");
        let differ: Vec<usize> = (0..found.len()).filter(|i| found[*i] != expected[*i]).collect();
        if let Some(first) = differ.first() {
            let (gpu, cpu) = (f32::from_bits(found[*first]), f32::from_bits(expected[*first]));
            panic!("{what} on {}: {} of {} differ, first {first}: {gpu:?} on the GPU, {cpu:?} on the CPU", self.device.info().name, differ.len(), found.len());
        }
        self.compared += found.len();
    }

    fn close(mut self, what: &str) {
        self.runner.destroy(&mut self.device);
        let texts = self.device.validation_texts();
        println!("{what} on {}: {} values, 0 bits differ", self.device.info().name, self.compared);
        assert_eq!(self.device.destroy().expect("it ends in order"), 0, "{texts:#?}");
    }
}

fn plane(stack: &Stack, fractal: Fractal, (metres, units): &Place) -> f32 {
    let mut out = [f32::NAN];
    stack.points(fractal, &Block::places([metres[0], metres[2]], 1), [&units[..1], &units[2..]], &mut out);
    out[0]
}

fn space(stack: &Stack3, fractal: Fractal, (metres, units): &Place) -> f32 {
    let mut out = [f32::NAN];
    stack.points(fractal, &Block::places(*metres, 1), [&units[..1], &units[1..2], &units[2..]], &mut out);
    out[0]
}

fn slopes(stack: &Stack, (metres, units): &Place) -> [f32; 3] {
    let [mut value, mut x, mut z] = [[f32::NAN]; 3];
    stack.fbm_slopes(&Block::places([metres[0], metres[2]], 1), Some([&units[..1], &units[2..]]), [&mut value, &mut x, &mut z]);
    [value[0], x[0], z[0]]
}

fn worn(worn: &Worn, (metres, units): &Place) -> f32 {
    let mut out = [f32::NAN];
    worn.points(&Block::places([metres[0], metres[2]], 1), [&units[..1], &units[2..]], &mut out);
    out[0]
}

/// Every noise and way to sum it, at random and extreme places, moved by random and extreme offsets.
#[test]
#[ignore = "needs a Vulkan driver"]
fn every_noise_has_the_bits_of_the_cpu() {
    let mut bench = Bench::open();
    let mut random = Random(7);
    for round in 0..24 {
        let places: Vec<Place> = (0..500).map(|_| (std::array::from_fn(|_| random.metre()), std::array::from_fn(|_| random.units()))).collect();
        for basis in BASES {
            let (desc, seed) = (random.desc(), random.seed());
            let (flat, deep) = (Stack::with_basis(seed, &desc, basis), Stack3::with_basis(seed, &desc, basis));
            let (mut program, mut expected) = (FieldProgram::default(), Vec::new());
            for fractal in FRACTALS {
                program.add_plane(&flat, fractal);
                expected.push(places.iter().map(|place| plane(&flat, fractal, place)).collect());
                program.add_space(&deep, fractal);
                expected.push(places.iter().map(|place| space(&deep, fractal, place)).collect());
            }
            bench.compare(&format!("round {round}, {basis:?} {desc:?}"), &program, &places, &expected);
        }
        let stack = Stack::new(random.seed(), &random.desc());
        let mountains = WornDesc {
            octaves: 1 + random.next() as usize % 9,
            wavelength_m: 500.0 + f64::from(random.next() % 20_000),
            persistence: 0.6,
            wear: (random.next() % 50) as f32 * 0.01,
        };
        let mountains = Worn::new(random.seed(), &mountains);
        let mut program = FieldProgram::default();
        program.add_slopes(&stack);
        program.add_worn(&mountains);
        let three: Vec<[f32; 3]> = places.iter().map(|place| slopes(&stack, place)).collect();
        let mut expected: Vec<Vec<f32>> = (0..3).map(|part| three.iter().map(|parts| parts[part]).collect()).collect();
        expected.push(places.iter().map(|place| worn(&mountains, place)).collect());
        bench.compare(&format!("round {round}, slopes and {mountains:?}"), &program, &places, &expected);
    }
    bench.close("noises");
}

/// At a wavelength of 2^32 m a metre is 2^-32 of a cell, so that every phase is some metre's: those at the ends of cells and of all cells.
#[test]
#[ignore = "needs a Vulkan driver"]
fn every_noise_has_the_bits_of_the_cpu_at_extreme_phases() {
    let parts = [0u64, 1, 0xff, 0x100, 0x7fff_ffff, 0x8000_0000, 0xffff_feff, 0xffff_ff00, 0xffff_ffff];
    let cells = [0u64, 1, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 12345];
    let phases: Vec<u64> = cells.iter().flat_map(|cell| parts.map(|part| cell << 32 | part)).collect();
    let desc = StackDesc { octaves: 1, wavelength_m: 4_294_967_296.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
    let mut bench = Bench::open();
    let mut random = Random(70);
    for seed in SEEDS {
        for basis in BASES {
            let (flat, deep) = (Stack::with_basis(seed, &desc, basis), Stack3::with_basis(seed, &desc, basis));
            assert_eq!((flat.octaves()[0].frequency.0, flat.octaves()[0].skew.0), (1, 0));
            let place = |phases: [u64; 3], offset: [u64; 3]| -> Place { (std::array::from_fn(|axis| phases[axis].wrapping_sub(offset[axis]) as i64), [0; 3]) };
            let triples: Vec<[u64; 3]> = (0..3000).map(|i| [phases[i % phases.len()], random.one_of(&phases), random.one_of(&phases)]).collect();
            let offset = flat.octaves()[0].offset;
            let on_plane: Vec<Place> = triples.iter().map(|phases| place(*phases, [offset[0].0, 0, offset[1].0])).collect();
            let mut program = FieldProgram::default();
            program.add_plane(&flat, Fractal::Fbm);
            let expected = on_plane.iter().map(|place| plane(&flat, Fractal::Fbm, place)).collect();
            bench.compare(&format!("{basis:?} in the plane"), &program, &on_plane, &[expected]);
            let offset = deep.octaves()[0].offset.map(|phase| phase.0);
            let in_space: Vec<Place> = triples.iter().map(|phases| place(*phases, offset)).collect();
            let mut program = FieldProgram::default();
            program.add_space(&deep, Fractal::Fbm);
            let expected = in_space.iter().map(|place| space(&deep, Fractal::Fbm, place)).collect();
            bench.compare(&format!("{basis:?} in space"), &program, &in_space, &[expected]);
        }
    }
    bench.close("extreme phases");
}

/// A field with every kind of node.
fn everything(seed: u32, noise: &StackDesc) -> Field {
    let f = FieldBuilder::default();
    let (a, b) = (f.noise(seed, noise), f.noise(seed ^ 2, noise));
    let warp = f.warp(a, b, 4000.0);
    let ridges = f.ridged(seed ^ 3, noise, 2.0, warp);
    let rise = f.smooth(1.0 - ridges * 1.5);
    let worn = f.worn(seed ^ 4, &WornDesc { octaves: 7, wavelength_m: 800.0, persistence: 0.6, wear: 0.16 }, warp, rise) * rise;
    let cells = f.node(Node::Noise { seed, desc: *noise, basis: Basis::Worley(Worley::F1), fractal: Fractal::Billow, warp: None });
    let curve = Curve::new(&[[0.0, -0.4], [0.3, 0.9], [1.0, 2.0]]).expect("a curve");
    let shaped = f.curve(a * 0.7 + 0.5, &curve);
    let outputs = [f.mix(worn, cells, shaped) - b, f.clamp(ridges * rise + shaped, 0.1, 0.9), shaped, f.smooth(b * 2.0), f.curve(a * 1e9, &curve), a * 1e10];
    f.finish(&outputs).expect("the description is right")
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn fields_have_the_bits_of_the_cpu() {
    let mut bench = Bench::open();
    let mut random = Random(700);
    let mut scratch = FieldScratch::default();
    for round in 0..12 {
        let desc = StackDesc { octaves: 3, ..random.desc() };
        let field = everything(random.seed(), &desc);
        let area = GridArea { x_m: random.metre(), z_m: random.metre(), step_m: random.one_of(&[1, 3, 256, 1 << 20, u32::MAX]), edge: 61 };
        field.fill(&area, &mut scratch);
        let program = FieldProgram::of(&field, &[FieldOutput::Bits; 6]).expect("a program");
        let found = bench.runner.area(&mut bench.device, &program, &area).expect("it runs");
        let expected: Vec<u32> = (0..6).flat_map(|output| scratch.output(output).iter().map(|value| value.to_bits()).collect::<Vec<_>>()).collect();
        bench.compare_words(&format!("round {round}, {area:?} {desc:?}"), &found, &expected);

        let factors = [1024.0, 255.0, 1e12, -1e12, 1.0, 1.0];
        let program = FieldProgram::of(&field, &factors.map(FieldOutput::Whole)).expect("a program");
        let found = bench.runner.area(&mut bench.device, &program, &area).expect("it runs");
        let mut expected = Vec::new();
        for (output, factor) in factors.into_iter().enumerate() {
            let mut layer = Vec::new();
            scratch.output_i32(output, factor, &mut layer);
            expected.extend(layer.into_iter().map(|value| value as u32));
        }
        bench.compare_words(&format!("round {round}, whole numbers"), &found, &expected);
    }
    bench.close("fields");
}

/// A shader that differs in one constant is found out, and then the CPU generates; one that is none is no failure either.
#[test]
#[ignore = "needs a Vulkan driver"]
fn the_self_test_agrees_and_finds_what_differs() {
    let mut device = Device::new(&DeviceRequest { validation: Validation::On, ..DeviceRequest::default() }).expect("a device");
    let check = NoiseCheck::run(&mut device, &built_in_shaders);
    println!("{}: {check}", device.info().name);
    assert!(check.gpu_may_generate(), "{check}");

    let at_start = NoiseCheck::at_start(&mut device, &built_in_shaders);
    assert_eq!(at_start.gpu_may_generate(), device.info().kind != DeviceKind::Cpu, "{at_start}");

    let one_bit_less = |name: &'static str| {
        let mut words = built_in_shaders(name)?;
        let k = 0.414_213_56f32.to_bits();
        words.iter_mut().filter(|word| **word == k).for_each(|word| *word -= 1);
        Ok(words)
    };
    let check = NoiseCheck::run(&mut device, &one_bit_less);
    println!("with another constant: {check}");
    assert!(!check.gpu_may_generate() && check.to_string().contains("differs from the CPU's in"), "{check}");

    let none = |name: &'static str| Err(GpuError::Shader { name: name.to_owned(), reason: "it is lost".to_owned() });
    let check = NoiseCheck::run(&mut device, &none);
    assert!(!check.gpu_may_generate() && check.to_string().contains("it is lost"), "{check}");
    assert_eq!(device.live_objects(), 0);
    assert_eq!(device.destroy().expect("it ends in order"), 0);
}

/// Loader and drivers are found by the environment, so the second driver's turn is in a process of its own.
#[test]
#[ignore = "needs a Vulkan driver and a second one"]
fn the_second_driver_has_the_bits_of_the_cpu() {
    let driver = std::env::var_os(SECOND_DRIVER).map(PathBuf::from);
    let driver = driver.unwrap_or_else(|| panic!("{SECOND_DRIVER} is not set: run tools/test, or name what tools/setup --test has fetched"));
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--skip", "second_driver", "--include-ignored", "--nocapture"])
        .env("VK_DRIVER_FILES", &driver)
        .env("VK_ICD_FILENAMES", &driver)
        .output()
        .expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let figures: Vec<&str> = said.lines().filter(|line| line.contains("0 bits differ")).collect();
    assert_eq!(figures.len(), 3, "{said}");
    figures.iter().for_each(|line| println!("{line}"));
}
