//! Surface nets and marching cubes: closed, outward, near the true surface, and one surface across blocks.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;
use terrane_base::hash::{hash2, pcg};
use terrane_simd::Isa;

const METHODS: [&str; 2] = ["surface nets", "marching cubes"];

/// With every instruction set, which must agree bit for bit.
fn mesh<D: Distance>(method: &str, values: &Block<D>) -> Surface {
    let all = Isa::supported().map(|isa| mesh_with(isa, method, values));
    all.reduce(|first, other| {
        assert!(first.vertices() == other.vertices() && first.indices() == other.indices(), "{method}");
        first
    })
    .expect("there is always the scalar one")
}

fn mesh_with<D: Distance>(isa: Isa, method: &str, values: &Block<D>) -> Surface {
    let mut out = Surface::default();
    match method {
        "surface nets" => SurfaceNets::default().mesh(isa, values, &mut out),
        _ => MarchingCubes::default().mesh(isa, values, &mut out),
    }
    out
}

/// A block whose sample (0, 0, 0) lies at `corner`.
fn block(corner: [i32; 3], value: impl Fn([f32; 3]) -> f32) -> Box<Block<f32>> {
    let mut block = new_block(0.0);
    for (row, values) in block.iter_mut().enumerate() {
        for (x, sample) in values.iter_mut().enumerate() {
            *sample = value([corner[0] + x as i32, corner[1] + row as i32 / 64, corner[2] + row as i32 % 64].map(|at| at as f32));
        }
    }
    block
}

fn length(v: [f32; 3]) -> f32 {
    v.iter().map(|c| c * c).sum::<f32>().sqrt()
}

fn sphere(center: [f32; 3], radius: f32) -> impl Fn([f32; 3]) -> f32 {
    move |at| length([0, 1, 2].map(|axis| at[axis] - center[axis])) - radius
}

/// How often each directed edge is walked.
fn walked(triangles: &[[[i64; 3]; 3]]) -> HashMap<[[i64; 3]; 2], u32> {
    let mut edges = HashMap::new();
    for triangle in triangles {
        for side in 0..3 {
            *edges.entry([triangle[side], triangle[(side + 1) % 3]]).or_insert(0) += 1;
        }
    }
    edges
}

/// Triangles of a block by vertex, so that corners at one place stay apart.
fn by_index(surface: &Surface) -> Vec<[[i64; 3]; 3]> {
    surface.indices().as_chunks::<3>().0.iter().map(|triangle| triangle.map(|index| [i64::from(index), 0, 0])).collect()
}

/// Every edge away from the block's border is walked as often one way as the other, and only once where `simple`.
fn check_closed(surface: &Surface, simple: bool) {
    let edges = walked(&by_index(surface));
    let border = |index: i64| {
        let position = surface.vertices()[index as usize].position();
        position.iter().any(|c| *c < 2 * 256 || *c > 62 * 256)
    };
    for ([a, b], count) in &edges {
        let back = edges.get(&[*b, *a]).copied().unwrap_or(0);
        assert!(*count == back || border(a[0]) && border(b[0]), "{a:?} to {b:?}: {count} and {back}");
        assert!(*count == 1 || !simple, "{a:?} to {b:?}: {count}");
    }
}

#[test]
fn blocks_without_a_surface_are_empty() {
    for method in METHODS {
        for value in [1.0, -1.0, 0.0, -0.0] {
            let surface = mesh(method, &new_block(value));
            assert!(surface.vertices().is_empty() && surface.indices().is_empty(), "{method} {value}");
        }
    }
}

#[test]
fn a_sphere_is_one_closed_surface_of_its_own_radius_and_normals() {
    let (center, radius) = ([31.3, 32.1, 30.7], 20.0);
    for method in METHODS {
        let surface = mesh(method, &block([0; 3], sphere(center, radius)));
        check_closed(&surface, true);
        let (vertices, triangles) = (surface.vertices().len(), surface.indices().len() / 3);
        assert_eq!(triangles, 2 * vertices - 4, "{method}: Euler's formula of a sphere");
        for vertex in surface.vertices() {
            let out = [0, 1, 2].map(|axis| vertex.position()[axis] as f32 / 256.0 - center[axis]);
            assert!((length(out) - radius).abs() < 0.05, "{method} {out:?}");
            let normal = vertex.normal();
            let cosine = (0..3).map(|axis| out[axis] * normal[axis]).sum::<f32>() / (length(out) * length(normal));
            assert!(cosine > 0.999, "{method} {out:?} {normal:?}");
        }
        for triangle in surface.indices().as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| surface.vertices()[index as usize].position().map(|c| c as f32 / 256.0));
            let (u, v) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let outward = (0..3).map(|i| normal[i] * (a[i] - center[i])).sum::<f32>();
            // Slivers as thin as the sphere's bulge over a cell (1.7^2 / 8 / 20 voxels) may tilt.
            assert!(outward > -0.03 * radius, "{method} {triangle:?}: {outward}");
        }
    }
}

#[test]
fn eight_blocks_are_one_surface_across_their_borders() {
    // Two spheres and a bumpy shell across the corner where eight blocks meet.
    let field = |at: [f32; 3]| {
        let bumps = (at[0] * 0.7).sin() * (at[1] * 0.9).cos() * (at[2] * 0.8).sin() * 1.5;
        sphere([62.4, 63.2, 61.9], 35.0)(at).min(sphere([63.0, 20.0, 63.0], 15.5)(at)) + bumps
    };
    for method in METHODS {
        let mut triangles = Vec::new();
        for corner in (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|side| side * 62)) {
            let surface = mesh(method, &block(corner, field));
            let place = |index: u32| {
                let at = surface.vertices()[index as usize].position();
                [0, 1, 2].map(|axis| i64::from(corner[axis]) * 256 + i64::from(at[axis]))
            };
            triangles.extend(surface.indices().as_chunks::<3>().0.iter().map(|triangle| triangle.map(place)));
        }
        let edges = walked(&triangles);
        for ([a, b], count) in &edges {
            assert_eq!(edges.get(&[*b, *a]), Some(count), "{method}: {a:?} to {b:?}");
        }
        assert!(triangles.len() > 20_000, "{method}");
    }
}

#[test]
fn neighbours_give_their_shared_vertices_the_same_bits() {
    let bumps = |at: [f32; 3]| (at[0] * 0.3).sin() + (at[1] * 0.2).cos() * (at[2] * 0.25).sin() - 0.2;
    // Nets share a layer of cells, cubes the plane between their cells; both in 1/256 voxel of the first block. A vertex on a sample may
    // be that of an edge that leaves the plane, which one of the two has.
    for (method, shared) in METHODS.into_iter().zip([62 * 256 + 1..63 * 256, 63 * 256..63 * 256 + 1]) {
        for axis in 0..3 {
            let side = |corner: i32| {
                let surface = mesh(method, &block([0, 1, 2].map(|i| if i == axis { corner } else { 5 }), bumps));
                let place = |vertex: &SurfaceVertex| (vertex.position().map(i64::from), vertex.0 >> 42);
                let moved = surface.vertices().iter().map(place).map(|(mut at, normal)| {
                    at[axis] += i64::from(corner) * 256;
                    (at, normal)
                });
                let mut found: Vec<_> = moved.filter(|(at, _)| shared.contains(&at[axis]) && !at.iter().all(|c| c % 256 == 0)).collect();
                found.sort_unstable();
                found
            };
            let [a, b] = [0, 62].map(side);
            assert!(a.len() > 50 && a == b, "{method} along {axis}: {} and {}", a.len(), b.len());
        }
    }
}

#[test]
fn whole_numbers_give_what_floats_of_the_same_value_give() {
    let floats = block([0; 3], |at| (sphere([30.0; 3], 17.0)(at) * 1000.0).round());
    let mut whole = new_block(0i16);
    whole.as_flattened_mut().iter_mut().zip(floats.as_flattened()).for_each(|(to, from)| *to = *from as i16);
    let in_range = floats.as_flattened().iter().all(|value| value.abs() < 32_768.0);
    let clamped = block([0; 3], |at| (sphere([30.0; 3], 17.0)(at) * 1000.0).round().clamp(-32_768.0, 32_767.0));
    for method in METHODS {
        let [a, b] = [mesh(method, &whole), mesh(method, &clamped)];
        assert!(!in_range && a.vertices() == b.vertices() && a.indices() == b.indices());
    }
}

#[test]
fn a_mesher_and_its_surface_carry_nothing_from_block_to_block() {
    let (mut nets, mut cubes) = (SurfaceNets::default(), MarchingCubes::default());
    let mut out = Surface::default();
    for radius in [25.0, 3.0, 0.0, 40.0, 11.0] {
        let values = block([0; 3], sphere([31.0; 3], radius));
        nets.mesh(Isa::chosen(), &values, &mut out);
        let fresh = mesh("surface nets", &values);
        assert!(out.vertices() == fresh.vertices() && out.indices() == fresh.indices());
        cubes.mesh(Isa::chosen(), &values, &mut out);
        let fresh = mesh("marching cubes", &values);
        assert!(out.vertices() == fresh.vertices() && out.indices() == fresh.indices());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn random_values_give_closed_surfaces(seed: u32, percent in 1u32..100, grain in 1i32..9) {
        let values = block([0; 3], |at| {
            let [x, y, z] = at.map(|c| c as i32);
            let dice = pcg(seed ^ hash2((y / grain) as u32, x / grain, z / grain));
            let value = 0.01 + (pcg(dice ^ hash2(y as u32, x, z)) % 1000) as f32 / 1000.0;
            if dice % 100 < percent { -value } else { value }
        });
        check_closed(&mesh("surface nets", &values), false);
        // On random corners every edge of marching cubes is still shared by two triangles, no more.
        check_closed(&mesh("marching cubes", &values), true);
    }

    #[test]
    fn any_bits_are_taken_without_a_panic(seed: u32) {
        let bits = |at: [f32; 3]| f32::from_bits(pcg(seed ^ hash2(at[1] as u32, at[0] as i32, at[2] as i32)));
        let (any, allowed) = (block([0; 3], bits), block([0; 3], |at| if bits(at).abs() < VALUE_MAX { bits(at) } else { bits(at).signum() }));
        for method in METHODS {
            let surface = mesh(method, &allowed);
            prop_assert!(surface.indices().iter().all(|index| (*index as usize) < surface.vertices().len()));
            // What is not allowed still does no harm; the bits of NaN are each instruction set's own.
            for isa in Isa::supported() {
                prop_assert!(!mesh_with(isa, method, &any).vertices().is_empty());
            }
        }
    }
}
