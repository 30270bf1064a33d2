//! In: Vulkan calls that can fail. Out: their results, with errors that name the last phase; or a failure that a test planned.
//! Never knows: what the calls do. Every call on an opened device that can fail passes through here, so that each can be made to.

use crate::{GpuError, error::vulkan_error};
use ash::{prelude::VkResult, vk};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// A failure to come: the call of this name fails once, after it has succeeded `after` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The Vulkan name of the call: `"vkQueueSubmit2"`. Memory goes by `"vkAllocateMemory"`, whether or not a new block is needed.
    pub call: &'static str,
    /// How often it works before.
    pub after: u32,
    /// What it returns then. `SUBOPTIMAL_KHR`, `TIMEOUT` and `NOT_READY` are states of acquiring and presenting.
    pub result: vk::Result,
}

/// Failures to come on every device that is opened, for tests of the whole program: `vkQueueSubmit2 20 -4, ...` is a call's name, how often it
/// works before, and the number of the result in Vulkan's header (-4 is a lost device).
pub const FAULT_VARIABLE: &str = "TERRANE_FAULT";

/// The faults that a text in the form of [`FAULT_VARIABLE`] means; what cannot be read is left out.
fn parse_faults(text: &str) -> Vec<Fault> {
    let one = |text: &str| {
        let mut words = text.split_whitespace();
        // The name lives as long as the program: there are few, and only in tests.
        let call = Box::leak(words.next()?.to_owned().into_boxed_str());
        Some(Fault { call, after: words.next()?.parse().ok()?, result: vk::Result::from_raw(words.next()?.parse().ok()?) })
    };
    text.split(',').filter_map(one).collect()
}

/// The device's functions, and what stands between them and the rest of this room.
pub(crate) struct Functions {
    pub device: ash::Device,
    pub debug: Option<ash::ext::debug_utils::Device>,
    /// A mutex, though one thread uses it, so that a device may move between threads; creating and submitting are rare enough.
    state: Mutex<State>,
    hung: AtomicBool,
}

struct State {
    last_zone: &'static str,
    faults: Vec<Fault>,
}

impl Functions {
    /// `faults` come on top of those of [`FAULT_VARIABLE`].
    pub(crate) fn new(device: ash::Device, debug: Option<ash::ext::debug_utils::Device>, faults: &[Fault]) -> Functions {
        let mut faults = faults.to_vec();
        faults.extend(std::env::var(FAULT_VARIABLE).iter().flat_map(|text| parse_faults(text)));
        Functions { device, debug, state: Mutex::new(State { last_zone: "start", faults }), hung: AtomicBool::new(false) }
    }

    /// Makes the call, unless a fault takes its place.
    pub(crate) fn call<T>(&self, name: &'static str, call: impl FnOnce(&ash::Device) -> VkResult<T>) -> Result<T, GpuError> {
        self.raw_call(name, call).map_err(|result| self.error(name, result))
    }

    /// The same where some results are states rather than errors.
    pub(crate) fn raw_call<T>(&self, name: &'static str, call: impl FnOnce(&ash::Device) -> VkResult<T>) -> VkResult<T> {
        match self.fault(name) {
            Some(result) => Err(result),
            None => call(&self.device),
        }
    }

    /// The same for a call that does its work even where it fails: the fault only takes its result.
    pub(crate) fn call_before_fault<T>(&self, name: &'static str, call: impl FnOnce() -> VkResult<T>) -> VkResult<T> {
        let done = call();
        self.fault(name).map_or(done, Err)
    }

    /// Whether the GPU did not answer for as long as anybody waits. What it uses may be in use for ever: nothing is waited for or ended any more.
    pub(crate) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::Relaxed)
    }

    pub(crate) fn set_hung(&self) {
        self.hung.store(true, Ordering::Relaxed);
    }

    /// The error that a result means.
    pub(crate) fn error(&self, call: &'static str, result: vk::Result) -> GpuError {
        vulkan_error(call, self.last_zone(), result)
    }

    /// What the call is to return instead of being made, if this is its time to fail.
    pub(crate) fn fault(&self, name: &'static str) -> Option<vk::Result> {
        let mut state = self.state();
        let index = state.faults.iter().position(|fault| fault.call == name)?;
        if state.faults[index].after == 0 {
            return Some(state.faults.swap_remove(index).result);
        }
        state.faults[index].after -= 1;
        None
    }

    pub(crate) fn plan(&self, fault: Fault) {
        self.state().faults.push(fault);
    }

    /// Those that have not happened yet.
    pub(crate) fn planned(&self) -> Vec<Fault> {
        self.state().faults.clone()
    }

    /// The phase that was recorded last: where a lost device probably stopped.
    pub(crate) fn last_zone(&self) -> &'static str {
        self.state().last_zone
    }

    pub(crate) fn set_last_zone(&self, zone: &'static str) {
        self.state().last_zone = zone;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_can_be_written_as_text() {
        let lost = Fault { call: "vkQueueSubmit2", after: 20, result: vk::Result::ERROR_DEVICE_LOST };
        assert_eq!(
            parse_faults("vkQueueSubmit2 20 -4, vkAllocateMemory 0 -2"),
            [lost, Fault { call: "vkAllocateMemory", after: 0, result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY }]
        );
        assert!(parse_faults("vkQueueSubmit2, 3 4").is_empty() && parse_faults("").is_empty());
    }
}
