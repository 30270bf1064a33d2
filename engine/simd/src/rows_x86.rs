//! In, out: [`Rows`] with AVX2 and AVX-512.
//! Never knows: kernels.

use crate::{Rows, avx2::Avx2, avx512::Avx512};
use std::arch::x86_64::*;

/// Calls intrinsics.
macro_rules! op {
    ($call:expr) => {{
        // SAFETY: `self` proves that the processor has these instructions. Loads and stores are of arrays of at least that size.
        unsafe { $call }
    }};
}

/// Two registers of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Halves(__m256i, __m256i);

impl Avx2 {
    /// The highest bits of 64 bytes.
    #[inline(always)]
    fn high_bits(self, bytes: Halves) -> u64 {
        let [low, high] = [bytes.0, bytes.1].map(|half| u64::from(op!(_mm256_movemask_epi8(half)) as u32));
        low | high << 32
    }

    /// All bits of the bytes whose bit is set.
    #[inline(always)]
    fn spread(self, bits: u64) -> Halves {
        let half = |bits: u32| {
            // Byte i gets byte i / 8 of the word, and keeps bit i % 8 of it.
            let from = op!(_mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303));
            let copies = op!(_mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), from));
            let own = op!(_mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64));
            op!(_mm256_cmpeq_epi8(_mm256_and_si256(copies, own), own))
        };
        Halves(half(bits as u32), half((bits >> 32) as u32))
    }

    /// The sign bits of four registers of 16-bit numbers.
    #[inline(always)]
    fn signs_16(self, words: [__m256i; 4]) -> u64 {
        // Packing keeps signs and mixes the quarters of two registers.
        let half = |a, b| op!(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b)));
        self.high_bits(Halves(half(words[0], words[1]), half(words[2], words[3])))
    }

    #[inline(always)]
    fn quarter<T>(self, row: &[T; 64], index: usize) -> __m256i {
        const { assert!(size_of::<T>() == 2) }
        let quarters = row.as_chunks::<16>().0;
        op!(_mm256_loadu_si256(quarters[index].as_ptr().cast()))
    }
}

impl Rows for Avx2 {
    type Counters = Halves;

    #[inline(always)]
    fn counters(self) -> Halves {
        let zero = op!(_mm256_setzero_si256());
        Halves(zero, zero)
    }

    #[inline(always)]
    fn load_counters(self, from: &[u8; 64]) -> Halves {
        let halves = from.as_chunks::<32>().0;
        op!(Halves(_mm256_loadu_si256(halves[0].as_ptr().cast()), _mm256_loadu_si256(halves[1].as_ptr().cast())))
    }

    #[inline(always)]
    fn store_counters(self, bytes: Halves, to: &mut [u8; 64]) {
        let [low, high] = to.as_chunks_mut::<32>().0 else { unreachable!("two halves") };
        op!(_mm256_storeu_si256(low.as_mut_ptr().cast(), bytes.0));
        op!(_mm256_storeu_si256(high.as_mut_ptr().cast(), bytes.1));
    }

    #[inline(always)]
    fn count(self, bytes: Halves, plus: u64, clear: u64) -> Halves {
        let (plus, clear) = (self.spread(plus), self.spread(clear));
        // All bits are -1.
        let half = |bytes, plus, clear| op!(_mm256_andnot_si256(clear, _mm256_sub_epi8(bytes, plus)));
        Halves(half(bytes.0, plus.0, clear.0), half(bytes.1, plus.1, clear.1))
    }

    #[inline(always)]
    fn equal_counters(self, a: Halves, b: Halves) -> u64 {
        self.high_bits(op!(Halves(_mm256_cmpeq_epi8(a.0, b.0), _mm256_cmpeq_epi8(a.1, b.1))))
    }

    #[inline(always)]
    fn equal_next(self, bytes: Halves) -> u64 {
        // What follows each quarter: the next one, and nothing after the last.
        let after = op!(Halves(_mm256_permute2x128_si256::<0x21>(bytes.0, bytes.1), _mm256_permute2x128_si256::<0x81>(bytes.1, bytes.1)));
        self.equal_counters(bytes, op!(Halves(_mm256_alignr_epi8::<1>(after.0, bytes.0), _mm256_alignr_epi8::<1>(after.1, bytes.1))))
    }

    #[inline(always)]
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64 {
        self.equal_counters(self.load_counters(a), self.load_counters(b))
    }

    #[inline(always)]
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        self.signs_16([0, 1, 2, 3].map(|i| op!(_mm256_cmpeq_epi16(self.quarter(a, i), self.quarter(b, i)))))
    }

    #[inline(always)]
    fn below_zero_f32(self, row: &[f32; 64]) -> u64 {
        row.as_chunks::<8>().0.iter().enumerate().fold(0, |bits, (i, eight)| {
            let below = op!(_mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_loadu_ps(eight.as_ptr()), _mm256_setzero_ps()));
            bits | u64::from(op!(_mm256_movemask_ps(below)) as u32) << (8 * i)
        })
    }

    #[inline(always)]
    fn below_zero_i16(self, row: &[i16; 64]) -> u64 {
        self.signs_16([0, 1, 2, 3].map(|i| self.quarter(row, i)))
    }
}

impl Avx512 {
    #[inline(always)]
    fn half<T>(self, row: &[T; 64], index: usize) -> __m512i {
        const { assert!(size_of::<T>() == 2) }
        let halves = row.as_chunks::<32>().0;
        op!(_mm512_loadu_si512(halves[index].as_ptr().cast()))
    }
}

impl Rows for Avx512 {
    type Counters = __m512i;

    #[inline(always)]
    fn counters(self) -> __m512i {
        op!(_mm512_setzero_si512())
    }

    #[inline(always)]
    fn load_counters(self, from: &[u8; 64]) -> __m512i {
        op!(_mm512_loadu_si512(from.as_ptr().cast()))
    }

    #[inline(always)]
    fn store_counters(self, bytes: __m512i, to: &mut [u8; 64]) {
        op!(_mm512_storeu_si512(to.as_mut_ptr().cast(), bytes));
    }

    #[inline(always)]
    fn count(self, bytes: __m512i, plus: u64, clear: u64) -> __m512i {
        op!(_mm512_maskz_mov_epi8(!clear, _mm512_mask_add_epi8(bytes, plus, bytes, _mm512_set1_epi8(1))))
    }

    #[inline(always)]
    fn equal_counters(self, a: __m512i, b: __m512i) -> u64 {
        op!(_mm512_cmpeq_epi8_mask(a, b))
    }

    #[inline(always)]
    fn equal_next(self, bytes: __m512i) -> u64 {
        // What follows each quarter: the next one, and nothing after the last.
        let after = op!(_mm512_alignr_epi64::<2>(_mm512_setzero_si512(), bytes));
        self.equal_counters(bytes, op!(_mm512_alignr_epi8::<1>(after, bytes)))
    }

    #[inline(always)]
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64 {
        self.equal_counters(self.load_counters(a), self.load_counters(b))
    }

    #[inline(always)]
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        let [low, high] = [0, 1].map(|i| u64::from(op!(_mm512_cmpeq_epi16_mask(self.half(a, i), self.half(b, i)))));
        low | high << 32
    }

    #[inline(always)]
    fn below_zero_f32(self, row: &[f32; 64]) -> u64 {
        row.as_chunks::<16>().0.iter().enumerate().fold(0, |bits, (i, sixteen)| {
            let below = op!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_loadu_ps(sixteen.as_ptr()), _mm512_setzero_ps()));
            bits | u64::from(below) << (16 * i)
        })
    }

    #[inline(always)]
    fn below_zero_i16(self, row: &[i16; 64]) -> u64 {
        let [low, high] = [0, 1].map(|i| u64::from(op!(_mm512_movepi16_mask(self.half(row, i)))));
        low | high << 32
    }
}
