//! In: 64^3 signed values. Out: marching cubes: a vertex on each edge that the surface crosses, triangles in each cell.
//! Never knows: materials, other blocks.
//!
//! Marching cubes (Lorensen and Cline 1987), a row at a time: bits say which edges are crossed, and the number of bits below says which
//! vertex is theirs. Blocks lie 62 samples apart; each makes the cells that start at samples 1 to 62, so every cell of the world has one
//! block, and the edges that two blocks share give the same vertices in both.

use super::{
    BLOCK_EDGE, BLOCK_ROWS, Block, Distance, INNER_BITS, Surface,
    cube_table::{CASES, EDGE_STARTS},
    greedy::bits,
    grown::Grown,
    surface::{BATCH, Placed, find_inside},
};
use terrane_simd::{Isa, Kernel, Simd};

/// Steps between samples along x, y, z.
const STEP: [usize; 3] = [1, BLOCK_ROWS, BLOCK_EDGE];
/// Where the index of an edge's start ends and its axis begins.
const AXIS_SHIFT: u32 = 18;
/// Edges of a row: three axes, at most 63 each.
const ROW_EDGES_MAX: usize = 256;

/// Buffers of the mesher.
pub struct MarchingCubes {
    inside: Box<[u64; BLOCK_ROWS]>,
    crossed: Box<[Row; BLOCK_ROWS]>,
    edges: Grown<u32, ROW_EDGES_MAX>,
}

/// Edges that start in a row, by axis: which are crossed, and the vertex of the first of them.
#[derive(Clone, Copy, Default)]
struct Row {
    crossed: [u64; 3],
    first: [u32; 3],
}

impl Default for MarchingCubes {
    fn default() -> MarchingCubes {
        MarchingCubes { inside: Box::new([0; BLOCK_ROWS]), crossed: Box::new([Row::default(); BLOCK_ROWS]), edges: Grown::default() }
    }
}

/// The arguments of [`MarchingCubes::mesh`].
struct Mesh<'a, D> {
    mesher: &'a mut MarchingCubes,
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

impl MarchingCubes {
    /// Meshes a block. One without a surface costs a look at its signs.
    pub fn mesh<D: Distance>(&mut self, isa: Isa, values: &Block<D>, out: &mut Surface) {
        isa.run(Mesh { mesher: self, values, out });
    }

    #[inline(always)]
    fn mesh_with<S: Simd, D: Distance>(&mut self, s: S, values: &Block<D>, out: &mut Surface) {
        self.edges.clear();
        if !find_inside(s, values, &mut self.inside) {
            out.start(0);
            return;
        }
        self.find_edges();
        out.start(self.edges.len());
        place_edges(s, values, self.edges.as_slice(), out);
        self.fill_cells(out);
    }

    /// Lists the crossed edges of the block's own cells.
    #[inline(always)]
    fn find_edges(&mut self) {
        for (y, z) in (1..BLOCK_EDGE).flat_map(|y| (1..BLOCK_EDGE).map(move |z| (y, z))) {
            let row = y * BLOCK_EDGE + z;
            let inside = self.inside[row];
            let up = if y + 1 < BLOCK_EDGE { self.inside[row + BLOCK_EDGE] } else { inside };
            let along = if z + 1 < BLOCK_EDGE { self.inside[row + 1] } else { inside };
            // The last sample starts no edge along x, the first one none at all.
            let crossed = [(inside ^ inside >> 1) & INNER_BITS, (inside ^ up) & !1, (inside ^ along) & !1];
            let mut first = [self.edges.len() as u32; 3];
            for axis in 1..3 {
                first[axis] = first[axis - 1] + crossed[axis - 1].count_ones();
            }
            self.crossed[row] = Row { crossed, first };
            if crossed != [0; 3] {
                self.edges.extend(|tail| {
                    for (axis, crossed) in crossed.into_iter().enumerate() {
                        bits(crossed, |x| tail.push((row * BLOCK_EDGE + x) as u32 | (axis as u32) << AXIS_SHIFT));
                    }
                });
            }
        }
    }

    #[inline(always)]
    fn fill_cells(&self, out: &mut Surface) {
        for row in (1..BLOCK_EDGE - 1).flat_map(|y| (1..BLOCK_EDGE - 1).map(move |z| y * BLOCK_EDGE + z)) {
            let corners = [0, 1, 2, 3].map(|i: usize| self.inside[row + (i & 1) * BLOCK_EDGE + (i >> 1)]);
            let any = corners.into_iter().fold(0, |any, bits| any | bits);
            let all = corners.into_iter().fold(u64::MAX, |all, bits| all & bits);
            let active = (any | any >> 1) & !(all & all >> 1) & INNER_BITS;
            if active == 0 {
                continue;
            }
            out.indices.extend(|tail| {
                bits(active, |x| {
                    let case = corners.into_iter().enumerate().fold(0, |case, (i, bits)| case | (bits >> x & 3) << (2 * i));
                    let case = &CASES[case as usize & 255];
                    for edge in &case.edges[..3 * usize::from(case.count)] {
                        tail.push(self.vertex(row, x, *edge));
                    }
                });
            });
        }
    }

    /// The vertex on an edge of a cell.
    #[inline(always)]
    fn vertex(&self, row: usize, x: usize, edge: u8) -> u32 {
        let (start, axis) = (usize::from(EDGE_STARTS[usize::from(edge)]), usize::from(edge / 4));
        let row = &self.crossed[row + (start >> 1 & 1) * BLOCK_EDGE + (start >> 2)];
        row.first[axis] + (row.crossed[axis] & ((1 << (x + (start & 1))) - 1)).count_ones()
    }
}

#[inline(always)]
fn place_edges<S: Simd, D: Distance>(s: S, values: &Block<D>, edges: &[u32], out: &mut Surface) {
    let values = values.as_flattened();
    for (batch, vertices) in edges.chunks(BATCH).zip(out.vertices.as_chunks_mut::<BATCH>().0) {
        // The last batch repeats its first edge.
        let mut indices = [batch[0]; BATCH];
        indices[..batch.len()].copy_from_slice(batch);
        let mut ends = [[0.0; BATCH]; 2];
        let (mut along, mut slopes) = ([[0.0; BATCH]; 3], [[[0.0; BATCH]; 3]; 2]);
        for (lane, index) in indices.iter_mut().enumerate() {
            let axis = (*index >> AXIS_SHIFT) as usize;
            *index &= (1 << AXIS_SHIFT) - 1;
            along[axis][lane] = 1.0;
            for (end, at) in [*index as usize, *index as usize + STEP[axis]].into_iter().enumerate() {
                ends[end][lane] = values[at].value();
                (0..3).for_each(|axis| slopes[end][axis][lane] = slope(values, at, axis));
            }
        }
        for at in (0..BATCH).step_by(S::LANES) {
            let (a, b) = (s.load(&ends[0][at..]), s.load(&ends[1][at..]));
            let share = s.div(a, a - b);
            let (mut within, mut gradient) = ([share; 3], [share; 3]);
            for axis in 0..3 {
                within[axis] = share * s.load(&along[axis][at..]);
                let (from, to) = (s.load(&slopes[0][axis][at..]), s.load(&slopes[1][axis][at..]));
                gradient[axis] = from + (to - from) * share;
            }
            Placed::<S> { within, gradient }.pack(s, &indices[at..], &mut vertices[at..]);
        }
    }
}

/// Rise of the values at a sample along an axis, from one side where the block ends: there the neighbour knows that side too.
#[inline(always)]
fn slope<D: Distance>(values: &[D], at: usize, axis: usize) -> f32 {
    let coordinate = at / STEP[axis] % BLOCK_EDGE;
    let back = values[at - STEP[axis]].value();
    if coordinate == 1 || coordinate == BLOCK_EDGE - 1 { values[at].value() - back } else { (values[at + STEP[axis]].value() - back) * 0.5 }
}
