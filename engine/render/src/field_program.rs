//! In: a field or single noises, as worldgen describes them. Out: the rows and tables that `field.comp` evaluates.
//! Never knows: devices, areas.

use terrane_shaders::shared_field::*;
use terrane_worldgen::{
    curve::Curve,
    field::{Field, Node, Warp},
    noise::{Basis, Fractal, Octave, Stack, Stack3, StackOf, Worley, Worn},
    phase::WARP_UNITS_PER_M,
};
use thiserror::Error;

/// A list of rows with their tables.
#[derive(Clone, Debug, Default)]
pub struct FieldProgram {
    pub(crate) nodes: Vec<FieldNode>,
    pub(crate) octaves: Vec<NoiseOctave>,
    pub(crate) worn: Vec<WornRow>,
    pub(crate) table: Vec<f32>,
    pub(crate) layers: u32,
}

/// What is written of a layer, a word a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldOutput {
    /// The bits of its f32.
    Bits,
    /// It times this, towards zero: an i32 in two's complement.
    Whole(f32),
}

/// What is wrong with a field for the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FieldProgramError {
    /// Too many layers wait for their readers.
    #[error("at node {node} of the field, more than {FIELD_SLOTS} layers wait for their readers; the GPU keeps no more")]
    Slots {
        /// Its place in the list.
        node: usize,
    },
}

impl FieldProgram {
    /// The rows of a field; for each of its outputs, what is written of it.
    pub fn of(field: &Field, outputs: &[FieldOutput]) -> Result<FieldProgram, FieldProgramError> {
        assert_eq!(outputs.len(), field.outputs().len(), "every output of a field is written");
        let nodes: Vec<&Node> = field.nodes().collect();
        let last_reader = last_readers(field, &nodes);
        let mut program = FieldProgram::default();
        // Which node's value each slot holds, and which slot a node's value is in.
        let mut held: [Option<usize>; FIELD_SLOTS as usize] = [None; FIELD_SLOTS as usize];
        let mut slots = vec![FIELD_NOTHING; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let Some(last) = last_reader[index] else { continue };
            // A row reads before it writes, so it may take the slot of what nobody reads after it.
            let free = held.iter().position(|holds| holds.is_none_or(|holds| last_reader[holds] <= Some(index)));
            let slot = free.ok_or(FieldProgramError::Slots { node: index })?;
            debug_assert!(last > index);
            let row = program.row(node, |of| slots[of]);
            program.nodes.push(FieldNode { to: slot as u32, ..row });
            (held[slot], slots[index]) = (Some(index), slot as u32);
        }
        for (id, output) in field.outputs().iter().zip(outputs) {
            program.write(slots[id.index()], *output);
        }
        Ok(program)
    }

    /// One more layer: a stack in the plane, where samples are moved by their units.
    pub fn add_plane(&mut self, stack: &Stack, fractal: Fractal) {
        let row = self.stack(NODE_NOISE, stack, fractal);
        self.add_noise(row);
    }

    /// One more layer: a stack in space.
    pub fn add_space(&mut self, stack: &Stack3, fractal: Fractal) {
        let row = self.stack(NODE_NOISE_SPACE, stack, fractal);
        self.add_noise(row);
    }

    /// Three more layers: what [`Stack::fbm_slopes`] gives.
    pub fn add_slopes(&mut self, stack: &Stack) {
        let mut row = self.stack(NODE_SLOPE, stack, Fractal::Fbm);
        for part in 0..3 {
            row.basis = part;
            self.add_noise(row);
        }
    }

    /// One more layer: worn mountains.
    pub fn add_worn(&mut self, worn: &Worn) {
        let row = self.worn(worn);
        self.add_noise(row);
    }

    /// Layers that it writes.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    fn add_noise(&mut self, row: FieldNode) {
        self.nodes.push(row);
        self.write(0, FieldOutput::Bits);
    }

    fn write(&mut self, slot: u32, output: FieldOutput) {
        let (kind, factor) = match output {
            FieldOutput::Bits => (NODE_WRITE_BITS, 0.0),
            FieldOutput::Whole(factor) => (NODE_WRITE_WHOLE, factor),
        };
        self.nodes.push(FieldNode { to: self.layers, numbers: [factor, 0.0, 0.0, 0.0], ..made_from(kind, [slot, FIELD_NOTHING, FIELD_NOTHING]) });
        self.layers += 1;
    }

    /// The row of a node, but for the slot that it fills.
    fn row(&mut self, node: &Node, slot: impl Fn(usize) -> u32) -> FieldNode {
        let sources = |node: &Node| {
            let mut from = [FIELD_NOTHING; 3];
            from.iter_mut().zip(node.sources()).for_each(|(from, id)| *from = slot(id.index()));
            from
        };
        let moved = |row: FieldNode, warp: Option<&Warp>| {
            let units = warp.map_or(0.0, |warp| warp.metres * WARP_UNITS_PER_M);
            FieldNode { from: sources(node), numbers: [row.numbers[0], row.numbers[1], row.numbers[2], units], ..row }
        };
        let plain = |kind, numbers: [f32; 2]| FieldNode { numbers: [numbers[0], numbers[1], 0.0, 0.0], ..made_from(kind, sources(node)) };
        match node {
            Node::Noise { seed, desc, basis, fractal, warp } => moved(self.stack(NODE_NOISE, &Stack::with_basis(*seed, desc, *basis), *fractal), warp.as_ref()),
            Node::Worn { seed, desc, warp, .. } => moved(self.worn(&Worn::new(*seed, desc)), Some(warp)),
            Node::Linear { factor, offset, .. } => plain(NODE_LINEAR, [*factor, *offset]),
            Node::Add(..) => plain(NODE_ADD, [0.0; 2]),
            Node::Sub(..) => plain(NODE_SUB, [0.0; 2]),
            Node::Mul(..) => plain(NODE_MUL, [0.0; 2]),
            Node::Mix { .. } => plain(NODE_MIX, [0.0; 2]),
            Node::Clamp { low, high, .. } => plain(NODE_CLAMP, [*low, *high]),
            Node::Smooth(_) => plain(NODE_SMOOTH, [0.0; 2]),
            Node::Curve { curve, .. } => self.curve(plain(NODE_CURVE, [0.0; 2]), curve),
        }
    }

    fn curve(&mut self, row: FieldNode, curve: &Curve) -> FieldNode {
        let first = self.table.len() as u32;
        self.table.extend_from_slice(curve.table());
        FieldNode { first, count: curve.table().len() as u32, ..row }
    }

    fn stack<const D: usize>(&mut self, kind: u32, stack: &StackOf<D>, fractal: Fractal) -> FieldNode {
        let basis = match stack.basis() {
            Basis::Gradient => BASIS_GRADIENT,
            Basis::QuickGradient => BASIS_QUICK_GRADIENT,
            Basis::Simplex => BASIS_SIMPLEX,
            Basis::Worley(Worley::F1) => BASIS_WORLEY_F1,
            Basis::Worley(Worley::F2) => BASIS_WORLEY_F2,
            Basis::Worley(Worley::F2MinusF1) => BASIS_WORLEY_F2_MINUS_F1,
        };
        let (rule, sharpness) = match fractal {
            Fractal::Fbm => (FRACTAL_FBM, 0.0),
            Fractal::Billow => (FRACTAL_BILLOW, 0.0),
            Fractal::Ridged { sharpness } => (FRACTAL_RIDGED, sharpness),
        };
        let first = self.octaves.len() as u32;
        self.octaves.extend(stack.octaves().iter().map(octave_row));
        let scale = stack.scale();
        // Times 1 changes no bit.
        let numbers = [scale, fractal.last_factor(scale).unwrap_or(1.0), sharpness, 0.0];
        FieldNode { first, count: stack.octaves().len() as u32, basis, fractal: rule, numbers, ..made_from(kind, [FIELD_NOTHING; 3]) }
    }

    fn worn(&mut self, worn: &Worn) -> FieldNode {
        let first = self.worn.len() as u32;
        self.worn.extend(worn.octaves().iter().zip(worn.wear_units()).map(|(octave, wear_units)| {
            let [[x_step_x, x_step_z], [z_step_x, z_step_z]] = octave.steps.map(|steps| steps.map(|step| words(step.0)));
            let [phase_x, phase_z] = octave.offset.map(|phase| words(phase.0));
            WornRow { seed: octave.seed, x_step_x, x_step_z, z_step_x, z_step_z, phase_x, phase_z, turn: octave.turn, wear_units }
        }));
        let numbers = [worn.persistence(), 0.0, 0.0, 0.0];
        FieldNode { first, count: worn.octaves().len() as u32, numbers, ..made_from(NODE_WORN, [FIELD_NOTHING; 3]) }
    }
}

/// For each node, the last that needs it: an output is needed after all. `None`: nobody does, and it is not made.
fn last_readers(field: &Field, nodes: &[&Node]) -> Vec<Option<usize>> {
    let mut last = vec![None; nodes.len()];
    for output in field.outputs() {
        last[output.index()] = Some(nodes.len());
    }
    for reader in (0..nodes.len()).rev() {
        if last[reader].is_some() {
            for source in nodes[reader].sources() {
                let last = &mut last[source.index()];
                *last = (*last).max(Some(reader));
            }
        }
    }
    last
}

fn made_from(kind: u32, from: [u32; 3]) -> FieldNode {
    FieldNode { kind, from, ..FieldNode::default() }
}

fn octave_row<const D: usize>(octave: &Octave<D>) -> NoiseOctave {
    let phase = |axis: usize| octave.offset.get(axis).map_or([0; 2], |phase| words(phase.0));
    NoiseOctave {
        seed: octave.seed,
        mask: octave.mask,
        frequency: words(octave.frequency.0),
        skew: words(octave.skew.0),
        phase_x: phase(0),
        phase_y: phase(1),
        phase_z: phase(2),
        amplitude: octave.amplitude,
        slope_amplitude: octave.slope_amplitude(),
    }
}

/// Low and high word.
pub(crate) fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrane_worldgen::{field::FieldBuilder, noise::StackDesc};

    const STACK: StackDesc = StackDesc { octaves: 2, wavelength_m: 90.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };

    #[test]
    fn slots_are_used_again_and_what_nobody_reads_is_left_out() {
        let f = FieldBuilder::default();
        let mut sum = f.noise(0, &STACK);
        for seed in 1..40 {
            _ = f.noise(seed, &STACK) * sum;
            sum = sum + f.noise(seed, &STACK);
        }
        let program = FieldProgram::of(&f.finish(&[sum]).expect("a field"), &[FieldOutput::Bits]).expect("a program");
        assert_eq!((program.nodes.len(), program.octaves.len(), program.layers()), (1 + 39 * 2 + 1, 40 * 2, 1));
        assert!(program.nodes.iter().all(|row| row.to < 2));
    }

    #[test]
    fn too_many_layers_that_wait_are_refused_by_node() {
        let f = FieldBuilder::default();
        let noises: Vec<_> = (0..=FIELD_SLOTS).map(|seed| f.noise(seed, &STACK)).collect();
        let sum = noises.iter().copied().reduce(|sum, noise| sum + noise).expect("some");
        let error = FieldProgram::of(&f.finish(&[sum]).expect("a field"), &[FieldOutput::Bits]).expect_err("too many").to_string();
        assert!(error.starts_with("at node 16 of the field, more than 16 layers wait"), "{error}");
    }
}
