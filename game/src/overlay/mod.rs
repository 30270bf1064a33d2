//! In: facts about a session, what the pointer and the keyboard do. Out: panels over the picture, as triangles; and what the player changed in them.
//! Never knows: how the triangles get onto the screen. While all panels are closed nothing runs: no egui, no facts, no triangle.

mod facts;
mod graph;
mod keys;
mod map;
mod performance;
mod text;
mod theme;
mod tune;
mod window;

#[cfg(test)]
mod tests;

pub use facts::{Facts, JobFact, MapFacts, StageFact, Watch};
pub use tune::{Change, Tuned};
pub use window::WindowInput;

use egui::{Context, Pos2, RawInput, Rect, pos2, vec2};
use std::str::FromStr;
use terrane_render::OverlayPicture;

/// Textures are at most this wide and high: what every Vulkan 1.3 device has, and the letters of all panels fill a twentieth of it.
const TEXTURE_EDGE_MAX: usize = 2048;

/// The panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// F1: what frames and chunks cost.
    Performance,
    /// F2: chunks from above.
    Map,
    /// F3: the job graph.
    Graph,
    /// F10: views and budgets.
    Tune,
    /// ?: the keys.
    Keys,
}

impl Panel {
    /// Every panel with the name that the command line takes, and where it lies on a screen of 1280 x 720 points: side by side.
    pub const ALL: [(Panel, &'static str, Pos2); 5] = [
        (Panel::Performance, "f1", pos2(8.0, 8.0)),
        (Panel::Map, "f2", pos2(796.0, 8.0)),
        (Panel::Graph, "f3", pos2(796.0, 324.0)),
        (Panel::Tune, "f10", pos2(796.0, 560.0)),
        (Panel::Keys, "keys", pos2(330.0, 200.0)),
    ];
}

impl FromStr for Panel {
    type Err = String;
    fn from_str(text: &str) -> Result<Panel, String> {
        let names = || Panel::ALL.iter().map(|row| row.1).collect::<Vec<_>>().join(", ");
        let row = Panel::ALL.iter().find(|(_, known, _)| *known == text);
        row.map(|row| row.0).ok_or_else(|| format!("allowed is one of: {}", names()))
    }
}

/// All panels and what they remember.
pub struct Overlay {
    context: Context,
    open: [bool; Panel::ALL.len()],
    zoom: f32,
    watch: Watch,
    runs: u64,
}

impl Default for Overlay {
    fn default() -> Self {
        Overlay::new()
    }
}

impl Overlay {
    /// With all panels closed.
    pub fn new() -> Overlay {
        let context = Context::default();
        theme::apply(&context);
        Overlay { context, open: [false; Panel::ALL.len()], zoom: 1.0, watch: Watch::default(), runs: 0 }
    }

    /// Opens a panel, or closes it.
    pub fn toggle(&mut self, panel: Panel) {
        self.open[panel as usize] ^= true;
    }

    /// Opens a panel.
    pub fn open(&mut self, panel: Panel) {
        self.open[panel as usize] = true;
    }

    /// Whether a panel is open.
    pub fn shows(&self, panel: Panel) -> bool {
        self.open[panel as usize]
    }

    /// Whether any is.
    pub fn is_open(&self) -> bool {
        self.open.contains(&true)
    }

    /// How often egui ran: not once while all panels are closed.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// What egui remembers; whoever turns a window's events into its input needs it.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// What collects the facts that take time.
    pub fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// A frame of the panels that are open, into `picture`. What egui asks of the window is given back, with what the player changed.
    pub fn run(&mut self, input: RawInput, facts: &Facts, tuned: &Tuned, picture: &mut OverlayPicture) -> (egui::PlatformOutput, Vec<Change>) {
        self.runs += 1;
        let mut changes = Vec::new();
        let (open, zoom) = (self.open, &mut self.zoom);
        let input = RawInput { max_texture_side: Some(TEXTURE_EDGE_MAX), ..input };
        let output = self.context.run_ui(input, |ui| panels(ui.ctx(), open, facts, tuned, zoom, &mut changes));
        picture.pixels_per_point = output.pixels_per_point;
        picture.textures.apply(output.textures_delta);
        picture.primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        (output.platform_output, changes)
    }

    /// The same where nobody looks: a screen of that many pixels without pointer and keyboard, and a clock that stands still. The second run
    /// knows how large everything is.
    pub fn run_still(&mut self, extent: (u32, u32), facts: &Facts, tuned: &Tuned, picture: &mut OverlayPicture) {
        for time in [0.0, 1.0] {
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(extent.0 as f32, extent.1 as f32))),
                time: Some(time),
                ..RawInput::default()
            };
            self.run(input, facts, tuned, picture);
        }
    }
}

/// Draws the panels that are open.
fn panels(context: &Context, open: [bool; Panel::ALL.len()], facts: &Facts, tuned: &Tuned, zoom: &mut f32, changes: &mut Vec<Change>) {
    let screen = context.content_rect();
    for (panel, name, at) in Panel::ALL.into_iter().filter(|row| open[row.0 as usize]) {
        // One lies on top of the others while it is dragged; the pointer over it is not the game's.
        egui::Area::new(egui::Id::new(name)).default_pos(at).constrain_to(screen).show(context, |ui| {
            theme::frame().show(ui, |ui| {
                let height = screen.height() - 32.0;
                egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| match panel {
                    Panel::Performance => performance::show(ui, facts),
                    Panel::Map => map::show(ui, facts, zoom),
                    Panel::Graph => graph::show(ui, facts),
                    Panel::Tune => tune::show(ui, tuned, changes),
                    Panel::Keys => keys::show(ui),
                });
            });
        });
    }
}
