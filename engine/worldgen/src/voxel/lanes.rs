//! In: rows of 64. Out: a bit or a byte for each lane.
//! Never knows: what a lane stands for.

/// What the meshers ask of an instruction set: 64 counters of a byte, and comparisons of rows.
pub trait ByteLanes: Copy {
    /// 64 counters.
    type Bytes: Copy;

    /// All 0.
    fn zero(self) -> Self::Bytes;
    /// From memory.
    fn load(self, from: &[u8; 64]) -> Self::Bytes;
    /// To memory.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; 64]);
    /// Adds 1 where `plus` says so, sets to 0 where `clear` says so; never both. A counter stays below 255.
    fn count(self, bytes: Self::Bytes, plus: u64, clear: u64) -> Self::Bytes;
    /// Lanes that are equal.
    fn equal(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Lanes that equal the next lane; the last one has none and says anything.
    fn equal_next(self, bytes: Self::Bytes) -> u64;
    /// Lanes that are equal.
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64;
    /// Lanes that are equal.
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64;
    /// Lanes below 0; -0 is not.
    fn below_zero_f32(self, row: &[f32; 64]) -> u64;
    /// Lanes below 0.
    fn below_zero_i16(self, row: &[i16; 64]) -> u64;
}

/// Any processor: eight lanes in a u64.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

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

impl ByteLanes for Portable {
    type Bytes = [u64; 8];

    #[inline(always)]
    fn zero(self) -> [u64; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn load(self, from: &[u8; 64]) -> [u64; 8] {
        let (words, _) = from.as_chunks::<8>();
        std::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    #[inline(always)]
    fn store(self, bytes: [u64; 8], to: &mut [u8; 64]) {
        let (words, _) = to.as_chunks_mut::<8>();
        words.iter_mut().zip(bytes).for_each(|(to, word)| *to = word.to_le_bytes());
    }

    #[inline(always)]
    fn count(self, bytes: [u64; 8], plus: u64, clear: u64) -> [u64; 8] {
        std::array::from_fn(|i| (bytes[i].wrapping_add(spread(plus >> (8 * i)))) & !(spread(clear >> (8 * i)).wrapping_mul(0xff)))
    }

    #[inline(always)]
    fn equal(self, a: [u64; 8], b: [u64; 8]) -> u64 {
        (0..8).fold(0, |bits, i| bits | gather(zero_bytes(a[i] ^ b[i])) << (8 * i))
    }

    #[inline(always)]
    fn equal_next(self, bytes: [u64; 8]) -> u64 {
        let next = std::array::from_fn(|i| bytes[i] >> 8 | if i < 7 { bytes[i + 1] << 56 } else { 0 });
        self.equal(bytes, next)
    }

    #[inline(always)]
    fn same_u8(self, a: &[u8; 64], b: &[u8; 64]) -> u64 {
        self.equal(self.load(a), self.load(b))
    }

    #[inline(always)]
    fn same_u16(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        pack(a.iter().zip(b).map(|(a, b)| a == b))
    }

    #[inline(always)]
    fn below_zero_f32(self, row: &[f32; 64]) -> u64 {
        pack(row.iter().map(|value| *value < 0.0))
    }

    #[inline(always)]
    fn below_zero_i16(self, row: &[i16; 64]) -> u64 {
        pack(row.iter().map(|value| *value < 0))
    }
}

/// 64 answers, the first lowest.
#[inline(always)]
fn pack(answers: impl Iterator<Item = bool>) -> u64 {
    answers.enumerate().fold(0, |bits, (lane, answer)| bits | u64::from(answer) << lane)
}
