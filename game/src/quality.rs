//! In: how far the player wants to see, how often memory was short. Out: what the world is drawn with.
//! Never knows: how much memory there is; `session` asks the device, `host_memory` the system.
//!
//! When memory is short, one step at a time: first the spare slots for chunks, which cost only a later arrival; then the view distance by
//! 1/sqrt(2), which halves the area, until it is as small as a setting can be. Nothing climbs back by itself: that would go to and fro for good;
//! a change of the settings starts from the top again.

/// Slots beyond what the rings can need: chunks that are given back are free one frame later.
const SPARE_SLOTS: u32 = 32;
/// With fewer, fast flights wait for a slot now and then.
const SPARE_SLOTS_MIN: u32 = 4;
/// The smallest view distance that a setting allows, metres.
const VIEW_DISTANCE_MIN_M: f32 = 512.0;

/// What a world is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Slots for chunks beyond what the rings can need.
    pub spare_slots: u32,
    /// How far one sees, metres.
    pub view_distance_m: f32,
    /// Steps below what was asked for.
    pub steps: u32,
}

impl Quality {
    /// All that was asked for.
    pub fn full(view_distance_m: f32) -> Quality {
        Quality { spare_slots: SPARE_SLOTS, view_distance_m, steps: 0 }
    }

    /// The next step down, or `None` when there is nothing left to give up.
    pub fn lower(self) -> Option<Quality> {
        let steps = self.steps + 1;
        if self.spare_slots > SPARE_SLOTS_MIN {
            return Some(Quality { spare_slots: SPARE_SLOTS_MIN, steps, ..self });
        }
        let view_distance_m = (self.view_distance_m / std::f32::consts::SQRT_2).max(VIEW_DISTANCE_MIN_M).round();
        (view_distance_m < self.view_distance_m).then_some(Quality { view_distance_m, steps, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_slots_go_first_then_the_view_distance_and_then_nothing() {
        let all: Vec<_> = std::iter::successors(Some(Quality::full(4000.0)), |quality| quality.lower()).collect();
        assert_eq!(all[1], Quality { spare_slots: 4, view_distance_m: 4000.0, steps: 1 });
        assert_eq!(all[2].view_distance_m, 2828.0);
        assert!(all.windows(2).all(|pair| pair[1].spare_slots <= pair[0].spare_slots && pair[1].view_distance_m <= pair[0].view_distance_m));
        let last = all.last().expect("one");
        assert_eq!((last.view_distance_m, last.steps, all.len()), (512.0, 7, 8));
    }
}
