//! In: rows of 64 numbers. Out: a bit for each, in a u64; or 64 counters of a byte.
//! Never knows: what a row stands for.

use crate::Scalar;

/// Rows of 64: comparisons that give one bit a lane, and counters. Every [`crate::Simd`] has them.
///
/// ```
/// use terrane_simd::{Isa, Kernel, Rows, Simd};
///
/// struct Below<'a>(&'a [f32; 64]);
///
/// impl Kernel for Below<'_> {
///     type Out = u64;
///     #[inline(always)]
///     fn run<S: Simd>(self, s: S) -> u64 {
///         s.below_zero_f32(self.0)
///     }
/// }
///
/// let mut row = [1.0; 64];
/// row[5] = -1.0;
/// assert_eq!(Isa::chosen().run(Below(&row)), 1 << 5);
/// ```
pub trait Rows: Copy {
    /// 64 counters.
    type Counters: Copy;

    /// All 0.
    fn counters(self) -> Self::Counters;
    /// From memory.
    fn load_counters(self, from: &[u8; 64]) -> Self::Counters;
    /// To memory.
    fn store_counters(self, bytes: Self::Counters, to: &mut [u8; 64]);
    /// Adds 1 where `plus` says so, sets to 0 where `clear` says so; never both. A counter stays below 255.
    fn count(self, bytes: Self::Counters, plus: u64, clear: u64) -> Self::Counters;
    /// Lanes that are equal.
    fn equal_counters(self, a: Self::Counters, b: Self::Counters) -> u64;
    /// Lanes that equal the next lane; the last one has none and says anything.
    fn equal_next(self, bytes: Self::Counters) -> u64;
    /// Lanes that are equal.
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64;
    /// Lanes that are equal.
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64;
    /// Lanes below 0; -0 is not.
    fn below_zero_f32(self, row: &[f32; 64]) -> u64;
    /// Lanes below 0.
    fn below_zero_i16(self, row: &[i16; 64]) -> u64;
}

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The lowest bit of each byte that is 0. Exact: no carry leaves a byte.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    (!((word & LOW_SEVEN).wrapping_add(LOW_SEVEN) | word) >> 7) & LOW_BITS
}

/// Eight lowest bits of bytes, next to each other.
#[inline(always)]
fn gather(low_bits: u64) -> u64 {
    low_bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Eight bits to the lowest bits of eight bytes.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    // Each byte keeps its own bit of a copy; what is not 0 becomes 1.
    let own = (bits & 0xff).wrapping_mul(LOW_BITS) & 0x8040_2010_0804_0201;
    ((own.wrapping_add(LOW_SEVEN) | own) >> 7) & LOW_BITS
}

/// Eight lanes in a u64.
impl Rows for Scalar {
    type Counters = [u64; 8];

    #[inline(always)]
    fn counters(self) -> [u64; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn load_counters(self, from: &[u8; 64]) -> [u64; 8] {
        let (words, _) = from.as_chunks::<8>();
        std::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    #[inline(always)]
    fn store_counters(self, bytes: [u64; 8], to: &mut [u8; 64]) {
        let (words, _) = to.as_chunks_mut::<8>();
        words.iter_mut().zip(bytes).for_each(|(to, word)| *to = word.to_le_bytes());
    }

    #[inline(always)]
    fn count(self, bytes: [u64; 8], plus: u64, clear: u64) -> [u64; 8] {
        std::array::from_fn(|i| (bytes[i].wrapping_add(spread(plus >> (8 * i)))) & !(spread(clear >> (8 * i)).wrapping_mul(0xff)))
    }

    #[inline(always)]
    fn equal_counters(self, a: [u64; 8], b: [u64; 8]) -> u64 {
        (0..8).fold(0, |bits, i| bits | gather(zero_bytes(a[i] ^ b[i])) << (8 * i))
    }

    #[inline(always)]
    fn equal_next(self, bytes: [u64; 8]) -> u64 {
        let next = std::array::from_fn(|i| bytes[i] >> 8 | if i < 7 { bytes[i + 1] << 56 } else { 0 });
        self.equal_counters(bytes, next)
    }

    #[inline(always)]
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64 {
        self.equal_counters(self.load_counters(a), self.load_counters(b))
    }

    #[inline(always)]
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        pack(|lane| a[lane] == b[lane])
    }

    #[inline(always)]
    fn below_zero_f32(self, row: &[f32; 64]) -> u64 {
        pack(|lane| row[lane] < 0.0)
    }

    #[inline(always)]
    fn below_zero_i16(self, row: &[i16; 64]) -> u64 {
        pack(|lane| row[lane] < 0)
    }
}

/// 64 answers, the first lowest. By way of bytes, which the compiler makes many at a time.
#[inline(always)]
fn pack(answer: impl Fn(usize) -> bool) -> u64 {
    let mut bytes = [0; 64];
    bytes.iter_mut().enumerate().for_each(|(lane, byte)| *byte = u8::from(answer(lane)));
    let words = bytes.as_chunks::<8>().0.iter().enumerate();
    words.fold(0, |bits, (i, word)| bits | gather(u64::from_le_bytes(*word)) << (8 * i))
}
