//! TEMP
use super::{Pose, PoseHeight, World, WorldInstance, terrain_field::{Shape as F, TerrainField}};
use crate::settings::Setting;
use std::sync::Arc;
use terrane_render::Look;
use terrane_worldgen::{props, rings::Shape, scatter::ScatterKind, texture};
const POSES: &[Pose] = &[
 Pose { name: "a", x_m: 0.0, z_m: 0.0, height: PoseHeight::OverGround(2.0), yaw_deg: 0.0, pitch_deg: -2.0, mood: "x" },
 Pose { name: "b", x_m: 3000.0, z_m: 1000.0, height: PoseHeight::OverGround(300.0), yaw_deg: 120.0, pitch_deg: -12.0, mood: "x" },
];
const S: &[Setting] = &[];
fn k(name: &'static str, spacing: f32, density: f32, slope: f32, h: [f32; 2], cover: [f32; 2], keep: [f32; 6], scale: [f32; 2], props: [u8; 2]) -> ScatterKind {
  ScatterKind { name, spacing_m: spacing, density, slope: [0.0, slope], height_m: h, height_fade_m: 60.0, cover, keep, scale, props } }
pub const WORLD: World = World { name: "terrain", summary: "mountains", shape: Shape::Plane, view_distance_m: 4000.0, settings: S, poses: POSES, make: |seed, _| Ok(WorldInstance {
  field: Arc::new(TerrainField::new(seed, &F::default())),
  scatter_kinds: vec![
    k("tufts", 1.2, 0.9, 0.7, [-500.0, 420.0], [0.0, 0.0], [1.0, 0.3, 0.0, 0.0, 0.0, 0.0], [0.7, 1.5], [0, 2]),
    k("flowers", 4.0, 0.5, 0.5, [-500.0, 380.0], [0.7, 0.4], [1.0, 0.2, 0.0, 0.0, 0.0, 0.0], [0.7, 1.2], [2, 1]),
    k("stones", 5.0, 0.5, 2.0, [-500.0, 2000.0], [0.0, 0.0], [1.0, 0.4, 0.1, 0.0, 0.0, 0.0], [0.5, 1.6], [3, 1]),
    k("boulders", 24.0, 0.4, 1.6, [-500.0, 2000.0], [0.0, 0.0], [1.0, 1.0, 0.6, 0.3, 0.1, 0.0], [0.5, 2.0], [4, 1]),
    k("trees", 6.0, 0.9, 0.75, [-500.0, 430.0], [0.45, 0.7], [1.0, 1.0, 1.0, 0.6, 0.3, 0.1], [0.6, 1.3], [5, 3]),
    k("bushes", 9.0, 0.5, 0.7, [-500.0, 480.0], [0.3, 0.6], [1.0, 0.7, 0.3, 0.0, 0.0, 0.0], [0.6, 1.4], [8, 1]),
  ],
  scatter_seed: seed.stream("scatter"), art_seed: seed.stream("art"), props: props::terrain_props, layers: |s| [texture::grass(s), texture::snow(s), texture::rock(s)], look: Look::default() }) };
