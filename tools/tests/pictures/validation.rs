//! In: a flight with everything that a player can do. Out: what Vulkan's validation layer says: nothing.
//! Never knows: pictures. Without the layer these fail: a device with validation does not open then.

use crate::common::{config, desc, moved, over_ground};
use terrane::{
    session::{FrameDesc, Session, SessionDesc, camera},
    worlds::{WORLDS, World},
};
use terrane_render::{DebugView, Renderer};

/// Frames for each number of samples: with the resolve of several the whole flight, without it the start.
const FLIGHTS: [(u32, u32); 2] = [(4, 60), (1, 20)];
const VIEW_DISTANCE_M: f64 = 600.0;
const SIZES: [(u32, u32); 3] = [(160, 90), (97, 61), (1, 1)];
const STEP_M: f64 = 5.0; // x 60 Hz = 300 m/s

fn open_checked(world: &World, samples: u32) -> Session {
    let desc = SessionDesc { validation: true, samples, ..desc(SIZES[0]) };
    Session::open(&config(world, VIEW_DISTANCE_M), &desc).expect("a session; this test needs a Vulkan driver and the validation layer")
}

/// Flies, turns at once, goes far away, changes the size and what is painted.
fn fly(session: &mut Session, frames: u32) {
    let mut at = camera(over_ground(&session.world, 0.0, 0.0, 30.0), 0.0, 0.0);
    for frame in 0..frames {
        at = moved(&at, [STEP_M, 0.0, 0.0]);
        if frame % 15 == 10 {
            at.yaw_rad += 2.5;
        }
        if frame == 30 {
            at.place = over_ground(&session.world, 1e7, -1e7, 2.0);
        }
        if frame % 8 == 5 {
            let size = SIZES[(frame / 8) as usize % SIZES.len()];
            Renderer::resize(&mut session.renderer, &mut session.device, size).expect("it resizes");
        }
        let view = if frame % 20 == 19 { DebugView::Lod } else { DebugView::None };
        session.stream.tick(session.viewer(&at), f64::from(frame) / 60.0);
        let mut cmd = session.device.begin_frame().expect("a frame");
        let frame = FrameDesc { view, time_s: frame as f32 / 60.0, ..FrameDesc::new(at) };
        session.record(&mut cmd, &frame).expect("it records");
        session.device.submit_frame(cmd).expect("it is sent");
    }
}

#[test]
#[ignore = "needs a Vulkan driver and the validation layer"]
fn a_flight_gives_no_message() {
    for world in WORLDS {
        for (samples, frames) in FLIGHTS {
            let mut session = open_checked(world, samples);
            fly(&mut session, frames);
            session.device.wait_idle().expect("it ends");
            let texts = session.device.validation_texts();
            let messages = session.close().expect("it closes");
            assert_eq!(messages, 0, "{}: {texts:#?}", world.name);
            println!("validation, {}, {samples} samples: 0 messages over {frames} frames", world.name);
        }
    }
}

#[test]
#[ignore = "needs a Vulkan driver and the validation layer"]
fn a_planted_hazard_is_heard_through_a_session() {
    let mut session = open_checked(&WORLDS[0], 1);
    let mut cmd = session.device.begin_frame().expect("a frame");
    let target = session.renderer.drawn_instances();
    // Two writes to the same words with nothing in between.
    cmd.fill_buffer(target, 0, 64, 1);
    cmd.fill_buffer(target, 0, 64, 2);
    session.device.submit_frame(cmd).expect("it is sent");
    session.device.wait_idle().expect("it ends");
    let texts = session.device.validation_texts();
    assert!(texts.iter().any(|text| text.contains("SYNC-HAZARD-WRITE-AFTER-WRITE")), "{texts:?}");
    assert!(session.close().expect("it closes") > 0);
}
