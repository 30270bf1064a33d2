//! Tests of fields: what each node means, the same bits on every instruction set, clear refusals.

use super::*;
use crate::noise::smooth;

const AREA: GridArea = GridArea { x_m: -77, z_m: 10_000_000, step_m: 3, edge: 37 };

fn stack(wavelength_m: f64) -> StackDesc {
    StackDesc { octaves: 3, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }
}

/// A field with every kind of node.
fn everything() -> Field {
    let f = FieldBuilder::default();
    let (a, b) = (f.noise(1, &stack(90.0)), f.noise(2, &stack(50.0)));
    let warp = f.warp(a, b, 40.0);
    let ridges = f.ridged(3, &stack(100.0), 2.0, warp);
    let rise = f.smooth(1.0 - ridges * 1.5);
    let worn = f.worn(4, &WornDesc { octaves: 4, wavelength_m: 800.0, persistence: 0.6, wear: 0.16 }, warp, rise);
    let cells = f.node(Node::Noise { seed: 5, desc: stack(70.0), basis: Basis::Worley(crate::noise::Worley::F1), fractal: Fractal::Billow, warp: None });
    let curve = Curve::new(&[[0.0, 0.0], [0.3, 0.9], [1.0, 1.0]]).expect("a curve");
    let shaped = f.curve(a * 0.7 + 0.5, &curve);
    let nobody_reads_this = f.noise(6, &stack(60.0)) * 2.0;
    _ = nobody_reads_this - a;
    f.finish(&[f.mix(worn, cells, shaped) - b, f.clamp(ridges * rise + shaped, 0.1, 0.9), shaped]).expect("the description is right")
}

#[test]
fn every_instruction_set_gives_the_same_bits_also_in_used_buffers() {
    let mut used = FieldScratch::default();
    everything().fill(&GridArea { edge: 133, ..AREA }, &mut used);
    let expected: Vec<Vec<f32>> = {
        let mut scratch = FieldScratch::default();
        everything().with_isa(Isa::Scalar).fill(&AREA, &mut scratch);
        (0..3).map(|index| scratch.output(index).to_vec()).collect()
    };
    assert!(expected.iter().flatten().all(|value| value.is_finite()));
    for isa in Isa::supported() {
        everything().with_isa(isa).fill(&AREA, &mut used);
        (0..3).for_each(|index| assert_eq!(used.output(index), expected[index], "{isa}, output {index}"));
    }
}

#[test]
fn nodes_are_the_arithmetic_that_they_say() {
    let f = FieldBuilder::default();
    let (a, b) = (f.noise(1, &stack(90.0)), f.noise(2, &stack(50.0)));
    let curve = Curve::new(&[[0.0, -0.4], [0.5, 0.2], [1.0, 2.0]]).expect("a curve");
    let outputs = [a, b, a + b, a - b, a * b, a * 3.0 + 0.5, 2.0 - a, a - 0.25, f.smooth(a), f.clamp(a, -0.1, 0.2), f.curve(a, &curve), f.mix(a, b, a)];
    let field = f.finish(&outputs).expect("the description is right");
    let mut scratch = FieldScratch::default();
    field.fill(&AREA, &mut scratch);
    for i in 0..37 * 37 {
        let value = |index: usize| scratch.output(index)[i];
        let (a, b) = (value(0), value(1));
        let expected = [a + b, a - b, a * b, a * 3.0 + 0.5, 2.0 - a, a - 0.25, smooth(a), a.clamp(-0.1, 0.2), curve.value(a), a + (b - a) * a];
        assert_eq!(std::array::from_fn(|index| value(index + 2)), expected, "sample {i}");
    }
}

#[test]
fn curves_are_flat_beyond_their_ends() {
    let f = FieldBuilder::default();
    let curve = Curve::new(&[[0.0, 0.5], [1.0, 2.0]]).expect("a curve");
    let wide = f.noise(1, &stack(90.0)) * 1e9;
    let field = f.finish(&[wide, f.curve(wide, &curve)]).expect("the description is right");
    let mut scratch = FieldScratch::default();
    field.fill(&AREA, &mut scratch);
    assert!(scratch.output(0).iter().zip(scratch.output(1)).all(|(x, y)| *y == curve.value(*x)));
}

#[test]
fn samples_that_areas_share_are_the_same() {
    let value = |area: &GridArea, i: usize| {
        let mut scratch = FieldScratch::default();
        everything().fill(area, &mut scratch);
        scratch.output(0)[i]
    };
    let coarse = GridArea { step_m: 12, edge: 20, ..AREA };
    assert_eq!(value(&AREA, 8 * 37 + 12), value(&coarse, 2 * 20 + 3));
}

#[test]
fn whole_numbers_are_towards_zero_and_held_in_their_range() {
    let f = FieldBuilder::default();
    let a = f.noise(1, &stack(90.0));
    let field = f.finish(&[a]).expect("the description is right");
    let (mut scratch, mut wide, mut bytes) = (FieldScratch::default(), Vec::new(), Vec::new());
    field.fill(&AREA, &mut scratch);
    scratch.output_i32(0, 1e10, &mut wide);
    scratch.output_u8(0, 500.0, &mut bytes);
    for ((value, wide), byte) in scratch.output(0).iter().zip(wide).zip(bytes) {
        assert_eq!((wide, byte), ((value * 1e10) as i32, (value * 500.0) as u8));
    }
}

#[test]
fn numbers_that_are_none_are_refused_by_node() {
    let told = |make: &dyn Fn(&FieldBuilder) -> NodeId| {
        let f = FieldBuilder::default();
        f.noise(1, &stack(90.0));
        let last = make(&f);
        Field::new(f.nodes(), &[last]).map(|_| ()).expect_err("something is wrong").to_string()
    };
    let nan = told(&|f| (f.noise(1, &stack(90.0)) * f32::NAN).id());
    assert_eq!(nan, "node 2 of the field has a number that is NaN; NaN and infinity would spread");
    let infinite = told(&|f| (f.noise(1, &stack(90.0)) + f32::INFINITY).id());
    assert_eq!(infinite, "node 2 of the field has a number that is inf; NaN and infinity would spread");
    let short = told(&|f| f.noise(1, &stack(f64::NAN)).id());
    assert!(short.starts_with("node 1 of the field: octave 1 of a stack has a wavelength of NaN m"), "{short}");
}
