//! In: what the player typed. Out: the one integer that a world follows from, and independent streams of it.
//! Never knows: which world.

use crate::hash::pcg;

/// The seed of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seed(pub i64);

impl Seed {
    /// Any whole number that an `i64` holds stands for itself; every other text is hashed: 64-bit FNV-1a over its UTF-8 bytes
    /// (Fowler, Noll and Vo), read as an `i64`. Space around it is left out.
    pub fn parse(text: &str) -> Seed {
        let text = text.trim();
        Seed(text.parse().unwrap_or_else(|_| fnv1a(text.as_bytes()) as i64))
    }

    /// An independent 32-bit seed for one purpose, named by `salt`. Both halves of the seed count.
    pub fn stream(self, salt: &str) -> u32 {
        let salt = fnv1a(salt.as_bytes());
        let low = pcg(self.0 as u32 ^ salt as u32);
        pcg(low ^ pcg((self.0 >> 32) as u32 ^ (salt >> 32) as u32))
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_themselves_and_text_is_hashed() {
        assert_eq!(Seed::parse("42"), Seed(42));
        assert_eq!(Seed::parse(" -7 "), Seed(-7));
        assert_eq!(Seed::parse("9223372036854775807"), Seed(i64::MAX));
        assert_eq!(Seed::parse("9223372036854775808"), Seed(fnv1a(b"9223372036854775808") as i64));
        assert_eq!(Seed::parse("a"), Seed(0xaf63_dc4c_8601_ec8c_u64 as i64));
    }

    #[test]
    fn streams_differ_by_salt_and_by_either_half_of_the_seed() {
        let streams = [Seed(1).stream("height"), Seed(1).stream("cover"), Seed(2).stream("height"), Seed(1 << 32 | 1).stream("height")];
        assert_eq!(streams[0], 3_492_991_820, "pinned: every world follows from it");
        for (i, a) in streams.iter().enumerate() {
            assert!(streams[i + 1..].iter().all(|b| a != b));
        }
    }
}
