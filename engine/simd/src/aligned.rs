//! In: how many numbers. Out: a buffer of them that begins on a cache line and ends with a whole vector.
//! Never knows: what is in it.

use crate::LANES_MAX;
use std::{fmt, ops};

/// What vectors are made of: 32 bits, all patterns of which are values.
pub trait Number: Copy + Default + sealed::Sealed {}

impl Number for f32 {}
impl Number for u32 {}
impl Number for i32 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

/// A cache line of numbers, which is a vector of the widest instruction set.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line<T>([T; LANES_MAX]);

/// A buffer of numbers for vectors: loads never straddle a cache line, and its length is a multiple of [`LANES_MAX`].
#[derive(Clone, Default)]
pub struct Aligned<T: Number> {
    lines: Vec<Line<T>>,
}

impl<T: Number> Aligned<T> {
    /// Room for at least `len` values; what is there stays, new values are 0. Never shrinks its memory.
    pub fn resize(&mut self, len: usize) {
        self.lines.resize(len.div_ceil(LANES_MAX), Line::default());
    }
}

impl<T: Number> ops::Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: a `Number` has 32 bits, so a line is 16 of them without padding (64 bytes of alignment and size), and n lines are 16 n.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * LANES_MAX) }
    }
}

impl<T: Number> ops::DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the borrow of `self` is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * LANES_MAX) }
    }
}

impl<T: Number + fmt::Debug> fmt::Debug for Aligned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
