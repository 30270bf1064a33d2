//! In: a seed. Out: the boxes of the low-poly world: trees, rocks, bunches of grass.
//! Never knows: where they stand.

use glam::Vec3;
use terrane_base::hash::pcg;
use terrane_worldgen::{
    boxes::{ModelBox, mesh_boxes},
    props::{Prop, PropMesh},
};

/// First and count of the trees: one for each colour of a crown.
pub const TREES: [u8; 2] = [0, 6];
/// Of the rocks.
pub const ROCKS: [u8; 2] = [6, 8];
/// Of the bunches of grass.
pub const GRASS: [u8; 2] = [14, 8];

/// Width, height and depth of a trunk, metres.
pub const TRUNK_M: Vec3 = Vec3::new(0.2, 2.0, 0.2);
/// Edge of a crown, metres.
pub const CROWN_M: f32 = 1.5;
/// Width, height and depth of rocks, from and to, metres.
pub const ROCK_M: [Vec3; 2] = [Vec3::new(0.4, 0.3, 0.4), Vec3::new(1.7, 1.0, 1.7)];
/// A bunch of grass lies within this, metres.
pub const BUNCH_M: f32 = 0.5;

const TRUNK: [f32; 3] = [0.45, 0.33, 0.24];
const ROCK: [f32; 3] = [0.62, 0.60, 0.57];
const GREENS: [[f32; 3]; 6] = [[0.36, 0.55, 0.32], [0.42, 0.60, 0.34], [0.31, 0.49, 0.33], [0.50, 0.63, 0.36], [0.38, 0.56, 0.40], [0.46, 0.57, 0.30]];
const AUTUMNS: [[f32; 3]; 6] = [[0.82, 0.48, 0.22], [0.86, 0.62, 0.26], [0.70, 0.34, 0.20], [0.78, 0.70, 0.34], [0.62, 0.52, 0.28], [0.88, 0.54, 0.30]];

/// With green crowns.
pub fn green(seed: u32) -> Vec<Prop> {
    props(seed, &GREENS)
}

/// With the crowns of autumn.
pub fn autumn(seed: u32) -> Vec<Prop> {
    props(seed, &AUTUMNS)
}

/// What is solid of each prop, in their order: boxes; grass gives way.
pub fn solids(seed: u32) -> Vec<Vec<ModelBox>> {
    let trees = GREENS.iter().map(|crown| tree(*crown).to_vec());
    let rocks = (0..u32::from(ROCKS[1])).map(|i| vec![rock_of(seed, i)]);
    trees.chain(rocks).chain((0..GRASS[1]).map(|_| Vec::new())).collect()
}

fn rock_of(seed: u32, index: u32) -> ModelBox {
    rock(pcg(seed ^ pcg(index)))
}

fn props(seed: u32, crowns: &[[f32; 3]; 6]) -> Vec<Prop> {
    let trees = crowns.iter().map(|crown| prop("tree", mesh_boxes(&tree(*crown)), 6000.0));
    let rocks = (0..u32::from(ROCKS[1])).map(|i| prop("rock", mesh_boxes(&[rock_of(seed, i)]), 900.0));
    let grass = (0..u32::from(GRASS[1])).map(|i| prop("grass", mesh_boxes(&bunch(pcg(seed ^ pcg(i ^ 0x6a55)))), 110.0));
    trees.chain(rocks).chain(grass).collect()
}

/// A box is as coarse as it gets: one mesh for every distance.
fn prop(name: &'static str, mesh: PropMesh, hide_m: f32) -> Prop {
    Prop { name, lods: [mesh.clone(), mesh.clone(), mesh], lod_distance_m: [hide_m, hide_m], hide_m, sway: 0.0, meadow: false }
}

/// A trunk, and a crown on top; both a little darker where the light comes last.
pub fn tree(crown: [f32; 3]) -> [ModelBox; 2] {
    let trunk = ModelBox { floor: false, ..ModelBox::standing(Vec3::ZERO, TRUNK_M, TRUNK) };
    let crown = ModelBox { bottom: crown.map(|channel| channel * 0.86), ..ModelBox::standing(Vec3::Y * TRUNK_M.y, Vec3::splat(CROWN_M), crown) };
    [trunk, crown]
}

/// A boulder.
pub fn rock(seed: u32) -> ModelBox {
    let mut dice = Dice(seed);
    let size = ROCK_M[0] + (ROCK_M[1] - ROCK_M[0]) * Vec3::new(dice.roll(), dice.roll(), dice.roll());
    let grey = 0.92 + 0.16 * dice.roll();
    let color = ROCK.map(|channel| channel * grey);
    ModelBox { bottom: color.map(|channel| channel * 0.82), floor: false, ..ModelBox::standing(Vec3::ZERO, size, color) }
}

/// Two or three thin boxes.
pub fn bunch(seed: u32) -> Vec<ModelBox> {
    let mut dice = Dice(seed);
    let count = 2 + (pcg(seed) & 1);
    (0..count)
        .map(|_| {
            let size = Vec3::new(0.05 + 0.06 * dice.roll(), 0.18 + 0.27 * dice.roll(), 0.05 + 0.06 * dice.roll());
            let reach = (BUNCH_M - 0.16) * 0.5;
            let base = Vec3::new((dice.roll() * 2.0 - 1.0) * reach, 0.0, (dice.roll() * 2.0 - 1.0) * reach);
            let bright = 0.95 + 0.35 * dice.roll();
            let color = [0.52 * bright, 0.66 * bright, 0.34 * bright];
            let turn = dice.roll() * std::f32::consts::TAU;
            ModelBox { turn, bottom: color.map(|channel| channel * 0.72), floor: false, ..ModelBox::standing(base, size, color) }
        })
        .collect()
}

struct Dice(u32);

impl Dice {
    /// In [0, 1).
    fn roll(&mut self) -> f32 {
        self.0 = pcg(self.0);
        (self.0 >> 8) as f32 * (1.0 / 16_777_216.0)
    }
}
