//! In, out: [`Simd`] in plain Rust, which says what the others must give.
//! Never knows: intrinsics.

use crate::{Isa, Simd};
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub};

/// Lanes of plain Rust: what the registers that every x86-64 and AArch64 has can hold, so the compiler may use them.
const LANES: usize = 4;

/// What every processor has.
#[derive(Clone, Copy, Debug)]
pub struct Scalar(());

/// Numbers side by side.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<T>([T; LANES]);

/// Numbers of which sums and products wrap.
#[derive(Clone, Copy, Debug)]
pub struct Wrapping<T>([T; LANES]);

impl Scalar {
    /// Proof of nothing.
    #[expect(clippy::new_without_default, reason = "the others have none")]
    pub fn new() -> Scalar {
        Scalar(())
    }
}

/// An array of what an expression is for each lane. No function: of closures the compiler inlines only as many as it likes.
macro_rules! each {
    (|$lane:ident| $value:expr) => {
        [lane!($lane, 0, $value), lane!($lane, 1, $value), lane!($lane, 2, $value), lane!($lane, 3, $value)]
    };
}

macro_rules! lane {
    ($lane:ident, $index:literal, $value:expr) => {{
        let $lane: usize = $index;
        $value
    }};
}

macro_rules! operators {
    ($($vector:ty: $($operator:ident $name:ident = |$a:ident, $b:ident| $value:expr),+;)+) => {$($(
        impl $operator for $vector {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(each!(|i| { let ($a, $b) = (self.0[i], other.0[i]); $value }))
            }
        }
    )+)+};
}

operators! {
    Lanes<f32>: Add add = |a, b| a + b, Sub sub = |a, b| a - b, Mul mul = |a, b| a * b;
    Wrapping<u32>: Add add = |a, b| a.wrapping_add(b), Sub sub = |a, b| a.wrapping_sub(b), Mul mul = |a, b| a.wrapping_mul(b),
        BitAnd bitand = |a, b| a & b, BitOr bitor = |a, b| a | b, BitXor bitxor = |a, b| a ^ b;
    Wrapping<u64>: Add add = |a, b| a.wrapping_add(b), Sub sub = |a, b| a.wrapping_sub(b);
    Lanes<bool>: BitAnd bitand = |a, b| a & b, BitOr bitor = |a, b| a | b;
}

impl Not for Lanes<bool> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Lanes(each!(|i| !self.0[i]))
    }
}

impl Simd for Scalar {
    const LANES: usize = LANES;
    const ISA: Isa = Isa::Scalar;
    type F32 = Lanes<f32>;
    type U32 = Wrapping<u32>;
    type U64 = Wrapping<u64>;
    type Mask = Lanes<bool>;
    type Table = [f32; 16];

    #[inline(always)]
    fn f32(self, value: f32) -> Lanes<f32> {
        Lanes([value; LANES])
    }

    #[inline(always)]
    fn u32(self, value: u32) -> Wrapping<u32> {
        Wrapping([value; LANES])
    }

    #[inline(always)]
    fn u64(self, value: u64) -> Wrapping<u64> {
        Wrapping([value; LANES])
    }

    #[inline(always)]
    fn ramp(self, start: u32, step: u32) -> Wrapping<u32> {
        Wrapping(each!(|i| start.wrapping_add(step.wrapping_mul(i as u32))))
    }

    #[inline(always)]
    fn ramp64(self, start: u64, step: u64) -> Wrapping<u64> {
        Wrapping(each!(|i| start.wrapping_add(step.wrapping_mul(i as u64))))
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Lanes<f32> {
        let from = &from[..LANES];
        Lanes(each!(|i| from[i]))
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> Wrapping<u32> {
        let from = &from[..LANES];
        Wrapping(each!(|i| from[i]))
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32]) -> Wrapping<u32> {
        let from = &from[..LANES];
        Wrapping(each!(|i| from[i] as u32))
    }

    #[inline(always)]
    fn store(self, vector: Lanes<f32>, to: &mut [f32]) {
        to[..LANES].copy_from_slice(&vector.0);
    }

    #[inline(always)]
    fn store_u32(self, vector: Wrapping<u32>, to: &mut [u32]) {
        to[..LANES].copy_from_slice(&vector.0);
    }

    #[inline(always)]
    fn store_i32(self, vector: Wrapping<u32>, to: &mut [i32]) {
        to[..LANES].copy_from_slice(&each!(|i| vector.0[i] as i32));
    }

    #[inline(always)]
    fn div(self, a: Lanes<f32>, b: Lanes<f32>) -> Lanes<f32> {
        Lanes(each!(|i| a.0[i] / b.0[i]))
    }

    #[inline(always)]
    fn sqrt(self, value: Lanes<f32>) -> Lanes<f32> {
        Lanes(each!(|i| value.0[i].sqrt()))
    }

    #[inline(always)]
    fn floor(self, value: Lanes<f32>) -> Lanes<f32> {
        // Through integers: without SSE 4.1, `f32::floor` is a call.
        Lanes(each!(|i| {
            let toward_zero = value.0[i] as i32 as f32;
            if toward_zero > value.0[i] { toward_zero - 1.0 } else { toward_zero }
        }))
    }

    #[inline(always)]
    fn to_i32(self, value: Lanes<f32>) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] as i32 as u32))
    }

    #[inline(always)]
    fn truncate(self, value: Lanes<f32>) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] as i32 as u32))
    }

    #[inline(always)]
    fn to_f32(self, value: Wrapping<u32>) -> Lanes<f32> {
        Lanes(each!(|i| value.0[i] as i32 as f32))
    }

    #[inline(always)]
    fn to_bits(self, value: Lanes<f32>) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i].to_bits()))
    }

    #[inline(always)]
    fn bits_to_f32(self, bits: Wrapping<u32>) -> Lanes<f32> {
        Lanes(each!(|i| f32::from_bits(bits.0[i])))
    }

    #[inline(always)]
    fn shl(self, value: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] << count))
    }

    #[inline(always)]
    fn shr(self, value: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] >> count))
    }

    #[inline(always)]
    fn sar(self, value: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(each!(|i| (value.0[i] as i32 >> count) as u32))
    }

    #[inline(always)]
    fn shr_each(self, value: Wrapping<u32>, counts: Wrapping<u32>) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] >> (counts.0[i] & 31)))
    }

    #[inline(always)]
    fn mul_wide(self, a: Wrapping<u32>, b: Wrapping<u32>) -> Wrapping<u64> {
        Wrapping(each!(|i| (i64::from(a.0[i] as i32) * i64::from(b.0[i] as i32)) as u64))
    }

    #[inline(always)]
    fn sar64(self, value: Wrapping<u64>, count: u32) -> Wrapping<u64> {
        Wrapping(each!(|i| (value.0[i] as i64 >> count) as u64))
    }

    #[inline(always)]
    fn shr64_each(self, value: Wrapping<u64>, counts: Wrapping<u64>) -> Wrapping<u64> {
        Wrapping(each!(|i| value.0[i] >> counts.0[i]))
    }

    #[inline(always)]
    fn high(self, value: Wrapping<u64>) -> Wrapping<u32> {
        Wrapping(each!(|i| (value.0[i] >> 32) as u32))
    }

    #[inline(always)]
    fn low(self, value: Wrapping<u64>) -> Wrapping<u32> {
        Wrapping(each!(|i| value.0[i] as u32))
    }

    #[inline(always)]
    fn less(self, a: Lanes<f32>, b: Lanes<f32>) -> Lanes<bool> {
        Lanes(each!(|i| a.0[i] < b.0[i]))
    }

    #[inline(always)]
    fn equal(self, a: Wrapping<u32>, b: Wrapping<u32>) -> Lanes<bool> {
        Lanes(each!(|i| a.0[i] == b.0[i]))
    }

    #[inline(always)]
    fn less_i32(self, a: Wrapping<u32>, b: Wrapping<u32>) -> Lanes<bool> {
        Lanes(each!(|i| (a.0[i] as i32) < b.0[i] as i32))
    }

    #[inline(always)]
    fn not_below_0(self, value: Lanes<f32>) -> Lanes<f32> {
        Lanes(each!(|i| if value.0[i] < 0.0 { 0.0 } else { value.0[i] }))
    }

    #[inline(always)]
    fn select(self, mask: Lanes<bool>, yes: Lanes<f32>, no: Lanes<f32>) -> Lanes<f32> {
        Lanes(each!(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }

    #[inline(always)]
    fn select_u32(self, mask: Lanes<bool>, yes: Wrapping<u32>, no: Wrapping<u32>) -> Wrapping<u32> {
        Wrapping(each!(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }

    #[inline(always)]
    fn compress(self, mask: Lanes<bool>, values: [Wrapping<u32>; 4]) -> ([Wrapping<u32>; 4], usize) {
        let (mut kept, mut count) = ([[0; LANES]; 4], 0);
        for lane in 0..LANES {
            // What is not kept is overwritten.
            kept.iter_mut().zip(&values).for_each(|(kept, values)| kept[count % LANES] = values.0[lane]);
            count += usize::from(mask.0[lane]);
        }
        (kept.map(Wrapping), count)
    }

    #[inline(always)]
    fn all(self, mask: Lanes<bool>) -> bool {
        mask.0 == [true; LANES]
    }

    #[inline(always)]
    fn all_zero(self, value: Wrapping<u32>) -> bool {
        value.0 == [0; LANES]
    }

    #[inline(always)]
    fn first(self, value: Wrapping<u32>) -> u32 {
        value.0[0]
    }

    #[inline(always)]
    fn table(self, values: &[f32; 16]) -> [f32; 16] {
        *values
    }

    #[inline(always)]
    fn lookup(self, table: [f32; 16], index: Wrapping<u32>) -> Lanes<f32> {
        Lanes(each!(|i| table[index.0[i] as usize & 15]))
    }

    #[inline(always)]
    fn lookup8(self, table: [f32; 16], index: Wrapping<u32>) -> Lanes<f32> {
        Lanes(each!(|i| table[index.0[i] as usize & 7]))
    }

    #[inline(always)]
    fn window(self, from: &[f32], index: Wrapping<u32>) -> Lanes<f32> {
        let from = &from[..LANES];
        Lanes(each!(|i| from[index.0[i] as usize % LANES]))
    }

    #[inline(always)]
    fn gather(self, from: &[f32], index: Wrapping<u32>) -> Lanes<f32> {
        Lanes(each!(|i| from[index.0[i] as usize]))
    }
}
