//! In: samples with an apron. Out: 129 x 129 packed vertices of 8 bytes, and the one index buffer that all chunks share.
//! Never knows: Vulkan, cameras, time.
//!
//! A vertex is two words. The first: height in 1/128 m (22 bits, two's complement, +-16 km), cover (6 bits). The second: four slope codes of
//! 8 bits: dh/dx and dh/dz over +-1 sample, then over +-2 samples, which are the next coarser level's own at this vertex. A code t
//! stands for the slope sign(t) (t/127)^2 x 4: steps of 0.0003 on the flat, 0.02 at 27 degrees, and a wall of 76 degrees at the end.

#[cfg(test)]
mod tests;

use crate::{APRON, CHUNK_QUADS, CHUNK_VERTICES, HEIGHT_UNITS_PER_M, MESH_HEIGHT_UNITS_PER_M, Samples};
use terrane_simd::{Isa, Kernel, LANES_MAX, Simd};

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

/// Packs the vertices of a chunk of level `lod`. The buffer of `out` is kept.
pub fn mesh_grid(samples: &Samples, lod: u8, out: &mut GridMesh) {
    mesh_grid_with(Isa::chosen(), samples, lod, out);
}

/// The same with a given instruction set: the same bits.
pub fn mesh_grid_with(isa: Isa, samples: &Samples, lod: u8, out: &mut GridMesh) {
    isa.run(Pack { samples, lod, out });
}

/// The arguments of [`mesh_grid`].
struct Pack<'a> {
    samples: &'a Samples,
    lod: u8,
    out: &'a mut GridMesh,
}

/// Vertices of a row, up to whole vectors.
const ROW: usize = CHUNK_VERTICES.next_multiple_of(LANES_MAX);

impl Kernel for Pack<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Pack { samples, lod, out } = self;
        out.vertices.resize(CHUNK_VERTICES * CHUNK_VERTICES, [0; 2]);
        // A rise over 2 samples of 2^lod m, in 1/1024 m, becomes a slope by this; over 4 samples by half of it.
        let slope_per_unit = 0.5 / (HEIGHT_UNITS_PER_M as f32 * (1u32 << lod) as f32);
        let scales = [s.f32(slope_per_unit / SLOPE_MAX), s.f32(slope_per_unit * 0.5 / SLOPE_MAX)];
        let (mut low, mut high) = (s.u32(i32::MAX as u32), s.u32(i32::MIN as u32));
        let (mut firsts, mut seconds) = ([0; ROW], [0; ROW]);
        for (z, vertices) in out.vertices.chunks_exact_mut(CHUNK_VERTICES).enumerate() {
            let rows: [&[i32]; 2 * APRON + 1] = std::array::from_fn(|row| &samples.height_q[(z + row) * samples.edge..][..samples.edge]);
            let mut x = 0;
            loop {
                // Vertex x is sample x + APRON.
                let [above2, above, here, below, below2] = rows;
                let height = mesh_heights(s, s.load_i32(&here[x + 2..]));
                low = s.select_u32(s.less_i32(height, low), height, low);
                high = s.select_u32(s.less_i32(high, height), height, high);
                let own_x = slope_codes(s, s.load_i32(&here[x + 3..]) - s.load_i32(&here[x + 1..]), scales[0]);
                let own_z = slope_codes(s, s.load_i32(&below[x + 2..]) - s.load_i32(&above[x + 2..]), scales[0]);
                let coarse_x = slope_codes(s, s.load_i32(&here[x + 4..]) - s.load_i32(&here[x..]), scales[1]);
                let coarse_z = slope_codes(s, s.load_i32(&below2[x + 2..]) - s.load_i32(&above2[x + 2..]), scales[1]);
                s.store_u32(height & s.u32(0x003f_ffff), &mut firsts[x..]);
                s.store_u32(own_x | s.shl(own_z, 8) | s.shl(coarse_x, 16) | s.shl(coarse_z, 24), &mut seconds[x..]);
                if x + S::LANES >= CHUNK_VERTICES {
                    break;
                }
                // The last vector ends with the row and repeats a few vertices.
                x = (x + S::LANES).min(CHUNK_VERTICES - S::LANES);
            }
            let cover = &samples.cover[(z + APRON) * samples.edge + APRON..][..CHUNK_VERTICES];
            for (((vertex, first), second), cover) in vertices.iter_mut().zip(firsts).zip(seconds).zip(cover) {
                *vertex = [first | u32::from(cover >> 2) << 22, second];
            }
        }
        let mut ends = [[0; LANES_MAX]; 2];
        s.store_i32(low, &mut ends[0]);
        s.store_i32(high, &mut ends[1]);
        let metres = |height: i32| height as f32 / MESH_HEIGHT_UNITS_PER_M as f32;
        out.height_min_m = metres(ends[0][..S::LANES].iter().copied().fold(i32::MAX, i32::min));
        out.height_max_m = metres(ends[1][..S::LANES].iter().copied().fold(i32::MIN, i32::max));
    }
}

/// From 1/1024 m to the nearest 1/128 m, within what 22 bits hold. Half a unit is added after all but the last bit are gone: no height
/// overflows.
#[inline(always)]
fn mesh_heights<S: Simd>(s: S, height_q: S::U32) -> S::U32 {
    const { assert!(HEIGHT_UNITS_PER_M / MESH_HEIGHT_UNITS_PER_M == 8) }
    let height = s.sar(s.sar(height_q, 2) + s.u32(1), 1);
    let (least, most) = (s.u32(-(1i32 << 21) as u32), s.u32((1 << 21) - 1));
    let height = s.select_u32(s.less_i32(height, least), least, height);
    s.select_u32(s.less_i32(most, height), most, height)
}

/// The code, in the lowest 8 bits, of each slope that is `rise` times `scale` times [`SLOPE_MAX`]: round(sqrt(|slope| / 4) * 127), signed.
#[inline(always)]
fn slope_codes<S: Simd>(s: S, rise: S::U32, scale: S::F32) -> S::U32 {
    let slope = s.to_bits(s.to_f32(rise) * scale);
    let size = s.bits_to_f32(slope & s.u32(!SIGN));
    let t = s.sqrt(s.select(s.less(size, s.f32(1.0)), size, s.f32(1.0))) * s.f32(127.0);
    // Halves go away from 0. Just below 1/2 the sum would round to 1; `every_slope_has_the_nearest_code` shows that no slope lies there.
    let signed = s.bits_to_f32(s.to_bits(t + s.f32(0.5)) | slope & s.u32(SIGN));
    s.truncate(signed) & s.u32(0xff)
}

const SIGN: u32 = 1 << 31;

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
