//! In: metres as integers, a frequency. Out: where on a noise lattice that is, in fixed point.
//! Never knows: what is made from it.
//!
//! The high 32 bits of a phase are the lattice cell, the low 32 its fraction, of which 24 become an f32. Sums wrap, so a place
//! 10,000 km out is as precise as the origin, and two chunks that meet at a border compute the same integer there.

use terrane_base::hash::pcg;

/// Lattice cells to a metre, Q32.32; quantised once, so that everything derived from it agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency(pub u64);

/// A position on a lattice axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase(pub u64);

/// Warp offsets are whole multiples of 2^-16 m.
pub const WARP_UNITS_PER_M: f32 = 65536.0;

impl Frequency {
    /// One cell to `wavelength_m` metres. The wavelength is at least 2^-8 m; it is the caller's settings that say so.
    pub fn from_wavelength(wavelength_m: f64) -> Frequency {
        Frequency((4_294_967_296.0 / wavelength_m).round() as u64)
    }

    /// `factor` times as many cells.
    pub fn times(self, factor: f64) -> Frequency {
        Frequency((self.0 as f64 * factor).round() as u64)
    }

    /// What `metres` add to a phase. Wraps, as phases do.
    pub fn over(self, metres: u32) -> u64 {
        self.0.wrapping_mul(u64::from(metres))
    }

    /// The phase at a metre, from an offset.
    pub fn phase(self, metre: i64, offset: Phase) -> Phase {
        Phase((metre as u64).wrapping_mul(self.0).wrapping_add(offset.0))
    }

    /// How far `units` of 2^-16 m move the phase.
    pub fn shift(self, units: i32) -> u64 {
        // floor(units x frequency / 2^16) in two parts, so that no product overflows below 2^47 (a wavelength of 2^-15 m); the shift
        // rounds down, whatever the sign. Steps along turned axes are negative: they come as two's complement.
        let (units, frequency) = (i64::from(units), self.0 as i64);
        units.wrapping_mul(frequency >> 16).wrapping_add((units * (frequency & 0xffff)) >> 16) as u64
    }
}

impl Phase {
    /// Where a seed's lattice begins along an axis, 0 to 2.
    pub fn random(seed: u32, axis: usize) -> Phase {
        let salt = [0x5f35_6495, 0x2c1b_3c6d, 0x297a_2d39][axis];
        Phase(u64::from(pcg(seed ^ salt)) << 32 | u64::from(pcg(seed ^ !salt)))
    }

    /// The phase further on, as [`Frequency::shift`] says.
    pub fn moved(self, by: u64) -> Phase {
        Phase(self.0.wrapping_add(by))
    }

    /// The lattice cell.
    pub fn cell(self) -> i32 {
        (self.0 >> 32) as u32 as i32
    }

    /// The place within the cell, a multiple of 2^-24 in [0, 1): exact in f32.
    pub fn fraction(self) -> f32 {
        ((self.0 as u32) >> 8) as f32 * (1.0 / 16_777_216.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_to_the_same_phase_far_from_the_origin() {
        let frequency = Frequency::from_wavelength(1234.5);
        for start in [-10_000_000i64, -1, 0, 10_000_000] {
            let at = |metre| frequency.phase(metre, Phase(77));
            let step = frequency.0.wrapping_mul(8);
            assert_eq!(at(start + 16).0, at(start).0.wrapping_add(step).wrapping_add(step));
        }
    }

    #[test]
    fn cells_go_on_below_zero() {
        let frequency = Frequency::from_wavelength(4.0);
        assert_eq!(frequency.phase(-1, Phase(0)).cell(), -1);
        assert_eq!(frequency.phase(-1, Phase(0)).fraction(), 0.75);
        assert_eq!(frequency.phase(-4, Phase(0)).fraction(), 0.0);
    }

    #[test]
    fn a_warp_of_whole_metres_is_a_step_of_metres() {
        let frequency = Frequency::from_wavelength(128.0);
        for metre in [-300, -1, 1, 300] {
            assert_eq!(frequency.shift(metre * 65536), frequency.phase(i64::from(metre), Phase(0)).0);
        }
    }
}
