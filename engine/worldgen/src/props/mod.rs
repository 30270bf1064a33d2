//! PLACEHOLDER types only.
#![allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct PropVertex { pub position: [f32; 3], pub normal: [f32; 3], pub color: [u8; 4] }
#[derive(Clone, Debug, Default)]
pub struct PropMesh { pub vertices: Vec<PropVertex>, pub indices: Vec<u16>, pub radius_m: f32, pub height_m: f32 }
#[derive(Clone, Debug, Default)]
pub struct Prop { pub name: &'static str, pub lods: [PropMesh; 3], pub lod_distance_m: [f32; 2], pub hide_m: f32, pub sway: f32, pub meadow: bool }
fn cone(h: f32, r: f32, c: [u8; 4]) -> PropMesh {
    let mut m = PropMesh { radius_m: h.max(r), height_m: h, ..Default::default() };
    m.vertices.push(PropVertex { position: [0.0, h, 0.0], normal: [0.0, 1.0, 0.0], color: c });
    for i in 0..8 { let a = i as f32 * 0.785; m.vertices.push(PropVertex { position: [r * a.cos(), 0.0, r * a.sin()], normal: [a.cos(), 0.3, a.sin()], color: c }); m.indices.extend([0, 1 + (i + 1) % 8, 1 + i]); }
    m
}
pub fn terrain_props(_seed: u32) -> Vec<Prop> {
    let p = |name, h: f32, r: f32, c: [u8; 4], hide_m| Prop { name, lods: [cone(h, r, c), cone(h, r, c), cone(h, r, c)], lod_distance_m: [40.0, 150.0], hide_m, sway: 0.0, meadow: false };
    let g = [70, 95, 40, 60];
    vec![p("a", 0.4, 0.2, g, 130.0), p("b", 0.4, 0.2, g, 130.0), p("flower", 0.3, 0.1, g, 130.0), p("stone", 0.3, 0.3, [120, 115, 110, 0], 400.0), p("boulder", 1.5, 1.2, [120, 115, 110, 0], 2500.0),
        p("conifer a", 13.0, 2.5, [30, 55, 25, 30], 4500.0), p("conifer b", 10.0, 2.0, [35, 60, 28, 30], 4500.0), p("broadleaf", 8.0, 3.0, [60, 80, 30, 60], 4500.0), p("bush", 1.3, 1.0, [50, 75, 30, 60], 1200.0), p("log", 0.4, 1.0, [80, 60, 40, 0], 600.0)]
}
