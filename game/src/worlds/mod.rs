//! In: a seed and settings. Out: worlds as values: the table of all, and one made.
//! Never knows: Vulkan, windows, files. Adding a world is one file and one row here.

mod lowpoly;
mod lowpoly_boxes;
mod lowpoly_light;
mod lowpoly_solids;
mod solids;
mod terrain;
mod terrain_field;
mod terrain_plants;
pub mod tile_solids;

use crate::{
    error::GameError,
    settings::{Setting, Values},
};
pub use solids::{FieldSolids, Solids};
use std::{fmt, sync::Arc};
use terrane_base::Seed;
use terrane_render::Look;
use terrane_worldgen::{
    GridArea, HEIGHT_UNITS_PER_M, HeightField, Samples, Scratch,
    props::Prop,
    rings::{RingParams, Shape},
    scatter::ScatterKind,
    texture::MaterialLayer,
    tiles::{TileCorners, TileField, TileKinds, WATER_Y_M},
};

/// Every world. The first is the default.
pub const WORLDS: &[World] = &[terrain::WORLD, lowpoly::WORLD];

/// A world as a row of the table.
#[derive(Debug)]
pub struct World {
    /// Its name on the command line and in the settings file.
    pub name: &'static str,
    /// What it is, one line.
    pub summary: &'static str,
    /// How far one sees if nobody says, metres.
    pub view_distance_m: f32,
    /// What can be set.
    pub settings: &'static [Setting],
    /// Places for pictures; the first is where one starts.
    pub poses: &'static [Pose],
    /// Makes it. Values are those of `settings`; a message says what they cannot be together.
    pub make: fn(Seed, &Values) -> Result<WorldInstance, String>,
}

/// A named place to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its name.
    pub name: &'static str,
    /// To the east, metres.
    pub x_m: f64,
    /// To the south, metres.
    pub z_m: f64,
    /// How high.
    pub height: PoseHeight,
    /// Degrees clockwise from north (-z).
    pub yaw_deg: f64,
    /// Degrees upward.
    pub pitch_deg: f64,
    /// What it shows, a few words.
    pub mood: &'static str,
}

/// How high a pose is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PoseHeight {
    /// So many metres over the ground.
    OverGround(f64),
    /// At this height.
    Absolute(f64),
}

/// A world made from a seed and settings: plain values and pure functions, shared by every job.
#[derive(Clone)]
pub struct WorldInstance {
    /// Its ground.
    pub field: Arc<dyn HeightField>,
    /// What one walks on and against.
    pub solids: Arc<dyn Solids>,
    /// What stands on it.
    pub scatter_kinds: Vec<ScatterKind>,
    /// Seed of what stands where.
    pub scatter_seed: u32,
    /// Seed of meshes and textures.
    pub art_seed: u32,
    /// Makes the meshes that the kinds name.
    pub props: fn(u32) -> Vec<Prop>,
    /// What its chunks tile.
    pub shape: Shape,
    /// Only the square of finest chunks around the viewer, so many in each direction; else rings to the view distance.
    pub square_chunks: Option<u32>,
    /// What the ground is made of.
    pub ground: Ground,
    /// Light, air and masks.
    pub look: Look,
}

/// What the ground of a world is made of.
#[derive(Clone)]
pub enum Ground {
    /// A smooth height field; draws its three layers: grass, snow, rock.
    Layers(fn(u32) -> [MaterialLayer; 3]),
    /// Square tiles of one colour a corner.
    Tiles(Arc<TileGround>),
}

/// A ground of tiles.
#[derive(Debug)]
pub struct TileGround {
    /// Land, water and colours.
    pub field: TileField,
    /// What stands on it, instead of the world's kinds.
    pub kinds: TileKinds,
    /// Tiles along the edge of a chunk.
    pub tiles: u32,
}

/// Height within a quad from its corners, x fastest. The diagonal runs from (x + 1, z) to (x, z + 1).
fn within_quad([a, b, c, d]: [f64; 4], [u, v]: [f64; 2]) -> f64 {
    if u + v <= 1.0 { a + (b - a) * u + (c - a) * v } else { d + (c - d) * (1.0 - u) + (b - d) * (1.0 - v) }
}

impl TileGround {
    /// Height within a tile, metres: of its land, or of the water's surface.
    fn height_at(&self, [x_m, z_m]: [i64; 2], within: [f64; 2]) -> f64 {
        let mut corners = TileCorners::default();
        self.field.corners(&GridArea { x_m, z_m, step_m: 1, edge: 2 }, &mut Scratch::default(), &mut corners);
        if corners.is_water(0, 0) {
            return f64::from(WATER_Y_M);
        }
        let heights_m = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, z]| f64::from(corners.height_m(x, z, false)));
        within_quad(heights_m, within)
    }
}

impl fmt::Debug for WorldInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldInstance").field("kinds", &self.scatter_kinds.len()).field("look", &self.look).finish_non_exhaustive()
    }
}

/// Makes a world.
pub fn make(world: &World, seed: Seed, values: &Values) -> Result<WorldInstance, GameError> {
    (world.make)(seed, values).map_err(|message| GameError::usage(format!("{}: {message}", world.name), ""))
}

impl WorldInstance {
    /// The rings around its viewer.
    pub fn ring_params(&self, view_distance_m: f32) -> RingParams {
        RingParams { square_chunks: self.square_chunks, ..RingParams::new(self.shape, view_distance_m) }
    }

    /// For each of `count` props, the share of ranks that every level keeps.
    pub fn keep_of_props(&self, count: usize) -> Vec<[f32; 6]> {
        let mut keep = vec![[0.0f32; 6]; count];
        if let Ground::Tiles(_) = self.ground {
            keep.fill(TileKinds::KEEP);
        }
        for kind in &self.scatter_kinds {
            for prop in kind.props[0]..kind.props[0].saturating_add(kind.props[1].max(1)) {
                if let Some(shares) = keep.get_mut(usize::from(prop)) {
                    shares.iter_mut().zip(kind.keep).for_each(|(share, kept)| *share = share.max(kept));
                }
            }
        }
        keep
    }

    /// Height of the finest ground at a place, metres, on the triangles that the mesh has there.
    pub fn height_at(&self, x_m: f64, z_m: f64) -> f64 {
        let (x, z) = (x_m.floor(), z_m.floor());
        if let Ground::Tiles(ground) = &self.ground {
            return ground.height_at([x as i64, z as i64], [x_m - x, z_m - z]);
        }
        let mut samples = Samples::default();
        self.field.fill(&GridArea { x_m: x as i64, z_m: z as i64, step_m: 1, edge: 2 }, &mut Scratch::default(), &mut samples);
        let corner = |index: usize| f64::from(samples.height_q[index]) / f64::from(HEIGHT_UNITS_PER_M);
        within_quad(std::array::from_fn(corner), [x_m - x, z_m - z])
    }

    /// Where a pose is: x, y, z in metres.
    pub fn pose_place(&self, pose: &Pose) -> [f64; 3] {
        let y = match pose.height {
            PoseHeight::OverGround(metres) => self.height_at(pose.x_m, pose.z_m) + metres,
            PoseHeight::Absolute(metres) => metres,
        };
        [pose.x_m, y, pose.z_m]
    }
}

impl World {
    /// The pose of that name, or a message with the closest.
    pub fn pose(&self, name: &str) -> Result<&'static Pose, GameError> {
        let names = || self.poses.iter().map(|pose| pose.name);
        self.poses.iter().find(|pose| pose.name == name).ok_or_else(|| {
            let meant = crate::settings::closest(name, names()).map_or_else(String::new, |meant| format!("did you mean '{meant}'? "));
            let known: Vec<_> = names().collect();
            GameError::usage(format!("{} has no pose '{name}'", self.name), format!("{meant}Its poses are: {}; or give x,y,z,yaw,pitch", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Kind;

    #[test]
    fn every_default_is_within_its_range_and_every_row_is_told() {
        for world in WORLDS {
            for setting in world.settings {
                assert_eq!(setting.check(&setting.default()), Ok(()), "{}.{}", world.name, setting.name);
                assert!(!setting.help.is_empty() && setting.help.ends_with('.'), "{}", setting.name);
                assert!(!setting.name.ends_with("_m") || setting.unit == "m", "{} has another unit than its name says", setting.name);
            }
            assert!(!world.poses.is_empty() && !world.summary.contains('\n'));
        }
    }

    #[test]
    fn every_world_stands_at_both_ends_of_every_range() {
        for world in WORLDS {
            for setting in world.settings {
                let Kind::Number { low, high, .. } = setting.kind else { continue };
                for end in [low, high] {
                    let mut values = Values::defaults(world.settings);
                    values.set(setting, crate::settings::Value::Number(end)).expect("the end of a range is in it");
                    let made = make(world, Seed(3), &values).expect("a world");
                    assert!(made.height_at(1e7, -1e7).abs() < 8191.0, "{} = {end}", setting.name);
                }
            }
        }
    }

    #[test]
    fn a_sample_has_the_same_bits_whatever_area_and_step_asks() {
        for world in WORLDS {
            let made = make(world, Seed(-9), &Values::defaults(world.settings)).expect("a world");
            // Scratch and samples are used again: what is left in them from before must not show.
            let (mut scratch, mut fine, mut coarse) = (Scratch::default(), Samples::default(), Samples::default());
            for middle in [0, -1, 10_000_000, -10_000_000] {
                made.field.fill(&GridArea { x_m: middle, z_m: -middle, step_m: 1, edge: 133 }, &mut scratch, &mut fine);
                made.field.fill(&GridArea { x_m: middle - 64, z_m: -middle - 64, step_m: 8, edge: 70 }, &mut scratch, &mut coarse);
                for (z, x) in (0..16).flat_map(|z| (0..16).map(move |x| (z, x))) {
                    let (a, b) = (z * 8 * 133 + x * 8, (z + 8) * 70 + x + 8);
                    assert_eq!((fine.height_q[a], fine.cover[a]), (coarse.height_q[b], coarse.cover[b]), "{} {middle}: {x} {z}", world.name);
                }
            }
        }
    }

    #[test]
    fn poses_stand_over_the_ground() {
        for world in WORLDS {
            let made = make(world, Seed(1), &Values::defaults(world.settings)).expect("a world");
            for pose in world.poses {
                let [x, y, z] = made.pose_place(pose);
                assert!(y >= made.height_at(x, z) + 1.0, "{} is in the ground", pose.name);
            }
        }
    }

    #[test]
    fn the_height_between_samples_lies_on_the_drawn_triangles() {
        for world in WORLDS {
            let made = make(world, Seed(1), &Values::defaults(world.settings)).expect("a world");
            let corner = |x: f64, z: f64| made.height_at(100.0 + x, 200.0 + z);
            let middle = (corner(1.0, 0.0) + corner(0.0, 1.0)) / 2.0;
            assert!((corner(0.5, 0.5) - middle).abs() < 1e-9);
            let inner = corner(0.0, 0.0) * 0.5 + corner(1.0, 0.0) * 0.25 + corner(0.0, 1.0) * 0.25;
            assert!((corner(0.25, 0.25) - inner).abs() < 1e-9);
        }
    }
}
