//! In: integers, in an order that the caller fixes. Out: 128 bits that differ when any of them does.
//! Never knows: what the integers mean. Not cryptographic: it tells equal worlds from unequal ones.

use std::fmt;

/// A streaming hash of 32-bit words: two lanes of multiply and rotate (after Appleby's MurmurHash3), mixed at the end.
#[derive(Clone, Debug)]
pub struct Digest {
    lanes: [u64; 2],
    words: u64,
}

/// The value of a digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DigestValue(pub [u64; 2]);

impl Default for Digest {
    fn default() -> Self {
        Digest { lanes: [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03], words: 0 }
    }
}

impl Digest {
    /// Takes in one word.
    pub fn write_u32(&mut self, word: u32) {
        let [a, b] = self.lanes;
        let mixed = (u64::from(word) ^ a).wrapping_mul(0x87c3_7b91_1142_53d5);
        self.lanes = [(mixed ^ mixed >> 29).rotate_left(27).wrapping_add(b), (b ^ mixed).wrapping_mul(0x4cf5_ad43_2745_937f).rotate_left(31)];
        self.words += 1;
    }

    /// Takes in one signed word.
    pub fn write_i32(&mut self, word: i32) {
        self.write_u32(word as u32);
    }

    /// Takes in two words, the low one first.
    pub fn write_u64(&mut self, word: u64) {
        self.write_u32(word as u32);
        self.write_u32((word >> 32) as u32);
    }

    /// The digest of everything so far.
    pub fn finish(&self) -> DigestValue {
        let mix = |mut h: u64| {
            h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            h ^ h >> 33
        };
        let a = mix(self.lanes[0] ^ self.words);
        let b = mix(self.lanes[1].wrapping_add(a));
        DigestValue([a.wrapping_add(b), b])
    }
}

impl fmt::Display for DigestValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}

impl fmt::Debug for DigestValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DigestValue({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(words: &[u32]) -> DigestValue {
        let mut digest = Digest::default();
        words.iter().for_each(|word| digest.write_u32(*word));
        digest.finish()
    }

    #[test]
    fn order_length_and_every_bit_count() {
        let base = digest(&[1, 2, 3]);
        assert_ne!(base, digest(&[1, 3, 2]));
        assert_ne!(base, digest(&[1, 2, 3, 0]));
        assert_ne!(digest(&[]), digest(&[0]));
        for bit in 0..32 {
            assert_ne!(base, digest(&[1, 2 ^ 1 << bit, 3]));
        }
    }

    #[test]
    fn prints_as_32_pinned_digits() {
        let text = digest(&[5]).to_string();
        // Pinned: digests are compared across builds and machines.
        assert_eq!(text, "660cc5658b2aae14fe797615805850d3");
    }
}
