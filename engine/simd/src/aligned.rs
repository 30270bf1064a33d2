//! In: how many numbers. Out: a buffer of them that begins on a cache line and ends with a whole vector.
//! Never knows: what is in it.

use crate::LANES_MAX;
use std::{fmt, ops};

/// A cache line of f32, which is a vector of the widest instruction set.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; LANES_MAX]);

/// A buffer of f32 for vectors: loads never straddle a cache line, and its length is a multiple of [`LANES_MAX`].
#[derive(Clone, Default)]
pub struct Aligned {
    lines: Vec<Line>,
}

impl Aligned {
    /// Room for at least `len` values; what is there stays, new values are 0. Never shrinks its memory.
    pub fn resize(&mut self, len: usize) {
        self.lines.resize(len.div_ceil(LANES_MAX), Line([0.0; LANES_MAX]));
    }
}

impl ops::Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        // SAFETY: a line is 16 f32 without padding (64 bytes of alignment and size), so n lines are 16 n f32 in a row.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * LANES_MAX) }
    }
}

impl ops::DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; the borrow of `self` is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * LANES_MAX) }
    }
}

impl fmt::Debug for Aligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
