//! In: heights. Out: what the usual code makes of a chunk: plain loops with glam, as most engines have them.
//! Never knows: ours.

use glam::Vec3;
use terrane_base::hash::pcg;

/// Heights along the edge: 129 vertices and an apron of one.
pub const EDGE: usize = 131;

/// 24 bytes.
#[expect(dead_code, reason = "written as the usual code writes it")]
#[derive(Clone, Copy)]
pub struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
}

/// 129 x 129 vertices.
pub fn mesh(heights: &[f32], step: f32, out: &mut Vec<Vertex>) {
    out.clear();
    for z in 1..EDGE - 1 {
        for x in 1..EDGE - 1 {
            let i = z * EDGE + x;
            let normal = Vec3::new(heights[i - 1] - heights[i + 1], 2.0 * step, heights[i - EDGE] - heights[i + EDGE]).normalize();
            out.push(Vertex { position: Vec3::new((x - 1) as f32 * step, heights[i], (z - 1) as f32 * step), normal });
        }
    }
}

/// Where something grows.
#[expect(dead_code, reason = "written as the usual code writes it")]
#[derive(Clone, Copy)]
pub struct Plant {
    pub position: Vec3,
    pub yaw: f32,
    pub scale: f32,
    pub kind: u32,
}

/// 100 x 100 jittered candidates over 128 m, kept by chance where it is not steep.
pub fn scatter(heights: &[f32], seed: u32, out: &mut Vec<Plant>) {
    const STEP: f32 = 1.28;
    let unit = |bits: u32| (bits & 0xffff) as f32 / 65536.0;
    out.clear();
    for cell_z in 0..100u32 {
        for cell_x in 0..100u32 {
            let place = pcg(seed ^ pcg(cell_x ^ pcg(cell_z)));
            let luck = pcg(place);
            let traits = pcg(luck);
            let (x, z) = ((cell_x as f32 + unit(place)) * STEP, (cell_z as f32 + unit(place >> 16)) * STEP);
            let (column, row) = (x as usize, z as usize);
            let (u, v) = (x - column as f32, z - row as f32);
            let i = (row + 1) * EDGE + column + 1;
            let (a, b, c, d) = (heights[i], heights[i + 1], heights[i + EDGE], heights[i + EDGE + 1]);
            let height = (a + (b - a) * u) * (1.0 - v) + (c + (d - c) * u) * v;
            let slope = (b - a).abs() + (c - a).abs();
            if unit(luck) < (1.0 - slope).clamp(0.0, 1.0) {
                let yaw = (luck >> 16) as f32 * (std::f32::consts::TAU / 65536.0);
                out.push(Plant { position: Vec3::new(x, height, z), yaw, scale: 0.7 + unit(traits) * 0.6, kind: traits >> 30 });
            }
        }
    }
}
