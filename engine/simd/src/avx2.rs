//! In, out: [`Simd`] with AVX2, 8 lanes.
//! Never knows: kernels.

use crate::{Isa, Kernel, Simd};
use std::{
    arch::x86_64::*,
    ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub},
};

/// Proof that the processor has AVX2 and the bit instructions that came with it. Fused multiply-add is not asked for: nothing may use it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// 8 f32.
#[derive(Clone, Copy, Debug)]
pub struct F32x8(__m256);
/// 8 u32.
#[derive(Clone, Copy, Debug)]
pub struct U32x8(__m256i);
/// 8 u64: those of the even lanes, and those of the odd ones, as multiplication makes them.
#[derive(Clone, Copy, Debug)]
pub struct U64x8(__m256i, __m256i);
/// 8 truths: all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask8(__m256);
/// Two halves.
#[derive(Clone, Copy, Debug)]
pub struct Table16(__m256, __m256);

impl Avx2 {
    /// The proof, if it is so.
    #[inline]
    pub fn detect() -> Option<Avx2> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Avx2(()))
    }

    /// Runs a kernel with these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Out {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn inside<K: Kernel>(kernel: K, s: Avx2) -> K::Out {
            kernel.run(s)
        }
        // SAFETY: `self` proves that the processor has what `inside` is compiled for.
        unsafe { inside(kernel, self) }
    }
}

/// Calls intrinsics.
macro_rules! op {
    ($call:expr) => {{
        // SAFETY: there is an `Avx2`, or a vector that was made from one: both prove that the processor has these instructions.
        // Loads, gathers and stores stay within slices whose length was checked.
        unsafe { $call }
    }};
}

macro_rules! operators {
    ($($vector:ident: $($operator:ident $name:ident $intrinsic:ident),+;)+) => {$($(
        impl $operator for $vector {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(op!($intrinsic(self.0, other.0)))
            }
        }
    )+)+};
}

operators! {
    F32x8: Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps;
    U32x8: Add add _mm256_add_epi32, Sub sub _mm256_sub_epi32, Mul mul _mm256_mullo_epi32,
        BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256, BitXor bitxor _mm256_xor_si256;
    Mask8: BitAnd bitand _mm256_and_ps, BitOr bitor _mm256_or_ps;
}

impl Add for U64x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        op!(U64x8(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1)))
    }
}

impl Sub for U64x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        op!(U64x8(_mm256_sub_epi64(self.0, other.0), _mm256_sub_epi64(self.1, other.1)))
    }
}

impl Not for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask8(op!(_mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))))
    }
}

/// The lanes whose upper or lower halves come from the odd vector of a [`U64x8`].
const ODD: i32 = 0xaa;

impl Simd for Avx2 {
    const LANES: usize = 8;
    const ISA: Isa = Isa::Avx2;
    type F32 = F32x8;
    type U32 = U32x8;
    type U64 = U64x8;
    type Mask = Mask8;
    type Table = Table16;

    #[inline(always)]
    fn f32(self, value: f32) -> F32x8 {
        F32x8(op!(_mm256_set1_ps(value)))
    }

    #[inline(always)]
    fn u32(self, value: u32) -> U32x8 {
        U32x8(op!(_mm256_set1_epi32(value as i32)))
    }

    #[inline(always)]
    fn u64(self, value: u64) -> U64x8 {
        let both = op!(_mm256_set1_epi64x(value as i64));
        U64x8(both, both)
    }

    #[inline(always)]
    fn ramp(self, start: u32, step: u32) -> U32x8 {
        let lanes = U32x8(op!(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
        self.u32(start) + lanes * self.u32(step)
    }

    #[inline(always)]
    fn ramp64(self, start: u64, step: u64) -> U64x8 {
        let at = |lane: u64| start.wrapping_add(step.wrapping_mul(lane)) as i64;
        op!(U64x8(_mm256_setr_epi64x(at(0), at(2), at(4), at(6)), _mm256_setr_epi64x(at(1), at(3), at(5), at(7))))
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> F32x8 {
        F32x8(op!(_mm256_loadu_ps(from[..Self::LANES].as_ptr())))
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> U32x8 {
        U32x8(op!(_mm256_loadu_si256(from[..Self::LANES].as_ptr().cast())))
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32]) -> U32x8 {
        U32x8(op!(_mm256_loadu_si256(from[..Self::LANES].as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, vector: F32x8, to: &mut [f32]) {
        op!(_mm256_storeu_ps(to[..Self::LANES].as_mut_ptr(), vector.0));
    }

    #[inline(always)]
    fn store_u32(self, vector: U32x8, to: &mut [u32]) {
        op!(_mm256_storeu_si256(to[..Self::LANES].as_mut_ptr().cast(), vector.0));
    }

    #[inline(always)]
    fn store_i32(self, vector: U32x8, to: &mut [i32]) {
        op!(_mm256_storeu_si256(to[..Self::LANES].as_mut_ptr().cast(), vector.0));
    }

    #[inline(always)]
    fn div(self, a: F32x8, b: F32x8) -> F32x8 {
        F32x8(op!(_mm256_div_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn sqrt(self, value: F32x8) -> F32x8 {
        F32x8(op!(_mm256_sqrt_ps(value.0)))
    }

    #[inline(always)]
    fn floor(self, value: F32x8) -> F32x8 {
        // Plus 0: -0 becomes 0, as everywhere.
        F32x8(op!(_mm256_floor_ps(value.0))) + self.f32(0.0)
    }

    #[inline(always)]
    fn to_i32(self, value: F32x8) -> U32x8 {
        // Out of range gives 2^31: right below, one too much above.
        let high = op!(_mm256_cmp_ps::<_CMP_GE_OQ>(value.0, _mm256_set1_ps(2_147_483_648.0)));
        U32x8(op!(_mm256_xor_si256(_mm256_cvttps_epi32(value.0), _mm256_castps_si256(high))))
    }

    #[inline(always)]
    fn truncate(self, value: F32x8) -> U32x8 {
        U32x8(op!(_mm256_cvttps_epi32(value.0)))
    }

    #[inline(always)]
    fn to_f32(self, value: U32x8) -> F32x8 {
        F32x8(op!(_mm256_cvtepi32_ps(value.0)))
    }

    #[inline(always)]
    fn to_bits(self, value: F32x8) -> U32x8 {
        U32x8(op!(_mm256_castps_si256(value.0)))
    }

    #[inline(always)]
    fn bits_to_f32(self, bits: U32x8) -> F32x8 {
        F32x8(op!(_mm256_castsi256_ps(bits.0)))
    }

    #[inline(always)]
    fn shl(self, value: U32x8, count: u32) -> U32x8 {
        U32x8(op!(_mm256_sll_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn shr(self, value: U32x8, count: u32) -> U32x8 {
        U32x8(op!(_mm256_srl_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn sar(self, value: U32x8, count: u32) -> U32x8 {
        U32x8(op!(_mm256_sra_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn shr_each(self, value: U32x8, counts: U32x8) -> U32x8 {
        U32x8(op!(_mm256_srlv_epi32(value.0, counts.0)))
    }

    #[inline(always)]
    fn mul_wide(self, a: U32x8, b: U32x8) -> U64x8 {
        op!(U64x8(_mm256_mul_epi32(a.0, b.0), _mm256_mul_epi32(_mm256_srli_epi64::<32>(a.0), _mm256_srli_epi64::<32>(b.0))))
    }

    #[inline(always)]
    fn sar64(self, value: U64x8, count: u32) -> U64x8 {
        // There is no such instruction: moved up to where all are positive, shifted, and moved down again.
        let (bias, count) = (self.u64(1 << 63), op!(_mm_cvtsi32_si128(count as i32)));
        let up = value + bias;
        op!(U64x8(_mm256_srl_epi64(up.0, count), _mm256_srl_epi64(up.1, count))) - op!(U64x8(_mm256_srl_epi64(bias.0, count), _mm256_srl_epi64(bias.1, count)))
    }

    #[inline(always)]
    fn shr64_each(self, value: U64x8, counts: U64x8) -> U64x8 {
        op!(U64x8(_mm256_srlv_epi64(value.0, counts.0), _mm256_srlv_epi64(value.1, counts.1)))
    }

    #[inline(always)]
    fn high(self, value: U64x8) -> U32x8 {
        U32x8(op!(_mm256_blend_epi32::<ODD>(_mm256_srli_epi64::<32>(value.0), value.1)))
    }

    #[inline(always)]
    fn low(self, value: U64x8) -> U32x8 {
        U32x8(op!(_mm256_blend_epi32::<ODD>(value.0, _mm256_slli_epi64::<32>(value.1))))
    }

    #[inline(always)]
    fn less(self, a: F32x8, b: F32x8) -> Mask8 {
        Mask8(op!(_mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn equal(self, a: U32x8, b: U32x8) -> Mask8 {
        Mask8(op!(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.0, b.0))))
    }

    #[inline(always)]
    fn less_i32(self, a: U32x8, b: U32x8) -> Mask8 {
        Mask8(op!(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b.0, a.0))))
    }

    #[inline(always)]
    fn not_below_0(self, value: F32x8) -> F32x8 {
        // Of two zeros, and of a NaN and a number, it takes the second.
        F32x8(op!(_mm256_max_ps(_mm256_setzero_ps(), value.0)))
    }

    #[inline(always)]
    fn select(self, mask: Mask8, yes: F32x8, no: F32x8) -> F32x8 {
        F32x8(op!(_mm256_blendv_ps(no.0, yes.0, mask.0)))
    }

    #[inline(always)]
    fn select_u32(self, mask: Mask8, yes: U32x8, no: U32x8) -> U32x8 {
        U32x8(op!(_mm256_blendv_epi8(no.0, yes.0, _mm256_castps_si256(mask.0))))
    }

    #[inline(always)]
    fn compress(self, mask: Mask8, values: [U32x8; 4]) -> ([U32x8; 4], usize) {
        let bits = op!(_mm256_movemask_ps(mask.0)) as u64;
        // A byte a lane: the numbers of the lanes that are true, pushed together.
        let bytes = op!(_pdep_u64(bits, 0x0101_0101_0101_0101)) * 0xff;
        let lanes = op!(_pext_u64(0x0706_0504_0302_0100, bytes));
        let lanes = op!(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes as i64)));
        let [a, b, c, d] = values;
        let moved = op!([
            _mm256_permutevar8x32_epi32(a.0, lanes),
            _mm256_permutevar8x32_epi32(b.0, lanes),
            _mm256_permutevar8x32_epi32(c.0, lanes),
            _mm256_permutevar8x32_epi32(d.0, lanes)
        ]);
        ([U32x8(moved[0]), U32x8(moved[1]), U32x8(moved[2]), U32x8(moved[3])], bits.count_ones() as usize)
    }

    #[inline(always)]
    fn all(self, mask: Mask8) -> bool {
        op!(_mm256_movemask_ps(mask.0)) == 0xff
    }

    #[inline(always)]
    fn all_zero(self, value: U32x8) -> bool {
        op!(_mm256_testz_si256(value.0, value.0)) == 1
    }

    #[inline(always)]
    fn first(self, value: U32x8) -> u32 {
        op!(_mm256_cvtsi256_si32(value.0)) as u32
    }

    #[inline(always)]
    fn table(self, values: &[f32; 16]) -> Table16 {
        Table16(self.load(&values[..8]).0, self.load(&values[8..]).0)
    }

    #[inline(always)]
    fn lookup(self, table: Table16, index: U32x8) -> F32x8 {
        // The permute reads three bits; the fourth, moved to the sign, chooses the half.
        let upper = op!(_mm256_castsi256_ps(_mm256_slli_epi32::<28>(index.0)));
        F32x8(op!(_mm256_blendv_ps(_mm256_permutevar8x32_ps(table.0, index.0), _mm256_permutevar8x32_ps(table.1, index.0), upper)))
    }

    #[inline(always)]
    fn lookup8(self, table: Table16, index: U32x8) -> F32x8 {
        F32x8(op!(_mm256_permutevar8x32_ps(table.0, index.0)))
    }

    #[inline(always)]
    fn window(self, from: &[f32], index: U32x8) -> F32x8 {
        F32x8(op!(_mm256_permutevar8x32_ps(self.load(from).0, index.0)))
    }

    #[inline(always)]
    fn gather(self, from: &[f32], index: U32x8) -> F32x8 {
        // Signed comparisons: an index from 2^31 on is below zero.
        let len = self.u32(i32::try_from(from.len()).unwrap_or(i32::MAX) as u32);
        let is_inside = self.less_i32(index, len) & !self.less_i32(index, self.u32(0));
        assert!(self.all(is_inside), "an index is past the end of {} values", from.len());
        F32x8(op!(_mm256_i32gather_ps::<4>(from.as_ptr(), index.0)))
    }
}
