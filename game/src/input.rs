//! In: key, button, wheel and mouse events. Out: what the player asks for, and commands.
//! Never knows: the world. Keys are physical places on the keyboard, so WASD is a block on every layout.

use crate::fly::Controls;
use std::collections::HashSet;
use winit::{
    event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent},
    keyboard::{KeyCode, PhysicalKey},
};

/// Something that happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// + : see farther.
    Farther,
    /// - : see less far.
    Nearer,
    /// G: fly, or walk.
    ToggleWalk,
    /// P: prints what one shares.
    Share,
    /// F4: colours by level of detail.
    ShowLod,
    /// F5: colours by what the culling thinks.
    ShowCulling,
    /// F6: the culling stays where it looks from now, or goes on.
    FreezeCulling,
    /// F7: lines instead of triangles.
    Wireframe,
    /// F8: shadows.
    Shadows,
    /// F9: whether what is hidden is left out.
    Occlusion,
    /// F11.
    FullScreen,
    /// F12.
    Picture,
    /// Esc: frees the mouse, then quits.
    Escape,
    /// A button was pressed on the picture: take the mouse.
    TakeMouse,
}

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
                let PhysicalKey::Code(code) = event.physical_key else { return None };
                self.key(code, event.state == ElementState::Pressed, event.repeat)
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
        match code {
            KeyCode::Equal | KeyCode::NumpadAdd => Some(Action::Farther),
            KeyCode::Minus | KeyCode::NumpadSubtract => Some(Action::Nearer),
            _ if repeat => None,
            KeyCode::KeyG => Some(Action::ToggleWalk),
            KeyCode::KeyP => Some(Action::Share),
            KeyCode::F4 => Some(Action::ShowLod),
            KeyCode::F5 => Some(Action::ShowCulling),
            KeyCode::F6 => Some(Action::FreezeCulling),
            KeyCode::F7 => Some(Action::Wireframe),
            KeyCode::F8 => Some(Action::Shadows),
            KeyCode::F9 => Some(Action::Occlusion),
            KeyCode::F11 => Some(Action::FullScreen),
            KeyCode::F12 => Some(Action::Picture),
            KeyCode::Escape => Some(Action::Escape),
            _ => None,
        }
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
}
