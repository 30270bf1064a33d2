//! In: what is painted, which optimisations are on, the live settings. Out: F10, which shows them; and what the player changed.
//! Never knows: how a change is made. Names, ranges, units and help are those of the tables that the command line and the settings file use.

use super::theme;
use crate::settings::{Kind, Setting, Value};
use egui::{ComboBox, Id, Slider, SliderClamping, Ui};
use terrane_render::{DebugView, Switches};

/// What can be changed.
#[derive(Clone, Debug)]
pub struct Tuned<'a> {
    /// What is painted.
    pub view: DebugView,
    /// Optimisations.
    pub switches: Switches,
    /// Settings with what they are.
    pub settings: &'a [(&'static Setting, Value)],
    /// The settings file, if there is a place for one.
    pub file: Option<String>,
}

/// What the player changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Paint this.
    View(DebugView),
    /// These optimisations.
    Switches(Switches),
    /// A setting, by its name.
    Setting(&'static str, Value),
    /// Write the settings into the file.
    Save,
}

/// Switches by name.
type Switch = (&'static str, fn(&mut Switches) -> &mut bool);
const SWITCHES: [Switch; 6] = [
    ("cull", |switches| &mut switches.cull),
    ("occlusion", |switches| &mut switches.occlusion),
    ("shadows", |switches| &mut switches.shadows),
    ("props", |switches| &mut switches.props),
    ("ground", |switches| &mut switches.ground),
    ("lines", |switches| &mut switches.wireframe),
];

/// Draws the panel.
pub fn show(ui: &mut Ui, tuned: &Tuned, changes: &mut Vec<Change>) {
    theme::title(ui, "F10", "views and budgets");
    ui.add_space(3.0);
    view(ui, tuned.view, changes);
    ui.add_space(3.0);
    switches(ui, tuned.switches, changes);
    ui.add_space(3.0);
    for (setting, value) in tuned.settings {
        slider(ui, setting, value, changes);
    }
    ui.add_space(3.0);
    match &tuned.file {
        None => theme::dim(ui, "there is no settings file to save to"),
        Some(path) => {
            if ui.button("save to the settings file").on_hover_text(path).clicked() {
                changes.push(Change::Save);
            }
        }
    }
}

fn view(ui: &mut Ui, shown: DebugView, changes: &mut Vec<Change>) {
    ui.horizontal(|ui| {
        theme::line(ui, "paint ");
        ComboBox::from_id_salt("view").width(120.0).height(400.0).selected_text(shown.name()).show_ui(ui, |ui| {
            for (view, name, _) in DebugView::ALL {
                if ui.selectable_label(view == shown, name).clicked() && view != shown {
                    changes.push(Change::View(view));
                }
            }
        });
    });
}

fn switches(ui: &mut Ui, mut switches: Switches, changes: &mut Vec<Change>) {
    ui.horizontal(|ui| {
        for (name, of) in SWITCHES {
            if ui.checkbox(of(&mut switches), name).changed() {
                changes.push(Change::Switches(switches));
            }
        }
    });
}

/// The change counts when the knob is let go: a world that is made anew cannot follow each pixel of it.
fn slider(ui: &mut Ui, setting: &'static Setting, value: &Value, changes: &mut Vec<Change>) {
    let (Some(actual), Some((low, high, whole))) = (number(value), range(setting)) else { return };
    let id = Id::new(("draft", setting.name));
    let mut draft = ui.data(|data| data.get_temp(id)).unwrap_or(actual);
    let response = ui
        .horizontal(|ui| {
            theme::line(ui, format!("{:<20}", setting.name));
            let slider = Slider::new(&mut draft, low..=high).logarithmic(true).smallest_positive(1.0).clamping(SliderClamping::Always);
            let slider = slider.update_while_editing(false).max_decimals(0).step_by(if whole { 1.0 } else { 0.0 });
            // Where nothing is a value, it leaves the choice to the program.
            let unit = setting.unit_suffix();
            let slider = slider.custom_formatter(move |value, _| if value == 0.0 { "automatic".to_owned() } else { format!("{value:.0}{unit}") });
            ui.add(slider).on_hover_text(setting.help)
        })
        .inner;
    if response.dragged() {
        ui.data_mut(|data| data.insert_temp(id, draft));
    } else if response.changed() || response.drag_stopped() {
        ui.data_mut(|data| data.remove_temp::<f64>(id));
        let value = if whole { Value::Whole(draft.round() as i64) } else { Value::Number(draft.round()) };
        if number(&value) != Some(actual) {
            changes.push(Change::Setting(setting.name, value));
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Whole(whole) => Some(*whole as f64),
        _ => None,
    }
}

/// From, to, and whether it is a whole number.
fn range(setting: &Setting) -> Option<(f64, f64, bool)> {
    match setting.kind {
        Kind::Number { low, high, .. } => Some((low, high, false)),
        Kind::Whole { low, high, .. } => Some((low as f64, high as f64, true)),
        _ => None,
    }
}
