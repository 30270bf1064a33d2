//! In: nothing. Out: how the panels look: quiet, dark, numbers in columns.
//! Never knows: what they show.

use egui::{Color32, Context, CornerRadius, FontFamily, FontId, Frame, Margin, RichText, Stroke, TextStyle, Ui, epaint::Hsva, vec2};

/// Text of the panels, points.
pub const TEXT_PT: f32 = 11.5;
/// Behind everything; the world stays visible.
pub const BACKGROUND: Color32 = Color32::from_rgba_premultiplied(9, 11, 14, 214);
/// Most text.
pub const TEXT: Color32 = Color32::from_rgb(202, 208, 214);
/// Units, grids, what is less important.
pub const DIM: Color32 = Color32::from_rgb(124, 132, 142);
/// Titles and what is alive.
pub const ACCENT: Color32 = Color32::from_rgb(122, 190, 214);
/// What needs a look: hitches, budgets that are used up.
pub const WARNING: Color32 = Color32::from_rgb(240, 128, 92);
/// What is fine or busy.
pub const GOOD: Color32 = Color32::from_rgb(132, 196, 132);
/// Lines between and around.
pub const LINE: Color32 = Color32::from_rgb(52, 58, 66);

/// Sets a context up.
pub fn apply(context: &Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        let mono = FontId::new(TEXT_PT, FontFamily::Monospace);
        for text in [TextStyle::Body, TextStyle::Monospace, TextStyle::Button, TextStyle::Small, TextStyle::Heading] {
            style.text_styles.insert(text, mono.clone());
        }
        // Pictures of tests have no time in which something could fade.
        style.animation_time = 0.0;
        style.interaction.selectable_labels = false;
        style.spacing.item_spacing = vec2(6.0, 1.0);
        style.spacing.interact_size.y = 15.0;
        style.spacing.slider_width = 150.0;
        // Until a panel has been measured it counts as so large: small enough that none is moved from its place.
        style.spacing.default_area_size = vec2(400.0, 120.0);
        style.spacing.button_padding = vec2(5.0, 1.0);
        let visuals = &mut style.visuals;
        visuals.override_text_color = Some(TEXT);
        visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
        visuals.window_shadow = egui::Shadow::NONE;
        visuals.popup_shadow = egui::Shadow::NONE;
        visuals.window_fill = Color32::from_rgb(18, 21, 26);
        visuals.selection.bg_fill = Color32::from_rgb(38, 78, 96);
        visuals.slider_trailing_fill = true;
    });
}

/// What a panel lies on.
pub fn frame() -> Frame {
    Frame { inner_margin: Margin::same(8), corner_radius: CornerRadius::same(4), fill: BACKGROUND, stroke: Stroke::new(1.0, LINE), ..Frame::NONE }
}

/// The title of a panel with its key.
pub fn title(ui: &mut Ui, key: &str, name: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(key).color(DIM));
        ui.label(RichText::new(name).color(ACCENT));
    });
}

/// The title of a table, and the names of its columns.
pub fn heading(ui: &mut Ui, name: &str, columns: &str) {
    ui.add_space(5.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.label(RichText::new(name).color(ACCENT));
        ui.label(RichText::new(columns).color(DIM));
    });
}

/// A line of text.
pub fn line(ui: &mut Ui, text: impl Into<String>) {
    ui.add(egui::Label::new(text.into()).extend());
}

/// A line that is less important.
pub fn dim(ui: &mut Ui, text: impl Into<String>) {
    ui.add(egui::Label::new(RichText::new(text.into()).color(DIM)).extend());
}

/// A line that needs a look.
pub fn warning(ui: &mut Ui, text: impl Into<String>) {
    ui.add(egui::Label::new(RichText::new(text.into()).color(WARNING)).extend());
}

/// The colour of a level of detail: neighbours are easy to tell apart.
pub fn level(lod: u8, alpha: f32) -> Color32 {
    Hsva::new((0.56 + f32::from(lod) * 0.137).fract(), 0.55, 0.82, alpha).into()
}
