//! Packed vertices against each by itself, the codes of slopes, and the one index buffer.

use super::*;
use crate::SAMPLES_EDGE;
use glam::Vec3;

/// A bumpy chunk without noise.
fn samples() -> Samples {
    let n = SAMPLES_EDGE;
    let height = |i: usize| ((i % n) as i32 * 700 - (i / n) as i32 * 450) + (terrane_base::hash::pcg(i as u32) % 900) as i32;
    Samples { edge: n, height_q: (0..n * n).map(height).collect(), cover: (0..n * n).map(|i| (i % 256) as u8).collect() }
}

fn mesh_height(height_q: i32) -> i32 {
    ((i64::from(height_q) + 4) >> 3).clamp(-(1 << 21), (1 << 21) - 1) as i32
}

fn slope_code(slope: f32) -> i8 {
    let t = (slope.abs() / SLOPE_MAX).sqrt() * 127.0;
    (t.min(127.0).round() * slope.signum()) as i8
}

/// A vertex by itself.
fn vertex(samples: &Samples, lod: u8, x: i32, z: i32) -> [u32; 2] {
    let slope_per_unit = 0.5 / (HEIGHT_UNITS_PER_M as f32 * (1u32 << lod) as f32);
    let own = samples.rise(x, z, 1).map(|rise| slope_code(rise as f32 * slope_per_unit) as u8);
    let coarse = samples.rise(x, z, 2).map(|rise| slope_code(rise as f32 * (slope_per_unit * 0.5)) as u8);
    let cover = u32::from(samples.cover[samples.index(x, z)] >> 2);
    [mesh_height(samples.height(x, z)) as u32 & 0x003f_ffff | cover << 22, u32::from_le_bytes([own[0], own[1], coarse[0], coarse[1]])]
}

#[test]
fn every_instruction_set_packs_each_vertex_as_it_would_be_by_itself() {
    let limit = crate::HEIGHT_LIMIT_M * HEIGHT_UNITS_PER_M;
    let wild = |i: usize| (terrane_base::hash::pcg(i as u32) as i32) >> (i % 24);
    let mut samples = samples();
    for round in 0..2 {
        if round == 1 {
            samples.height_q.iter_mut().enumerate().for_each(|(i, height)| *height = wild(i).clamp(-limit, limit));
        }
        for (isa, lod) in Isa::supported().flat_map(|isa| [0, 3, 17].map(|lod| (isa, lod))) {
            let mut mesh = GridMesh::default();
            mesh_grid_with(isa, &samples, lod, &mut mesh);
            for (i, found) in mesh.vertices.iter().enumerate() {
                let (x, z) = ((i % CHUNK_VERTICES) as i32, (i / CHUNK_VERTICES) as i32);
                assert_eq!(*found, vertex(&samples, lod, x, z), "{isa}, level {lod}, {x} {z}");
            }
            let heights = mesh.vertices.iter().map(|words| unpack_vertex(*words).height_m);
            assert_eq!(heights.clone().fold(f32::MAX, f32::min), mesh.height_min_m);
            assert_eq!(heights.fold(f32::MIN, f32::max), mesh.height_max_m);
        }
    }
}

struct Codes<'a>(&'a [i32], f32, Vec<i8>);

impl Kernel for Codes<'_> {
    type Out = Vec<i8>;
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) -> Vec<i8> {
        for rises in self.0.chunks(S::LANES) {
            let (mut whole, mut codes) = ([0; LANES_MAX], [0; LANES_MAX]);
            whole[..rises.len()].copy_from_slice(rises);
            s.store_u32(slope_codes(s, s.load_i32(&whole), s.f32(self.1)), &mut codes);
            self.2.extend(codes[..rises.len()].iter().map(|code| *code as u8 as i8));
        }
        self.2
    }
}

/// At every level, on both sides of every step from code to code, and far from them.
#[test]
fn every_slope_has_the_nearest_code() {
    for lod in 0..=terrane_base::LOD_MAX {
        let slope_per_unit = 0.5 / (HEIGHT_UNITS_PER_M as f32 * (1u32 << lod) as f32);
        let code = |rise: i32| slope_code(rise as f32 * slope_per_unit);
        let rise_max = 2 * crate::HEIGHT_LIMIT_M * HEIGHT_UNITS_PER_M;
        let mut rises = vec![0, rise_max];
        for step in 1..=code(rise_max) {
            let (mut below, mut from) = (0, rise_max);
            while from - below > 1 {
                let middle = below + (from - below) / 2;
                if code(middle) < step { below = middle } else { from = middle }
            }
            rises.extend((below - 20..from + 20).map(|rise| rise.clamp(0, rise_max)));
        }
        rises.extend((0..500u32).map(|i| (terrane_base::hash::pcg(i) % rise_max as u32) as i32));
        rises.extend(rises.clone().iter().map(|rise| -rise));
        let expected: Vec<_> = rises.iter().map(|rise| code(*rise)).collect();
        for isa in Isa::supported() {
            let found = isa.run(Codes(&rises, slope_per_unit / SLOPE_MAX, vec![]));
            let wrong = (0..rises.len()).find(|i| found[*i] != expected[*i]);
            assert_eq!(wrong.map(|i| (rises[i], found[i], expected[i])), None, "{isa}, level {lod}");
        }
    }
}

#[test]
fn packing_keeps_height_gradient_and_cover_to_their_step() {
    let samples = samples();
    let mut mesh = GridMesh::default();
    mesh_grid(&samples, 2, &mut mesh);
    assert_eq!(mesh.vertices.len(), CHUNK_VERTICES * CHUNK_VERTICES);
    for z in 0..CHUNK_VERTICES as i32 {
        for x in 0..CHUNK_VERTICES as i32 {
            let v = unpack_vertex(mesh.vertices[z as usize * CHUNK_VERTICES + x as usize]);
            assert!((v.height_m - samples.height(x, z) as f32 / 1024.0).abs() <= 0.5 / 128.0);
            assert!(v.height_m >= mesh.height_min_m && v.height_m <= mesh.height_max_m);
            let exact = samples.rise(x, z, 1).map(|rise| rise as f32 / (2.0 * 4.0 * 1024.0));
            let coarse = samples.rise(x, z, 2).map(|rise| rise as f32 / (4.0 * 4.0 * 1024.0));
            for (found, exact) in v.gradient.iter().chain(&v.coarse_gradient).zip(exact.iter().chain(&coarse)) {
                // Half a step: d/dt of 4 (t/127)^2 is 8 t / 127^2.
                let step = 8.0 * ((exact.abs() / 4.0).sqrt() * 127.0 + 1.0) / (127.0 * 127.0);
                assert!((found - exact).abs() <= 0.5 * step + 1e-6, "{found} {exact}");
            }
            assert!((v.cover - f32::from(samples.cover[samples.index(x, z)] >> 2) / 63.0).abs() < 1e-6);
        }
    }
}

struct Heights([i32; LANES_MAX]);

impl Kernel for Heights {
    type Out = [i32; LANES_MAX];
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) -> Self::Out {
        for some in self.0.chunks_mut(S::LANES) {
            s.store_i32(mesh_heights(s, s.load_i32(some)), some);
        }
        self.0
    }
}

#[test]
fn heights_at_the_end_of_the_packing_stay_there() {
    let heights = [i32::MAX, i32::MIN, 3, 4, 11, 12, -4, -5, 1 << 24, -(1 << 24), (1 << 24) - 5, (1 << 24) - 4, -5 * 1024, 0, -1, 7];
    for isa in Isa::supported() {
        assert_eq!(isa.run(Heights(heights)), heights.map(mesh_height), "{isa}: (h + 4) >> 3, within 22 bits");
    }
    assert_eq!(unpack_vertex([mesh_height(-5 * 1024) as u32 & 0x3f_ffff, 0]).height_m, -5.0);
}

fn position(index: u16) -> Vec3 {
    let grid = CHUNK_VERTICES * CHUNK_VERTICES;
    let (i, n) = (usize::from(index), CHUNK_VERTICES);
    if i < grid {
        return Vec3::new((i % n) as f32, 0.0, (i / n) as f32);
    }
    let (edge, along) = ((i - grid) / n, ((i - grid) % n) as f32);
    let far = CHUNK_QUADS as f32;
    match edge {
        0 => Vec3::new(along, -1.0, 0.0),
        1 => Vec3::new(along, -1.0, far),
        2 => Vec3::new(0.0, -1.0, along),
        _ => Vec3::new(far, -1.0, along),
    }
}

#[test]
fn triangles_face_up_and_skirts_face_out() {
    let indices = grid_indices();
    let center = Vec3::new(64.0, 0.0, 64.0);
    let mut area = 0.0;
    for triangle in indices.chunks_exact(3) {
        let [a, b, c] = [position(triangle[0]), position(triangle[1]), position(triangle[2])];
        let normal = (b - a).cross(c - a);
        if triangle.iter().all(|index| usize::from(*index) < CHUNK_VERTICES * CHUNK_VERTICES) {
            assert!(normal.y > 0.0, "{triangle:?}");
            area += normal.y * 0.5;
        } else {
            assert!(normal.y == 0.0 && normal.dot((a + b + c) / 3.0 - center) > 0.0, "{triangle:?}");
        }
    }
    assert_eq!(area, (CHUNK_QUADS * CHUNK_QUADS) as f32);
}

/// Each edge between two triangles is walked once each way; the only ones walked once are the feet of the skirts.
#[test]
fn grid_and_skirts_are_one_surface_open_only_at_the_foot() {
    let key = |index: u16| position(index).to_array().map(|c| c as i32);
    let mut walked = std::collections::HashMap::new();
    for triangle in grid_indices().chunks_exact(3) {
        for side in 0..3 {
            let (from, to) = (key(triangle[side]), key(triangle[(side + 1) % 3]));
            assert!(walked.insert((from, to), ()).is_none(), "{from:?} to {to:?} twice");
        }
    }
    let open: Vec<_> = walked.keys().filter(|(from, to)| !walked.contains_key(&(*to, *from))).collect();
    assert!(open.iter().all(|(from, to)| from[1] == -1 && to[1] == -1), "{open:?}");
    assert_eq!(open.len(), 4 * CHUNK_QUADS);
    let highest = grid_indices().into_iter().max().map(usize::from);
    assert_eq!(highest, Some(CHUNK_VERTICES * CHUNK_VERTICES + SKIRT_VERTICES - 1), "every skirt vertex is within 16 bits and used");
}
