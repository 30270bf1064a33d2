//! After the first chunks and blocks, no kernel allocates: buffers are kept. Counted, not assumed.

use allocation_counter::measure;
use terrane_base::{
    ChunkKey,
    hash::{hash2, pcg},
};
use terrane_simd::Isa;
use terrane_worldgen::{
    GridArea, GridMesh, HeightField, Samples, Scratch, heightmap, mesh_grid,
    noise::{Stack, StackDesc},
    scatter::{ScatterKind, scatter},
    voxel::{Block, GreedyMesher, MarchingCubes, Mask, Quads, Surface, SurfaceNets, new_block},
};

struct Hills(Stack);

impl HeightField for Hills {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let count = area.edge * area.edge;
        scratch.reserve(1, 0, count);
        self.0.fbm_grid(area, &mut scratch.noise, &mut scratch.layers[0][..count]);
        out.edge = area.edge;
        out.height_q.clear();
        out.height_q.extend(scratch.layers[0][..count].iter().map(|value| (value * 40_000.0) as i32));
        out.cover.clear();
        out.cover.extend(scratch.layers[0][..count].iter().map(|value| (value * 127.0 + 128.0) as u8));
    }
}

#[test]
fn whole_chunks_allocate_nothing_once_buffers_are_warm() {
    let field = Hills(Stack::new(3, &StackDesc { octaves: 6, wavelength_m: 300.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }));
    let kind = |spacing_m| ScatterKind {
        name: "plant",
        spacing_m,
        density: 0.8,
        slope: [0.0, 0.8],
        height_m: [-100.0, 100.0],
        height_fade_m: 10.0,
        cover: [0.1, 0.4],
        keep: [1.0, 0.5, 0.25, 0.1, 0.05, 0.02],
        scale: [0.5, 1.5],
        props: [0, 3],
    };
    let kinds = [kind(1.0), kind(2.5), kind(13.0)];
    let (mut scratch, mut samples, mut mesh, mut instances) = (Scratch::default(), Samples::default(), GridMesh::default(), Vec::new());
    let mut chunk = |x: i32, lod: u8| {
        let key = ChunkKey::plane(lod, x, -x);
        heightmap(&field, key, &mut scratch, &mut samples);
        mesh_grid(&samples, lod, &mut mesh);
        scatter(&samples, key, 99, &kinds, &mut instances);
        instances.len()
    };
    // Each level a few times: the list grows once to the most that a chunk has before the cut.
    for x in 0..100 {
        chunk(x, (x % 7) as u8);
    }
    let mut grown = 0;
    let counted = measure(|| grown = (0..100).rev().map(|x| chunk(x, (x % 7) as u8)).sum());
    assert!(grown > 50_000);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

fn random(seed: u32, grain: i32) -> (Box<Block<u16>>, Box<Block<f32>>) {
    let (mut voxels, mut values) = (new_block(0), new_block(0.0));
    for (row, (voxels, values)) in voxels.iter_mut().zip(values.iter_mut()).enumerate() {
        for x in 0..64 {
            let dice = pcg(seed ^ hash2(row as u32 / 64 / grain as u32, x as i32 / grain, row as i32 % 64 / grain));
            voxels[x] = (dice % 4) as u16;
            values[x] = (dice >> 8) as f32 / 8_388_608.0 - 1.0;
        }
    }
    (voxels, values)
}

#[test]
fn blocks_of_voxels_allocate_nothing_once_buffers_are_warm() {
    let isa = Isa::chosen();
    let (mut solid, mut greedy, mut quads) = (Mask::default(), GreedyMesher::default(), Quads::default());
    let (mut nets, mut cubes, mut surface) = (SurfaceNets::default(), MarchingCubes::default(), Surface::default());
    let mut block = |(voxels, values): &(Box<Block<u16>>, Box<Block<f32>>)| {
        solid.set_solid(isa, voxels);
        greedy.mesh(isa, voxels, &solid, &solid, &mut quads);
        nets.mesh(isa, values, &mut surface);
        cubes.mesh(isa, values, &mut surface);
    };
    // The busiest first: no block has more.
    let blocks = [1, 2, 3, 5, 9].map(|grain| random(grain as u32, grain));
    block(&blocks[0]);
    let counted = measure(|| blocks.iter().for_each(&mut block));
    assert_eq!(counted.count_total, 0, "{counted:?}");
}
