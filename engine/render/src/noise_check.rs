//! In: a device. Out: whether it computes noise with the bits of the CPU; if not, the CPU generates. Never a failure.
//! Never knows: worlds, frames. It runs once, when a device starts.

use crate::{FieldOutput, FieldProgram, FieldRunner, ShaderSource, field_place};
use std::{
    fmt,
    time::{Duration, Instant},
};
use terrane_base::hash::pcg;
use terrane_gpu::{Device, DeviceKind, GpuError};
use terrane_shaders::shared_field::FieldPlace;
use terrane_worldgen::{
    GridArea,
    curve::Curve,
    field::{Field, FieldBuilder, FieldError, FieldScratch},
    noise::{Basis, Block, Fractal, Stack, Stack3, StackDesc, Worley, Worn, WornDesc},
};

/// Origins of the places: near, far, and where integers end.
const ORIGINS_M: [[i64; 3]; 8] = [
    [0, 0, 0],
    [-1, 1, -1],
    [10_000_000, 77, -10_000_000],
    [1 << 31, -(1 << 31), (1 << 32) - 1],
    [1_000_000_000_000, -1_000_000_000_000, 3],
    [i64::MAX, i64::MIN, i64::MAX],
    [i64::MIN, i64::MAX, i64::MIN],
    [-123_456_789_123, 5, 987_654_321_987],
];
/// Places at each origin: 8 x 32 x 17 layers are 4,352 values, and the area adds 3 x 12^2.
const PLACES: usize = 32;
const AREA: GridArea = GridArea { x_m: -10_000_003, z_m: 5, step_m: 3, edge: 12 };
const OCTAVES: StackDesc = StackDesc { octaves: 2, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };

/// What the self-test of a device found.
#[derive(Debug)]
pub struct NoiseCheck {
    outcome: Outcome,
    /// Of these, making the pipeline.
    pipeline: Duration,
    elapsed: Duration,
}

#[derive(Debug)]
enum Outcome {
    Software,
    Same { values: usize },
    Differs { values: usize, of: usize },
    Failed(String),
}

impl NoiseCheck {
    /// Compares GPU and CPU, if the device is worth it: one that is the CPU itself would only take turns with the workers, and its driver takes
    /// longer to compile the shader than the game to start.
    pub fn at_start(device: &mut Device, shaders: ShaderSource) -> NoiseCheck {
        if device.info().kind == DeviceKind::Cpu {
            return NoiseCheck { outcome: Outcome::Software, pipeline: Duration::ZERO, elapsed: Duration::ZERO };
        }
        NoiseCheck::run(device, shaders)
    }

    /// Compares GPU and CPU, whatever the device; logs once if they differ.
    pub fn run(device: &mut Device, shaders: ShaderSource) -> NoiseCheck {
        let start = Instant::now();
        let (outcome, pipeline) = match FieldRunner::new(device, shaders) {
            Ok(runner) => {
                let pipeline = start.elapsed();
                let outcome = compare(device, &runner).unwrap_or_else(|error| Outcome::Failed(error.to_string()));
                runner.destroy(device);
                (outcome, pipeline)
            }
            Err(error) => (Outcome::Failed(error.to_string()), start.elapsed()),
        };
        let check = NoiseCheck { outcome, pipeline, elapsed: start.elapsed() };
        if check.gpu_may_generate() {
            tracing::debug!("{check}");
        } else {
            tracing::warn!("{}: {check}", device.info().name);
        }
        check
    }

    /// Whether the GPU may generate what the CPU would: their bits are the same.
    pub fn gpu_may_generate(&self) -> bool {
        matches!(self.outcome, Outcome::Same { .. })
    }
}

impl fmt::Display for NoiseCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Software => return write!(f, "the device is the CPU, so the CPU generates"),
            Outcome::Same { values } => write!(f, "noise has the CPU's bits ({values} values")?,
            Outcome::Differs { values, of } => write!(f, "noise differs from the CPU's in {values} of {of} values, so the CPU generates (")?,
            Outcome::Failed(error) => write!(f, "noise could not be compared, so the CPU generates: {error} (")?,
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let comma = if matches!(self.outcome, Outcome::Same { .. }) { ", " } else { "" };
        write!(f, "{comma}{:.1} ms, {:.1} of them to make the pipeline)", ms(self.elapsed), ms(self.pipeline))
    }
}

fn compare(device: &mut Device, runner: &FieldRunner) -> Result<Outcome, GpuError> {
    let (program, places, mut expected) = noises();
    let mut found = runner.places(device, &program, &places)?;
    // A description that is written here is right; should it not be, the CPU generates.
    match field().map(|field| (FieldProgram::of(&field, &[FieldOutput::Bits, FieldOutput::Bits, FieldOutput::Whole(1024.0)]), field)) {
        Ok((Ok(program), field)) => {
            found.extend(runner.area(device, &program, &AREA)?);
            expected.extend(field_words(&field));
        }
        Ok((Err(error), _)) => return Ok(Outcome::Failed(error.to_string())),
        Err(error) => return Ok(Outcome::Failed(error.to_string())),
    }
    let differ = found.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
    let same = differ == 0 && found.len() == expected.len();
    Ok(if same { Outcome::Same { values: found.len() } } else { Outcome::Differs { values: differ, of: expected.len() } })
}

/// Every noise: the program, where, and what the CPU makes of it.
fn noises() -> (FieldProgram, Vec<FieldPlace>, Vec<u32>) {
    let random = |i: usize| pcg(i as u32) as i32;
    let units: [Vec<i32>; 3] = [0, 1, 2].map(|axis| (0..PLACES).map(|i| random(3 * i + axis) >> (i % 20)).collect());
    let place = |i: usize| field_place(ORIGINS_M[i / PLACES], [0, 1, 2].map(|axis| units[axis][i % PLACES]));
    let places = (0..ORIGINS_M.len() * PLACES).map(place).collect();
    let mut layers = Layers { program: FieldProgram::default(), units: &units, expected: Vec::new() };
    let ridged = Fractal::Ridged { sharpness: 2.0 };
    layers.plane(Basis::Gradient, Fractal::Fbm);
    layers.plane(Basis::Gradient, ridged);
    layers.plane(Basis::QuickGradient, Fractal::Billow);
    layers.space(Basis::Gradient, Fractal::Fbm);
    layers.space(Basis::Gradient, ridged);
    for basis in [Basis::Simplex, Basis::Worley(Worley::F1), Basis::Worley(Worley::F2MinusF1)] {
        layers.plane(basis, Fractal::Billow);
        layers.space(basis, Fractal::Fbm);
    }
    layers.plane(Basis::Worley(Worley::F2), Fractal::Fbm);
    layers.space(Basis::Worley(Worley::F2), Fractal::Fbm);
    layers.slopes();
    layers.worn();
    (layers.program, places, layers.expected)
}

/// Collects layers with what the CPU makes of them.
struct Layers<'a> {
    program: FieldProgram,
    units: &'a [Vec<i32>; 3],
    expected: Vec<u32>,
}

impl Layers<'_> {
    fn plane(&mut self, basis: Basis, fractal: Fractal) {
        let stack = Stack::with_basis(11, &OCTAVES, basis);
        self.program.add_plane(&stack, fractal);
        let [x, _, z] = self.units;
        self.expect(|[x_m, _, z_m], out| stack.points(fractal, &Block::places([x_m, z_m], PLACES), [x, z], out));
    }

    fn space(&mut self, basis: Basis, fractal: Fractal) {
        let stack = Stack3::with_basis(12, &OCTAVES, basis);
        self.program.add_space(&stack, fractal);
        let [x, y, z] = self.units;
        self.expect(|metres, out| stack.points(fractal, &Block::places(metres, PLACES), [x, y, z], out));
    }

    fn slopes(&mut self) {
        let stack = Stack::new(13, &OCTAVES);
        self.program.add_slopes(&stack);
        let [x, _, z] = self.units;
        for part in 0..3 {
            self.expect(|[x_m, _, z_m], out| {
                let mut parts = [[0.0; PLACES]; 3];
                let [value, dx, dz] = &mut parts;
                stack.fbm_slopes(&Block::places([x_m, z_m], PLACES), Some([x, z]), [value, dx, dz]);
                out.copy_from_slice(&parts[part]);
            });
        }
    }

    fn worn(&mut self) {
        let worn = Worn::new(14, &WornDesc { octaves: 5, wavelength_m: 2000.0, persistence: 0.6, wear: 0.16 });
        self.program.add_worn(&worn);
        let [x, _, z] = self.units;
        self.expect(|[x_m, _, z_m], out| worn.points(&Block::places([x_m, z_m], PLACES), [x, z], out));
    }

    /// A layer, origin after origin.
    fn expect(&mut self, fill: impl Fn([i64; 3], &mut [f32])) {
        for origin in ORIGINS_M {
            let mut out = [f32::NAN; PLACES];
            fill(origin, &mut out);
            self.expected.extend(out.map(f32::to_bits));
        }
    }
}

/// A field with every node that is no noise.
fn field() -> Result<Field, FieldError> {
    let f = FieldBuilder::default();
    let (a, b) = (f.noise(1, &OCTAVES), f.noise(2, &OCTAVES));
    let rise = f.smooth(a * 0.8 + 0.3);
    let ridges = f.ridged(3, &OCTAVES, 2.0, f.warp(a, b, 400.0));
    let points = [[0.0, -0.4], [0.3, 0.9], [1.0, 2.0]];
    let curve = Curve::new(&points).map_or(rise, |curve| f.curve(ridges - b, &curve));
    f.finish(&[f.mix(rise, ridges, b), f.clamp(ridges * rise + curve, -0.1, 0.9), curve * 100.0])
}

fn field_words(field: &Field) -> Vec<u32> {
    let (mut scratch, mut whole) = (FieldScratch::default(), Vec::new());
    field.fill(&AREA, &mut scratch);
    scratch.output_i32(2, 1024.0, &mut whole);
    let bits = (0..2).flat_map(|output| scratch.output(output)).map(|value| value.to_bits());
    bits.chain(whole.into_iter().map(|value| value as u32)).collect()
}
