//! In: a seed. Out: a bedded cliff: strata, broken into blocks by joints, each face a plane of its own.
//! Never knows: where rock shows. Rows run along the height of a cliff, because walls are projected from the side.

use super::tile::{Texel, cells, even_out, fbm, mix, noise, pack, smoothstep, texel_places, unit};
use super::{MaterialLayer, TEXTURE_EDGE};
use glam::Vec3;
use terrane_base::hash::{hash2, pcg};

/// Linear albedo of the whole tile: grey limestone, a little warm.
const MEAN: Vec3 = Vec3::new(0.205, 0.192, 0.172);

/// Rock; one tile is meant to cover 16 m, so a texel is 3 cm.
pub fn rock(seed: u32) -> MaterialLayer {
    let mut texels: Vec<Texel> = texel_places().map(|(x, y)| texel(seed, x, y)).collect();
    even_out(&mut texels, 64, 0.75);
    pack(&texels, MEAN)
}

fn texel(seed: u32, column: usize, row: usize) -> Texel {
    let (x, y) = ((column as f32 + 0.5) / TEXTURE_EDGE as f32, (row as f32 + 0.5) / TEXTURE_EDGE as f32);
    // Nothing in a cliff is straight: blocks and beds share one bend.
    let bend = 0.020 * noise(seed ^ 1, x, y, 4, 4) + 0.008 * fbm(seed ^ 2, x, y, 12, 3);
    let (bx, by) = (x + 0.7 * bend, y + bend);
    let bed = bed(seed, x, by);
    let block = face(seed ^ 3, bx, by, 5, 9);
    let chip = face(seed ^ 4, bx + bend, by, 13, 21);
    let splinter = face(seed ^ 5, bx - bend, by + bend, 31, 45);
    let grain = fbm(seed ^ 6, x, y, 64, 3);
    let speck = unit(hash2(seed ^ 7, column as i32, row as i32)) - 0.5;
    let open = smoothstep(-0.2, 0.5, noise(seed ^ 8, x, y, 6, 6));
    let crack = (crack(block.border, 0.030) * mix(0.5, 1.0, open)).max(crack(chip.border, 0.050) * 0.75 * open);
    let height = block.height * 9.0 + chip.height * 3.6 + splinter.height * 1.1 + bed.height * 3.0 + grain * 0.35 - crack * 2.6;

    let tone = 1.0 + 0.13 * block.tone + 0.11 * chip.tone + 0.07 * splinter.tone + 0.10 * grain + 0.10 * speck;
    let color = MEAN * tone * bed.color;
    let color = lichen(seed, x, y, color);
    // Cracks and the undersides of ledges hold dirt and no light.
    let sheltered = (crack * 0.72 + bed.shelter * 0.30).min(0.85);
    Texel { height, color: color * Vec3::ONE.lerp(Vec3::new(0.16, 0.16, 0.19), sheltered), smoothness: 0.22 + 0.10 * chip.tone + 0.05 * grain - 0.15 * crack }
}

struct Face {
    height: f32,
    tone: f32,
    border: f32,
}

/// A broken plane: each cell of a Voronoi pattern has its own depth and tilt.
fn face(seed: u32, x: f32, y: f32, cells_x: i32, cells_y: i32) -> Face {
    let cell = cells(seed, x, y, cells_x, cells_y);
    let signed = |bits: u32| (bits & 0xff) as f32 * (2.0 / 255.0) - 1.0;
    let (tilt_x, tilt_y, depth) = (signed(cell.id), signed(cell.id >> 8), signed(cell.id >> 16));
    Face {
        height: depth * 0.35 + (tilt_x * cell.offset[0] + tilt_y * cell.offset[1]) * 0.9,
        tone: signed(pcg(cell.id)),
        border: cell.border,
    }
}

fn crack(border: f32, width: f32) -> f32 {
    1.0 - smoothstep(width * 0.25, width, border)
}

struct Bed {
    height: f32,
    color: Vec3,
    shelter: f32,
}

/// Beds of uneven thickness; hard ones stand out as ledges, and the one below stands in their shade.
fn bed(seed: u32, x: f32, y: f32) -> Bed {
    const BEDS: i32 = 11;
    let at = y * BEDS as f32 + 0.35 * noise(seed ^ 21, x, y, 3, 7);
    let index = at.floor();
    let hash = |offset: i32| hash2(seed ^ 22, (index as i32 + offset).rem_euclid(BEDS), 0);
    let hard = |offset: i32| unit(hash(offset));
    let within = at - index;
    let step = smoothstep(0.0, 0.12, within);
    let warm = unit(pcg(hash(0)));
    let fine = noise(seed ^ 23, x, at / BEDS as f32, 3, 96);
    let color = Vec3::new(1.06, 0.99, 0.90).lerp(Vec3::new(0.93, 0.99, 1.07), warm) * (0.90 + 0.20 * hard(0) + 0.05 * fine);
    let before = Vec3::new(1.06, 0.99, 0.90).lerp(Vec3::new(0.93, 0.99, 1.07), unit(pcg(hash(-1)))) * (0.90 + 0.20 * hard(-1) + 0.05 * fine);
    let drop = (hard(-1) - hard(0)).abs();
    Bed {
        height: mix(hard(-1), hard(0), step) + 0.08 * fine,
        color: before.lerp(color, step),
        shelter: drop * (1.0 - smoothstep(0.02, 0.22, (within - 0.06).abs())),
    }
}

/// Round crusts, pale green-grey or ochre, where it stays damp.
fn lichen(seed: u32, x: f32, y: f32, color: Vec3) -> Vec3 {
    let damp = smoothstep(0.05, 0.6, noise(seed ^ 31, x, y, 7, 7) + 0.4 * noise(seed ^ 32, x, y, 19, 19));
    let cell = cells(seed ^ 33, x, y, 44, 44);
    let radius = mix(0.06, 0.42, unit(pcg(cell.id))) * damp;
    let distance = (cell.offset[0] * cell.offset[0] + cell.offset[1] * cell.offset[1]).sqrt() + 0.12 * noise(seed ^ 34, x, y, 128, 128);
    let crust = 1.0 - smoothstep(radius * 0.7, radius + 0.02, distance);
    let hue = if cell.id.is_multiple_of(5) { Vec3::new(0.270, 0.205, 0.085) } else { Vec3::new(0.235, 0.245, 0.190) };
    color.lerp(hue, crust * 0.6)
}
