//! In: 64^3 signed values. Out: surface nets: a vertex in each cell that the surface passes, a quad across each edge that it crosses.
//! Never knows: materials, other blocks.
//!
//! Naive surface nets (S. Gibson 1998; M. Lysenko 2012), a row of cells at a time: bits say which cells are active, and the number of
//! bits below says which vertex is theirs, so there is no map from cells to vertices.
//!
//! Blocks lie 62 samples apart. Each makes the vertices of its 63^3 cells and the quads of the edges that start at samples 1 to 62 along
//! each axis: every edge of the world has one block, and the cells that two blocks share give the same vertices in both.
//! A face of a cell whose corners alternate is passed twice: there the edge of four quads is one, not two.

use super::{
    BLOCK_EDGE, BLOCK_ROWS, Block, Distance, INNER_BITS, Surface,
    greedy::bits,
    grown::{Grown, Tail},
    surface::{BATCH, Placed, ROW_INDICES_MAX, find_inside},
};
use std::ops::{Add, Mul, Sub};
use terrane_simd::{Isa, Kernel, Simd};

/// Steps between samples along x, y, z.
const STEP: [usize; 3] = [1, BLOCK_ROWS, BLOCK_EDGE];
/// Cells of a row start at samples 0 to 62.
const CELL_BITS: u64 = !(1 << 63);

/// Buffers of the mesher.
pub struct SurfaceNets {
    inside: Box<[u64; BLOCK_ROWS]>,
    active: Box<[Row; BLOCK_ROWS]>,
    cells: Grown<u32, BLOCK_EDGE>,
}

/// A row of cells: which are active, and the vertex of the first of them.
#[derive(Clone, Copy, Default)]
struct Row {
    active: u64,
    first: u32,
}

impl Row {
    /// The vertex of an active cell.
    #[inline(always)]
    fn vertex(self, x: usize) -> u32 {
        self.first + (self.active & ((1 << x) - 1)).count_ones()
    }
}

impl Default for SurfaceNets {
    fn default() -> SurfaceNets {
        SurfaceNets { inside: Box::new([0; BLOCK_ROWS]), active: Box::new([Row::default(); BLOCK_ROWS]), cells: Grown::default() }
    }
}

/// The arguments of [`SurfaceNets::mesh`].
struct Mesh<'a, D> {
    mesher: &'a mut SurfaceNets,
    values: &'a Block<D>,
    out: &'a mut Surface,
}

impl<D: Distance> Kernel for Mesh<'_, D> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.mesher.mesh_with(s, self.values, self.out);
    }
}

impl SurfaceNets {
    /// Meshes a block. One without a surface costs a look at its signs.
    pub fn mesh<D: Distance>(&mut self, isa: Isa, values: &Block<D>, out: &mut Surface) {
        isa.run(Mesh { mesher: self, values, out });
    }

    #[inline(always)]
    fn mesh_with<S: Simd, D: Distance>(&mut self, s: S, values: &Block<D>, out: &mut Surface) {
        self.cells.clear();
        if !find_inside(s, values, &mut self.inside) {
            out.start(0);
            return;
        }
        self.find_cells();
        out.start(self.cells.len());
        place_cells(s, values, self.cells.as_slice(), out);
        self.connect(out);
    }

    /// Lists the cells whose corners differ.
    #[inline(always)]
    fn find_cells(&mut self) {
        for row in 0..BLOCK_ROWS - BLOCK_EDGE - 1 {
            let corners = [row, row + 1, row + BLOCK_EDGE, row + BLOCK_EDGE + 1].map(|row| self.inside[row]);
            let any = corners.into_iter().fold(0, |any, bits| any | bits);
            let all = corners.into_iter().fold(u64::MAX, |all, bits| all & bits);
            let mut active = (any | any >> 1) & !(all & all >> 1) & CELL_BITS;
            if row % BLOCK_EDGE == BLOCK_EDGE - 1 {
                active = 0;
            }
            self.active[row] = Row { active, first: self.cells.len() as u32 };
            if active != 0 {
                self.cells.extend(|tail| bits(active, |x| tail.push((row * BLOCK_EDGE + x) as u32)));
            }
        }
    }

    /// A quad for each crossed edge that is the block's own.
    #[inline(always)]
    fn connect(&self, out: &mut Surface) {
        for row in (1..BLOCK_EDGE - 1).flat_map(|y| (1..BLOCK_EDGE - 1).map(move |z| y * BLOCK_EDGE + z)) {
            let inside = self.inside[row];
            let beside = [inside >> 1, self.inside[row + BLOCK_EDGE], self.inside[row + 1]];
            let crossed = beside.map(|beside| (inside ^ beside) & INNER_BITS);
            if crossed.iter().all(|crossed| *crossed == 0) {
                continue;
            }
            // Rows of the cells around: at this y and z, below along y, along z, along both.
            let [here, down, back, both] = [row, row - BLOCK_EDGE, row - 1, row - BLOCK_EDGE - 1].map(|row| self.active[row]);
            out.indices.extend(|tail| {
                bits(crossed[0], |x| quad(tail, [both, back, here, down].map(|row| row.vertex(x)), inside >> x & 1 != 0));
                bits(crossed[1], |x| {
                    let [here, back] = [here, back].map(|row| row.vertex(x));
                    quad(tail, [back - 1, here - 1, here, back], inside >> x & 1 != 0);
                });
                bits(crossed[2], |x| {
                    let [here, down] = [here, down].map(|row| row.vertex(x));
                    quad(tail, [down - 1, down, here, here - 1], inside >> x & 1 != 0);
                });
            });
        }
    }
}

/// Two triangles around an edge; `corners` go counter-clockwise seen from the edge's end, which is outside if its start is inside.
#[inline(always)]
fn quad(tail: &mut Tail<u32, ROW_INDICES_MAX>, [a, b, c, d]: [u32; 4], starts_inside: bool) {
    let [b, d] = if starts_inside { [b, d] } else { [d, b] };
    [a, b, c, a, c, d].into_iter().for_each(|index| tail.push(index));
}

#[inline(always)]
fn place_cells<S: Simd, D: Distance>(s: S, values: &Block<D>, cells: &[u32], out: &mut Surface) {
    let values = values.as_flattened();
    for (batch, vertices) in cells.chunks(BATCH).zip(out.vertices.as_chunks_mut::<BATCH>().0) {
        // The last batch repeats its first cell.
        let mut indices = [batch[0]; BATCH];
        indices[..batch.len()].copy_from_slice(batch);
        let mut corners = [[0.0; BATCH]; 8];
        for (lane, cell) in indices.iter().enumerate() {
            let Some(around) = values[*cell as usize..].first_chunk::<{ STEP[0] + STEP[1] + STEP[2] + 1 }>() else { unreachable!("a cell has eight corners") };
            for (corner, values) in corners.iter_mut().enumerate() {
                values[lane] = around[corner % 2 * STEP[0] + corner / 2 % 2 * STEP[1] + corner / 4 * STEP[2]].value();
            }
        }
        for at in (0..BATCH).step_by(S::LANES) {
            // Plus 0: -0 becomes 0, so that the sign alone says what is inside.
            let mut vectors = [s.f32(0.0); 8];
            for (vector, values) in vectors.iter_mut().zip(&corners) {
                *vector = *vector + s.load(&values[at..]);
            }
            place(s, &vectors).pack(s, &indices[at..], &mut vertices[at..]);
        }
    }
}

/// Edges of a cell by axis: the corners where they start. Corner: x + 2 y + 4 z.
const EDGES: [[usize; 4]; 3] = [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]];

/// The mean of the points where the surface crosses the edges, and the gradient there, trilinear.
#[inline(always)]
fn place<S: Simd>(s: S, corners: &[S::F32; 8]) -> Placed<S> {
    let (zero, one) = (s.f32(0.0), s.f32(1.0));
    // Where edges along an axis cross: how many, how far along in all, and how many on the far side of each other axis.
    let (mut count, mut sum) = (zero, [zero; 3]);
    let mut differences = [[zero; 4]; 3];
    for axis in 0..3 {
        for (i, start) in EDGES[axis].into_iter().enumerate() {
            let (a, b) = (corners[start], corners[start + (1 << axis)]);
            differences[axis][i] = b - a;
            let crossed = s.less_i32(s.to_bits(a) ^ s.to_bits(b), s.u32(0));
            let hit = s.select(crossed, one, zero);
            count = count + hit;
            sum[axis] = sum[axis] + s.select(crossed, s.div(a, a - b), zero);
            for (other, sum) in sum.iter_mut().enumerate() {
                if other != axis && start >> other & 1 == 1 {
                    *sum = *sum + hit;
                }
            }
        }
    }
    let share = s.div(one, count);
    let [x, y, z] = [sum[0] * share, sum[1] * share, sum[2] * share];
    let gradient = [bilinear(&differences[0], y, z), bilinear(&differences[1], x, z), bilinear(&differences[2], x, y)];
    Placed { within: [x, y, z], gradient }
}

#[inline(always)]
fn bilinear<V: Copy + Add<Output = V> + Sub<Output = V> + Mul<Output = V>>(corners: &[V; 4], u: V, v: V) -> V {
    let [a, b, c, d] = *corners;
    let (low, high) = (a + (b - a) * u, c + (d - c) * u);
    low + (high - low) * v
}
