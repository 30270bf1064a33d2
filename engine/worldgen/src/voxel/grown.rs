//! In: values one by one. Out: a list whose buffer is kept from block to block.
//! Never knows: what it holds.

/// A list that grows once and stays. It is written through a tail of `TAIL` values that is always there, so writing checks nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown<T, const TAIL: usize> {
    buffer: Vec<T>,
    count: usize,
}

/// Where the next values go: at most `TAIL` of them.
pub(super) struct Tail<'a, T, const TAIL: usize> {
    to: &'a mut [T; TAIL],
    added: usize,
}

impl<T: Copy + Default, const TAIL: usize> Grown<T, TAIL> {
    pub(super) fn as_slice(&self) -> &[T] {
        &self.buffer[..self.count]
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Lets `fill` append up to `TAIL` values.
    #[inline(always)]
    pub(super) fn extend(&mut self, fill: impl FnOnce(&mut Tail<T, TAIL>)) {
        if self.buffer.len() < self.count + TAIL {
            // By doubling: the first full blocks grow it a few times.
            self.buffer.resize((self.count + TAIL).next_power_of_two(), T::default());
        }
        let Some(to) = self.buffer[self.count..].first_chunk_mut() else { unreachable!("just made long enough") };
        let mut tail = Tail { to, added: 0 };
        fill(&mut tail);
        debug_assert!(tail.added <= TAIL);
        self.count += tail.added;
    }
}

impl<T, const TAIL: usize> Tail<'_, T, TAIL> {
    #[inline(always)]
    pub(super) fn push(&mut self, value: T) {
        const { assert!(TAIL.is_power_of_two()) }
        self.to[self.added % TAIL] = value;
        self.added += 1;
    }
}
