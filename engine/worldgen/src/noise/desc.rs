//! In: what someone wants of a stack of octaves. Out: the same, or what is wrong with it.
//! Never knows: lattices, instruction sets.

use thiserror::Error;

/// Octaves of a stack. Sixteen doublings go from 65 km to 1 m.
pub const OCTAVES_MAX: u32 = 16;
/// Wavelengths that phases can express: at least 2^-8 m, so that a frequency stays below 2^40 cells in 2^32 m.
const WAVELENGTH_MIN_M: f64 = 1.0 / 256.0;

/// What makes a stack of octaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StackDesc {
    /// Octaves, 1 to [`OCTAVES_MAX`].
    pub octaves: u32,
    /// Wavelength of the first, metres. Where the stack is warped, that of the last octave is at least 1 m.
    pub wavelength_m: f64,
    /// Frequency from octave to octave.
    pub lacunarity: f64,
    /// Amplitude from octave to octave.
    pub persistence: f32,
    /// Repeats after so many cells of the first octave; 0 never. For tests of precision: a power of two, with a lacunarity of 2 and a
    /// wavelength that is a power of two, so that no phase is rounded. The period is `period_cells * wavelength_m` metres.
    pub period_cells: u32,
}

/// What is wrong with a [`StackDesc`].
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum DescError {
    /// Too few or many.
    #[error("a stack has {0} octaves; allowed are 1 to {OCTAVES_MAX}")]
    Octaves(u32),
    /// Not a length, or one that phases cannot express.
    #[error("octave {octave} of a stack has a wavelength of {wavelength_m} m; it must be a number of at least {WAVELENGTH_MIN_M}")]
    Wavelength {
        /// Which, from 1.
        octave: u32,
        /// Its wavelength.
        wavelength_m: f64,
    },
    /// Not above 0, or no number.
    #[error("the lacunarity of a stack is {0}; it must be a number above 0")]
    Lacunarity(f64),
    /// No number, or so large that the sum is none.
    #[error("the persistence of a stack is {0}; it must be a number from 0 to 16")]
    Persistence(f32),
    /// Does not divide the lattice.
    #[error("a stack repeats after {0} cells; it must be 0 or a power of two")]
    Period(u32),
}

impl StackDesc {
    /// Refuses what makes no noise: NaN, infinity, and numbers out of range.
    pub fn check(&self) -> Result<(), DescError> {
        if !(1..=OCTAVES_MAX).contains(&self.octaves) {
            return Err(DescError::Octaves(self.octaves));
        }
        if !(self.lacunarity > 0.0 && self.lacunarity.is_finite()) {
            return Err(DescError::Lacunarity(self.lacunarity));
        }
        if !(0.0..=16.0).contains(&self.persistence) {
            return Err(DescError::Persistence(self.persistence));
        }
        if self.period_cells != 0 && !self.period_cells.is_power_of_two() {
            return Err(DescError::Period(self.period_cells));
        }
        let mut wavelength_m = self.wavelength_m;
        for octave in 1..=self.octaves {
            if !(wavelength_m >= WAVELENGTH_MIN_M && wavelength_m.is_finite()) {
                return Err(DescError::Wavelength { octave, wavelength_m });
            }
            wavelength_m /= self.lacunarity;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_noise_is_refused_by_name() {
        let good = StackDesc { octaves: 6, wavelength_m: 100.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 };
        assert_eq!(good.check(), Ok(()));
        for (desc, told) in [
            (StackDesc { octaves: 0, ..good }, "a stack has 0 octaves; allowed are 1 to 16"),
            (StackDesc { wavelength_m: f64::NAN, ..good }, "octave 1 of a stack has a wavelength of NaN m; it must be a number of at least 0.00390625"),
            (StackDesc { wavelength_m: f64::INFINITY, ..good }, "octave 1 of a stack has a wavelength of inf m; it must be a number of at least 0.00390625"),
            (StackDesc { wavelength_m: 0.06, ..good }, "octave 5 of a stack has a wavelength of 0.00375 m; it must be a number of at least 0.00390625"),
            (StackDesc { lacunarity: f64::NAN, ..good }, "the lacunarity of a stack is NaN; it must be a number above 0"),
            (StackDesc { lacunarity: -2.0, ..good }, "the lacunarity of a stack is -2; it must be a number above 0"),
            (StackDesc { persistence: f32::NAN, ..good }, "the persistence of a stack is NaN; it must be a number from 0 to 16"),
            (StackDesc { persistence: f32::INFINITY, ..good }, "the persistence of a stack is inf; it must be a number from 0 to 16"),
            (StackDesc { period_cells: 3, ..good }, "a stack repeats after 3 cells; it must be 0 or a power of two"),
        ] {
            assert_eq!(desc.check().map_err(|error| error.to_string()), Err(told.to_owned()));
        }
    }
}
