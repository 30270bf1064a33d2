//! In: how far the player wants to see, how often memory was short. Out: what the world is drawn with.
//! Never knows: how much memory there is; `session` asks the device, `host_memory` the system.
//!
//! When memory is short, one step at a time: first the spare slots for chunks, which cost only a later arrival; then lists and staging of a
//! quarter, which cost plants far away in the fullest views, and later arrivals; then the view distance by 1/sqrt(2), which halves the area, until
//! it is half of the smallest that a setting can be. Nothing climbs back by itself: that would go to and fro for good;
//! a change of the settings starts from the top again.

use terrane_render::CullLimits;

/// Slots beyond what the rings can need: chunks that are given back are free one frame later.
const SPARE_SLOTS: u32 = 32;
/// With fewer, fast flights wait for a slot now and then.
const SPARE_SLOTS_MIN: u32 = 4;
/// Half of the smallest view distance that a setting allows, metres: the finest rings alone.
const VIEW_DISTANCE_MIN_M: f32 = 256.0;
/// What small lists are of the usual, as a power of two.
const SMALL_SHIFT: u32 = 2;
/// A ring holds the chunks of so many frames: more than are ever in flight.
const STAGING_FRAMES: u64 = 4;
/// The least ring: it holds the largest thing that is sent at once, a chunk, many times.
const STAGING_BYTES_MIN: u64 = 2 << 20;

/// What a world is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Slots for chunks beyond what the rings can need.
    pub spare_slots: u32,
    /// Whether lists of drawn instances, and what a frame sends, have a quarter of their usual sizes.
    pub small: bool,
    /// How far one sees, metres.
    pub view_distance_m: f32,
    /// Steps below what was asked for.
    pub steps: u32,
}

impl Quality {
    /// All that was asked for.
    pub fn full(view_distance_m: f32) -> Quality {
        Quality { spare_slots: SPARE_SLOTS, small: false, view_distance_m, steps: 0 }
    }

    /// The next step down, or `None` when there is nothing left to give up.
    pub fn lower(self) -> Option<Quality> {
        let steps = self.steps + 1;
        if self.spare_slots > SPARE_SLOTS_MIN {
            return Some(Quality { spare_slots: SPARE_SLOTS_MIN, steps, ..self });
        }
        if !self.small {
            return Some(Quality { small: true, steps, ..self });
        }
        let view_distance_m = (self.view_distance_m / std::f32::consts::SQRT_2).max(VIEW_DISTANCE_MIN_M).round();
        (view_distance_m < self.view_distance_m).then_some(Quality { view_distance_m, steps, ..self })
    }

    /// How many instances the lists hold, of what they hold at best.
    pub fn limits(&self, full: CullLimits) -> CullLimits {
        let of = |count: u32| if self.small { (count >> SMALL_SHIFT).max(1) } else { count };
        CullLimits { draw_instances_max: of(full.draw_instances_max), shadow_instances_max: of(full.shadow_instances_max) }
    }

    /// What a frame sends at most, and the size of the ring that it goes through, bytes.
    pub fn upload_bytes(&self, setting: u64) -> (u64, u64) {
        let upload_bytes = if self.small { setting >> SMALL_SHIFT } else { setting };
        (upload_bytes, (upload_bytes * STAGING_FRAMES).max(STAGING_BYTES_MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_slots_go_first_then_three_quarters_of_the_lists_then_the_view_distance_and_then_nothing() {
        let all: Vec<_> = std::iter::successors(Some(Quality::full(4000.0)), |quality| quality.lower()).collect();
        assert_eq!(all[1], Quality { spare_slots: 4, small: false, view_distance_m: 4000.0, steps: 1 });
        assert_eq!(all[2], Quality { spare_slots: 4, small: true, view_distance_m: 4000.0, steps: 2 });
        assert_eq!(all[3].view_distance_m, 2828.0);
        assert!(all.windows(2).all(|pair| pair[1].spare_slots <= pair[0].spare_slots && pair[1].view_distance_m <= pair[0].view_distance_m));
        let last = all.last().expect("one");
        assert_eq!((last.view_distance_m, last.steps, all.len()), (256.0, 10, 11));
    }

    #[test]
    fn small_lists_are_a_quarter_and_none_is_empty() {
        let (full, small) = (Quality::full(1000.0), Quality { small: true, ..Quality::full(1000.0) });
        let limits = CullLimits { draw_instances_max: 1000, shadow_instances_max: 2 };
        assert_eq!((full.limits(limits), full.upload_bytes(8 << 20)), (limits, (8 << 20, 32 << 20)));
        assert_eq!(small.limits(limits), CullLimits { draw_instances_max: 250, shadow_instances_max: 1 });
        assert_eq!((small.upload_bytes(8 << 20), small.upload_bytes(256 << 10)), ((2 << 20, 8 << 20), (64 << 10, 2 << 20)));
    }
}
