//! In: where vertices lie in their cells, and gradients there. Out: vertices of 8 bytes.
//! Never knows: how the cells were found.

use super::{BLOCK_EDGE, BLOCK_ROWS, Block, grown::Grown};
use terrane_simd::{LANES_MAX, Simd};

/// Vertices that are placed together: they fill the widest registers.
pub(super) const BATCH: usize = LANES_MAX;
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

/// Vertices side by side.
pub(super) struct Placed<S: Simd> {
    /// Position in the cell, 0 to 1: x, y, z.
    pub(super) within: [S::F32; 3],
    /// Gradient of the values: out of the surface.
    pub(super) gradient: [S::F32; 3],
}

impl<S: Simd> Placed<S> {
    /// Packs the vertices of the cells with these indices.
    #[inline(always)]
    pub(super) fn pack(&self, s: S, cells: &[u32], out: &mut [SurfaceVertex]) {
        let index = s.load_u32(cells);
        let x = steps(s, index, self.within[0]);
        let y = steps(s, s.shr(index, 12), self.within[1]);
        let z = steps(s, s.shr(index, 6), self.within[2]);
        let [u, v] = octahedral(s, self.gradient);
        let (mut low, mut high) = ([0; LANES_MAX], [0; LANES_MAX]);
        s.store_u32(x | s.shl(y, 14) | s.shl(z, 28), &mut low);
        s.store_u32(s.shr(z, 4) | s.shl(u, 10) | s.shl(v, 21), &mut high);
        for ((to, low), high) in out[..S::LANES].iter_mut().zip(low).zip(high) {
            *to = SurfaceVertex(u64::from(low) | u64::from(high) << 32);
        }
    }
}

/// A coordinate in 1/256 voxel: the cell's, in the low 6 bits, and the position in it.
#[inline(always)]
fn steps<S: Simd>(s: S, cell: S::U32, within: S::F32) -> S::U32 {
    s.shl(cell & s.u32(63), 8) + (s.to_bits(within * s.f32(STEPS) + s.f32(ROUND)) & s.u32(0x1ff))
}

/// A direction on the octahedron, unfolded around +y (Meyer et al. 2010, On floating-point normal vectors). No direction: up.
#[inline(always)]
fn octahedral<S: Simd>(s: S, [x, y, z]: [S::F32; 3]) -> [S::U32; 2] {
    // The smallest normal number keeps 0 from dividing 0.
    let scale = s.div(s.f32(1.0), abs(s, x) + abs(s, y) + abs(s, z) + s.f32(f32::MIN_POSITIVE));
    let (u, v) = (x * scale, z * scale);
    let down = s.less(y, s.f32(0.0));
    let (folded_u, folded_v) = (fold(s, v, u), fold(s, u, v));
    [normal_code(s, s.select(down, folded_u, u)), normal_code(s, s.select(down, folded_v, v))]
}

#[inline(always)]
fn abs<S: Simd>(s: S, value: S::F32) -> S::F32 {
    s.bits_to_f32(s.to_bits(value) & s.u32(!(1 << 31)))
}

/// 1 - |other|, with the sign of `like`. |u| + |v| <= 1 but for rounding, which must not turn the sign.
#[inline(always)]
fn fold<S: Simd>(s: S, other: S::F32, like: S::F32) -> S::F32 {
    s.bits_to_f32(s.to_bits(abs(s, s.f32(1.0) - abs(s, other))) | s.to_bits(like) & s.u32(1 << 31))
}

#[inline(always)]
fn normal_code<S: Simd>(s: S, t: S::F32) -> S::U32 {
    s.to_bits(t * s.f32(NORMAL_MAX) + s.f32(ROUND + 1024.0)) & s.u32(0x7ff)
}
