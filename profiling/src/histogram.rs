//! In: durations, from any thread. Out: count, total, maximum and percentiles.
//! Never knows: what was measured.
//!
//! Logarithmic buckets, 16 to a doubling: a percentile is right to within 1/16 of its value. Recording is three relaxed atomic
//! additions and a maximum, without a lock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets to a doubling, as a power of two.
const SUB_BITS: u32 = 4;
const SUB: u64 = 1 << SUB_BITS;
/// Up to 2^40 ns, 18 minutes; what is longer is counted in the last.
const BUCKETS: usize = (40 - SUB_BITS as usize + 1) * SUB as usize;

/// A histogram of nanoseconds.
#[derive(Debug)]
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
    count: AtomicU64,
    total_ns: AtomicU64,
    max_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        let buckets = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        Histogram { buckets, count: AtomicU64::new(0), total_ns: AtomicU64::new(0), max_ns: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Adds one duration.
    pub fn record(&self, ns: u64) {
        self.buckets[bucket(ns)].fetch_add(1, Relaxed);
        self.count.fetch_add(1, Relaxed);
        self.total_ns.fetch_add(ns, Relaxed);
        self.max_ns.fetch_max(ns, Relaxed);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Their sum.
    pub fn total_ns(&self) -> u64 {
        self.total_ns.load(Relaxed)
    }

    /// The longest.
    pub fn max_ns(&self) -> u64 {
        self.max_ns.load(Relaxed)
    }

    /// The duration that a share of all (0 to 1) does not exceed, to within 1/16; 0 without any.
    pub fn percentile_ns(&self, share: f64) -> u64 {
        let wanted = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (index, bucket) in self.buckets.iter().enumerate() {
            seen += bucket.load(Relaxed);
            if seen >= wanted {
                return upper_ns(index).min(self.max_ns());
            }
        }
        self.max_ns()
    }

    /// Every bucket that holds something: the durations that it takes, both ends included, and how many it has.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let counts = self.buckets.iter().map(|bucket| bucket.load(Relaxed)).enumerate();
        counts.filter(|(_, count)| *count > 0).map(|(index, count)| (if index == 0 { 0 } else { upper_ns(index - 1) + 1 }, upper_ns(index), count))
    }

    /// Forgets everything. Durations recorded meanwhile may be counted in part.
    pub fn reset(&self) {
        self.buckets.iter().chain([&self.count, &self.total_ns, &self.max_ns]).for_each(|value| value.store(0, Relaxed));
    }
}

fn bucket(ns: u64) -> usize {
    if ns < SUB {
        return ns as usize;
    }
    let shift = 63 - ns.leading_zeros() - SUB_BITS;
    let index = u64::from(shift + 1) * SUB + ((ns >> shift) & (SUB - 1));
    (index as usize).min(BUCKETS - 1)
}

/// The largest duration of a bucket.
fn upper_ns(index: usize) -> u64 {
    let (row, column) = (index as u64 / SUB, index as u64 % SUB);
    if row == 0 { column } else { ((SUB + column + 1) << (row - 1)) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_hold_their_bounds() {
        for ns in (0..2_000u64).chain((11..39).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1])) {
            let index = bucket(ns);
            assert!(ns <= upper_ns(index), "{ns}");
            assert!(index == 0 || ns > upper_ns(index - 1), "{ns}");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_right_within_a_sixteenth() {
        let histogram = Histogram::default();
        for ns in 1..=100_000u64 {
            histogram.record(ns);
        }
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000.0), (1.0, 100_000.0)] {
            let found = histogram.percentile_ns(share) as f64;
            assert!(found >= exact && found <= exact * 17.0 / 16.0, "{share}: {found}");
        }
        assert_eq!((histogram.count(), histogram.max_ns(), histogram.total_ns()), (100_000, 100_000, 5_000_050_000));
        let buckets: Vec<_> = histogram.buckets().collect();
        assert_eq!(buckets.iter().map(|bucket| bucket.2).sum::<u64>(), 100_000);
        assert!(buckets.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0) && buckets.iter().all(|bucket| bucket.0 <= bucket.1));
    }

    #[test]
    fn threads_lose_nothing() {
        let histogram = Histogram::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|ns| histogram.record(ns)));
            }
        });
        assert_eq!(histogram.count(), 40_000);
        histogram.reset();
        assert_eq!((histogram.count(), histogram.percentile_ns(0.5)), (0, 0));
    }
}
