//! In: arithmetic on layers as one writes it. Out: the list of nodes.
//! Never knows: how they are evaluated.

use super::{Field, FieldError, Node, NodeId, Warp};
use crate::{
    curve::Curve,
    noise::{Basis, Fractal, StackDesc, WornDesc},
};
use std::{
    cell::RefCell,
    ops::{Add, Mul, Sub},
};

/// Collects the nodes of a field.
#[derive(Debug, Default)]
pub struct FieldBuilder {
    nodes: RefCell<Vec<Node>>,
}

/// A layer to be: add, subtract and multiply it with others and with numbers.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    build: &'a FieldBuilder,
    id: NodeId,
}

impl FieldBuilder {
    /// Any node.
    pub fn node(&self, node: Node) -> Expr<'_> {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(node);
        Expr { build: self, id: NodeId(nodes.len() as u32 - 1) }
    }

    /// fBm of gradient noise.
    pub fn noise(&self, seed: u32, desc: &StackDesc) -> Expr<'_> {
        self.node(Node::Noise { seed, desc: *desc, basis: Basis::Gradient, fractal: Fractal::Fbm, warp: None })
    }

    /// A warp by two layers, metres for a value of 1.
    pub fn warp(&self, x: Expr, z: Expr, metres: f32) -> Warp {
        Warp { by: [x.id, z.id], metres }
    }

    /// Ridges of gradient noise at moved places.
    pub fn ridged(&self, seed: u32, desc: &StackDesc, sharpness: f32, warp: Warp) -> Expr<'_> {
        self.node(Node::Noise { seed, desc: *desc, basis: Basis::Gradient, fractal: Fractal::Ridged { sharpness }, warp: Some(warp) })
    }

    /// Mountains worn by water, where `wanted` is above 0.
    pub fn worn(&self, seed: u32, desc: &WornDesc, warp: Warp, wanted: Expr) -> Expr<'_> {
        self.node(Node::Worn { seed, desc: *desc, warp, wanted: Some(wanted.id) })
    }

    /// 0 to 1 as `t` goes from 0 to 1, flat beyond.
    pub fn smooth(&self, t: Expr) -> Expr<'_> {
        self.node(Node::Smooth(t.id))
    }

    /// Held between two numbers.
    pub fn clamp(&self, of: Expr, low: f32, high: f32) -> Expr<'_> {
        self.node(Node::Clamp { of: of.id, low, high })
    }

    /// `a` at t = 0, `b` at t = 1.
    pub fn mix(&self, a: Expr, b: Expr, t: Expr) -> Expr<'_> {
        self.node(Node::Mix { a: a.id, b: b.id, t: t.id })
    }

    /// Shaped by a curve.
    pub fn curve(&self, of: Expr, curve: &Curve) -> Expr<'_> {
        self.node(Node::Curve { of: of.id, curve: curve.clone() })
    }

    /// The list so far.
    pub fn nodes(&self) -> Vec<Node> {
        self.nodes.borrow().clone()
    }

    /// The field, and which of its layers one wants.
    pub fn finish(&self, outputs: &[Expr]) -> Result<Field, FieldError> {
        Field::new(self.nodes(), &outputs.iter().map(|output| output.id).collect::<Vec<_>>())
    }
}

impl<'a> Expr<'a> {
    /// Its place in the list.
    pub fn id(self) -> NodeId {
        self.id
    }

    fn linear(self, factor: f32, offset: f32) -> Expr<'a> {
        let before = self.build.nodes.borrow()[self.id.0 as usize].clone();
        match before {
            // A sum after a product is one node; the product alone is not made if nobody else reads it.
            Node::Linear { of, factor: product, offset: 0.0 } if factor == 1.0 => self.build.node(Node::Linear { of, factor: product, offset }),
            _ => self.build.node(Node::Linear { of: self.id, factor, offset }),
        }
    }
}

impl<'a> Add for Expr<'a> {
    type Output = Expr<'a>;
    fn add(self, other: Expr) -> Expr<'a> {
        self.build.node(Node::Add(self.id, other.id))
    }
}

impl<'a> Sub for Expr<'a> {
    type Output = Expr<'a>;
    fn sub(self, other: Expr) -> Expr<'a> {
        self.build.node(Node::Sub(self.id, other.id))
    }
}

impl<'a> Mul for Expr<'a> {
    type Output = Expr<'a>;
    fn mul(self, other: Expr) -> Expr<'a> {
        self.build.node(Node::Mul(self.id, other.id))
    }
}

impl<'a> Add<f32> for Expr<'a> {
    type Output = Expr<'a>;
    fn add(self, offset: f32) -> Expr<'a> {
        self.linear(1.0, offset)
    }
}

impl<'a> Sub<f32> for Expr<'a> {
    type Output = Expr<'a>;
    fn sub(self, offset: f32) -> Expr<'a> {
        self.linear(1.0, -offset)
    }
}

impl<'a> Sub<Expr<'a>> for f32 {
    type Output = Expr<'a>;
    fn sub(self, of: Expr<'a>) -> Expr<'a> {
        // The negation is exact: the same bits as a subtraction.
        of.linear(-1.0, self)
    }
}

impl<'a> Mul<f32> for Expr<'a> {
    type Output = Expr<'a>;
    fn mul(self, factor: f32) -> Expr<'a> {
        self.linear(factor, 0.0)
    }
}
