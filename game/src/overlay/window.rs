//! In: a window's events. Out: which of them the panels take, and which go on to the game.
//! Never knows: what the panels show.

use egui::{Context, Order, PlatformOutput, Pos2, RawInput, ViewportId, pos2};
use winit::{
    event::{ElementState, WindowEvent},
    window::Window,
};

/// Turns a window's events into egui's input.
pub struct WindowInput {
    state: egui_winit::State,
    /// Where the pointer is, points.
    pointer: Option<Pos2>,
}

impl WindowInput {
    /// For a window.
    pub fn new(context: &Context, window: &Window) -> WindowInput {
        let scale = Some(window.scale_factor() as f32);
        WindowInput { state: egui_winit::State::new(context.clone(), ViewportId::ROOT, window, scale, None, None), pointer: None }
    }

    /// Takes in an event; true if the panels have it for themselves.
    pub fn event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let consumed = self.state.on_window_event(window, event).consumed;
        let context = self.state.egui_ctx();
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let at = position.to_logical::<f32>(f64::from(context.pixels_per_point()));
                self.pointer = Some(pos2(at.x, at.y));
            }
            WindowEvent::CursorLeft { .. } => self.pointer = None,
            _ => {}
        }
        // What egui says is of its last frame: a pointer that has come since, and pressed at once, is new to it.
        let over = self.pointer.is_some_and(|pointer| is_over_panel(context, pointer));
        let consumed = match event {
            // A slider that was moved keeps the focus, and the keys that fly must still fly: only a text takes them.
            WindowEvent::KeyboardInput { .. } => context.text_edit_focused(),
            WindowEvent::MouseInput { .. } | WindowEvent::MouseWheel { .. } => consumed || over,
            _ => consumed,
        };
        keeps(event, consumed)
    }

    /// What came in since the last frame.
    pub fn take(&mut self, window: &Window) -> RawInput {
        self.state.take_egui_input(window)
    }

    /// Does what egui asks of the window: the shape of the pointer.
    pub fn answer(&mut self, window: &Window, output: PlatformOutput) {
        self.state.handle_platform_output(window, output);
    }
}

/// Whether a place lies on a panel, or on something that one has opened.
pub(super) fn is_over_panel(context: &Context, at: Pos2) -> bool {
    context.layer_id_at(at).is_some_and(|layer| layer.order != Order::Background)
}

/// Whether an event that egui wants stays from the game. The end of a press never does: who heard of its beginning must hear of its end.
pub(super) fn keeps(event: &WindowEvent, consumed: bool) -> bool {
    let is_end = match event {
        WindowEvent::KeyboardInput { event, .. } => event.state == ElementState::Released,
        WindowEvent::MouseInput { state, .. } => *state == ElementState::Released,
        WindowEvent::MouseWheel { .. } => false,
        _ => true,
    };
    consumed && !is_end
}
