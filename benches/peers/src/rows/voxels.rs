//! Rows 5, 6, 7: blocks of 64^3 voxels and signed values.

use crate::{
    harness::{Goal, Session},
    scenes,
};
use binary_greedy_meshing as bgm;
use block_mesh::{GreedyQuadsBuffer, MergeVoxel, RIGHT_HANDED_Y_UP_CONFIG, VoxelVisibility, greedy_quads};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use ndshape::ConstShape3u32;
use std::{collections::BTreeSet, hint::black_box};
use terrane_simd::Isa;
use terrane_worldgen::voxel::{Block, GreedyMesher, MarchingCubes, Mask, Quads, Surface, SurfaceNets, new_block};

type Shape = ConstShape3u32<64, 64, 64>;

/// A voxel as block-mesh wants it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Material(u16);

impl block_mesh::Voxel for Material {
    fn get_visibility(&self) -> VoxelVisibility {
        if self.0 == 0 { VoxelVisibility::Empty } else { VoxelVisibility::Opaque }
    }
}

impl MergeVoxel for Material {
    type MergeValue = u16;

    fn merge_value(&self) -> u16 {
        self.0
    }
}

pub fn voxels(session: &mut Session) {
    if session.wants_row("5") || session.wants_row("6") {
        let goals = [Goal::times(1.5, 2.0), Goal::times(20.0, 50.0), Goal::times(5.0, 5.0)];
        greedy(session, "hills", scenes::hills, goals, 0x2973_2069_5d29_458d);
        greedy(session, "caves", scenes::caves, [Goal::NONE; 3], 0xbf0f_10f5_f83d_2064);
    }
    if session.wants_row("7") {
        let nothing = 0x4729_80c1_5410_4e2c;
        nets(session, "hills", scenes::hills_distance, Goal::times(3.0, 4.5), [0xbe15_51fc_6040_bb06, 0x6cce_0097_c219_e621]);
        nets(session, "caves", scenes::caves_distance, Goal::NONE, [0x2f6a_8b3a_e022_8f2f, 0x344f_6fb0_ed5c_ce02]);
        nets(session, "empty", |_, _, _| 1.0, Goal::times(10.0, 20.0), [nothing; 2]);
    }
}

fn boxed<T: Copy>(values: &[T]) -> Box<Block<T>> {
    let mut block = new_block(values[0]);
    block.as_flattened_mut().copy_from_slice(values);
    block
}

/// Rows 5 and 6. Both index a block alike, so both get the same one.
fn greedy(session: &mut Session, scene: &str, voxel: impl Fn(usize, usize, usize) -> u16, goals: [Goal; 3], pinned: u64) {
    let names = [
        format!("5 greedy mesh of {scene} from masks: bgm fast_mesh"),
        format!("6 voxels to quads, {scene}: block-mesh greedy_quads"),
        format!("6 voxels to quads, {scene}: bgm mesh"),
    ];
    if !names.iter().any(|name| session.wants(name)) {
        return;
    }
    let voxels = scenes::block(voxel);
    let (wide, narrow) = (boxed(&voxels), boxed(&voxels.iter().map(|voxel| *voxel as u8).collect::<Vec<_>>()));
    let (mut mesher, mut solid, mut quads) = (GreedyMesher::default(), Mask::default(), Quads::default());
    solid.set_solid(Isa::chosen(), &wide);
    let (mut peer, transparent, air) = (bgm::Mesher::<62>::new(), BTreeSet::new(), vec![0; 4096]);
    let opaque = bgm::compute_opaque_mask::<62>(&voxels, &transparent);
    assert_eq!(*opaque, solid.rows[..], "both start from the same masks");

    session.race(
        &names[0],
        goals[0],
        "u16 voxels",
        |isa| mesher.mesh(isa, black_box(&*wide), &solid, &solid, &mut quads),
        || {
            peer.clear();
            peer.fast_mesh(black_box(&voxels), &opaque, &air);
        },
    );
    mesher.mesh(session.isa, &wide, &solid, &solid, &mut quads);
    peer.clear();
    peer.fast_mesh(&voxels, &opaque, &air);
    let counts = [quads.count(), peer.quads.iter().map(Vec::len).sum()];
    session.check(&format!("{scene}: {} quads, at most 1.02 times the {} of binary-greedy-meshing", counts[0], counts[1]), {
        counts[0] as f64 <= 1.02 * counts[1] as f64
    });
    session.check_hash(&format!("{} quads of {scene}", counts[0]), scenes::hash(quads.iter().map(|quad| quad.0)), pinned);

    let materials: Vec<_> = voxels.iter().map(|voxel| Material(*voxel)).collect();
    let mut buffer = GreedyQuadsBuffer::new(materials.len());
    let mut ours = |isa| {
        solid.set_solid(isa, black_box(&*narrow));
        mesher.mesh(isa, &narrow, &solid, &solid, &mut quads);
    };
    session.race(&names[1], goals[1], "u8 voxels, masks included", &mut ours, || {
        greedy_quads(black_box(&materials), &Shape {}, [0; 3], [63; 3], &RIGHT_HANDED_Y_UP_CONFIG.faces, &mut buffer);
    });
    session.race(&names[2], goals[2], "u8 voxels, masks included", &mut ours, || {
        peer.clear();
        peer.mesh(black_box(&voxels), &transparent);
    });
}

/// Row 7, and marching cubes, which has no peer of its own: it is timed beside the same.
fn nets(session: &mut Session, scene: &str, value: impl Fn(usize, usize, usize) -> f32, goal: Goal, pinned: [u64; 2]) {
    let names = ["surface nets", "marching cubes"].map(|method| format!("7 {method}, 64^3 {scene}: fast-surface-nets"));
    if !names.iter().any(|name| session.wants(name)) {
        return;
    }
    let values = scenes::block(value);
    let (block, mut out) = (boxed(&values), Surface::default());
    let (mut nets, mut cubes, mut buffer) = (SurfaceNets::default(), MarchingCubes::default(), SurfaceNetsBuffer::default());
    let mut peer = || surface_nets(black_box(&values), &Shape {}, [0; 3], [63; 3], &mut buffer);
    session.race(&names[0], goal, "", |isa| nets.mesh(isa, black_box(&*block), &mut out), &mut peer);
    session.race(&names[1], Goal::NONE, "", |isa| cubes.mesh(isa, black_box(&*block), &mut out), &mut peer);
    let isa = session.isa;
    for (method, pinned) in ["nets", "cubes"].into_iter().zip(pinned) {
        if method == "nets" {
            nets.mesh(isa, &block, &mut out)
        } else {
            cubes.mesh(isa, &block, &mut out)
        }
        let hash = scenes::hash(out.vertices().iter().map(|vertex| vertex.0).chain(out.indices().iter().map(|index| u64::from(*index))));
        session.check_hash(&format!("{} vertices, {} triangles of {method}, {scene}", out.vertices().len(), out.indices().len() / 3), hash, pinned);
    }
    session.check(&format!("as many vertices as fast-surface-nets, {scene}"), {
        nets.mesh(isa, &block, &mut out);
        out.vertices().len() == buffer.positions.len()
    });
}
