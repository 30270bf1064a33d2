//! In: keys and events of a window, a session. Out: what is painted and switched, and the panels over the picture.
//! Never knows: how a change of the settings is made; it hands on what the player changed.

use crate::{
    config::Config,
    input::Action,
    overlay::{Change, Facts, Overlay, Panel, Tuned, WindowInput},
    session::Session,
};
use terrane_render::{Camera, DebugView, Switches};
use winit::{event::WindowEvent, window::Window};

/// What the F-keys have turned on and off.
#[derive(Default)]
pub struct Inspection {
    /// What is painted.
    pub view: DebugView,
    /// Optimisations.
    pub switches: Switches,
    /// Where the culling was frozen.
    pub cull_camera: Option<Camera>,
    overlay: Overlay,
    /// Only while a panel is open.
    input: Option<WindowInput>,
    /// Where the pointer was last, for panels that open under it.
    pointer: Option<WindowEvent>,
}

impl Inspection {
    /// Whether the panels take an event for themselves. While the mouse looks around it has no pointer that could meet a panel.
    pub fn takes(&mut self, window: &Window, event: &WindowEvent, mouse_taken: bool) -> bool {
        if matches!(event, WindowEvent::CursorMoved { .. } | WindowEvent::CursorLeft { .. }) {
            self.pointer = Some(event.clone());
        }
        let of_window = matches!(event, WindowEvent::ScaleFactorChanged { .. } | WindowEvent::ModifiersChanged(_) | WindowEvent::Focused(_));
        match &mut self.input {
            Some(input) if !mouse_taken || of_window => input.event(window, event),
            _ => false,
        }
    }

    /// Does what a key asks for, if it is one of these; `camera` is where the viewer is.
    pub fn act(&mut self, action: Action, camera: &Camera) {
        match action {
            Action::Panel(panel) => self.toggle(panel),
            Action::ShowLod => self.show(DebugView::Lod),
            Action::ShowCulling => self.show(DebugView::Culling),
            Action::FreezeCulling => self.cull_camera = if self.cull_camera.is_none() { Some(*camera) } else { None },
            Action::Wireframe => self.switches.wireframe ^= true,
            Action::Shadows => self.switches.shadows ^= true,
            Action::Occlusion => self.switches.occlusion ^= true,
            _ => {}
        }
    }

    /// Draws the panels that are open over the session's next picture; gives what the player changed in them.
    pub fn draw(&mut self, window: &Window, session: &mut Session, config: &Config, camera: &Camera) -> Vec<Change> {
        if !self.overlay.is_open() {
            self.input = None;
            session.overlay.primitives.clear();
            return Vec::new();
        }
        let input = self.input.get_or_insert_with(|| {
            let mut input = WindowInput::new(self.overlay.context(), window);
            self.pointer.iter().for_each(|pointer| _ = input.event(window, pointer));
            input
        });
        let mut picture = std::mem::take(&mut session.overlay);
        let with_map = self.overlay.shows(Panel::Map);
        let facts = Facts::of(session, config, camera, self.overlay.watch(), with_map);
        let settings = config.live();
        let file = config.settings_path.as_ref().map(|path| path.display().to_string());
        let tuned = Tuned { view: self.view, switches: self.switches, settings: &settings, file };
        let (output, changes) = self.overlay.run(input.take(window), &facts, &tuned, &mut picture);
        input.answer(window, output);
        session.overlay = picture;
        changes
    }

    /// Escape closes what it can.
    pub fn close_keys(&mut self) -> bool {
        let open = self.overlay.shows(Panel::Keys);
        if open {
            self.overlay.toggle(Panel::Keys);
        }
        open
    }

    fn toggle(&mut self, panel: Panel) {
        self.overlay.toggle(panel);
    }

    /// A debug view, or the picture again.
    fn show(&mut self, view: DebugView) {
        self.view = if self.view == view { DebugView::None } else { view };
    }
}
