//! The meshers against what a loop over all voxels says.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;
use terrane_base::hash::{hash2, pcg};
use terrane_simd::Isa;

/// Every unit face that must be covered, and its material.
fn naive_faces<V: Voxel>(voxels: &Block<V>, shown: &Mask, hides: &Mask) -> HashMap<([usize; 3], usize), u16> {
    let mut faces = HashMap::new();
    for y in 1..63 {
        for z in 1..63 {
            for x in (1..63).filter(|x| shown.get(*x, y, z)) {
                for face in Face::ALL {
                    let [nx, ny, nz] = face.normal();
                    let beside = |at: usize, step: i32| (at as i32 + step) as usize;
                    if !hides.get(beside(x, nx), beside(y, ny), beside(z, nz)) {
                        faces.insert(([x - 1, y - 1, z - 1], face as usize), voxels[y * 64 + z][x].into());
                    }
                }
            }
        }
    }
    faces
}

/// The quads cover exactly the visible faces, each once, with its material.
fn check_cover<V: Voxel>(voxels: &Block<V>, shown: &Mask, hides: &Mask, quads: &Quads) {
    let mut open = naive_faces(voxels, shown, hides);
    for quad in quads.iter() {
        let (first, extent, face) = (quad.first(), quad.extent(), quad.face());
        for y in first[1]..first[1] + extent[1] {
            for z in first[2]..first[2] + extent[2] {
                for x in first[0]..first[0] + extent[0] {
                    assert_eq!(open.remove(&([x, y, z], face as usize)), Some(quad.material()), "{quad:?} at {x} {y} {z}");
                }
            }
        }
    }
    assert!(open.is_empty(), "{} faces uncovered, one of them {:?}", open.len(), open.iter().next());
}

/// With every instruction set, which must agree quad for quad; checked against the faces.
fn mesh<V: Voxel>(voxels: &Block<V>) -> Quads {
    let all = Isa::supported().map(|isa| {
        let (mut solid, mut quads) = (Mask::default(), Quads::default());
        solid.set_solid(isa, voxels);
        GreedyMesher::default().mesh(isa, voxels, &solid, &solid, &mut quads);
        (solid, quads)
    });
    all.reduce(|first, other| {
        assert!(first.0 == other.0 && first.1.iter().eq(other.1.iter()));
        first
    })
    .map(|(solid, quads)| {
        check_cover(voxels, &solid, &solid, &quads);
        quads
    })
    .expect("there is always the scalar one")
}

fn block<V: Copy + Default>(value: impl Fn(usize, usize, usize) -> V) -> Box<Block<V>> {
    let mut block = new_block(V::default());
    for (row, voxels) in block.iter_mut().enumerate() {
        for (x, voxel) in voxels.iter_mut().enumerate() {
            *voxel = value(x, row / 64, row % 64);
        }
    }
    block
}

/// Solid with a chance, in lumps of `grain` voxels, of some materials.
fn random(seed: u32, percent: u32, grain: usize, materials: u32) -> Box<Block<u16>> {
    block(|x, y, z| {
        let dice = pcg(seed ^ hash2((y / grain) as u32, (x / grain) as i32, (z / grain) as i32));
        let material = pcg(dice ^ hash2(y as u32 / 3, x as i32 / 5, z as i32 / 4)) % materials;
        if dice % 100 < percent { 1 + material as u16 * 257 } else { 0 }
    })
}

fn hills(x: usize, y: usize, z: usize) -> u16 {
    let (x, z) = (x as f64, z as f64);
    let height = 28.0 + 9.0 * (x * 0.11).sin() + 11.0 * (z * 0.07 + x * 0.03).cos() + 3.0 * (x * 0.4 + z * 0.31).sin();
    let depth = height - y as f64;
    [0, 1, 2, 3][usize::from(depth > 0.0) + usize::from(depth > 1.0) + usize::from(depth > 4.0)]
}

#[test]
fn nothing_and_all_have_no_faces_and_one_voxel_has_six() {
    assert_eq!(mesh(&block(|_, _, _| 0u8)).count(), 0);
    assert_eq!(mesh(&block(|_, _, _| 7u8)).count(), 0, "the apron is as solid as the block");
    let one = mesh(&block(|x, y, z| u8::from([x, y, z] == [5, 6, 7]) * 9));
    let found: Vec<_> = one.iter().map(|quad| (quad.first(), quad.extent(), quad.material(), quad.face())).collect();
    assert_eq!(found, Face::ALL.map(|face| ([4, 5, 6], [1, 1, 1], 9, face)));
}

#[test]
fn a_box_has_six_quads_as_large_as_itself_up_to_the_whole_block() {
    for [from, to] in [[1, 62], [10, 40], [3, 3]] {
        let quads = mesh(&block(|x, y, z| u16::from([x, y, z].iter().all(|at| (from..=to).contains(at)))));
        let edge = to - from + 1;
        assert_eq!(quads.count(), 6);
        assert!(quads.iter().all(|quad| quad.extent().iter().product::<usize>() == edge * edge), "{:?}", quads.face(Face::PlusX));
    }
}

#[test]
fn a_checkerboard_fills_every_layer_to_the_brim() {
    let quads = mesh(&block(|x, y, z| ((x + y + z) % 2) as u8));
    assert_eq!(quads.count(), 62 * 62 * 62 / 2 * 6);
    let all = mesh(&block(|x, y, z| u16::from((1..63).contains(&y) && x % 2 == 1 && z % 2 == 1)));
    assert_eq!(all.face(Face::PlusX).len(), 31 * 31);
}

#[test]
fn faces_merge_within_a_material_only() {
    // Two slabs of two materials side by side along each axis in turn.
    for axis in 0..3 {
        let quads =
            mesh(&block(|x, y, z| u8::from((1..63).contains(&x) && (1..63).contains(&y) && (20..30).contains(&z)) * (1 + u8::from([x, y, z][axis] > 25))));
        let materials = [1, 2].map(|material| quads.iter().filter(|quad| quad.material() == material).count());
        assert_eq!(materials, [5, 5], "axis {axis}");
    }
}

#[test]
fn water_shows_where_it_meets_air_only() {
    let voxels = block(|x, y, z| if hills(x, y, z) != 0 { 1 } else { u8::from(y < 24) * 5 });
    let (mut water, mut both, mut quads) = (Mask::default(), Mask::default(), Quads::default());
    water.set_where(&voxels, |voxel| voxel == 5);
    both.set_solid(Isa::chosen(), &voxels);
    GreedyMesher::default().mesh(Isa::chosen(), &voxels, &water, &both, &mut quads);
    check_cover(&voxels, &water, &both, &quads);
    assert!(quads.count() > 0 && quads.iter().all(|quad| quad.face() == Face::PlusY && quad.first()[1] == 22));
}

#[test]
fn a_mesher_and_its_quads_carry_nothing_from_block_to_block() {
    let (mut mesher, mut quads, mut solid) = (GreedyMesher::default(), Quads::default(), Mask::default());
    for seed in 0..3 {
        for voxels in [random(seed, 50, 1, 3), block(hills), random(seed, 95, 4, 2)] {
            solid.set_solid(Isa::chosen(), &voxels);
            mesher.mesh(Isa::chosen(), &voxels, &solid, &solid, &mut quads);
            assert!(quads.iter().eq(mesh(&voxels).iter()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn random_blocks_are_covered_exactly(seed: u32, percent in 0u32..=100, grain in 1usize..9, materials in 1u32..6) {
        let wide = random(seed, percent, grain, materials);
        let narrow = block(|x, y, z| wide[y * 64 + z][x] as u8 + (wide[y * 64 + z][x] >> 8) as u8);
        let (wide, narrow) = (mesh(&wide), mesh(&narrow));
        prop_assert_eq!(wide.count(), narrow.count());
    }
}
