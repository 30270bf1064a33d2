//! In: corners of tiles. Out: a mesh of packed vertices in which tiles do not share their edges: between two tiles lies a wall.
//! Never knows: Vulkan, cameras.
//!
//! A chunk of T x T tiles has 2T + 1 columns and rows of vertices: column 2i is the left edge of tile i, column 2i + 1 its right edge, and the last
//! one the left edge of the first tile of the next chunk. So quads are tiles and seams in turn. A seam has no width: where two tiles meet at
//! equal heights it is nothing, where land meets water it is the wall between them; and chunks close at their borders by themselves.
//!
//! A vertex is two words. The first: height of land in 1/64 m from -128 m on (16 bits), depth of the bed in 1/16 m (8), whether its tile is water
//! (1), the noise (7). The second: its colour, sRGB, and how much it belongs to a grove (8). Both heights are kept, because the tile of twice the
//! edge may be of the other class.

use super::{DEPTH_UNITS_PER_M, LAND_LOW_M, TILE_UNITS_PER_M, TileColors, TileCorners, WATER_NOISE, WATER_Y_M};
use crate::{CHUNK_VERTICES, GridMesh};

/// A vertex as the shader sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileVertex {
    /// Height if its tile is land, metres.
    pub land_m: f32,
    /// Height if it is water, metres.
    pub bed_m: f32,
    /// Whether it is.
    pub water: bool,
    /// Red, green, blue; sRGB.
    pub color: [u8; 3],
}

impl TileVertex {
    /// Its height as a tile of a class has it.
    pub fn height_m(&self, water: bool) -> f32 {
        if water { self.bed_m } else { self.land_m }
    }
}

/// Packs the mesh of a chunk; `corners` has one more corner along its edge than tiles. Rows are 129 vertices apart, whatever the tiles are.
pub fn mesh_tiles(corners: &TileCorners, colors: &TileColors, out: &mut GridMesh) {
    let columns = 2 * (corners.edge - 1) + 1;
    assert!(columns <= CHUNK_VERTICES, "a chunk has at most 64 x 64 tiles");
    out.vertices.clear();
    out.vertices.resize(CHUNK_VERTICES * CHUNK_VERTICES, [0; 2]);
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for z in 0..columns {
        for x in 0..columns {
            let water = corners.is_water(x >> 1, z >> 1);
            let at = [x, z].map(|column| (column >> 1) + (column & 1));
            out.vertices[z * CHUNK_VERTICES + x] = pack(corners, at, water, colors);
            let height = corners.height_m(at[0], at[1], water);
            (low, high) = (low.min(height), high.max(height));
        }
    }
    // A coarser tile may be land where this one is water: as high as the land here would be.
    let land = corners.land_q.iter().copied().fold(0, i32::max) as f32 / TILE_UNITS_PER_M as f32;
    let bed = corners.depth_q.iter().copied().fold(0, u8::max);
    let is_any_water = corners.noise.iter().any(|n| *n < WATER_NOISE);
    out.height_min_m = if is_any_water { low.min(WATER_Y_M - f32::from(bed) / DEPTH_UNITS_PER_M as f32) } else { low };
    out.height_max_m = high.max(land);
}

fn pack(corners: &TileCorners, [x, z]: [usize; 2], water: bool, colors: &TileColors) -> [u32; 2] {
    let at = z * corners.edge + x;
    let land = (corners.land_q[at] - LAND_LOW_M * TILE_UNITS_PER_M) as u32;
    let color = if water { bed_color(corners, at, colors) } else { land_color(corners, at, colors) };
    let noise = (corners.noise[at] * 127.0 + 0.5) as u32;
    [land | u32::from(corners.depth_q[at]) << 16 | u32::from(water) << 24 | noise << 25, u32::from_le_bytes([color[0], color[1], color[2], corners.grove[at]])]
}

/// From sand over meadows and groves to the bare tops of hills.
fn land_color(corners: &TileCorners, at: usize, colors: &TileColors) -> [u8; 3] {
    let (n, height_m) = (corners.noise[at], corners.land_q[at] as f32 / TILE_UNITS_PER_M as f32);
    let inland = (n - WATER_NOISE) * (1.0 / (1.0 - WATER_NOISE));
    let speck = f32::from(corners.speck[at]) * (1.0 / 255.0) - 0.5;
    // Only low shores are beaches.
    let beach = step(0.075, 0.03, inland + speck * 0.03) * step(1.2, 0.5, height_m);
    let green = mix(colors.meadow, colors.grass, step(0.06, 0.34, inland + speck * 0.05));
    let green = mix(green, colors.grove, f32::from(corners.grove[at]) * (1.0 / 255.0) * 0.75);
    let green = mix(green, colors.earth, step(0.50, 0.72, inland + speck * 0.06));
    bytes(mix(green, colors.sand, beach), speck * 0.05)
}

fn bed_color(corners: &TileCorners, at: usize, colors: &TileColors) -> [u8; 3] {
    let depth_m = f32::from(corners.depth_q[at]) / DEPTH_UNITS_PER_M as f32;
    let speck = f32::from(corners.speck[at]) * (1.0 / 255.0) - 0.5;
    bytes(mix(colors.bed, colors.deep, step(0.3, 3.5, depth_m)), speck * 0.06)
}

/// 0 at `from` to 1 at `to`, smoothly; `from` may be the larger.
fn step(from: f32, to: f32, value: f32) -> f32 {
    crate::noise::smooth((value - from) / (to - from))
}

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

fn bytes(color: [f32; 3], lighter: f32) -> [u8; 3] {
    color.map(|channel| ((channel * (1.0 + lighter)).clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// What the shader makes of the two words.
pub fn unpack_tile_vertex(words: [u32; 2]) -> TileVertex {
    let [red, green, blue, _] = words[1].to_le_bytes();
    TileVertex {
        land_m: (words[0] & 0xffff) as f32 / TILE_UNITS_PER_M as f32 + LAND_LOW_M as f32,
        bed_m: WATER_Y_M - (words[0] >> 16 & 0xff) as f32 / DEPTH_UNITS_PER_M as f32,
        water: words[0] >> 24 & 1 != 0,
        color: [red, green, blue],
    }
}

/// Height of a vertex after a morph of `m` towards the tile of twice the edge: the Rust twin of tiles.glsl.
pub fn tile_vertex_height_m(mesh: &GridMesh, at: [usize; 2], m: f32) -> f32 {
    let vertex = |at: [usize; 2]| {
        let [x, z] = at.map(|column| column.min(CHUNK_VERTICES - 1));
        unpack_tile_vertex(mesh.vertices[z * CHUNK_VERTICES + x])
    };
    let own = vertex(at);
    let own_m = own.height_m(own.water);
    if m <= 0.0 {
        return own_m;
    }
    let coarse = at.map(|column| column >> 2);
    let water = vertex(coarse.map(|tile| tile * 4)).water;
    // How far along the coarser tile, in halves.
    let [u, v] = [0, 1].map(|axis| ((at[axis] >> 1) + (at[axis] & 1) - coarse[axis] * 2) as f32 * 0.5);
    let corner = |dx: usize, dz: usize| vertex([coarse[0] * 4 + dx * 4, coarse[1] * 4 + dz * 4]).height_m(water);
    let coarse_m = drawn_corner_m([corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)], [u, v]);
    own_m + (coarse_m - own_m) * m
}

/// Height of the drawn surface at a point in tiles from the chunk's corner; `tiles` along its edge, `morph` for vertex columns and rows.
pub fn drawn_tile_height_m(mesh: &GridMesh, tiles: usize, at: [f32; 2], morph: impl Fn(usize, usize) -> f32) -> f32 {
    let tile = at.map(|along| (along.floor().max(0.0) as usize).min(tiles - 1));
    let f = [at[0] - tile[0] as f32, at[1] - tile[1] as f32];
    let corner = |dx: usize, dz: usize| {
        let at = [tile[0] * 2 + dx, tile[1] * 2 + dz];
        tile_vertex_height_m(mesh, at, morph(at[0], at[1]))
    };
    drawn_corner_m([corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)], f)
}

/// Height within a tile, 0 to 1 along x and z, from its four corners: the diagonal runs from (1, 0) to (0, 1).
pub fn drawn_corner_m([a, b, c, d]: [f32; 4], [u, v]: [f32; 2]) -> f32 {
    if u + v <= 1.0 { a + (b - a) * u + (c - a) * v } else { d + (c - d) * (1.0 - u) + (b - d) * (1.0 - v) }
}
