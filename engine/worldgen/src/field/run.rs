//! In: a field and an area. Out: its layers.
//! Never knows: who made the field.

use super::{Field, FieldScratch, Keep, Layer, Made, Node, NodeId, Warp};
use crate::{GridArea, curve::Curve, phase::WARP_UNITS_PER_M};
use std::ops::Range;
use terrane_simd::{Aligned, Kernel, LANES_MAX, Simd};

/// Samples that go through a run of pointwise nodes together: 16 layers of 512 are 32 KiB, what a first-level cache holds.
const PIECE: usize = 512;

pub(super) fn fill(field: &Field, area: &GridArea, scratch: &mut FieldScratch) {
    let layers = field.layers.len();
    scratch.count = area.edge * area.edge;
    scratch.outputs.clone_from(&field.outputs);
    scratch.warped_by = None;
    if scratch.layers.len() < layers {
        scratch.layers.resize_with(layers, Aligned::default);
    }
    for (buffer, layer) in scratch.layers.iter_mut().zip(&field.layers) {
        match layer.keep {
            Keep::Nothing => {}
            Keep::Piece => buffer.resize(PIECE),
            Keep::Area => buffer.resize(scratch.count),
        }
    }
    scratch.warp.iter_mut().for_each(|warp| warp.resize(scratch.count, 0));
    let mut next = 0;
    while next < layers {
        let pointwise = field.layers[next..].iter().take_while(|layer| layer.node.is_pointwise()).count();
        if pointwise == 0 {
            noise(field, next, area, scratch);
            next += 1;
        } else {
            let which = next..next + pointwise;
            let run = Pointwise { nodes: &field.layers, which, count: scratch.count, layers: &mut scratch.layers };
            field.isa.run(run);
            next += pointwise;
        }
    }
}

/// A node that is made over the whole area.
fn noise(field: &Field, index: usize, area: &GridArea, scratch: &mut FieldScratch) {
    let Layer { node, made, keep } = &field.layers[index];
    if *keep == Keep::Nothing {
        return;
    }
    if let Node::Noise { warp: Some(warp), .. } | Node::Worn { warp, .. } = node {
        quantise(field, warp, scratch);
    }
    let FieldScratch { noise, layers, warp: offsets, count, .. } = scratch;
    let (before, rest) = layers.split_at_mut(index);
    let out = &mut rest[0][..*count];
    let offsets = [&offsets[0][..*count], &offsets[1][..*count]];
    match (node, made) {
        (Node::Noise { fractal, warp: None, .. }, Made::Stack(stack)) => stack.grid(*fractal, &area.into(), noise, out),
        (Node::Noise { fractal, .. }, Made::Stack(stack)) => stack.points(*fractal, &area.into(), offsets, out),
        (Node::Worn { wanted, .. }, Made::Worn(worn)) => {
            let is_wanted = |samples: Range<usize>| wanted.is_none_or(|wanted| before[wanted.0 as usize][samples].iter().any(|value| *value > 0.0));
            worn.grid_warped(area, offsets, &is_wanted, out);
        }
        _ => unreachable!("a noise has what it is made with"),
    }
}

/// Two layers as warp offsets; kept while the next noise is moved by the same.
fn quantise(field: &Field, warp: &Warp, scratch: &mut FieldScratch) {
    if scratch.warped_by == Some(*warp) {
        return;
    }
    for (out, by) in scratch.warp.iter_mut().zip(warp.by) {
        field.isa.run(Quantise { factor: warp.metres * WARP_UNITS_PER_M, layer: &scratch.layers[by.0 as usize][..scratch.count], out });
    }
    scratch.warped_by = Some(*warp);
}

/// Whole numbers towards zero.
pub(crate) struct Quantise<'a> {
    pub factor: f32,
    pub layer: &'a [f32],
    pub out: &'a mut [i32],
}

impl Kernel for Quantise<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (values, out) in self.layer.chunks(S::LANES).zip(self.out.chunks_mut(S::LANES)) {
            s.store_part_i32(s.to_i32(s.load_part(values) * s.f32(self.factor)), out);
        }
    }
}

/// Whole numbers towards zero, held within a byte.
pub(crate) struct QuantiseU8<'a> {
    pub factor: f32,
    pub layer: &'a [f32],
    pub out: &'a mut [u8],
}

impl Kernel for QuantiseU8<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut whole = [0; LANES_MAX];
        for (values, out) in self.layer.chunks(S::LANES).zip(self.out.chunks_mut(S::LANES)) {
            s.store_i32(s.to_i32(s.load_part(values) * s.f32(self.factor)), &mut whole);
            for (out, whole) in out.iter_mut().zip(whole) {
                *out = whole.clamp(0, 255) as u8;
            }
        }
    }
}

/// A run of nodes that are computed sample by sample.
struct Pointwise<'a> {
    nodes: &'a [Layer],
    which: Range<usize>,
    count: usize,
    layers: &'a mut [Aligned<f32>],
}

impl Kernel for Pointwise<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Pointwise { nodes, which, count, layers } = self;
        let count = count.next_multiple_of(LANES_MAX);
        for first in (0..count).step_by(PIECE) {
            let piece = first..count.min(first + PIECE);
            for index in which.clone() {
                let Layer { node, keep, .. } = &nodes[index];
                let at = match keep {
                    Keep::Nothing => continue,
                    Keep::Piece => 0..piece.len(),
                    Keep::Area => piece.clone(),
                };
                let mut out = std::mem::take(&mut layers[index]);
                let before = Before { nodes, layers, piece: piece.clone() };
                evaluate(s, node, before, &mut out[at]);
                layers[index] = out;
            }
        }
    }
}

/// The layers before a node, at a piece.
struct Before<'a> {
    nodes: &'a [Layer],
    layers: &'a [Aligned<f32>],
    piece: Range<usize>,
}

impl Before<'_> {
    #[inline(always)]
    fn of(&self, id: NodeId) -> &[f32] {
        let index = id.0 as usize;
        match self.nodes[index].keep {
            Keep::Area => &self.layers[index][self.piece.clone()],
            _ => &self.layers[index][..self.piece.len()],
        }
    }
}

/// Evaluates a node: the choice is made once a piece, then a loop runs.
#[inline(always)]
fn evaluate<S: Simd>(s: S, node: &Node, before: Before, out: &mut [f32]) {
    macro_rules! each {
        ($($value:ident = $id:expr),+ => $result:expr) => {{
            $(let $value = before.of($id);)+
            for at in (0..out.len()).step_by(S::LANES) {
                $(let $value = s.load(&$value[at..]);)+
                s.store($result, &mut out[at..]);
            }
        }};
    }
    match node {
        Node::Linear { of, factor, offset } => {
            let (factor, offset) = (s.f32(*factor), s.f32(*offset));
            each!(value = *of => value * factor + offset);
        }
        Node::Add(a, b) => each!(a = *a, b = *b => a + b),
        Node::Sub(a, b) => each!(a = *a, b = *b => a - b),
        Node::Mul(a, b) => each!(a = *a, b = *b => a * b),
        Node::Mix { a, b, t } => each!(a = *a, b = *b, t = *t => a + (b - a) * t),
        Node::Clamp { of, low, high } => {
            let (low, high) = (s.f32(*low), s.f32(*high));
            each!(value = *of => clamp(s, value, low, high));
        }
        Node::Smooth(of) => {
            let (zero, one, two, three) = (s.f32(0.0), s.f32(1.0), s.f32(2.0), s.f32(3.0));
            each!(value = *of => {
                let t = clamp(s, value, zero, one);
                t * t * (three - two * t)
            });
        }
        Node::Curve { of, curve } => each!(value = *of => shape(s, curve, value)),
        Node::Noise { .. } | Node::Worn { .. } => {}
    }
}

/// Held between two numbers, by comparing and selecting.
#[inline(always)]
fn clamp<S: Simd>(s: S, value: S::F32, low: S::F32, high: S::F32) -> S::F32 {
    s.select(s.less(value, low), low, s.select(s.less(high, value), high, value))
}

/// The vector form of [`Curve::value`].
#[inline(always)]
fn shape<S: Simd>(s: S, curve: &Curve, x: S::F32) -> S::F32 {
    let table = curve.table();
    let (zero, last) = (s.f32(0.0), s.f32((table.len() - 1) as f32));
    let at = x * last;
    let (is_above, is_below) = (!s.less(at, last), !s.less(zero, at));
    let inside = s.select(is_above | is_below, zero, at);
    let index = s.to_i32(inside);
    let (low, high) = (s.gather(table, index), s.gather(table, index + s.u32(1)));
    let between = low + (high - low) * (inside - s.to_f32(index));
    s.select(is_above, s.f32(table[table.len() - 1]), s.select(is_below, s.f32(table[0]), between))
}
