//! Whole chunks of a field that uses every block of noise: what neighbours, levels, meshes and plants have in common.

use proptest::prelude::*;
use terrane_base::{ChunkKey, Digest, Seed, hash::pcg};
use terrane_worldgen::{
    CHUNK_EDGE_M, CHUNK_QUADS, CHUNK_VERTICES, GridArea, GridMesh, HEIGHT_LIMIT_M, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    curve::Curve,
    digest::write_chunk,
    grid_indices, heightmap, mesh_grid,
    morph::{drawn_height_m, vertex_height_m},
    noise::{Stack, StackDesc, smooth},
    phase::WARP_UNITS_PER_M,
    scatter::{Instance, ScatterKind, scatter},
    unpack_vertex,
};

/// Chunk indices at level 0 whose chunks lie at the origin, across it, and 10,000 km out.
const FAR: i32 = (10_000_000 / CHUNK_EDGE_M) as i32;
const PLACES: [(i32, i32); 6] = [(0, 0), (-1, -1), (0, -1), (FAR, FAR), (-FAR, FAR - 1), (-FAR - 1, -FAR)];

/// Warped ridges over gentle ground, through a curve.
struct Land {
    warp: [Stack; 2],
    ridges: Stack,
    ground: Stack,
    curve: Curve,
    height_m: f32,
}

impl Land {
    fn new(height_m: f32) -> Land {
        let seed = Seed::parse("chunks");
        let stack = |salt: &str, octaves, wavelength_m| {
            Stack::new(seed.stream(salt), &StackDesc { octaves, wavelength_m, lacunarity: 2.0, persistence: 0.5, period_cells: 0 })
        };
        Land {
            warp: [stack("warp x", 3, 900.0), stack("warp z", 3, 900.0)],
            ridges: stack("ridges", 6, 1500.0),
            ground: stack("ground", 8, 700.0),
            curve: Curve::new(&[[0.0, 0.0], [0.3, 0.1], [1.0, 1.2]]).expect("a curve"),
            height_m,
        }
    }
}

impl HeightField for Land {
    fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
        let count = area.edge * area.edge;
        scratch.reserve(3, 2, count);
        let Scratch { noise, layers, warps, .. } = scratch;
        for (stack, warp) in self.warp.iter().zip(warps.iter_mut()) {
            stack.fbm_grid(area, noise, &mut layers[0]);
            warp.iter_mut().zip(&layers[0]).for_each(|(warp, value)| *warp = (value * 120.0 * WARP_UNITS_PER_M) as i32);
        }
        self.ridges.ridged_warped(area, [&warps[0], &warps[1]], 2.0, &mut layers[1]);
        self.ground.fbm_grid(area, noise, &mut layers[2]);
        out.edge = area.edge;
        let h = |i: usize| layers[1][i] * 0.7 + layers[2][i] * 0.2;
        out.height_q = (0..count).map(|i| ((self.curve.value(h(i)) + h(i)) * self.height_m * HEIGHT_UNITS_PER_M as f32) as i32).collect();
        out.cover = (0..count).map(|i| (smooth(layers[2][i] + 0.5) * 255.0) as u8).collect();
    }
}

fn samples(key: ChunkKey) -> Samples {
    let mut out = Samples::default();
    heightmap(&Land::new(500.0), key, &mut Scratch::default(), &mut out);
    out
}

fn mesh(samples: &Samples, lod: u8) -> GridMesh {
    let mut out = GridMesh::default();
    mesh_grid(samples, lod, &mut out);
    out
}

fn kinds() -> Vec<ScatterKind> {
    let kind = |name, spacing_m, cover, keep, props| ScatterKind {
        name,
        spacing_m,
        density: 0.8,
        slope: [0.0, 0.9],
        height_m: [-400.0, 600.0],
        height_fade_m: 50.0,
        cover,
        keep,
        scale: [0.5, 2.0],
        props,
    };
    vec![kind("tree", 6.7, [0.3, 0.7], [1.0, 0.5, 0.25, 0.1, 0.05, 0.02], [0, 2]), kind("stone", 17.25, [0.0, 0.0], [1.0, 1.0, 0.5, 0.0, 0.0, 0.0], [9, 1])]
}

fn instances(samples: &Samples, key: ChunkKey) -> Vec<Instance> {
    let mut out = Vec::new();
    scatter(samples, key, 77, &kinds(), &mut out);
    out
}

/// Every sample that two chunks share, aprons included, has the same bits in both.
fn check_shared(a: ChunkKey, b: ChunkKey) -> usize {
    let chunks = [a, b].map(|key| (key, samples(key)));
    let step = chunks.each_ref().map(|(key, _)| 1i64 << key.lod);
    let mut shared = 0;
    for z in -2..=130i32 {
        for x in -2..=130i32 {
            let metres = [(a.x, x), (a.z, z)].map(|(chunk, sample)| (i64::from(chunk) * CHUNK_EDGE_M + i64::from(sample)) * step[0]);
            let local = [metres[0] - i64::from(b.x) * CHUNK_EDGE_M * step[1], metres[1] - i64::from(b.z) * CHUNK_EDGE_M * step[1]];
            let there = local.map(|metre| metre.div_euclid(step[1]));
            if local.iter().any(|metre| metre % step[1] != 0) || there.iter().any(|index| !(-2..=130).contains(index)) {
                continue;
            }
            let (here, there) = ((x, z), (there[0] as i32, there[1] as i32));
            let [(_, first), (_, second)] = &chunks;
            assert_eq!(first.height(here.0, here.1), second.height(there.0, there.1), "{a:?} {here:?}, {b:?} {there:?}");
            assert_eq!(first.cover[first.index(here.0, here.1)], second.cover[second.index(there.0, there.1)]);
            shared += 1;
        }
    }
    shared
}

#[test]
fn neighbours_share_their_border_and_aprons() {
    for (x, z) in PLACES {
        for lod in [0, 3] {
            let (x, z) = (x >> lod, z >> lod);
            for (dx, dz, expected) in [(1, 0, 5 * 133), (0, 1, 5 * 133), (1, 1, 25)] {
                assert_eq!(check_shared(ChunkKey::plane(lod, x, z), ChunkKey::plane(lod, x + dx, z + dz)), expected);
            }
        }
    }
}

#[test]
fn levels_share_every_sample_that_both_have() {
    for (x, z) in PLACES {
        let key = ChunkKey::plane(0, x, z);
        // Of 133 samples from -2 on, every second is also the parent's, every 32nd that of its fifth ancestor.
        assert_eq!(check_shared(key, key.parent()), 67 * 67);
        assert_eq!(check_shared(key, key.ancestor(5)), 5 * 5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_two_touching_chunks_of_any_levels_agree(x in -80_000i32..80_000, z in -80_000i32..80_000, lod in 0u8..4, up in 0u8..3) {
        let key = ChunkKey::plane(lod, x, z);
        prop_assert!(check_shared(key, ChunkKey::plane(lod, x + 1, z).ancestor(lod + up)) > 0);
    }
}

#[test]
fn scratch_and_outputs_carry_nothing_from_chunk_to_chunk() {
    let land = Land::new(500.0);
    let (mut scratch, mut reused) = (Scratch::default(), Samples::default());
    let mut reused_mesh = GridMesh::default();
    for (x, z) in PLACES {
        for lod in [0, 5] {
            let key = ChunkKey::plane(lod, x, z);
            heightmap(&land, key, &mut scratch, &mut reused);
            assert_eq!(reused, samples(key));
            mesh_grid(&reused, lod, &mut reused_mesh);
            assert_eq!(reused_mesh, mesh(&samples(key), lod));
        }
    }
}

#[test]
fn every_vertex_is_within_the_bounds_whatever_its_morph() {
    for (x, z) in PLACES {
        for lod in [0, 2, 5] {
            let mesh = mesh(&samples(ChunkKey::plane(lod, x, z)), lod);
            for i in 0..CHUNK_VERTICES * CHUNK_VERTICES {
                for m in [0.0, 0.37, 1.0] {
                    let height_m = vertex_height_m(&mesh, i % CHUNK_VERTICES, i / CHUNK_VERTICES, m);
                    assert!((mesh.height_min_m..=mesh.height_max_m).contains(&height_m), "{i} {m}");
                }
            }
        }
    }
}

#[test]
fn heights_past_the_limit_are_cut_off_alike_everywhere() {
    let (mut out, key) = (Samples::default(), ChunkKey::plane(5, 0, 0));
    heightmap(&Land::new(4e6), key, &mut Scratch::default(), &mut out);
    let limit = HEIGHT_LIMIT_M * HEIGHT_UNITS_PER_M;
    assert_eq!((out.height_q.iter().min(), out.height_q.iter().max()), (Some(&-limit), Some(&limit)));
    let mesh = mesh(&out, 5);
    assert_eq!((mesh.height_min_m, mesh.height_max_m), (-HEIGHT_LIMIT_M as f32, HEIGHT_LIMIT_M as f32));
}

/// The twin of the shader against the triangles themselves, found through the index buffer.
#[test]
fn the_drawn_height_lies_on_the_triangles() {
    let mesh = mesh(&samples(ChunkKey::plane(1, -3, 2)), 1);
    let indices = grid_indices();
    let morph = |x: usize, z: usize| (pcg((z * 1000 + x) as u32) >> 8) as f32 / 16_777_216.0;
    let corner = |index: u16| {
        let (x, z) = (usize::from(index) % CHUNK_VERTICES, usize::from(index) / CHUNK_VERTICES);
        [x as f32, vertex_height_m(&mesh, x, z, morph(x, z)), z as f32]
    };
    for i in 0..3000u32 {
        let quad = pcg(i) as usize % (CHUNK_QUADS * CHUNK_QUADS);
        let triangle = &indices[quad * 6 + 3 * (i as usize & 1)..][..3];
        // A random point of the triangle.
        let (mut u, mut v) = ((pcg(i ^ 0x100_0000) & 1023) as f32 / 1023.0, (pcg(i ^ 0x200_0000) & 1023) as f32 / 1023.0);
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let [a, b, c] = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])];
        let [x, height_m, z] = [0, 1, 2].map(|axis| a[axis] + (b[axis] - a[axis]) * u + (c[axis] - a[axis]) * v);
        let drawn_m = drawn_height_m(&mesh, [x, z], morph);
        assert!((drawn_m - height_m).abs() < 2e-3, "{x}, {z}: {drawn_m} {height_m}");
    }
}

#[test]
fn fully_morphed_chunks_are_their_parent_in_height_and_shading() {
    for (x, z) in PLACES {
        let key = ChunkKey::plane(0, x, z);
        let (fine, coarse) = (mesh(&samples(key), 0), mesh(&samples(key.parent()), 1));
        let quarter = [(x & 1) as usize * 64, (z & 1) as usize * 64];
        for i in 0..65 * 65 {
            let (x, z) = (i % 65, i / 65);
            let a = unpack_vertex(fine.vertices[2 * z * CHUNK_VERTICES + 2 * x]);
            let b = unpack_vertex(coarse.vertices[(quarter[1] + z) * CHUNK_VERTICES + quarter[0] + x]);
            assert_eq!((a.height_m, a.coarse_gradient, a.cover), (b.height_m, b.gradient, b.cover));
        }
        for i in 0..500u32 {
            let at = [pcg(i), pcg(!i)].map(|dice| (dice % 1281) as f32 / 10.0);
            let below = [(at[0] * 0.5) + quarter[0] as f32, (at[1] * 0.5) + quarter[1] as f32];
            let (fine_m, coarse_m) = (drawn_height_m(&fine, at, |_, _| 1.0), drawn_height_m(&coarse, below, |_, _| 0.0));
            assert!((fine_m - coarse_m).abs() < 2e-3, "{at:?}: {fine_m} {coarse_m}");
        }
    }
}

#[test]
fn instances_come_in_the_order_of_kind_and_lattice() {
    for (x, z) in PLACES {
        for lod in [0, 2, 4] {
            let key = ChunkKey::plane(lod, x >> lod, z >> lod);
            let edge = (CHUNK_EDGE_M << lod) * 16;
            let place = |instance: &Instance| {
                let kind = usize::from(instance.prop() == 9);
                let spacing = [107i64, 276][kind]; // 6.7 m and 17.25 m in whole sixteenths
                let local = [instance.words[0] & 0xffff, instance.words[0] >> 16].map(i64::from);
                let cell = |axis: usize| (local[axis] + [i64::from(key.x), i64::from(key.z)][axis] * edge).div_euclid(spacing);
                (kind, cell(1), cell(0))
            };
            let places: Vec<_> = instances(&samples(key), key).iter().map(place).collect();
            assert!(places.len() > 20 && places.windows(2).all(|pair| pair[0] < pair[1]), "{key:?}: {}", places.len());
        }
    }
}

#[test]
fn what_stands_in_a_coarse_chunk_stands_in_the_fine_ones() {
    for (x, z) in PLACES {
        for lod in 1..=3u8 {
            let key = ChunkKey::plane(lod, x >> lod, z >> lod);
            let half = ((CHUNK_EDGE_M << (lod - 1)) * 16) as u32;
            let fine: std::collections::HashSet<[u32; 2]> = key
                .quad_children()
                .into_iter()
                .flat_map(|child| {
                    instances(&samples(child), child).into_iter().map(move |instance| {
                        let shift = (child.x & 1) as u32 * half + (((child.z & 1) as u32 * half) << 16);
                        [instance.words[0] + shift, instance.words[1]]
                    })
                })
                .collect();
            let coarse = instances(&samples(key), key);
            assert!(!coarse.is_empty() && coarse.len() < fine.len());
            assert!(coarse.iter().all(|instance| fine.contains(&instance.words)), "{key:?}");
        }
    }
}

#[test]
fn a_digest_sees_each_height_cover_and_instance() {
    let key = ChunkKey::plane(0, -1, 2);
    let (samples, instances) = (samples(key), instances(&samples(key), key));
    let digest = |key: ChunkKey, samples: &Samples, instances: &[Instance]| {
        let mut digest = Digest::default();
        write_chunk(&mut digest, key, samples, instances);
        digest.finish()
    };
    let base = digest(key, &samples, &instances);
    assert_eq!(base, digest(key, &samples.clone(), &instances.clone()));
    assert_ne!(base, digest(ChunkKey::plane(0, -1, 3), &samples, &instances));
    assert_ne!(base, digest(key, &samples, &instances[1..]));
    // The apron counts through the gradients of the border; its corners are nobody's.
    for (x, z) in [(0, 0), (64, 77), (128, 128), (-1, 5), (130, 128), (3, -2)] {
        let mut changed = samples.clone();
        changed.height_q[samples.index(x, z)] += 1;
        assert_ne!(base, digest(key, &changed, &instances), "{x}, {z}");
    }
    let mut changed = samples.clone();
    changed.cover[samples.index(9, 9)] ^= 1;
    assert_ne!(base, digest(key, &changed, &instances));
}

/// The field for the figure of precision: it looks the same at the origin and at the whole number of periods nearest 10,000 km.
#[test]
fn a_periodic_land_is_the_same_at_its_period_near_ten_thousand_kilometres() {
    struct Periodic(Stack);
    impl HeightField for Periodic {
        fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
            scratch.reserve(1, 0, area.edge * area.edge);
            self.0.fbm_grid(area, &mut scratch.noise, &mut scratch.layers[0]);
            out.edge = area.edge;
            out.height_q = scratch.layers[0].iter().map(|value| (value * 102_400.0) as i32).collect();
            out.cover = vec![128; out.height_q.len()];
        }
    }
    let desc = StackDesc { octaves: 8, wavelength_m: 1024.0, lacunarity: 2.0, persistence: 0.5, period_cells: 8 };
    let field = Periodic(Stack::new(11, &desc));
    let period_chunks = 8 * 1024 / CHUNK_EDGE_M as i32;
    let far = (10_000_000.0 / f64::from(period_chunks * CHUNK_EDGE_M as i32)).round() as i32 * period_chunks;
    for (x, z) in [(0, 0), (-3, 17)] {
        let [near, there] = [[x, z], [x + far, z - far]].map(|[x, z]| {
            let mut out = Samples::default();
            heightmap(&field, ChunkKey::plane(0, x, z), &mut Scratch::default(), &mut out);
            out
        });
        assert_eq!(near, there);
    }
}
