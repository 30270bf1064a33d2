//! In: worlds of tiles of several seeds. Out: that their formulas, shores, borders and levels are what they say.
//! Never knows: pictures.

use super::*;
use crate::{CHUNK_VERTICES, GridMesh, scatter::Instance};
use std::collections::HashSet;
use terrane_base::ChunkKey;

fn desc() -> TileDesc {
    TileDesc {
        noise: StackDesc { octaves: 4, wavelength_m: 190.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 },
        amplitude: 2.6,
        height_m: 30.0,
        cliff_m: 3.2,
        cliff_wavelength_m: 170.0,
        cliff_share: 0.45,
        depth_m: 5.0,
        grove_wavelength_m: 95.0,
        colors: TileColors {
            sand: [0.9, 0.8, 0.6],
            meadow: [0.7, 0.8, 0.5],
            grass: [0.5, 0.7, 0.4],
            grove: [0.4, 0.5, 0.3],
            earth: [0.7, 0.5, 0.4],
            bed: [0.8, 0.8, 0.6],
            deep: [0.4, 0.6, 0.6],
        },
    }
}

fn corners(field: &TileField, x_m: i64, z_m: i64, step_m: u32, edge: usize) -> TileCorners {
    let mut out = TileCorners::default();
    field.corners(&GridArea { x_m, z_m, step_m, edge }, &mut Scratch::default(), &mut out);
    out
}

fn chunk(field: &TileField, key: ChunkKey) -> (TileCorners, GridMesh) {
    let edge = 64i64 << key.lod;
    let corners = corners(field, i64::from(key.x) * edge, i64::from(key.z) * edge, 1 << key.lod, 65);
    let mut mesh = GridMesh::default();
    mesh_tiles(&corners, &field.desc().colors, &mut mesh);
    (corners, mesh)
}

fn vertex(mesh: &GridMesh, x: usize, z: usize) -> TileVertex {
    unpack_tile_vertex(mesh.vertices[z * CHUNK_VERTICES + x])
}

#[test]
fn hashes_are_those_of_their_formulas() {
    assert_eq!([tile_hash(1, 0, 0), tile_hash(-1, 0, 42)], [2_112_582_102, 1_822_213_287]);
    assert!((seed_offsets(42)[0] - -290.55).abs() < 0.01, "{:?}", seed_offsets(42));
    assert!(seed_offsets(i32::MIN).iter().chain(&seed_offsets(i32::MAX)).all(|offset| offset.abs() < 1000.0));
    // Pinned: sines of a platform's own library would move them.
    let bits = [tree_hash(3, -7, 0), tree_place(3, -7, 0)[0], tree_place(3, -7, 0)[1]];
    let by_hand = [
        ((3.0f64 * 12.9898 - 7.0 * 78.233).sin() * 43758.5453).abs().fract(),
        ((3.0f64 * 45.23 - 7.0 * 12.81).cos() * 2345.67).abs().fract(),
        ((3.0f64 * 93.71 - 7.0 * 31.41).sin() * 5678.91).abs().fract(),
    ];
    assert!(bits.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-8), "{bits:?} {by_hand:?}");
}

#[test]
fn seeds_that_fit_stay_and_others_differ() {
    assert_eq!([0, 1, -1, 42, i64::from(i32::MIN)].map(|seed| fold_seed(Seed(seed))), [0, 1, -1, 42, i32::MIN]);
    let folded: HashSet<i32> = (0..1000i64).map(|i| fold_seed(Seed((i << 32) | 5))).collect();
    assert_eq!(folded.len(), 1000);
}

#[test]
fn white_noise_is_even_and_independent_of_its_neighbours() {
    let values: Vec<f32> = (-100..100).flat_map(|z| (-100..100).map(move |x| white_noise(x, z, 7))).collect();
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
    let pairs: f32 = values.windows(2).map(|pair| (pair[0] - 0.5) * (pair[1] - 0.5)).sum::<f32>() / values.len() as f32;
    assert!(pairs.abs() < 0.002, "{pairs}");
}

#[test]
fn corners_have_the_same_bits_whatever_area_and_step_asks() {
    for (seed, middle) in [(1, 0), (-9, -1), (77, 10_000_000), (i64::MIN, -10_000_000)] {
        let field = TileField::new(Seed(seed), desc());
        let (fine, coarse) = (corners(&field, middle, -middle, 1, 65), corners(&field, middle - 64, -middle - 64, 4, 65));
        for (z, x) in (0..16).flat_map(|z| (0..16).map(move |x| (z, x))) {
            let (a, b) = (z * 4 * 65 + x * 4, (z + 16) * 65 + x + 16);
            let of = |corners: &TileCorners, at: usize| (corners.noise[at].to_bits(), corners.land_q[at], corners.depth_q[at], corners.speck[at]);
            assert_eq!(of(&fine, a), of(&coarse, b), "{middle}: {x} {z}");
        }
    }
}

/// Over 12 chunks of 64 x 64 tiles for each of 6 seeds: 294,912 tiles, each looked at with its neighbours to the east and south.
#[test]
fn land_meets_water_with_a_wall_equals_with_none_and_no_tile_floats() {
    let (mut shores, mut land, mut water) = (0, 0, 0);
    for seed in [0, 1, -2, 42, 1 << 40, i64::MAX] {
        let field = TileField::new(Seed(seed), desc());
        for key in (0..12).map(|i| ChunkKey::plane(0, i % 4 - 2, i / 4 - 1)) {
            let (corners, mesh) = chunk(&field, key);
            for (z, x) in (0..64usize).flat_map(|z| (0..64usize).map(move |x| (z, x))) {
                let is_water = corners.is_water(x, z);
                if is_water {
                    water += 1
                } else {
                    land += 1
                }
                for (dx, dz) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let corner = vertex(&mesh, 2 * x + dx, 2 * z + dz);
                    assert_eq!(corner.water, is_water);
                    match is_water {
                        // A bed lies under the water, which hides it nowhere.
                        true => assert!(corner.height_m(true) <= WATER_Y_M - 0.24),
                        // Land stands over it.
                        false => assert!(corner.height_m(false) >= 0.0),
                    }
                }
                // The seam to the east: from this tile's right edge to the next one's left edge, upright.
                let seam = |z: usize| [vertex(&mesh, 2 * x + 1, z), vertex(&mesh, 2 * x + 2, z)].map(|corner| corner.height_m(corner.water));
                let other = corners.is_water(x + 1, z);
                for [here, there] in [seam(2 * z), seam(2 * z + 1)] {
                    match (is_water, other) {
                        (false, false) => assert_eq!(here, there, "no wall between land and land"),
                        (true, true) => assert_eq!(here, there, "none under water either"),
                        // From the land down to the bed, through the surface of the water.
                        _ => {
                            shores += 1;
                            assert!(here.max(there) >= 0.0 && here.min(there) < WATER_Y_M, "a shore without a wall");
                        }
                    }
                }
            }
        }
    }
    assert!(shores > 2000 && land > 100_000 && water > 10_000, "{shores} {land} {water}");
}

#[test]
fn chunks_and_levels_share_their_borders() {
    let field = TileField::new(Seed(5), desc());
    for (x, z) in [(0, 0), (-1, -1), (156_250, -156_250)] {
        let (_, here) = chunk(&field, ChunkKey::plane(0, x, z));
        let (_, east) = chunk(&field, ChunkKey::plane(0, x + 1, z));
        let (_, parent) = chunk(&field, ChunkKey::plane(0, x, z).parent());
        for row in 0..CHUNK_VERTICES {
            assert_eq!(here.vertices[row * CHUNK_VERTICES + 128], east.vertices[row * CHUNK_VERTICES], "the last column is the neighbour's first");
        }
        // Fully morphed it is the parent, wherever one looks but on the seams.
        let from = [(x & 1) as f32 * 32.0, (z & 1) as f32 * 32.0];
        for i in 0..4000u32 {
            let at = [i, i + 9_999].map(|i| (terrane_base::hash::pcg(i) % 6399) as f32 / 100.0 + 0.005);
            let morphed = drawn_tile_height_m(&here, 64, at, |_, _| 1.0);
            let coarse = drawn_tile_height_m(&parent, 64, [from[0] + at[0] * 0.5, from[1] + at[1] * 0.5], |_, _| 0.0);
            assert!((morphed - coarse).abs() < 2e-3, "{at:?}: {morphed} {coarse}");
        }
    }
}

fn kinds() -> TileKinds {
    let sort = |density, lod_max, first, count| Sort { density, lod_max, props: [first, count] };
    TileKinds { trees: sort(0.07, 5, 0, 6), rocks: sort(0.004, 2, 6, 8), grass: sort(0.1, 0, 14, 8) }
}

fn things(field: &TileField, key: ChunkKey) -> Vec<Instance> {
    let mut out = Vec::new();
    scatter_tiles(field, &kinds(), key, 64, &mut Scratch::default(), &mut out);
    out
}

#[test]
fn what_stands_in_a_coarse_chunk_stands_in_the_finer_ones() {
    let field = TileField::new(Seed(3), desc());
    // A world position in 1/16 m, and the thing.
    let places = |key: ChunkKey| -> HashSet<(i64, i64, u32)> {
        let edge = (64i64 * 16) << key.lod;
        let place = |thing: Instance| {
            let at = [thing.words[0] & 0xffff, thing.words[0] >> 16].map(i64::from);
            (i64::from(key.x) * edge + at[0], i64::from(key.z) * edge + at[1], thing.words[1])
        };
        things(&field, key).into_iter().map(place).collect()
    };
    for lod in 1..6 {
        let parent = places(ChunkKey::plane(lod, 0, -1));
        let children: HashSet<_> = ChunkKey::plane(lod, 0, -1).quad_children().into_iter().flat_map(places).collect();
        assert!(parent.len() > 20, "level {lod}: {}", parent.len());
        assert!(parent.is_subset(&children), "level {lod}");
        // And the ranks say so: what the parent lacks is over its share, what it has is under it by more than a ramp.
        let keep = TileKinds::KEEP[usize::from(lod)];
        assert!(parent.iter().all(|(.., word)| (word >> 24) as f32 / 256.0 <= keep - 1.0 / 12.0));
        if keep < 1.0 {
            let trees = |places: &HashSet<(i64, i64, u32)>| places.iter().filter(|(.., word)| (word >> 16 & 0xff) < 6).copied().collect::<HashSet<_>>();
            assert!(trees(&children).difference(&trees(&parent)).all(|(.., word)| (word >> 24) as f32 / 256.0 >= keep - 1.0 / 256.0));
        }
    }
}

#[test]
fn things_stand_on_land_and_grass_keeps_off_the_beach() {
    let field = TileField::new(Seed(11), desc());
    let mut counts = [0; 3];
    for key in (0..30).map(|i| ChunkKey::plane(0, i % 6, i / 6)) {
        let (corners, _) = chunk(&field, key);
        for thing in things(&field, key) {
            let [x, z] = thing.local_m().map(|along| along.floor() as usize);
            assert!(!corners.is_water(x, z), "something stands in the water");
            counts[match thing.prop() {
                0..6 => 0,
                6..14 => 1,
                _ => 2,
            }] += 1;
            assert_eq!(thing.scale(), 1.0);
        }
    }
    assert!(counts[0] > 500 && counts[1] > 100 && counts[2] > 2000, "{counts:?}");
}
