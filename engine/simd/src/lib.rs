//! One way to write a kernel for every instruction set, with the same bits from each.
//!
//! In: a [`Kernel`], written once for any [`Simd`], and an [`Isa`]. Out: what the kernel returns, computed with that instruction set.
//! Never knows: noise, meshes, or what the numbers mean.
//!
//! A kernel sees vectors of [`Simd::LANES`] numbers with operators. [`Isa::run`] compiles it once for each instruction set and picks one
//! at run time. Everything generic over [`Simd`] must be `#[inline(always)]`: only what ends up inside [`Isa::run`] is compiled with the
//! instruction set's features; a function that is called instead of inlined gives the same bits, many times slower.
//!
//! ```
//! use terrane_simd::{Isa, Kernel, Simd};
//!
//! struct Scale<'a>(f32, &'a mut [f32]);
//!
//! impl Kernel for Scale<'_> {
//!     type Out = ();
//!     #[inline(always)]
//!     fn run<S: Simd>(self, s: S) {
//!         let factor = s.f32(self.0);
//!         for piece in self.1.chunks_mut(S::LANES) {
//!             let scaled = s.load_part(piece) * factor;
//!             s.store_part(scaled, piece);
//!         }
//!     }
//! }
//!
//! let mut values = [1.0, 2.0, 3.0];
//! Isa::chosen().run(Scale(0.5, &mut values));
//! assert_eq!(values, [0.5, 1.0, 1.5]);
//! ```
//!
//! **The same bits.** There is no fused multiply-add, minimum or maximum here: they differ between instruction sets. Division and square
//! root are exact on processors and not in shaders: what a shader repeats must do without them. Integers wrap. `+`, `-` and `*` on f32 round once, as IEEE 754 says; NaN may differ.
//!
//! **Why not** `wide` or `pulp`: they choose at compile time or lack the permutes; `std::simd` is not stable.

mod aligned;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod isa;
mod rows;
#[cfg(target_arch = "x86_64")]
mod rows_x86;
mod scalar;
#[cfg(test)]
mod tests;

pub use aligned::{Aligned, Number};
pub use isa::{Isa, IsaError, Kernel};
pub use rows::Rows;
pub use scalar::Scalar;

use std::{
    fmt::Debug,
    ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub},
};

/// Lanes of the widest instruction set. [`Simd::LANES`] divides it, so buffers in pieces of this many suit all.
pub const LANES_MAX: usize = 16;

/// An instruction set, and proof that this processor has it.
///
/// Vectors are made from it only, so operators on them need no further proof.
pub trait Simd: Rows + Copy + Debug + Send + Sync + 'static {
    /// Numbers in a vector; a divisor of [`LANES_MAX`].
    const LANES: usize;
    /// Which instruction set this is.
    const ISA: Isa;
    /// A vector of f32.
    type F32: Copy + Add<Output = Self::F32> + Sub<Output = Self::F32> + Mul<Output = Self::F32>;
    /// A vector of u32, or of i32 in two's complement. Its operators wrap.
    type U32: Copy
        + Add<Output = Self::U32>
        + Sub<Output = Self::U32>
        + Mul<Output = Self::U32>
        + BitAnd<Output = Self::U32>
        + BitOr<Output = Self::U32>
        + BitXor<Output = Self::U32>;
    /// As many u64 (twice the register), or i64. Its operators wrap.
    type U64: Copy + Add<Output = Self::U64> + Sub<Output = Self::U64>;
    /// A truth for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// Sixteen f32 to look up.
    type Table: Copy;

    /// The same f32 in every lane.
    fn f32(self, value: f32) -> Self::F32;
    /// The same u32 in every lane.
    fn u32(self, value: u32) -> Self::U32;
    /// The same u64 in every lane.
    fn u64(self, value: u64) -> Self::U64;
    /// `start + lane * step`, wrapping.
    fn ramp(self, start: u32, step: u32) -> Self::U32;
    /// `start + lane * step`, wrapping.
    fn ramp64(self, start: u64, step: u64) -> Self::U64;

    /// The first [`Self::LANES`] values. Panics if there are fewer.
    fn load(self, from: &[f32]) -> Self::F32;
    /// The first [`Self::LANES`] values. Panics if there are fewer.
    fn load_u32(self, from: &[u32]) -> Self::U32;
    /// The first [`Self::LANES`] values, as two's complement. Panics if there are fewer.
    fn load_i32(self, from: &[i32]) -> Self::U32;
    /// Writes the first [`Self::LANES`] values. Panics if there is less room.
    fn store(self, vector: Self::F32, to: &mut [f32]);
    /// Writes the first [`Self::LANES`] values. Panics if there is less room.
    fn store_u32(self, vector: Self::U32, to: &mut [u32]);
    /// Writes the first [`Self::LANES`] values, as two's complement. Panics if there is less room.
    fn store_i32(self, vector: Self::U32, to: &mut [i32]);

    /// `a / b`. Not for what a shader repeats: there it is not exact.
    fn div(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// The square root, for values not below 0. Not for what a shader repeats: there it is not exact.
    fn sqrt(self, value: Self::F32) -> Self::F32;
    /// The largest whole number not above, for |value| < 2^31.
    fn floor(self, value: Self::F32) -> Self::F32;
    /// Towards zero, held within i32; two's complement. NaN gives any number.
    fn to_i32(self, value: Self::F32) -> Self::U32;
    /// Towards zero, for |value| < 2^31; two's complement. Others give any number.
    fn truncate(self, value: Self::F32) -> Self::U32;
    /// From two's complement, rounded to nearest.
    fn to_f32(self, value: Self::U32) -> Self::F32;
    /// The bits of an f32.
    fn to_bits(self, value: Self::F32) -> Self::U32;
    /// An f32 from its bits.
    fn bits_to_f32(self, bits: Self::U32) -> Self::F32;

    /// Shifts left; zeros come in. `count` is below 32, and constant after inlining.
    fn shl(self, value: Self::U32, count: u32) -> Self::U32;
    /// Shifts right; zeros come in. `count` is below 32, and constant after inlining.
    fn shr(self, value: Self::U32, count: u32) -> Self::U32;
    /// Shifts right; copies of the sign come in. `count` is below 32, and constant after inlining.
    fn sar(self, value: Self::U32, count: u32) -> Self::U32;
    /// Shifts each lane right by its own count below 32.
    fn shr_each(self, value: Self::U32, counts: Self::U32) -> Self::U32;

    /// Product of two's complements, with all of its bits.
    fn mul_wide(self, a: Self::U32, b: Self::U32) -> Self::U64;
    /// Shifts i64 right; copies of the sign come in. `count` is 1 to 63, and constant after inlining.
    fn sar64(self, value: Self::U64, count: u32) -> Self::U64;
    /// Shifts each u64 right by its own count below 64; zeros come in.
    fn shr64_each(self, value: Self::U64, counts: Self::U64) -> Self::U64;
    /// The upper halves.
    fn high(self, value: Self::U64) -> Self::U32;
    /// The lower halves.
    fn low(self, value: Self::U64) -> Self::U32;

    /// `a < b`.
    fn less(self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// `a == b`.
    fn equal(self, a: Self::U32, b: Self::U32) -> Self::Mask;
    /// `a < b` as two's complements.
    fn less_i32(self, a: Self::U32, b: Self::U32) -> Self::Mask;
    /// `value < 0 ? 0 : value`: one instruction, and -0 and NaN stay as they are.
    fn not_below_0(self, value: Self::F32) -> Self::F32;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select(self, mask: Self::Mask, yes: Self::F32, no: Self::F32) -> Self::F32;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select_u32(self, mask: Self::Mask, yes: Self::U32, no: Self::U32) -> Self::U32;
    /// The lanes where the mask is true, next to each other from the first on, and how many. The rest is of any value.
    fn compress(self, mask: Self::Mask, values: [Self::U32; 4]) -> ([Self::U32; 4], usize);
    /// Whether it is true in all lanes.
    fn all(self, mask: Self::Mask) -> bool;
    /// Whether every lane is 0.
    fn all_zero(self, value: Self::U32) -> bool;
    /// The first lane.
    fn first(self, value: Self::U32) -> u32;

    /// Prepares a lookup.
    fn table(self, values: &[f32; 16]) -> Self::Table;
    /// The entry at the low four bits of each lane.
    fn lookup(self, table: Self::Table, index: Self::U32) -> Self::F32;
    /// The entry at the low three bits of each lane, of a table whose two halves are equal: one instruction less on AVX2.
    fn lookup8(self, table: Self::Table, index: Self::U32) -> Self::F32;
    /// `from[index]` for indices below [`Self::LANES`]: all lanes from one load. Larger indices give any of these. Panics if `from` is
    /// shorter than a vector.
    fn window(self, from: &[f32], index: Self::U32) -> Self::F32;

    /// `from[index]`, each lane by itself. Panics if an index is past the end.
    fn gather(self, from: &[f32], index: Self::U32) -> Self::F32;

    /// As many values as there are, zeros after them.
    #[inline(always)]
    fn load_part(self, from: &[f32]) -> Self::F32 {
        if from.len() >= Self::LANES {
            return self.load(from);
        }
        let mut whole = [0.0; LANES_MAX];
        whole[..from.len()].copy_from_slice(from);
        self.load(&whole)
    }

    /// As many values as there are, zeros after them.
    #[inline(always)]
    fn load_part_i32(self, from: &[i32]) -> Self::U32 {
        if from.len() >= Self::LANES {
            return self.load_i32(from);
        }
        let mut whole = [0; LANES_MAX];
        whole[..from.len()].copy_from_slice(from);
        self.load_i32(&whole)
    }

    /// Writes as many values as there is room for.
    #[inline(always)]
    fn store_part(self, vector: Self::F32, to: &mut [f32]) {
        if to.len() >= Self::LANES {
            return self.store(vector, to);
        }
        let mut whole = [0.0; LANES_MAX];
        self.store(vector, &mut whole);
        to.copy_from_slice(&whole[..to.len()]);
    }

    /// Writes as many values as there is room for, as two's complement.
    #[inline(always)]
    fn store_part_i32(self, vector: Self::U32, to: &mut [i32]) {
        if to.len() >= Self::LANES {
            return self.store_i32(vector, to);
        }
        let mut whole = [0; LANES_MAX];
        self.store_i32(vector, &mut whole);
        to.copy_from_slice(&whole[..to.len()]);
    }
}
