//! In: the number of workers. Out: for each a scratch space that no other touches, so that nothing is allocated per chunk after warm-up.
//! Never knows: what is in it; who uses it resets it.

use std::sync::{Mutex, TryLockError};

/// A scratch space for each worker of a pool.
#[derive(Debug)]
pub struct PerWorker<T> {
    spaces: Box<[Mutex<T>]>,
}

impl<T: Default> PerWorker<T> {
    /// Spaces for so many workers; other threads get a fresh one each time.
    pub fn new(workers: usize) -> PerWorker<T> {
        PerWorker { spaces: (0..workers).map(|_| Mutex::default()).collect() }
    }

    /// Calls the function with the space of this thread, as it was left. The lock is always free but when a job that uses rayon itself
    /// runs another job meanwhile: that one gets a fresh space instead of waiting for its own thread.
    pub fn with<R>(&self, function: impl FnOnce(&mut T) -> R) -> R {
        match rayon::current_thread_index().and_then(|index| self.spaces.get(index)).map(Mutex::try_lock) {
            Some(Ok(mut space)) => function(&mut space),
            // A job panicked in it: what it left may be half done.
            Some(Err(TryLockError::Poisoned(poisoned))) => {
                let mut space = poisoned.into_inner();
                *space = T::default();
                function(&mut space)
            }
            Some(Err(TryLockError::WouldBlock)) | None => function(&mut T::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_finds_its_space_as_it_left_it_even_after_a_panic() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a worker");
        let spaces = PerWorker::<Vec<u8>>::new(1);
        let length = || pool.install(|| spaces.with(|space| (space.push(1), space.len()).1));
        assert_eq!((length(), length()), (1, 2));
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(|| spaces.with(|_| panic!("planted")))));
        assert!(failed.is_err());
        assert_eq!(length(), 1);
        assert_eq!(spaces.with(|space| space.len()), 0, "another thread");
    }

    #[test]
    fn a_job_within_a_job_gets_another_space() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a worker");
        let spaces = PerWorker::<u32>::new(1);
        let inner = pool.install(|| {
            spaces.with(|outer| {
                *outer = 5;
                spaces.with(|inner| *inner)
            })
        });
        assert_eq!(inner, 0);
    }
}
