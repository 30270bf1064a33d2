//! In: a seed. Out: a bedded cliff: strata, broken into blocks by joints, each face a plane of its own.
//! Never knows: where rock shows. Rows run along the height of a cliff, because walls are projected from the side.

use super::tile::{Texel, cells, even_out, fbm, mix, neighbours, noise, pack, smoothstep, texel_places, unit};
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
    let block = face(seed ^ 3, bx, by, 5, 8);
    let chip = face(seed ^ 4, bx + bend, by, 12, 18);
    let splinter = face(seed ^ 5, bx - bend, by + bend, 29, 40);
    let grain = fbm(seed ^ 6, x, y, 64, 3);
    let speck = unit(hash2(seed ^ 7, column as i32, row as i32)) - 0.5;
    let joint = joint(seed, bx, by);
    let height = block.height * 17.0 + chip.height * 7.0 + splinter.height * 2.0 + bed.height * 4.5 + grain * 0.30 - joint * 1.7;

    // Hollows between planes keep dirt; ridges are rubbed pale.
    let worn = 0.20 * block.height + 0.20 * chip.height + 0.14 * splinter.height;
    let tone = 1.0 + 0.07 * block.tone + 0.07 * chip.tone + 0.04 * splinter.tone + 0.09 * grain + 0.07 * speck + worn;
    let color = lichen(seed, x, y, MEAN * tone * bed.color * streak(seed, x, y));
    let sheltered = (joint * 0.62 + bed.shelter * 0.45).min(0.85);
    Texel {
        height,
        color: color * Vec3::ONE.lerp(Vec3::new(0.20, 0.19, 0.21), sheltered),
        smoothness: 0.22 + 0.08 * chip.tone + 0.05 * grain - 0.15 * sheltered,
    }
}

struct Face {
    /// About -0.6..0.6.
    height: f32,
    tone: f32,
}

/// A chipped surface: every cell of a jittered lattice carries a tilted plane, and the highest one shows. Neighbours meet in
/// creases without a step, as fracture planes do.
fn face(seed: u32, x: f32, y: f32, cells_x: i32, cells_y: i32) -> Face {
    let signed = |bits: u32| (bits & 0xff) as f32 * (2.0 / 255.0) - 1.0;
    let mut highest = Face { height: f32::MIN, tone: 0.0 };
    for point in neighbours(seed, x, y, cells_x, cells_y) {
        let [dx, dy] = point.offset;
        let distance_sq = dx * dx + dy * dy;
        if distance_sq > 1.8 {
            continue; // at most 0.22 + 0.55 * 1.42 * 1.34 - 0.79^2 * 5 = -1.85: the nearest plane is always higher
        }
        let id = pcg(point.hash);
        // A plane ends where the next cells take over: beyond half a cell it falls away.
        let beyond = (distance_sq.sqrt() - 0.55).max(0.0);
        let height = signed(id >> 16) * 0.22 + (signed(id) * dx + signed(id >> 8) * dy) * 0.55 - beyond * beyond * 5.0;
        if height > highest.height {
            highest = Face { height, tone: signed(pcg(id)) };
        }
    }
    highest
}

/// Joints run through the whole wall, but only some stand open.
fn joint(seed: u32, x: f32, y: f32) -> f32 {
    let open = smoothstep(0.0, 0.45, noise(seed ^ 8, x, y, 6, 9));
    if open == 0.0 {
        return 0.0;
    }
    let width = 0.022 * open;
    // Joints are rough: they turn aside at every weak spot.
    let (x, y) = (x + 0.016 * fbm(seed ^ 10, x, y, 14, 3), y + 0.016 * fbm(seed ^ 11, x, y, 14, 3));
    (1.0 - smoothstep(width * 0.3, width, cells(seed ^ 9, x, y, 4, 6).border)) * open
}

/// Water leaves dark streaks down the wall.
fn streak(seed: u32, x: f32, y: f32) -> Vec3 {
    let wet = smoothstep(0.15, 0.8, noise(seed ^ 41, x, y, 36, 3)) * smoothstep(-0.3, 0.5, noise(seed ^ 42, x, y, 5, 4));
    Vec3::ONE.lerp(Vec3::new(0.74, 0.76, 0.80), wet * 0.55)
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
    let hue = |warm: f32| Vec3::new(1.035, 0.995, 0.945).lerp(Vec3::new(0.965, 1.0, 1.04), warm);
    let color = hue(warm) * (0.90 + 0.20 * hard(0) + 0.05 * fine);
    let before = hue(unit(pcg(hash(-1)))) * (0.90 + 0.20 * hard(-1) + 0.05 * fine);
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
    if damp == 0.0 {
        return color;
    }
    let cell = cells(seed ^ 33, x, y, 44, 44);
    let radius = mix(0.06, 0.42, unit(pcg(cell.id))) * damp;
    let distance = (cell.offset[0] * cell.offset[0] + cell.offset[1] * cell.offset[1]).sqrt() + 0.12 * noise(seed ^ 34, x, y, 128, 128);
    let crust = 1.0 - smoothstep(radius * 0.7, radius + 0.02, distance);
    let hue = if cell.id.is_multiple_of(5) { Vec3::new(0.270, 0.205, 0.085) } else { Vec3::new(0.235, 0.245, 0.190) };
    color.lerp(hue, crust * 0.6)
}
