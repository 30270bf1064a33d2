//! In: a world's ground and what is scattered over it. Out: what is solid there, from the same functions that the picture is made of.
//! Never knows: who walks, or the physics library's own types.

use glam::Vec3;
use std::sync::Arc;
use terrane_base::ChunkKey;
use terrane_physics::{Hull, Patch, Solid, SolidShape};
use terrane_worldgen::{
    CHUNK_EDGE_M, CHUNK_QUADS, HEIGHT_UNITS_PER_M, HeightField, MESH_HEIGHT_UNITS_PER_M, Samples, Scratch, heightmap,
    props::PropSolid,
    scatter::{Instance, ScatterKind, scatter},
};

/// What one walks on and against, as a function of place. Equal places give equal bits, whatever was asked before.
pub trait Solids: Send + Sync {
    /// Metres along the edge of a patch: a multiple of [`terrane_physics::TILE_M`], at most [`CHUNK_EDGE_M`].
    fn edge_m(&self) -> i64;

    /// The solids of the patch with these indices along x and z. Called from workers, once a patch.
    fn patch(&self, index: [i64; 2], scratch: &mut Scratch) -> Patch;

    /// Height of the water's surface, metres. What is below it and not solid is water.
    fn water_m(&self) -> Option<f32> {
        None
    }
}

/// A turn of an instance: 1/256 of a whole one.
const TURN_RAD: f32 = std::f32::consts::TAU / 256.0;
/// What is lower is no obstacle, metres: feet find their way.
const LOW_M: f32 = 0.15;

/// The solids of a world whose ground is a height field and whose props are scattered.
pub struct FieldSolids {
    field: Arc<dyn HeightField>,
    kinds: Vec<ScatterKind>,
    seed: u32,
    /// By prop.
    shapes: Vec<Shape>,
}

/// What is solid about a prop; a hull with its height.
enum Shape {
    Nothing,
    Column { radius_m: f32, height_m: f32 },
    Bar { ends: [Vec3; 2], radius_m: f32 },
    Hull { hull: Hull, height_m: f32 },
}

impl FieldSolids {
    /// `kinds` and `seed` are those of the world's scatter, `props` what its kinds name.
    pub fn new(field: Arc<dyn HeightField>, kinds: &[ScatterKind], seed: u32, props: Vec<PropSolid>) -> FieldSolids {
        FieldSolids { field, kinds: kinds.to_vec(), seed, shapes: props.into_iter().map(Shape::new).collect() }
    }

    fn solid(&self, instance: &Instance, samples: &Samples) -> Option<Solid> {
        let [x, z] = instance.local_m();
        let scale = instance.scale();
        let shape = match self.shapes.get(usize::from(instance.prop()))? {
            Shape::Nothing => return None,
            Shape::Column { radius_m, height_m } => SolidShape::Column { radius_m: radius_m * scale, height_m: height_m * scale },
            Shape::Bar { ends, radius_m } => SolidShape::Bar { ends: ends.map(|end| end * scale), radius_m: radius_m * scale },
            Shape::Hull { height_m, .. } if height_m * scale < LOW_M => return None,
            Shape::Hull { hull, .. } => SolidShape::Hull { hull: hull.clone(), scale },
        };
        let y = height_on_mesh(samples, x, z);
        Some(Solid { at: Vec3::new(x, y, z), turn_rad: (instance.words[1] & 0xff) as f32 * TURN_RAD, shape })
    }
}

impl Shape {
    fn new(solid: PropSolid) -> Shape {
        match solid {
            PropSolid::Nothing => Shape::Nothing,
            PropSolid::Column { radius_m, height_m } => Shape::Column { radius_m, height_m },
            PropSolid::Bar { ends, radius_m } => Shape::Bar { ends, radius_m },
            PropSolid::Hull(points) => match Hull::around(&points) {
                Some(hull) => Shape::Hull { height_m: points.iter().fold(0.0, |high, point| point.y.max(high)), hull },
                None => Shape::Nothing,
            },
        }
    }
}

impl Solids for FieldSolids {
    fn edge_m(&self) -> i64 {
        CHUNK_EDGE_M
    }

    fn patch(&self, index: [i64; 2], scratch: &mut Scratch) -> Patch {
        let key = ChunkKey::plane(0, index[0] as i32, index[1] as i32);
        let (mut samples, mut instances) = (Samples::default(), Vec::new());
        heightmap(&*self.field, key, scratch, &mut samples);
        scatter(&samples, key, self.seed, &self.kinds, &mut instances);
        let row = 0..=CHUNK_QUADS as i32;
        let heights_m = row.clone().flat_map(|z| row.clone().map(move |x| (x, z))).map(|(x, z)| corner_m(&samples, x, z)).collect();
        let solids = instances.iter().filter_map(|instance| self.solid(instance, &samples)).collect();
        Patch { edge_m: CHUNK_QUADS, heights_m, triangles: Vec::new(), solids }
    }
}

/// Height of a vertex as the mesh draws it: rounded to its units.
fn corner_m(samples: &Samples, x: i32, z: i32) -> f32 {
    const { assert!(HEIGHT_UNITS_PER_M / MESH_HEIGHT_UNITS_PER_M == 8) }
    let height = ((samples.height(x, z) >> 2) + 1) >> 1;
    height as f32 / MESH_HEIGHT_UNITS_PER_M as f32
}

/// Height on the drawn triangles: the diagonal runs from (x + 1, z) to (x, z + 1).
fn height_on_mesh(samples: &Samples, x_m: f32, z_m: f32) -> f32 {
    let (x, z) = (x_m.floor(), z_m.floor());
    let (u, v) = (x_m - x, z_m - z);
    let corner = |dx, dz| corner_m(samples, x as i32 + dx, z as i32 + dz);
    match u + v <= 1.0 {
        true => corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u + (corner(0, 1) - corner(0, 0)) * v,
        false => corner(1, 1) + (corner(0, 1) - corner(1, 1)) * (1.0 - u) + (corner(1, 0) - corner(1, 1)) * (1.0 - v),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        settings::Values,
        worlds::{WORLDS, make},
    };
    use terrane_base::{ChunkKey, Seed};
    use terrane_worldgen::{CHUNK_EDGE_M, CHUNK_VERTICES, GridMesh, Samples, Scratch, heightmap, mesh_grid, scatter::scatter, unpack_vertex};

    #[test]
    fn the_solid_ground_has_the_heights_of_the_drawn_mesh() {
        let world = WORLDS.iter().find(|world| world.name == "terrain").expect("a world");
        for (seed, [x, z]) in [(1, [0, 0]), (-5, [-1, 14]), (2, [78_125, -78_125])] {
            let made = make(world, Seed(seed), &Values::defaults(world.settings)).expect("a world");
            let patch = made.solids.patch([x, z], &mut Scratch::default());
            assert_eq!(made.solids.edge_m(), CHUNK_EDGE_M);
            let key = ChunkKey::plane(0, x as i32, z as i32);
            let (mut samples, mut mesh) = (Samples::default(), GridMesh::default());
            heightmap(&*made.field, key, &mut Scratch::default(), &mut samples);
            mesh_grid(&samples, 0, &mut mesh);
            assert_eq!(patch.heights_m.len(), CHUNK_VERTICES * CHUNK_VERTICES);
            for (solid, drawn) in patch.heights_m.iter().zip(&mesh.vertices) {
                assert_eq!(*solid, unpack_vertex(*drawn).height_m);
            }
        }
    }

    #[test]
    fn every_tree_stone_and_log_that_is_shown_is_solid_where_it_stands() {
        let world = WORLDS.iter().find(|world| world.name == "terrain").expect("a world");
        let made = make(world, Seed(1), &Values::defaults(world.settings)).expect("a world");
        let mut found = [0; 10];
        for (x, z) in [(8, -10), (14, -15), (19, -23)] {
            let key = ChunkKey::plane(0, x, z);
            let (mut samples, mut shown) = (Samples::default(), Vec::new());
            heightmap(&*made.field, key, &mut Scratch::default(), &mut samples);
            scatter(&samples, key, made.scatter_seed, &made.scatter_kinds, &mut shown);
            let patch = made.solids.patch([i64::from(x), i64::from(z)], &mut Scratch::default());
            for instance in &shown {
                let [local_x, local_z] = instance.local_m();
                let solid = patch.solids.iter().find(|solid| [solid.at.x, solid.at.z] == [local_x, local_z]);
                match (instance.prop(), solid) {
                    (0..=2 | 8, None) => {}
                    (3, None) if instance.scale() < 0.8 => {}
                    (3..=7 | 9, Some(solid)) => {
                        let corner = [x, z].map(|index| f64::from(index) * CHUNK_EDGE_M as f64);
                        let ground = made.height_at(corner[0] + f64::from(local_x), corner[1] + f64::from(local_z));
                        assert!((f64::from(solid.at.y) - ground).abs() < 0.01, "{solid:?} and a ground at {ground}");
                        found[usize::from(instance.prop())] += 1;
                    }
                    (prop, solid) => panic!("prop {prop} at {local_x} {local_z}: {solid:?}"),
                }
            }
        }
        assert!(found[3] > 20 && found[4] > 0 && found[5] + found[6] + found[7] > 100 && found[9] > 0, "too few to say anything: {found:?}");
    }
}
