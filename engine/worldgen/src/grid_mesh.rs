//! In: samples with an apron. Out: 129 x 129 packed vertices of 8 bytes, and the one index buffer that all chunks share.
//! Never knows: Vulkan, cameras, time.
//!
//! A vertex is two words. The first: height in 1/128 m (22 bits, two's complement, +-16 km), cover (6 bits). The second: four slope codes of
//! 8 bits: dh/dx and dh/dz over +-1 sample, then over +-2 samples, which are the next coarser level's own at this vertex. A code t
//! stands for the slope sign(t) (t/127)^2 x 4: steps of 0.0003 on the flat, 0.02 at 27 degrees, and a wall of 76 degrees at the end.

use crate::{CHUNK_QUADS, CHUNK_VERTICES, HEIGHT_UNITS_PER_M, MESH_HEIGHT_UNITS_PER_M, Samples};

/// Slope at the end of the codes.
const SLOPE_MAX: f32 = 4.0;
/// Vertices of the skirt: an index past the grid, edge after edge (z = 0, z = 128, x = 0, x = 128).
pub const SKIRT_VERTICES: usize = 4 * CHUNK_VERTICES;

/// A chunk's mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridMesh {
    /// Row by row.
    pub vertices: Vec<[u32; 2]>,
    /// Lowest vertex, metres.
    pub height_min_m: f32,
    /// Highest vertex, metres.
    pub height_max_m: f32,
}

/// A vertex as the shader sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundVertex {
    /// Height, metres.
    pub height_m: f32,
    /// dh/dx, dh/dz at this level.
    pub gradient: [f32; 2],
    /// The same at the next coarser level; it counts at even vertices.
    pub coarse_gradient: [f32; 2],
    /// 0 to 1.
    pub cover: f32,
}

/// Packs the vertices of a chunk of level `lod`.
pub fn mesh_grid(samples: &Samples, lod: u8, out: &mut GridMesh) {
    out.vertices.clear();
    out.vertices.reserve_exact(CHUNK_VERTICES * CHUNK_VERTICES);
    // A rise over 2 samples of 2^lod m, in 1/1024 m, becomes a slope by this; over 4 samples by half of it.
    let slope_per_unit = 0.5 / (HEIGHT_UNITS_PER_M as f32 * (1u32 << lod) as f32);
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for z in 0..CHUNK_VERTICES as i32 {
        for x in 0..CHUNK_VERTICES as i32 {
            let height = mesh_height(samples.height(x, z));
            (low, high) = (low.min(height), high.max(height));
            let own = samples.rise(x, z, 1).map(|rise| slope_code(rise as f32 * slope_per_unit));
            let coarse = samples.rise(x, z, 2).map(|rise| slope_code(rise as f32 * (slope_per_unit * 0.5)));
            let cover = u32::from(samples.cover[samples.index(x, z)] >> 2);
            let codes = u32::from_le_bytes([own[0] as u8, own[1] as u8, coarse[0] as u8, coarse[1] as u8]);
            out.vertices.push([height as u32 & 0x003f_ffff | cover << 22, codes]);
        }
    }
    let metres = |height: i32| height as f32 / MESH_HEIGHT_UNITS_PER_M as f32;
    (out.height_min_m, out.height_max_m) = (metres(low), metres(high));
}

/// From 1/1024 m to the nearest 1/128 m, within what 22 bits hold.
pub(crate) fn mesh_height(height_q: i32) -> i32 {
    let shift = (HEIGHT_UNITS_PER_M / MESH_HEIGHT_UNITS_PER_M).trailing_zeros();
    // Half a unit is added after all but the last bit are gone: no height overflows.
    (((height_q >> (shift - 1)) + 1) >> 1).clamp(-(1 << 21), (1 << 21) - 1)
}

fn slope_code(slope: f32) -> i8 {
    let t = (slope.abs() / SLOPE_MAX).sqrt() * 127.0;
    (t.min(127.0).round() * slope.signum()) as i8
}

fn decode_slope(code: i8) -> f32 {
    let t = f32::from(code) * (1.0 / 127.0);
    t * t.abs() * SLOPE_MAX
}

/// What the shader makes of the two words.
pub fn unpack_vertex(words: [u32; 2]) -> GroundVertex {
    let height = ((words[0] << 10) as i32) >> 10;
    let codes = words[1].to_le_bytes().map(|byte| decode_slope(byte as i8));
    GroundVertex {
        height_m: height as f32 / MESH_HEIGHT_UNITS_PER_M as f32,
        gradient: [codes[0], codes[1]],
        coarse_gradient: [codes[2], codes[3]],
        cover: (words[0] >> 22 & 63) as f32 / 63.0,
    }
}

/// Indices of every chunk: its quads, then its skirts.
pub fn grid_indices() -> Vec<u16> {
    let mut indices = quad_indices(1);
    skirt_indices(&mut indices);
    indices
}

/// Indices over every `stride`-th vertex (1, 2, 4 ..): quads row by row, cut from (x+1, z) to (x, z+1), counter-clockwise from above.
pub fn quad_indices(stride: u16) -> Vec<u16> {
    assert!(stride.is_power_of_two() && usize::from(stride) <= CHUNK_QUADS, "a stride of {stride} does not divide a chunk");
    let (quads, row) = (CHUNK_QUADS as u16, CHUNK_VERTICES as u16);
    let steps = || (0..quads).step_by(usize::from(stride));
    let mut indices = Vec::with_capacity((CHUNK_QUADS / usize::from(stride)).pow(2) * 6);
    for z in steps() {
        for x in steps() {
            let i = z * row + x;
            let below = i + stride * row;
            indices.extend_from_slice(&[i, below, i + stride, i + stride, below, below + stride]);
        }
    }
    indices
}

/// The four skirts, facing out.
fn skirt_indices(indices: &mut Vec<u16>) {
    let (quads, row) = (CHUNK_QUADS as u16, CHUNK_VERTICES as u16);
    for edge in 0..4u16 {
        for along in 0..quads {
            let top = |along: u16| match edge {
                0 => along,
                1 => quads * row + along,
                2 => along * row,
                _ => along * row + quads,
            };
            let bottom = |along: u16| row * row + edge * row + along;
            let (a, b, c, d) = (top(along), top(along + 1), bottom(along), bottom(along + 1));
            match edge {
                // Seen from -z and from +x, `along` runs to the left: turn the quad.
                0 | 3 => indices.extend_from_slice(&[a, b, c, b, d, c]),
                _ => indices.extend_from_slice(&[a, c, b, b, c, d]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SAMPLES_EDGE;
    use glam::Vec3;

    /// A bumpy chunk without noise.
    fn samples() -> Samples {
        let n = SAMPLES_EDGE;
        let height = |i: usize| ((i % n) as i32 * 700 - (i / n) as i32 * 450) + (terrane_base::hash::pcg(i as u32) % 900) as i32;
        Samples { edge: n, height_q: (0..n * n).map(height).collect(), cover: (0..n * n).map(|i| (i % 256) as u8).collect() }
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

    #[test]
    fn heights_at_the_end_of_the_packing_stay_there() {
        assert_eq!((mesh_height(i32::MAX), mesh_height(i32::MIN)), ((1 << 21) - 1, -(1 << 21)));
        assert_eq!([3, 4, 11, 12, -4, -5].map(mesh_height), [0, 1, 1, 2, 0, -1], "(h + 4) >> 3");
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
}
