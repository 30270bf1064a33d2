//! Frames are measured: every part is there, and the record says what happened.
#![forbid(unsafe_code)]

mod common;

use common::{config, desc, flight, low_flight, start, world};
use terrane::{
    measure::Phase,
    session::{FrameDesc, Session},
    stream::ChunkState,
};

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_frame_has_a_record_of_what_it_cost_and_did() {
    let config = config();
    let world = world(&config);
    let start = start(&world);
    let mut session = Session::open_world(&config, world, &desc()).expect("a session");
    session.settle_whole(&start).expect("the ground is there");
    let visible_before = session.stream.visible().ns.count();
    let mut uploaded = 0;
    for frame in 0..16 {
        // At half the way somewhere else, where nothing is there yet.
        let desc = if frame % 8 == 0 { low_flight(&start, frame * 200) } else { flight(&start, frame / 8 * 1600 + frame) };
        let record = *session.frame(&desc, f64::from(frame) / 60.0).expect("a frame");
        assert_eq!(record.frame, u64::from(frame));
        let parts_ms: f64 = Phase::ALL.iter().map(|phase| record.phase(*phase).wall_ms()).sum();
        assert!(parts_ms > 0.0 && parts_ms <= record.wall_ms + 0.01, "the parts of a frame are in it: {record:?}");
        assert!(record.cpu_ms > 0.0 && record.cpu_ms <= record.wall_ms + 0.5, "{record:?}");
        assert!(record.stream().cpu_ms() <= record.cpu_ms, "{record:?}");
        assert_eq!(record.stats.upload_bytes > 0, record.chunks.accepted > 0, "{record:?}");
        assert!(record.chunks.drawn <= record.chunks.resident && record.chunks.resident <= record.chunks.wanted, "{record:?}");
        assert_eq!(record.stats.chunks, record.chunks.drawn);
        assert!(record.memory.device_bytes > 0 && record.memory.device_bytes <= record.memory.device_budget_bytes);
        if frame > 3 {
            assert!(record.gpu.rows()[0].0 == "frame" && record.gpu_ms() > Some(0.0), "{:?}", record.gpu);
        }
        uploaded += record.chunks.accepted;
        // Slow machines would see no chunk come.
        std::thread::sleep(std::time::Duration::from_millis(15));
    }
    assert!(uploaded > 0, "another place asks for chunks");
    assert!(session.stream.visible().ns.count() > visible_before, "some of them were seen");
    let states = session.stream.states();
    let count = |state| session.stream.chunks().filter(|chunk| chunk.1 == state).count() as u32;
    assert_eq!(count(ChunkState::Drawn), states.drawn);
    assert_eq!(count(ChunkState::Drawn) + count(ChunkState::Resident), states.resident);
    assert_eq!(session.meter.history().len(), 16);
    // Still: nothing is sent any more.
    session.settle(&start, |_| ()).expect("it settles");
    for _ in 0..5 {
        let record = session.frame(&FrameDesc::new(start), 1e6).expect("a frame");
        assert_eq!((record.stats.upload_bytes, record.chunks.accepted), (0, 0));
    }
    assert_eq!(session.close().expect("it ends"), 0);
}
