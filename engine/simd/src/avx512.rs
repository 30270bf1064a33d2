//! In, out: [`Simd`] with AVX-512, 16 lanes.
//! Never knows: kernels.

use crate::{Isa, Kernel, Simd};
use std::{
    arch::x86_64::*,
    ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub},
};

/// Proof that the processor has AVX-512 F, BW, DQ, VL and all that [`Isa::Avx2`] names.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

/// 16 f32.
#[derive(Clone, Copy, Debug)]
pub struct F32x16(__m512);
/// 16 u32.
#[derive(Clone, Copy, Debug)]
pub struct U32x16(__m512i);
/// 16 u64: those of the even lanes, and those of the odd ones, as multiplication makes them.
#[derive(Clone, Copy, Debug)]
pub struct U64x16(__m512i, __m512i);
/// 16 truths.
#[derive(Clone, Copy, Debug)]
pub struct Mask16(__mmask16);

impl Avx512 {
    /// The proof, if it is so.
    #[inline]
    pub fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && crate::avx2::Avx2::detect().is_some();
        has.then_some(Avx512(()))
    }

    /// Runs a kernel with these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Out {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn inside<K: Kernel>(kernel: K, s: Avx512) -> K::Out {
            kernel.run(s)
        }
        // SAFETY: `self` proves that the processor has what `inside` is compiled for.
        unsafe { inside(kernel, self) }
    }
}

/// Calls intrinsics.
macro_rules! op {
    ($call:expr) => {{
        // SAFETY: there is an `Avx512`, or a vector that was made from one: both prove that the processor has these instructions.
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
    F32x16: Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps;
    U32x16: Add add _mm512_add_epi32, Sub sub _mm512_sub_epi32, Mul mul _mm512_mullo_epi32,
        BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512, BitXor bitxor _mm512_xor_si512;
}

impl Add for U64x16 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        op!(U64x16(_mm512_add_epi64(self.0, other.0), _mm512_add_epi64(self.1, other.1)))
    }
}

impl Sub for U64x16 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        op!(U64x16(_mm512_sub_epi64(self.0, other.0), _mm512_sub_epi64(self.1, other.1)))
    }
}

impl BitAnd for Mask16 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Mask16(self.0 & other.0)
    }
}

impl BitOr for Mask16 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Mask16(self.0 | other.0)
    }
}

impl Not for Mask16 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask16(!self.0)
    }
}

impl Simd for Avx512 {
    const LANES: usize = 16;
    const ISA: Isa = Isa::Avx512;
    type F32 = F32x16;
    type U32 = U32x16;
    type U64 = U64x16;
    type Mask = Mask16;
    type Table = F32x16;

    #[inline(always)]
    fn f32(self, value: f32) -> F32x16 {
        F32x16(op!(_mm512_set1_ps(value)))
    }

    #[inline(always)]
    fn u32(self, value: u32) -> U32x16 {
        U32x16(op!(_mm512_set1_epi32(value as i32)))
    }

    #[inline(always)]
    fn u64(self, value: u64) -> U64x16 {
        let both = op!(_mm512_set1_epi64(value as i64));
        U64x16(both, both)
    }

    #[inline(always)]
    fn ramp(self, start: u32, step: u32) -> U32x16 {
        let lanes = U32x16(op!(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
        self.u32(start) + lanes * self.u32(step)
    }

    #[inline(always)]
    fn ramp64(self, start: u64, step: u64) -> U64x16 {
        let at = |lane: u64| start.wrapping_add(step.wrapping_mul(lane)) as i64;
        op!(U64x16(
            _mm512_setr_epi64(at(0), at(2), at(4), at(6), at(8), at(10), at(12), at(14)),
            _mm512_setr_epi64(at(1), at(3), at(5), at(7), at(9), at(11), at(13), at(15)),
        ))
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> F32x16 {
        F32x16(op!(_mm512_loadu_ps(from[..Self::LANES].as_ptr())))
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> U32x16 {
        U32x16(op!(_mm512_loadu_si512(from[..Self::LANES].as_ptr().cast())))
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32]) -> U32x16 {
        U32x16(op!(_mm512_loadu_si512(from[..Self::LANES].as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, vector: F32x16, to: &mut [f32]) {
        op!(_mm512_storeu_ps(to[..Self::LANES].as_mut_ptr(), vector.0));
    }

    #[inline(always)]
    fn store_u32(self, vector: U32x16, to: &mut [u32]) {
        op!(_mm512_storeu_si512(to[..Self::LANES].as_mut_ptr().cast(), vector.0));
    }

    #[inline(always)]
    fn store_i32(self, vector: U32x16, to: &mut [i32]) {
        op!(_mm512_storeu_si512(to[..Self::LANES].as_mut_ptr().cast(), vector.0));
    }

    #[inline(always)]
    fn div(self, a: F32x16, b: F32x16) -> F32x16 {
        F32x16(op!(_mm512_div_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn sqrt(self, value: F32x16) -> F32x16 {
        F32x16(op!(_mm512_sqrt_ps(value.0)))
    }

    #[inline(always)]
    fn floor(self, value: F32x16) -> F32x16 {
        // Plus 0: -0 becomes 0, as everywhere.
        F32x16(op!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(value.0))) + self.f32(0.0)
    }

    #[inline(always)]
    fn to_i32(self, value: F32x16) -> U32x16 {
        // Out of range gives 2^31: right below, one too much above.
        let high = op!(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(value.0, _mm512_set1_ps(2_147_483_648.0)));
        U32x16(op!(_mm512_mask_set1_epi32(_mm512_cvttps_epi32(value.0), high, i32::MAX)))
    }

    #[inline(always)]
    fn truncate(self, value: F32x16) -> U32x16 {
        U32x16(op!(_mm512_cvttps_epi32(value.0)))
    }

    #[inline(always)]
    fn to_f32(self, value: U32x16) -> F32x16 {
        F32x16(op!(_mm512_cvtepi32_ps(value.0)))
    }

    #[inline(always)]
    fn to_bits(self, value: F32x16) -> U32x16 {
        U32x16(op!(_mm512_castps_si512(value.0)))
    }

    #[inline(always)]
    fn bits_to_f32(self, bits: U32x16) -> F32x16 {
        F32x16(op!(_mm512_castsi512_ps(bits.0)))
    }

    #[inline(always)]
    fn shl(self, value: U32x16, count: u32) -> U32x16 {
        U32x16(op!(_mm512_sll_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn shr(self, value: U32x16, count: u32) -> U32x16 {
        U32x16(op!(_mm512_srl_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn sar(self, value: U32x16, count: u32) -> U32x16 {
        U32x16(op!(_mm512_sra_epi32(value.0, _mm_cvtsi32_si128(count as i32))))
    }

    #[inline(always)]
    fn shr_each(self, value: U32x16, counts: U32x16) -> U32x16 {
        U32x16(op!(_mm512_srlv_epi32(value.0, counts.0)))
    }

    #[inline(always)]
    fn mul_wide(self, a: U32x16, b: U32x16) -> U64x16 {
        op!(U64x16(_mm512_mul_epi32(a.0, b.0), _mm512_mul_epi32(_mm512_srli_epi64::<32>(a.0), _mm512_srli_epi64::<32>(b.0))))
    }

    #[inline(always)]
    fn sar64(self, value: U64x16, count: u32) -> U64x16 {
        let count = op!(_mm_cvtsi32_si128(count as i32));
        op!(U64x16(_mm512_sra_epi64(value.0, count), _mm512_sra_epi64(value.1, count)))
    }

    #[inline(always)]
    fn shr64_each(self, value: U64x16, counts: U64x16) -> U64x16 {
        op!(U64x16(_mm512_srlv_epi64(value.0, counts.0), _mm512_srlv_epi64(value.1, counts.1)))
    }

    #[inline(always)]
    fn high(self, value: U64x16) -> U32x16 {
        let halves = op!(_mm512_setr_epi32(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31));
        U32x16(op!(_mm512_permutex2var_epi32(value.0, halves, value.1)))
    }

    #[inline(always)]
    fn low(self, value: U64x16) -> U32x16 {
        let halves = op!(_mm512_setr_epi32(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30));
        U32x16(op!(_mm512_permutex2var_epi32(value.0, halves, value.1)))
    }

    #[inline(always)]
    fn less(self, a: F32x16, b: F32x16) -> Mask16 {
        Mask16(op!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a.0, b.0)))
    }

    #[inline(always)]
    fn equal(self, a: U32x16, b: U32x16) -> Mask16 {
        Mask16(op!(_mm512_cmpeq_epi32_mask(a.0, b.0)))
    }

    #[inline(always)]
    fn less_i32(self, a: U32x16, b: U32x16) -> Mask16 {
        Mask16(op!(_mm512_cmplt_epi32_mask(a.0, b.0)))
    }

    #[inline(always)]
    fn not_below_0(self, value: F32x16) -> F32x16 {
        // Of two zeros, and of a NaN and a number, it takes the second.
        F32x16(op!(_mm512_max_ps(_mm512_setzero_ps(), value.0)))
    }

    #[inline(always)]
    fn select(self, mask: Mask16, yes: F32x16, no: F32x16) -> F32x16 {
        F32x16(op!(_mm512_mask_blend_ps(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn select_u32(self, mask: Mask16, yes: U32x16, no: U32x16) -> U32x16 {
        U32x16(op!(_mm512_mask_blend_epi32(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn compress(self, mask: Mask16, values: [U32x16; 4]) -> ([U32x16; 4], usize) {
        let [a, b, c, d] = values;
        let moved = op!([
            _mm512_maskz_compress_epi32(mask.0, a.0),
            _mm512_maskz_compress_epi32(mask.0, b.0),
            _mm512_maskz_compress_epi32(mask.0, c.0),
            _mm512_maskz_compress_epi32(mask.0, d.0)
        ]);
        ([U32x16(moved[0]), U32x16(moved[1]), U32x16(moved[2]), U32x16(moved[3])], mask.0.count_ones() as usize)
    }

    #[inline(always)]
    fn all(self, mask: Mask16) -> bool {
        mask.0 == 0xffff
    }

    #[inline(always)]
    fn all_zero(self, value: U32x16) -> bool {
        op!(_mm512_test_epi32_mask(value.0, value.0)) == 0
    }

    #[inline(always)]
    fn first(self, value: U32x16) -> u32 {
        op!(_mm512_cvtsi512_si32(value.0)) as u32
    }

    #[inline(always)]
    fn table(self, values: &[f32; 16]) -> F32x16 {
        self.load(values)
    }

    #[inline(always)]
    fn lookup(self, table: F32x16, index: U32x16) -> F32x16 {
        F32x16(op!(_mm512_permutexvar_ps(index.0, table.0)))
    }

    #[inline(always)]
    fn lookup8(self, table: F32x16, index: U32x16) -> F32x16 {
        self.lookup(table, index)
    }

    #[inline(always)]
    fn window(self, from: &[f32], index: U32x16) -> F32x16 {
        self.lookup(self.load(from), index)
    }

    #[inline(always)]
    fn gather(self, from: &[f32], index: U32x16) -> F32x16 {
        let len = self.u32(i32::try_from(from.len()).unwrap_or(i32::MAX) as u32);
        let is_inside = op!(_mm512_cmplt_epu32_mask(index.0, len.0));
        assert!(is_inside == 0xffff, "an index is past the end of {} values", from.len());
        F32x16(op!(_mm512_i32gather_ps::<4>(index.0, from.as_ptr().cast())))
    }
}
