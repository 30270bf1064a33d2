//! In: nothing. Out: the structs and limits that the evaluation of fields shares with `field.comp`; as in `shared`, declared once.
//! Never knows: Vulkan, noise.

use crate::{shared_limits, shared_struct};

shared_limits! {
    /// Lanes of a workgroup that evaluates a field.
    pub const FIELD_GROUP: u32 = 64;
    /// Layers of a field that are alive at once: the terrain world's needs 5.
    pub const FIELD_SLOTS: u32 = 16;
    /// No slot, no buffer.
    pub const FIELD_NOTHING: u32 = 0xffff_ffff;
    /// Field row: octaves of noise in the plane.
    pub const NODE_NOISE: u32 = 0;
    /// Field row: octaves of noise in space.
    pub const NODE_NOISE_SPACE: u32 = 1;
    /// Field row: a sum of gradient noise, or a slope of it; `basis` says which of the three.
    pub const NODE_SLOPE: u32 = 2;
    /// Field row: mountains worn by water. The last that has octaves.
    pub const NODE_WORN: u32 = 3;
    /// Field row: times a number, plus a number.
    pub const NODE_LINEAR: u32 = 4;
    /// Field row: sum.
    pub const NODE_ADD: u32 = 5;
    /// Field row: difference.
    pub const NODE_SUB: u32 = 6;
    /// Field row: product.
    pub const NODE_MUL: u32 = 7;
    /// Field row: from the first to the second by the third.
    pub const NODE_MIX: u32 = 8;
    /// Field row: held between two numbers.
    pub const NODE_CLAMP: u32 = 9;
    /// Field row: a smooth step from 0 to 1.
    pub const NODE_SMOOTH: u32 = 10;
    /// Field row: shaped by a table.
    pub const NODE_CURVE: u32 = 11;
    /// Field row: writes the bits of a slot. The first that fills none.
    pub const NODE_WRITE_BITS: u32 = 12;
    /// Field row: writes a slot times a number as a whole number towards zero.
    pub const NODE_WRITE_WHOLE: u32 = 13;
    /// Gradient noise.
    pub const BASIS_GRADIENT: u32 = 0;
    /// Gradient noise with a cheaper hash.
    pub const BASIS_QUICK_GRADIENT: u32 = 1;
    /// Simplex noise.
    pub const BASIS_SIMPLEX: u32 = 2;
    /// Squared distance to the nearest point.
    pub const BASIS_WORLEY_F1: u32 = 3;
    /// Squared distance to the second nearest.
    pub const BASIS_WORLEY_F2: u32 = 4;
    /// Their difference.
    pub const BASIS_WORLEY_F2_MINUS_F1: u32 = 5;
    /// Octaves are summed.
    pub const FRACTAL_FBM: u32 = 0;
    /// Their absolute values are.
    pub const FRACTAL_BILLOW: u32 = 1;
    /// Ridges are.
    pub const FRACTAL_RIDGED: u32 = 2;
}

shared_struct! {
    /// An octave of a stack. Numbers of 64 bits are a low and a high word.
    pub struct NoiseOctave {
        /// Of its gradients or points.
        pub seed: u32,
        /// Lattice cells wrap with it.
        pub mask: u32,
        /// Phase for a metre.
        pub frequency: [u32; 2],
        /// Phase for a metre of the sum of all axes, where the lattice is skewed.
        pub skew: [u32; 2],
        /// Phase at metre 0 along the first axis.
        pub phase_x: [u32; 2],
        /// Along the second: y in space, z in the plane.
        pub phase_y: [u32; 2],
        /// Along the third.
        pub phase_z: [u32; 2],
        /// Factor of its values.
        pub amplitude: f32,
        /// Factor of its slopes.
        pub slope_amplitude: f32,
    }

    /// An octave of worn mountains: a turned lattice. Numbers of 64 bits are a low and a high word.
    pub struct WornRow {
        /// Of its gradients.
        pub seed: u32,
        /// What a metre along x adds to the phase along lattice x.
        pub x_step_x: [u32; 2],
        /// What a metre along z adds to it.
        pub x_step_z: [u32; 2],
        /// What a metre along x adds to the phase along lattice z.
        pub z_step_x: [u32; 2],
        /// What a metre along z adds to it.
        pub z_step_z: [u32; 2],
        /// Phase at metre 0 along lattice x.
        pub phase_x: [u32; 2],
        /// Along lattice z.
        pub phase_z: [u32; 2],
        /// Cosine and sine of the angle.
        pub turn: [f32; 2],
        /// How far a slope sum of 1 moves it, 2^-16 m.
        pub wear_units: f32,
    }

    /// A row of a field: what becomes of which slots.
    pub struct FieldNode {
        /// One of NODE_*.
        pub kind: u32,
        /// The slot that it fills, or the layer that it writes.
        pub to: u32,
        /// The slots that it is made from; of a noise, what moves x and z, and where it is wanted.
        pub from: [u32; 3],
        /// First octave, or first entry of a curve's table.
        pub first: u32,
        /// Octaves, or entries.
        pub count: u32,
        /// One of BASIS_*.
        pub basis: u32,
        /// One of FRACTAL_*.
        pub fractal: u32,
        /// Of a stack: scale, last factor, sharpness, 2^-16 m of warp for 1. Of worn mountains the first is their persistence.
        pub numbers: [f32; 4],
    }

    /// A place where a field is evaluated. Metres are a low and a high word.
    pub struct FieldPlace {
        /// Metres along x.
        pub x_m: [u32; 2],
        /// Metres along y.
        pub y_m: [u32; 2],
        /// Metres along z.
        pub z_m: [u32; 2],
        /// How far it is moved, 2^-16 m.
        pub units: [i32; 3],
    }

    /// What a field is evaluated with: indices of buffers in the bindless set, and where.
    pub struct FieldPush {
        /// FieldNode[].
        pub nodes: u32,
        /// How many.
        pub nodes_count: u32,
        /// NoiseOctave[].
        pub octaves: u32,
        /// WornRow[].
        pub worn: u32,
        /// Entries of curves.
        pub table: u32,
        /// FieldPlace[], or FIELD_NOTHING for an area.
        pub places: u32,
        /// Layers, one after the other.
        pub target: u32,
        /// Samples.
        pub count: u32,
        /// Samples along the edge of an area.
        pub edge: u32,
        /// Metres between them.
        pub step_m: u32,
        /// The first one's x, low and high word.
        pub x_m: [u32; 2],
        /// The first one's z.
        pub z_m: [u32; 2],
    }
}
