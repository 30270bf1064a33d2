//! In: the values of octaves, one octave after the other. Out: their sum, by one of the usual rules.
//! Never knows: where the values come from.

use terrane_simd::Simd;

/// How octaves are summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fractal {
    /// Each with its amplitude: rolling. About [-1, 1] times [`super::StackOf::amplitude_sum`].
    Fbm,
    /// Absolute values: round hills between sharp valleys. The same range.
    Billow,
    /// Musgrave's ridged multifractal ("Texturing and Modeling", chapter 16), where an octave counts as much as the one before it stands
    /// out. Values in [0, 1] for a persistence up to 0.5.
    Ridged {
        /// How soon an octave counts fully.
        sharpness: f32,
    },
}

impl Fractal {
    /// Adds an octave to sums and weights that began as 0 and 1. `scale` brings a value to +-1; the octave's amplitude includes it.
    #[inline(always)]
    pub(super) fn add<S: Simd>(self, s: S, amplitude: f32, scale: f32, values: &[f32], sums: &mut [f32], weights: &mut [f32]) {
        let (amplitude, scale, zero, one) = (s.f32(amplitude), s.f32(scale), s.f32(0.0), s.f32(1.0));
        let vectors = values.chunks_exact(S::LANES).zip(sums.chunks_exact_mut(S::LANES));
        match self {
            Fractal::Fbm => {
                for (value, sum) in vectors {
                    s.store(s.load(sum) + amplitude * s.load(value), sum);
                }
            }
            Fractal::Billow => {
                for (value, sum) in vectors {
                    let value = s.load(value) * scale;
                    let value = s.select(s.less(value, zero), zero - value, value);
                    s.store(s.load(sum) + amplitude * (value + value - one), sum);
                }
            }
            Fractal::Ridged { sharpness } => {
                let sharpness = s.f32(sharpness);
                for ((value, sum), weight) in vectors.zip(weights.chunks_exact_mut(S::LANES)) {
                    let value = s.load(value) * scale;
                    let fold = s.select(s.less(value, zero), one + value, one - value);
                    let ridge = fold * fold;
                    s.store(s.load(sum) + ridge * s.load(weight) * amplitude, sum);
                    s.store(unit(s, ridge * sharpness), weight);
                }
            }
        }
    }

    /// What sums are multiplied by in the end, if by anything. `scale` is [`super::StackOf::scale`].
    #[inline(always)]
    pub fn last_factor(self, scale: f32) -> Option<f32> {
        match self {
            Fractal::Fbm => None,
            Fractal::Billow => Some(1.0 / scale),
            Fractal::Ridged { .. } => Some(0.5 / scale),
        }
    }
}

/// The vector form of [`super::unit`].
#[inline(always)]
fn unit<S: Simd>(s: S, t: S::F32) -> S::F32 {
    let (zero, one) = (s.f32(0.0), s.f32(1.0));
    s.select(s.less(one, t), one, s.select(s.less(t, zero), zero, t))
}
