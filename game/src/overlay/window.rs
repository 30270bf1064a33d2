//! In: a window's events. Out: which of them the panels take, and which go on to the game.
//! Never knows: what the panels show.

use egui::{Context, PlatformOutput, RawInput, ViewportId};
use winit::{
    event::{ElementState, WindowEvent},
    window::Window,
};

/// Turns a window's events into egui's input.
pub struct WindowInput {
    state: egui_winit::State,
}

impl WindowInput {
    /// For a window.
    pub fn new(context: &Context, window: &Window) -> WindowInput {
        let scale = Some(window.scale_factor() as f32);
        WindowInput { state: egui_winit::State::new(context.clone(), ViewportId::ROOT, window, scale, None, None) }
    }

    /// Takes in an event; true if the panels have it for themselves.
    pub fn event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let consumed = self.state.on_window_event(window, event).consumed;
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
