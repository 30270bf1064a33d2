//! In: buffers that are done with. Out: the same buffers again, so that nothing is allocated per chunk after warm-up.
//! Never knows: what is in them; who takes one resets it.

use std::sync::{Mutex, PoisonError};

/// A bounded stack of buffers for all threads.
#[derive(Debug)]
pub struct Pool<T> {
    free: Mutex<Vec<T>>,
    kept_max: usize,
}

impl<T: Default> Pool<T> {
    /// A pool that keeps at most so many.
    pub fn new(kept_max: usize) -> Pool<T> {
        Pool { free: Mutex::new(Vec::new()), kept_max }
    }

    /// One that was given back, as it was left, or a new one.
    pub fn take(&self) -> T {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives one back; beyond the bound it ends.
    pub fn give(&self, value: T) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < self.kept_max {
            free.push(value);
        }
    }

    /// How many are waiting.
    pub fn free(&self) -> usize {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_it_got_up_to_its_bound() {
        let pool = Pool::<Vec<u8>>::new(1);
        pool.give(Vec::with_capacity(100));
        pool.give(Vec::with_capacity(200));
        assert_eq!(pool.free(), 1);
        assert_eq!((pool.take().capacity(), pool.take().capacity()), (100, 0));
    }
}
