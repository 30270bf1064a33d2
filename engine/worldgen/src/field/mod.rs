//! In: a description of layers, each made from layers before it. Out: those layers over a square of samples.
//! Never knows: worlds, or what the numbers become.
//!
//! A field is data: a list of [`Node`]s. It is evaluated a block at a time: noise over the whole square, and what is computed sample by
//! sample in pieces that stay in the first-level cache, with no allocation once the buffers have grown. Only what [`terrane_simd`] can do the
//! same on every instruction set, so a shader made from the same list gives the same bits.
//!
//! ```
//! use terrane_worldgen::{GridArea, field::{FieldBuilder, FieldScratch}, noise::{Fractal, StackDesc}};
//!
//! let build = FieldBuilder::default();
//! let hills = build.noise(1, &StackDesc { octaves: 4, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 });
//! let height = build.smooth(hills * 0.5 + 0.5) * 80.0;
//! let field = build.finish(&[height]).expect("the description is right");
//!
//! let mut scratch = FieldScratch::default();
//! field.fill(&GridArea { x_m: 0, z_m: 0, step_m: 1, edge: 33 }, &mut scratch);
//! assert!(scratch.output(0).iter().all(|height| (0.0..=80.0).contains(height)));
//! ```

mod build;
mod run;
#[cfg(test)]
mod tests;

pub use build::{Expr, FieldBuilder};

use crate::{
    GridArea,
    curve::Curve,
    noise::{Basis, DescError, Fractal, NoiseScratch, Stack, StackDesc, Worn, WornDesc},
};
use terrane_simd::{Aligned, Isa};
use thiserror::Error;

/// Which node, by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

impl NodeId {
    /// Its place in the list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One layer of a field. Nodes name only nodes before them.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Octaves of noise, where they are, or moved.
    Noise {
        /// Of its random choices.
        seed: u32,
        /// Its octaves.
        desc: StackDesc,
        /// Which noise.
        basis: Basis,
        /// How octaves are summed.
        fractal: Fractal,
        /// Moves the samples.
        warp: Option<Warp>,
    },
    /// Mountains worn by water. Where they are not wanted it is 0 or what they would be: readers multiply by what is wanted.
    Worn {
        /// Of its random choices.
        seed: u32,
        /// Its octaves.
        desc: WornDesc,
        /// Moves the samples.
        warp: Warp,
        /// Where this is nowhere above 0 in a piece of a row, the piece is left out.
        wanted: Option<NodeId>,
    },
    /// `of * factor + offset`.
    Linear {
        /// What.
        of: NodeId,
        /// Multiplied by.
        factor: f32,
        /// Added after.
        offset: f32,
    },
    /// `a + b`.
    Add(NodeId, NodeId),
    /// `a - b`.
    Sub(NodeId, NodeId),
    /// `a * b`.
    Mul(NodeId, NodeId),
    /// `a + (b - a) * t`.
    Mix {
        /// At t = 0.
        a: NodeId,
        /// At t = 1.
        b: NodeId,
        /// Any number.
        t: NodeId,
    },
    /// Held between two numbers.
    Clamp {
        /// What.
        of: NodeId,
        /// At least.
        low: f32,
        /// At most.
        high: f32,
    },
    /// 0 to 1 as this goes from 0 to 1, flat beyond: 3t^2 - 2t^3.
    Smooth(NodeId),
    /// Shaped by a curve over [0, 1].
    Curve {
        /// What.
        of: NodeId,
        /// The curve.
        curve: Curve,
    },
}

/// How far samples are moved along x and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warp {
    /// Along x and z.
    pub by: [NodeId; 2],
    /// Metres for a value of 1; with the largest value, less than 2^15.
    pub metres: f32,
}

/// What is wrong with a description.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FieldError {
    /// A stack makes no noise.
    #[error("node {node} of the field: {error}")]
    Noise {
        /// Its place in the list.
        node: usize,
        /// What is wrong with it.
        error: DescError,
    },
    /// NaN or infinity.
    #[error("node {node} of the field has a number that is {value}; NaN and infinity would spread")]
    NotFinite {
        /// Its place in the list.
        node: usize,
        /// The number.
        value: f32,
    },
}

/// A field that can be evaluated.
#[derive(Clone, Debug)]
pub struct Field {
    layers: Vec<Layer>,
    outputs: Vec<NodeId>,
    isa: Isa,
}

/// A node with what was made for it.
#[derive(Clone, Debug)]
struct Layer {
    node: Node,
    made: Made,
    keep: Keep,
}

/// How much of a layer is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    /// Nobody reads it: it is not made.
    Nothing,
    /// The piece at hand: only neighbours in a run of pointwise nodes read it.
    Piece,
    /// The whole area.
    Area,
}

#[derive(Clone, Debug)]
enum Made {
    Nothing,
    Stack(Stack),
    Worn(Worn),
}

/// Buffers that a caller keeps between calls.
#[derive(Debug, Default)]
pub struct FieldScratch {
    noise: NoiseScratch,
    layers: Vec<Aligned<f32>>,
    warp: [Vec<i32>; 2],
    /// What the warp was made from.
    warped_by: Option<Warp>,
    count: usize,
    outputs: Vec<NodeId>,
}

impl FieldScratch {
    /// A layer that was asked for: row by row, `z * edge + x`.
    pub fn output(&self, index: usize) -> &[f32] {
        &self.layers[self.outputs[index].0 as usize][..self.count]
    }

    /// The same, times a factor, as whole numbers towards zero.
    pub fn output_i32(&self, index: usize, factor: f32, out: &mut Vec<i32>) {
        out.resize(self.count, 0);
        Isa::chosen().run(run::Quantise { factor, layer: self.output(index), out });
    }

    /// The same, times a factor, as whole numbers from 0 to 255.
    pub fn output_u8(&self, index: usize, factor: f32, out: &mut Vec<u8>) {
        out.resize(self.count, 0);
        Isa::chosen().run(run::QuantiseU8 { factor, layer: self.output(index), out });
    }
}

impl Field {
    /// A field from its description, and the layers to be had from it.
    pub fn new(nodes: Vec<Node>, outputs: &[NodeId]) -> Result<Field, FieldError> {
        let layers = nodes.into_iter().enumerate().map(|(index, node)| {
            debug_assert!(node.sources().all(|source| (source.0 as usize) < index), "a node names only nodes before it");
            if let Some(value) = node.numbers().find(|value| !value.is_finite()) {
                return Err(FieldError::NotFinite { node: index, value });
            }
            let made = match &node {
                Node::Noise { seed, desc, basis, .. } => {
                    desc.check().map_err(|error| FieldError::Noise { node: index, error })?;
                    Made::Stack(Stack::with_basis(*seed, desc, *basis))
                }
                Node::Worn { seed, desc, .. } => Made::Worn(Worn::new(*seed, desc)),
                _ => Made::Nothing,
            };
            Ok(Layer { node, made, keep: Keep::Nothing })
        });
        let mut layers: Vec<Layer> = layers.collect::<Result<_, _>>()?;
        decide_what_to_keep(&mut layers, outputs);
        Ok(Field { layers, outputs: outputs.to_vec(), isa: Isa::chosen() })
    }

    /// The same field, computed with another instruction set: the same bits at another speed.
    pub fn with_isa(mut self, isa: Isa) -> Field {
        self.isa = isa;
        for layer in &mut self.layers {
            layer.made = match std::mem::replace(&mut layer.made, Made::Nothing) {
                Made::Stack(stack) => Made::Stack(stack.with_isa(isa)),
                Made::Worn(worn) => Made::Worn(worn.with_isa(isa)),
                Made::Nothing => Made::Nothing,
            };
        }
        self
    }

    /// Its description: for whoever makes a shader of it.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.layers.iter().map(|layer| &layer.node)
    }

    /// The layers to be had from it, in order.
    pub fn outputs(&self) -> &[NodeId] {
        &self.outputs
    }

    /// Evaluates every layer over an area; the outputs are read from the scratch.
    pub fn fill(&self, area: &GridArea, scratch: &mut FieldScratch) {
        run::fill(self, area, scratch);
    }
}

/// From the last node to the first: who reads it?
fn decide_what_to_keep(layers: &mut [Layer], outputs: &[NodeId]) {
    for output in outputs {
        layers[output.0 as usize].keep = Keep::Area;
    }
    for reader in (0..layers.len()).rev() {
        if layers[reader].keep == Keep::Nothing {
            continue;
        }
        let sources: Vec<usize> = layers[reader].node.sources().map(|source| source.0 as usize).collect();
        for source in sources {
            let same_run = layers[source..=reader].iter().all(|layer| layer.node.is_pointwise());
            layers[source].keep = if same_run && layers[source].keep != Keep::Area { Keep::Piece } else { Keep::Area };
        }
    }
}

impl Node {
    /// Whether it is computed for each sample from the same sample of other layers.
    fn is_pointwise(&self) -> bool {
        !matches!(self, Node::Noise { .. } | Node::Worn { .. })
    }

    /// The nodes that it is made from.
    pub fn sources(&self) -> impl Iterator<Item = NodeId> {
        let warp = |warp: &Warp| (Some(warp.by[0]), Some(warp.by[1]));
        let [a, b, c] = match self {
            Node::Noise { warp: None, .. } => [None; 3],
            Node::Noise { warp: Some(by), .. } => [warp(by).0, warp(by).1, None],
            Node::Worn { warp: by, wanted, .. } => [warp(by).0, warp(by).1, *wanted],
            Node::Linear { of, .. } | Node::Clamp { of, .. } | Node::Smooth(of) | Node::Curve { of, .. } => [Some(*of), None, None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => [Some(*a), Some(*b), None],
            Node::Mix { a, b, t } => [Some(*a), Some(*b), Some(*t)],
        };
        [a, b, c].into_iter().flatten()
    }

    /// The numbers that settings may have made.
    fn numbers(&self) -> impl Iterator<Item = f32> {
        let [a, b, c] = match self {
            Node::Noise { warp, fractal, .. } => {
                [warp.map_or(0.0, |warp| warp.metres), if let Fractal::Ridged { sharpness } = fractal { *sharpness } else { 0.0 }, 0.0]
            }
            Node::Worn { desc, warp, .. } => [warp.metres, desc.persistence, desc.wear + desc.wavelength_m as f32],
            Node::Linear { factor, offset, .. } => [*factor, *offset, 0.0],
            Node::Clamp { low, high, .. } => [*low, *high, 0.0],
            _ => [0.0; 3],
        };
        [a, b, c].into_iter()
    }
}
