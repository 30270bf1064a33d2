//! In: where vertices lie in their cells, and gradients there. Out: vertices of 8 bytes.
//! Never knows: how the cells were found.

use super::{BLOCK_EDGE, BLOCK_ROWS, Block, grown::Grown};
use terrane_simd::Simd;

/// Vertices that are placed together: they fill the widest registers.
pub(super) const BATCH: usize = 16;
/// Steps of a position in a voxel.
const STEPS: f32 = 256.0;
/// Added to a number of less than 2^22, it leaves the nearest integer in the lowest bits.
const ROUND: f32 = 12_582_912.0;
/// Largest code of a normal's coordinate, either way.
const NORMAL_MAX: f32 = 1023.0;

/// Signed values are smaller than this either way, and no NaN: no sum of a few of them overflows. Others give odd vertices, no panic.
pub const VALUE_MAX: f32 = 1e30;

/// What a signed value can be: below 0 is inside, not below is outside.
pub trait Distance: Copy {
    /// Lanes inside.
    fn inside<S: Simd>(s: S, row: &[Self; BLOCK_EDGE]) -> u64;
    /// As a number.
    fn value(self) -> f32;
}

impl Distance for f32 {
    #[inline(always)]
    fn inside<S: Simd>(s: S, row: &[f32; BLOCK_EDGE]) -> u64 {
        s.below_zero_f32(row)
    }

    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

impl Distance for i16 {
    #[inline(always)]
    fn inside<S: Simd>(s: S, row: &[i16; BLOCK_EDGE]) -> u64 {
        s.below_zero_i16(row)
    }

    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self)
    }
}

/// Bits, from the lowest: x, y, z in 1/256 voxel from sample (0, 0, 0) of the block (14 each), two octahedral coordinates of the normal
/// (11 each, from -1023 to 1023 around 1024).
///
/// Positions are whole steps, so what two blocks share lies at the same place in both: no cracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct SurfaceVertex(pub u64);

impl SurfaceVertex {
    /// In 1/256 voxel: x, y, z.
    pub fn position(self) -> [u32; 3] {
        [0, 14, 28].map(|shift| (self.0 >> shift) as u32 & 0x3fff)
    }

    /// Out of the surface; not of unit length.
    pub fn normal(self) -> [f32; 3] {
        let [u, v] = [42, 53].map(|shift| ((self.0 >> shift) as u32 & 0x7ff) as f32 / NORMAL_MAX - 1024.0 / NORMAL_MAX);
        let y = 1.0 - u.abs() - v.abs();
        let fold = (-y).max(0.0);
        [u - fold.copysign(u), y, v - fold.copysign(v)]
    }
}

/// Triangles of a block, counter-clockwise from outside.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    pub(super) vertices: Vec<SurfaceVertex>,
    pub(super) vertex_count: usize,
    pub(super) indices: Grown<u32, ROW_INDICES_MAX>,
}

/// Most indices that a row of a block adds: 62 cells of 5 triangles, or 3 x 62 edges of 2; to the next power of two.
pub(super) const ROW_INDICES_MAX: usize = 2048;

impl Surface {
    /// Corners.
    pub fn vertices(&self) -> &[SurfaceVertex] {
        &self.vertices[..self.vertex_count]
    }

    /// Three a triangle.
    pub fn indices(&self) -> &[u32] {
        self.indices.as_slice()
    }

    /// Empties it and makes room for so many vertices, to whole batches. The buffer stays.
    pub(super) fn start(&mut self, vertex_count: usize) {
        self.vertex_count = vertex_count;
        let room = vertex_count.next_multiple_of(BATCH);
        if self.vertices.len() < room {
            self.vertices.resize(room.next_power_of_two(), SurfaceVertex::default());
        }
        self.indices.clear();
    }
}

/// Which samples lie inside: a word a row. False when all or none do, so that there is no surface.
#[inline(always)]
pub(super) fn find_inside<S: Simd, D: Distance>(s: S, values: &Block<D>, rows: &mut [u64; BLOCK_ROWS]) -> bool {
    let (mut all, mut any) = (u64::MAX, 0);
    for (bits, row) in rows.iter_mut().zip(values) {
        *bits = D::inside(s, row);
        (all, any) = (all & *bits, any | *bits);
    }
    any != 0 && all != u64::MAX
}

/// A batch of vertices, one array a coordinate, so that each step is a loop over s.
pub(super) struct Placed {
    /// Position in the cell, 0 to 1.
    pub(super) within: [[f32; BATCH]; 3],
    /// Gradient of the values: out of the surface.
    pub(super) gradient: [[f32; BATCH]; 3],
}

impl Placed {
    /// Packs the vertices of the cells with these indices.
    #[inline(always)]
    pub(super) fn pack(&self, cells: &[u32; BATCH], out: &mut [SurfaceVertex; BATCH]) {
        let Placed { within, gradient } = self;
        for i in 0..BATCH {
            let cell = [cells[i] & 63, cells[i] >> 12, cells[i] >> 6 & 63];
            let [x, y, z] = [0, 1, 2].map(|axis| (cell[axis] << 8) + ((within[axis][i] * STEPS + ROUND).to_bits() & 0x1ff));
            let [u, v] = octahedral([gradient[0][i], gradient[1][i], gradient[2][i]]);
            let words = [x | y << 14 | z << 28, z >> 4 | u << 10 | v << 21];
            out[i] = SurfaceVertex(u64::from(words[0]) | u64::from(words[1]) << 32);
        }
    }
}

/// A direction on the octahedron, unfolded around +y (Meyer et al. 2010, On floating-point normal vectors). No direction: up.
#[inline(always)]
fn octahedral([x, y, z]: [f32; 3]) -> [u32; 2] {
    let scale = 1.0 / (x.abs() + y.abs() + z.abs()).max(f32::MIN_POSITIVE);
    let (u, v) = (x * scale, z * scale);
    let folded = [(1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)];
    let [u, v] = if y < 0.0 { folded } else { [u, v] };
    [u, v].map(|t| (t * NORMAL_MAX + (ROUND + 1024.0)).to_bits() & 0x7ff)
}
