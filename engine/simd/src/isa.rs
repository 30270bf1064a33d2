//! In: a name or nothing, and kernels. Out: the instruction set to compute with, and what the kernels return.
//! Never knows: what is computed.

use crate::{Scalar, Simd};
use std::{fmt, str::FromStr, sync::OnceLock};
use thiserror::Error;

#[cfg(target_arch = "x86_64")]
use crate::{avx2::Avx2, avx512::Avx512};

/// An instruction set that kernels are compiled for, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// What every processor has.
    Scalar,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT: 8 lanes.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL besides: 16 lanes.
    Avx512,
}

/// A choice that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IsaError {
    /// No such name.
    #[error("there is no instruction set '{0}'; known are auto, scalar, avx2, avx512")]
    Unknown(String),
    /// This processor lacks it.
    #[error("this processor has no {wanted}; its widest instruction set is {widest}")]
    Unsupported {
        /// What was asked for.
        wanted: Isa,
        /// What there is.
        widest: Isa,
    },
}

/// A computation that is written once, for any instruction set.
pub trait Kernel {
    /// What it returns.
    type Out;
    /// Computes. Mark it, and everything generic that it calls, `#[inline(always)]`. Plain loops in it are vectorised by the compiler
    /// for the same instruction set; a kernel may be nothing else.
    fn run<S: Simd>(self, s: S) -> Self::Out;
}

static CHOSEN: OnceLock<Isa> = OnceLock::new();

impl Isa {
    /// All, narrowest first.
    pub const ALL: [Isa; 3] = [Isa::Scalar, Isa::Avx2, Isa::Avx512];

    /// The widest that this processor has.
    pub fn detect() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_supported()).unwrap_or(Isa::Scalar)
    }

    /// Those that this processor has, narrowest first.
    pub fn supported() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_supported())
    }

    /// Whether this processor has it.
    pub fn is_supported(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// One by its name, or the widest for "auto"; refused if this processor lacks it.
    pub fn parse(name: &str) -> Result<Isa, IsaError> {
        let wanted = if name == "auto" { Isa::detect() } else { name.parse()? };
        if wanted.is_supported() { Ok(wanted) } else { Err(IsaError::Unsupported { wanted, widest: Isa::detect() }) }
    }

    /// Sets what [`Isa::chosen`] says, once, before anything is computed. Gives back what holds: the first choice stays.
    pub fn choose(isa: Isa) -> Isa {
        *CHOSEN.get_or_init(|| isa)
    }

    /// What this process computes with: the widest, unless something else was chosen. It changes speed, never results.
    pub fn chosen() -> Isa {
        *CHOSEN.get_or_init(Isa::detect)
    }

    /// Runs a kernel compiled for this instruction set, or for the next narrower one that this processor has.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Out {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Isa::Avx512
                && let Some(s) = Avx512::detect()
            {
                return s.run(kernel);
            }
            if self >= Isa::Avx2
                && let Some(s) = Avx2::detect()
            {
                return s.run(kernel);
            }
        }
        kernel.run(Scalar::new())
    }

    /// Runs a closure of plain loops compiled for this instruction set: the compiler vectorises them. The closure itself must be
    /// inlined: `isa.run_plain(#[inline(always)] || ...)`, and so must what it calls.
    #[inline]
    pub fn run_plain<R>(self, compute: impl FnOnce() -> R) -> R {
        struct Plain<F>(F);
        impl<R, F: FnOnce() -> R> Kernel for Plain<F> {
            type Out = R;
            #[inline(always)]
            fn run<S: Simd>(self, _: S) -> R {
                (self.0)()
            }
        }
        self.run(Plain(compute))
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(name: &str) -> Result<Isa, IsaError> {
        Isa::ALL.into_iter().find(|isa| isa.to_string() == name).ok_or_else(|| IsaError::Unknown(name.to_owned()))
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        })
    }
}
