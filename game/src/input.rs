//! In: key, button, wheel and mouse events. Out: what the player asks for, and commands.
//! Never knows: the world. Keys are physical places on the keyboard, so WASD is a block on every layout.

use crate::{fly::Controls, overlay::Panel};
use std::collections::HashSet;
use winit::{
    event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent},
    keyboard::{Key as LogicalKey, KeyCode, PhysicalKey},
};

/// Something that happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// See farther.
    Farther,
    /// See less far.
    Nearer,
    /// A panel of the overlay opens or closes.
    Panel(Panel),
    /// Colours by level of detail.
    ShowLod,
    /// Colours by what the culling thinks.
    ShowCulling,
    /// The culling stays where it looks from now, or goes on.
    FreezeCulling,
    /// Lines instead of triangles.
    Wireframe,
    /// Shadows.
    Shadows,
    /// Whether what is hidden is left out.
    Occlusion,
    /// Over the whole screen, or in a window again.
    FullScreen,
    /// Take a picture.
    Picture,
    /// Frees the mouse, then quits.
    Escape,
    /// A button was pressed on the picture: take the mouse.
    TakeMouse,
}

/// A key that does something once.
#[derive(Debug)]
pub struct Key {
    /// Where it is.
    pub code: KeyCode,
    /// What is printed on it.
    pub name: &'static str,
    /// What it does.
    pub action: Action,
    /// In words; none for a second key that does the same.
    pub help: &'static str,
    /// Whether it goes on while it is held.
    pub repeats: bool,
}

const fn once(code: KeyCode, name: &'static str, action: Action, help: &'static str) -> Key {
    Key { code, name, action, help, repeats: false }
}

const fn held(code: KeyCode, name: &'static str, action: Action, help: &'static str) -> Key {
    Key { code, name, action, help, repeats: true }
}

/// Every key that does something once; `?` shows the table.
pub const KEYS: &[Key] = &[
    once(KeyCode::F1, "F1", Action::Panel(Panel::Performance), "what frames and chunks cost"),
    once(KeyCode::F2, "F2", Action::Panel(Panel::Map), "chunks from above"),
    once(KeyCode::F3, "F3", Action::Panel(Panel::Graph), "job graph with live times"),
    once(KeyCode::F4, "F4", Action::ShowLod, "colours by level of detail"),
    once(KeyCode::F5, "F5", Action::ShowCulling, "colours by what the culling thinks: red outside of the view, blue hidden"),
    once(KeyCode::F6, "F6", Action::FreezeCulling, "the culling stays where it looks from now"),
    once(KeyCode::F7, "F7", Action::Wireframe, "lines instead of triangles"),
    once(KeyCode::F8, "F8", Action::Shadows, "shadows on and off"),
    once(KeyCode::F9, "F9", Action::Occlusion, "leaving out what is hidden, on and off"),
    once(KeyCode::F10, "F10", Action::Panel(Panel::Tune), "views, switches and budgets"),
    once(KeyCode::F11, "F11", Action::FullScreen, "whole screen"),
    once(KeyCode::F12, "F12", Action::Picture, "picture into a file"),
    held(KeyCode::Equal, "+", Action::Farther, "see farther"),
    held(KeyCode::NumpadAdd, "+", Action::Farther, ""),
    held(KeyCode::Minus, "-", Action::Nearer, "see less far"),
    held(KeyCode::NumpadSubtract, "-", Action::Nearer, ""),
    once(KeyCode::Escape, "Esc", Action::Escape, "free the mouse, then quit"),
];

/// The letter that shows the keys, wherever a keyboard has it.
pub const HELP_LETTER: &str = "?";

/// Keys and movements that do something while they are held.
pub const HELD_KEYS: &[(&str, &str)] = &[
    ("W A S D", "fly; the block is the same on every layout"),
    ("E Q", "up, down; also space and Ctrl"),
    ("Shift", "six times faster"),
    ("wheel", "speed"),
    ("mouse button", "take the mouse: look"),
    (HELP_LETTER, "these keys"),
];

/// A notch of the wheel in pixels, where a device reports pixels.
const WHEEL_NOTCH_PX: f64 = 40.0;

/// Which controls are held.
#[derive(Debug, Default)]
pub struct Input {
    held: HashSet<KeyCode>,
    look_px: [f32; 2],
    wheel: f32,
}

impl Input {
    /// Takes in an event of the window; gives what happens once.
    pub fn event(&mut self, event: &WindowEvent) -> Option<Action> {
        match event {
            WindowEvent::KeyboardInput { event, .. } => {
                let pressed = event.state == ElementState::Pressed;
                if pressed && !event.repeat && event.logical_key == LogicalKey::Character(HELP_LETTER.into()) {
                    return Some(Action::Panel(Panel::Keys));
                }
                let PhysicalKey::Code(code) = event.physical_key else { return None };
                self.key(code, pressed, event.repeat)
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left | MouseButton::Right, .. } => Some(Action::TakeMouse),
            WindowEvent::MouseWheel { delta, .. } => {
                self.wheel += match delta {
                    MouseScrollDelta::LineDelta(_, lines) => *lines,
                    MouseScrollDelta::PixelDelta(position) => (position.y / WHEEL_NOTCH_PX) as f32,
                };
                None
            }
            // Keys that are let go elsewhere are never reported.
            WindowEvent::Focused(false) => {
                self.held.clear();
                None
            }
            _ => None,
        }
    }

    /// A key went down or up.
    pub fn key(&mut self, code: KeyCode, pressed: bool, repeat: bool) -> Option<Action> {
        if !pressed {
            self.held.remove(&code);
            return None;
        }
        self.held.insert(code);
        KEYS.iter().find(|key| key.code == code && (key.repeats || !repeat)).map(|key| key.action)
    }

    /// The mouse moved, pixels, while it is taken.
    pub fn look(&mut self, dx: f64, dy: f64) {
        self.look_px[0] += dx as f32;
        self.look_px[1] += dy as f32;
    }

    /// What is asked for since the last call.
    pub fn take_controls(&mut self) -> Controls {
        let axis = |plus: &[KeyCode], minus: &[KeyCode]| {
            let held = |codes: &[KeyCode]| f32::from(u8::from(codes.iter().any(|code| self.held.contains(code))));
            held(plus) - held(minus)
        };
        let controls = Controls {
            right: axis(&[KeyCode::KeyD, KeyCode::ArrowRight], &[KeyCode::KeyA, KeyCode::ArrowLeft]),
            up: axis(&[KeyCode::KeyE, KeyCode::Space], &[KeyCode::KeyQ, KeyCode::ControlLeft, KeyCode::ControlRight]),
            forward: axis(&[KeyCode::KeyW, KeyCode::ArrowUp], &[KeyCode::KeyS, KeyCode::ArrowDown]),
            fast: self.held.contains(&KeyCode::ShiftLeft) || self.held.contains(&KeyCode::ShiftRight),
            look_px: self.look_px,
            wheel: self.wheel,
        };
        (self.look_px, self.wheel) = ([0.0; 2], 0.0);
        controls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_keys_cancel_and_movement_is_taken_once() {
        let mut input = Input::default();
        input.key(KeyCode::KeyW, true, false);
        input.key(KeyCode::KeyA, true, false);
        input.key(KeyCode::KeyD, true, false);
        input.look(3.0, -4.0);
        let controls = input.take_controls();
        assert_eq!((controls.forward, controls.right, controls.look_px), (1.0, 0.0, [3.0, -4.0]));
        input.key(KeyCode::KeyW, false, false);
        let controls = input.take_controls();
        assert_eq!((controls.forward, controls.look_px), (0.0, [0.0, 0.0]));
    }

    #[test]
    fn a_held_key_repeats_the_view_distance_but_not_pictures() {
        let mut input = Input::default();
        assert_eq!(input.key(KeyCode::F12, true, false), Some(Action::Picture));
        assert_eq!(input.key(KeyCode::F12, true, true), None);
        assert_eq!(input.key(KeyCode::Equal, true, true), Some(Action::Farther));
    }

    #[test]
    fn every_key_is_in_the_table_once_and_every_action_is_told_once() {
        for (index, key) in KEYS.iter().enumerate() {
            assert_eq!(Input::default().key(key.code, true, false), Some(key.action), "{key:?}");
            assert!(KEYS[index + 1..].iter().all(|other| other.code != key.code), "{key:?}");
            assert_eq!(KEYS.iter().filter(|other| other.action == key.action && !other.help.is_empty()).count(), 1, "{key:?}");
        }
    }
}
