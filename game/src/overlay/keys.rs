//! In: the table of keys. Out: `?`, which shows it.
//! Never knows: what the keys do.

use super::theme;
use crate::input::{HELD_KEYS, KEYS};
use egui::Ui;

/// Draws the panel.
pub fn show(ui: &mut Ui) {
    theme::title(ui, "?", "keys");
    ui.add_space(3.0);
    for (keys, help) in HELD_KEYS.iter().copied().chain(KEYS.iter().filter(|key| !key.help.is_empty()).map(|key| (key.name, key.help))) {
        theme::line(ui, format!("{keys:<14}{help}"));
    }
}
