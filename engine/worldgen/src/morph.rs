//! In: a chunk's mesh and how far each vertex is morphed. Out: the ground as it is drawn: the Rust twin of terrain.glsl.
//! Never knows: cameras. The morph of a vertex is a function that the caller gives.

use crate::{CHUNK_QUADS, CHUNK_VERTICES, GridMesh, unpack_vertex};

/// Height of vertex (x, z) after a morph of `m`: odd vertices sink onto the edge of the coarser triangle that they lie on.
pub fn vertex_height_m(mesh: &GridMesh, x: usize, z: usize, m: f32) -> f32 {
    let own = height(mesh, x, z);
    match coarse_neighbours(x, z) {
        Some([a, b]) if m > 0.0 => own + ((height(mesh, a.0, a.1) + height(mesh, b.0, b.1)) * 0.5 - own) * m,
        _ => own,
    }
}

/// The two vertices of the coarser level between which an odd vertex lies: along x, along z, or along the diagonal of the triangulation.
pub fn coarse_neighbours(x: usize, z: usize) -> Option<[(usize, usize); 2]> {
    match (x & 1, z & 1) {
        (0, 0) => None,
        (1, 0) => Some([(x + 1, z), (x - 1, z)]),
        (0, _) => Some([(x, z + 1), (x, z - 1)]),
        _ => Some([(x + 1, z - 1), (x - 1, z + 1)]),
    }
}

/// Height of the drawn surface at a point in steps from the chunk's corner, each 0 to 128.
pub fn drawn_height_m(mesh: &GridMesh, grid: [f32; 2], morph: impl Fn(usize, usize) -> f32) -> f32 {
    let cell = grid.map(|along| (along.floor().max(0.0) as usize).min(CHUNK_QUADS - 1));
    let f = [grid[0] - cell[0] as f32, grid[1] - cell[1] as f32];
    let at = |dx: usize, dz: usize| {
        let (x, z) = (cell[0] + dx, cell[1] + dz);
        vertex_height_m(mesh, x, z, morph(x, z))
    };
    let (b, c) = (at(1, 0), at(0, 1));
    if f[0] + f[1] <= 1.0 {
        let a = at(0, 0);
        a + (b - a) * f[0] + (c - a) * f[1]
    } else {
        let d = at(1, 1);
        d + (c - d) * (1.0 - f[0]) + (b - d) * (1.0 - f[1])
    }
}

fn height(mesh: &GridMesh, x: usize, z: usize) -> f32 {
    unpack_vertex(mesh.vertices[z * CHUNK_VERTICES + x]).height_m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridArea, HeightField, Samples, Scratch, heightmap, mesh_grid, noise::*};
    use terrane_base::ChunkKey;

    struct Hills(Stack);

    impl HeightField for Hills {
        fn fill(&self, area: &GridArea, scratch: &mut Scratch, out: &mut Samples) {
            let mut values = vec![0.0; area.edge * area.edge];
            self.0.fbm_grid(area, &mut scratch.noise, &mut values);
            out.edge = area.edge;
            out.height_q = values.iter().map(|v| (v * 80.0 * 1024.0) as i32).collect();
            out.cover = vec![0; values.len()];
        }
    }

    fn mesh(key: ChunkKey) -> GridMesh {
        let field = Hills(Stack::new(5, &StackDesc { octaves: 7, wavelength_m: 400.0, lacunarity: 2.0, persistence: 0.5, period_cells: 0 }));
        let (mut samples, mut mesh) = (Samples::default(), GridMesh::default());
        heightmap(&field, key, &mut Scratch::default(), &mut samples);
        mesh_grid(&samples, key.lod, &mut mesh);
        mesh
    }

    #[test]
    fn borders_and_levels_share_their_vertices_bit_for_bit() {
        for (x, z) in [(0, 0), (-1, -1), (78125, -78126)] {
            let here = mesh(ChunkKey::plane(0, x, z));
            let east = mesh(ChunkKey::plane(0, x + 1, z));
            let parent = mesh(ChunkKey::plane(0, x, z).parent());
            let (px, pz) = ((x & 1) as usize * 64, (z & 1) as usize * 64);
            for i in 0..CHUNK_VERTICES {
                assert_eq!(here.vertices[i * CHUNK_VERTICES + 128], east.vertices[i * CHUNK_VERTICES]);
                if i % 2 == 0 {
                    for j in (0..CHUNK_VERTICES).step_by(2) {
                        let fine = unpack_vertex(here.vertices[i * CHUNK_VERTICES + j]);
                        let coarse = unpack_vertex(parent.vertices[(pz + i / 2) * CHUNK_VERTICES + px + j / 2]);
                        assert_eq!(fine.height_m, coarse.height_m);
                        assert_eq!(fine.coarse_gradient, coarse.gradient, "the morph ends in the parent's shading");
                    }
                }
            }
        }
    }

    #[test]
    fn fully_morphed_it_is_the_parent() {
        let fine = mesh(ChunkKey::plane(0, 3, -2));
        let parent = mesh(ChunkKey::plane(1, 1, -1));
        for i in 0..4000u32 {
            let at = [terrane_base::hash::pcg(i) % 12_800, terrane_base::hash::pcg(i + 9_999) % 12_800].map(|v| v as f32 / 100.0);
            let morphed = drawn_height_m(&fine, at, |_, _| 1.0);
            let coarse = drawn_height_m(&parent, [(at[0] + 128.0) * 0.5, at[1] * 0.5], |_, _| 0.0);
            assert!((morphed - coarse).abs() < 1e-3, "{at:?}: {morphed} {coarse}");
        }
    }

    #[test]
    fn a_morphing_vertex_stays_within_the_chunks_bounds() {
        let mesh = mesh(ChunkKey::plane(1, -4, 9));
        for m in [0.0, 0.3, 1.0] {
            for z in 0..CHUNK_VERTICES {
                for x in 0..CHUNK_VERTICES {
                    let h = vertex_height_m(&mesh, x, z, m);
                    assert!((mesh.height_min_m..=mesh.height_max_m).contains(&h));
                }
            }
        }
    }
}
