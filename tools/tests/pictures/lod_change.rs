//! In: a frozen camera where a node is about to split. Out: the same picture with the parent and with its children drawn.
//! Never knows: how levels morph.
//!
//! The camera stands still; only the viewer that the cut is chosen for moves, by half a millimetre to either side of the border.

use crate::common::{Picture, close, config, draw, flip, hole_view, keep, moved, open, over_ground, settle, soak};
use std::collections::HashSet;
use terrane::{
    session::{FrameDesc, Session, camera},
    worlds::{WORLDS, World},
};
use terrane_base::ChunkKey;
use terrane_render::Camera;
use terrane_worldgen::rings::{Rings, Viewer};

const EXTENT: (u32, u32) = (320, 180);
const VIEW_DISTANCE_M: f64 = 2000.0; // three levels, two kinds of swap
const MEAN_MAX: f32 = 0.002; // DESIGN.md
const SILHOUETTE_MAX_PIXELS: u32 = 1; // DESIGN.md
const WAYS: [([f64; 2], f64); 4] = [([0.0, 0.0], 3.0), ([350.0, 900.0], 40.0), ([1e7 + 70.0, -1e7], 3.0), ([-1e7, 1e7 + 10.0], 200.0)];
const SWAPS_A_LEVEL: usize = 1;
const HAIR_M: f64 = 0.0005;
const STEP_M: f64 = 2.0;

/// What is drawn at rest from where a camera is, with the height over the ground of another.
fn cut_at(rings: &Rings, session: &Session, camera: &Camera, eye_m: f32) -> Vec<ChunkKey> {
    let mut cut = Vec::new();
    rings.cut(&Viewer { eye_m, ..session.viewer(camera) }, &|_| true, &mut cut);
    cut
}

/// The next place along x where a node of level `lod` + 1 splits into four chunks of level `lod`: the camera there and the node.
fn next_swap(rings: &Rings, session: &Session, from: &Camera, eye_m: f32, lod: u8) -> (Camera, ChunkKey) {
    let node_between = |before: &[ChunkKey], after: &[ChunkKey]| {
        let before: HashSet<_> = before.iter().collect();
        after.iter().filter(|key| key.lod == lod && !before.contains(key)).map(|key| key.parent()).find(|node| before.contains(node))
    };
    let cut = |at_m: f64| cut_at(rings, session, &moved(from, [at_m, 0.0, 0.0]), eye_m);
    let mut low_m = STEP_M;
    while node_between(&cut(low_m), &cut(low_m + STEP_M)).is_none() {
        low_m += STEP_M;
        assert!(low_m < 3000.0, "level {lod} never splits");
    }
    let mut high_m = low_m + STEP_M;
    let node = node_between(&cut(low_m), &cut(high_m)).expect("found above");
    while high_m - low_m > HAIR_M {
        let middle_m = (low_m + high_m) * 0.5;
        if cut(middle_m).contains(&node) { low_m = middle_m } else { high_m = middle_m }
    }
    (moved(from, [(low_m + high_m) * 0.5, 0.0, 0.0]), node)
}

/// Turned to the middle of a node.
fn facing(camera: &Camera, node: ChunkKey) -> Camera {
    let edge_m = 128.0 * f64::from(1u32 << node.lod);
    let [x, _, z] = camera.place.to_f64();
    let (dx, dz) = ((f64::from(node.x) + 0.5) * edge_m - x, (f64::from(node.z) + 0.5) * edge_m - z);
    Camera { yaw_rad: dx.atan2(-dz) as f32, ..*camera }
}

/// Rows that the upper edge of the ground moves in any column.
fn silhouette_moves(a: &Picture, b: &Picture) -> u32 {
    let top = |picture: &Picture, x| (0..picture.height).find(|y| !picture.is_hole(x, *y)).unwrap_or(picture.height);
    (0..a.width).map(|x| top(a, x).abs_diff(top(b, x))).max().unwrap_or(0)
}

/// FLIP mean and silhouette of one swap.
fn check_swap(session: &mut Session, camera: &Camera, eye_m: f32, node: ChunkKey) -> (f32, u32) {
    // A little nearer, so that the children are there; hysteresis keeps them on both sides of the border.
    settle(session, &moved(camera, [0.25, -1.0, 0.0]));
    let mut show = |side_m: f64| {
        let viewer = Viewer { eye_m, ..session.viewer(&moved(camera, [side_m, 0.0, 0.0])) };
        // The second tick is long after: the late arrivals have grown, so the morph by distance alone is judged.
        (0..2).for_each(|late| session.stream.tick(viewer, f64::from(u32::MAX) + f64::from(late) * 10.0));
        let parent_drawn = session.stream.cut().iter().any(|chunk| chunk.key == node);
        (parent_drawn, draw(session, &FrameDesc::new(*camera)), draw(session, &hole_view(*camera)))
    };
    let (before, after) = (show(-2.0 * HAIR_M), show(2.0 * HAIR_M));
    assert!(before.0 && !after.0, "the swap of {node:?} is forced");
    let (error, moves) = (flip(&before.1, &after.1), silhouette_moves(&before.2, &after.2));
    if error.mean > MEAN_MAX || moves > SILHOUETTE_MAX_PIXELS {
        keep(&before.1, &format!("swap-{}-{}-{}-parent", node.lod, node.x, node.z));
        keep(&after.1, &format!("swap-{}-{}-{}-children", node.lod, node.x, node.z));
    }
    (error.mean, moves)
}

fn check(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    let rings = Rings::new(session.world.ring_params(config(world, VIEW_DISTANCE_M).view_distance_m)).expect("rings");
    let (mut swaps, mut worst, mut worst_moves) = (0, 0.0f32, 0);
    for ([x, z], up_m) in WAYS {
        for lod in 0..rings.levels() - 1 {
            let mut at = camera(over_ground(&session.world, x, z, up_m), 0.0, 0.0);
            for _ in 0..if soak() { 16 * SWAPS_A_LEVEL } else { SWAPS_A_LEVEL } {
                let (swap, node) = next_swap(&rings, &session, &at, up_m as f32, lod);
                // The cut knows x, z and the height over the ground: the camera follows the ground to where it swaps.
                let [x, _, z] = swap.place.to_f64();
                let swap = camera(over_ground(&session.world, x, z, up_m), 0.0, 0.0);
                let (mean, moves) = check_swap(&mut session, &facing(&swap, node), up_m as f32, node);
                println!("swap of {node:?}: FLIP mean {mean:.6}, silhouette {moves}");
                (swaps, worst, worst_moves) = (swaps + 1, worst.max(mean), worst_moves.max(moves));
                at = moved(&swap, [STEP_M, 0.0, 0.0]);
            }
        }
    }
    close(session);
    println!("LOD change, {}: {swaps} swaps, FLIP mean at most {worst:.6}, silhouette at most {worst_moves} pixels", world.name);
    assert!(worst <= MEAN_MAX && worst_moves <= SILHOUETTE_MAX_PIXELS, "{}: a swap shows", world.name);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn nobody_sees_a_level_change() {
    WORLDS.iter().for_each(check);
}
