//! In: integers. Out: integers that look random. The source of every random choice in a world.
//! Never knows: floats, time, state. Only 32-bit wrapping arithmetic, so that a shader computes the same.

/// PCG output permutation of one step of a linear generator (Jarzynski and Olano 2020, "Hash Functions for GPU Rendering").
pub const fn pcg(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// Hash of a cell of a plane, for a seed.
pub const fn hash2(seed: u32, x: i32, z: i32) -> u32 {
    pcg(seed ^ pcg(x as u32 ^ pcg(z as u32)))
}

/// Hash of a cell of space, for a seed.
pub const fn hash3(seed: u32, x: i32, y: i32, z: i32) -> u32 {
    pcg(seed ^ pcg(x as u32 ^ pcg(y as u32 ^ pcg(z as u32))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_pinned() {
        assert_eq!([pcg(0), pcg(1), pcg(u32::MAX)], [129_708_002, 2_831_084_092, 3_861_530_882]);
        let hashes = [hash2(0, 0, 0), hash2(1, 2, 3), hash2(1, 3, 2), hash2(42, -1, i32::MIN)];
        assert_eq!(hashes, [2_145_236_065, 1_493_219_802, 46_372_460, 2_058_008_104]);
        let hashes = [hash3(0, 0, 0, 0), hash3(0, 1, 2, 3), hash3(0, 3, 2, 1), hash3(42, -1, i32::MAX, -65)];
        assert_eq!(hashes, [2_368_882_721, 153_047_545, 3_971_734_696, 1_401_797_598]);
    }

    #[test]
    fn every_bit_is_set_half_of_the_time() {
        let mut ones = [0u32; 32];
        for x in -64..64 {
            for z in -64..64 {
                let h = hash2(7, x, z);
                ones.iter_mut().enumerate().for_each(|(bit, count)| *count += h >> bit & 1);
            }
        }
        // 16,384 draws: the standard deviation is 64; six of them.
        assert!(ones.iter().all(|&count| count.abs_diff(8192) < 384), "{ones:?}");
    }
}
