//! In: messages of the validation layer. Out: their count and the first texts, and the log.
//! Never knows: what to do about them; tests fail on any.

use ash::vk;
use std::{
    borrow::Cow,
    ffi::{CStr, c_void},
    sync::{Mutex, PoisonError},
};

/// Texts that are kept: the first tell the most.
const MESSAGES_KEPT: usize = 32;

#[derive(Default)]
pub(crate) struct Messages {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    count: u64,
    texts: Vec<String>,
}

impl Messages {
    pub(crate) fn count(&self) -> u64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).texts.clone()
    }

    fn add(&self, text: String) {
        tracing::warn!(target: "validation", "{text}");
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.count += 1;
        if inner.texts.len() < MESSAGES_KEPT {
            inner.texts.push(text);
        }
    }
}

/// What the instance is created with so that messages of its creation count too. `messages` must outlive the instance.
pub(crate) fn messenger_info(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'_> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(callback))
        .user_data((&raw const *messages).cast_mut().cast())
}

unsafe extern "system" fn callback(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes the pointer that `messenger_info` gave it, which outlives the instance, and valid callback data.
    let (messages, data) = unsafe { (&*user.cast::<Messages>(), &*data) };
    // SAFETY: the texts are null or C strings that live during the call.
    let (text, id) = unsafe { (data.message_as_c_str(), data.message_id_name_as_c_str()) };
    let (text, about_layer) = (with_id(&lossy(text), &lossy(id)), is_about_layer(&lossy(id)));
    // The loader's own remarks (a driver that it skips) are of kind GENERAL and are not about this program.
    if kind.contains(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION) && !about_layer {
        messages.add(text);
    } else {
        tracing::debug!(target: "vulkan", "{text}");
    }
    vk::FALSE
}

fn lossy(text: Option<&CStr>) -> Cow<'_, str> {
    text.map(CStr::to_string_lossy).unwrap_or_default()
}

/// What a layer says of itself when it checks shaders: which features it turns on for that, and which of its checks a device cannot take.
fn is_about_layer(id: &str) -> bool {
    id == "VALIDATION-SETTINGS" || id.starts_with("WARNING-Setting-")
}

/// Old layers name the rule within the text, new ones only beside it.
fn with_id(text: &str, id: &str) -> String {
    if id.is_empty() || text.contains(id) { text.to_owned() } else { format!("[ {id} ] {text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_names_its_rule_once() {
        assert_eq!(with_id("a hazard", "SYNC-1"), "[ SYNC-1 ] a hazard");
        assert_eq!(with_id("[ SYNC-1 ] a hazard", "SYNC-1"), "[ SYNC-1 ] a hazard");
        assert_eq!(with_id("a hazard", ""), "a hazard");
    }

    #[test]
    fn what_a_layer_says_of_itself_is_no_fault_of_the_program() {
        assert!(is_about_layer("WARNING-Setting-Limit-Adjusted") && is_about_layer("VALIDATION-SETTINGS"));
        assert!(!is_about_layer("SYNC-HAZARD-WRITE-AFTER-WRITE") && !is_about_layer("VUID-vkCmdDispatch-None-08114") && !is_about_layer(""));
    }

    #[test]
    fn all_are_counted_and_the_first_are_kept() {
        let messages = Messages::default();
        (0..100).for_each(|i| messages.add(i.to_string()));
        assert_eq!((messages.count(), messages.texts().len(), messages.texts()[31].as_str()), (100, MESSAGES_KEPT, "31"));
    }
}
