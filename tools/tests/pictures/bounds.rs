//! In: the drawn cut and the instances that the GPU drew. Out: that each stands on the drawn ground, and all is within its bounds.
//! Never knows: the culling that used these bounds. That props stay in their spheres is proved beside them, in render.
//!
//! The drawn ground is made here once more from its field: the triangles of terrain.vert with their morph, border vertices moved as there.

use crate::{
    common::{close, open, over_ground, settle},
    precision::count_drawn,
};
use glam::{DVec2, DVec3};
use std::collections::HashMap;
use terrane::{
    session::{Session, camera},
    worlds::{WORLDS, World},
};
use terrane_base::ChunkKey;
use terrane_render::{Camera, CutChunk};
use terrane_shaders::shared::DrawInstance;
use terrane_worldgen::{
    CHUNK_QUADS, CHUNK_VERTICES, GridArea, GridMesh, Samples, Scratch, heightmap, mesh_grid, morph,
    tiles::{TileCorners, drawn_tile_height_m, mesh_tiles, tile_vertex_height_m},
};

const EXTENT: (u32, u32) = (128, 72);
const VIEW_DISTANCE_M: f64 = 1100.0;
const BASE_MAX_M: f64 = 0.05; // issue: every instance's base within 5 cm of the drawn ground
const POSES: [([f64; 2], f64, f64); 4] = [([0.0, 0.0], 2.0, 20.0), ([400.0, -300.0], 60.0, 140.0), ([1e7, -1e7], 2.0, 260.0), ([-1e7, -1e7], 150.0, 0.0)];
/// Rounding of a height in f32 at 1 km: 1/16,384 m, several times over.
const ROUNDING_M: f32 = 0.001;

/// The drawn ground of one chunk.
struct Ground {
    mesh: GridMesh,
    corner_m: DVec2,
    step_m: f64,
    /// Of a ground of tiles, so many along the edge; a step is then a tile.
    tiles: Option<usize>,
    range_m: Option<(f32, f32)>,
    viewer: (DVec2, f64),
}

impl Ground {
    fn new(session: &Session, camera: &Camera, key: ChunkKey) -> Ground {
        let step_m = f64::from(1u32 << key.lod);
        let (mesh, tiles) = mesh_of(session, key);
        let ranges = session.stream.morph_ranges_m();
        let [x, _, z] = camera.place.to_f64();
        Ground {
            mesh,
            corner_m: DVec2::new(f64::from(key.x), f64::from(key.z)) * session.world.shape.edge_m(key.lod),
            step_m,
            tiles,
            range_m: ranges.get(usize::from(key.lod)).copied().filter(|_| usize::from(key.lod) + 1 < ranges.len()),
            viewer: (DVec2::new(x, z), f64::from(session.viewer(camera).eye_m)),
        }
    }

    fn morph(&self, x: usize, z: usize) -> f32 {
        let Some((start, end)) = self.range_m else { return 0.0 };
        // Column 2i of a ground of tiles is the left edge of tile i, column 2i + 1 its right edge.
        let [x, z] = [x, z].map(|along| if self.tiles.is_some() { (along >> 1) + (along & 1) } else { along });
        let distance = (self.corner_m + DVec2::new(x as f64, z as f64) * self.step_m - self.viewer.0).extend(self.viewer.1).length() as f32;
        ((distance - start) / (end - start)).clamp(0.0, 1.0)
    }

    /// A vertex as it is drawn: steps from the corner, and metres.
    fn vertex(&self, x: usize, z: usize) -> DVec3 {
        let m = self.morph(x, z);
        if self.tiles.is_some() {
            return DVec3::new(x as f64, f64::from(tile_vertex_height_m(&self.mesh, [x, z], m)), z as f64);
        }
        let border = [x, z].iter().any(|along| along % CHUNK_QUADS == 0);
        let (x, z) = if border && m >= 1.0 { (x & !1, z & !1) } else { (x, z) };
        DVec3::new(x as f64, f64::from(morph::vertex_height_m(&self.mesh, x, z, m)), z as f64)
    }

    /// Height of the drawn triangle over a point in steps: of all that are near, the one that holds it best.
    fn height_m(&self, grid: DVec2) -> f64 {
        if let Some(tiles) = self.tiles {
            return f64::from(drawn_tile_height_m(&self.mesh, tiles, grid.as_vec2().to_array(), |x, z| self.morph(x, z)));
        }
        let near = |at: f64| (at.floor() as i64 - 2..=at.floor() as i64 + 2).filter(|cell| (0..CHUNK_QUADS as i64).contains(cell)).map(|cell| cell as usize);
        let mut best = (f64::MIN, f64::NAN);
        for (z, x) in near(grid.y).flat_map(|z| near(grid.x).map(move |x| (z, x))) {
            let [a, b, c, d] = [(x, z), (x + 1, z), (x, z + 1), (x + 1, z + 1)].map(|(x, z)| self.vertex(x, z));
            for triangle in [[a, c, b], [b, c, d]] {
                if let Some((inside, height)) = interpolate(triangle, grid)
                    && inside > best.0
                {
                    best = (inside, height);
                }
            }
        }
        best.1
    }
}

/// The mesh of a chunk, made from the field; and how many tiles its edge has, if it is made of any.
fn mesh_of(session: &Session, key: ChunkKey) -> (GridMesh, Option<usize>) {
    let (mut mesh, mut scratch) = (GridMesh::default(), Scratch::default());
    if let terrane::worlds::Ground::Tiles(ground) = &session.world.ground {
        let (mut corners, edge_m) = (TileCorners::default(), i64::from(ground.tiles) << key.lod);
        let area = GridArea { x_m: i64::from(key.x) * edge_m, z_m: i64::from(key.z) * edge_m, step_m: 1 << key.lod, edge: ground.tiles as usize + 1 };
        ground.field.corners(&area, &mut scratch, &mut corners);
        mesh_tiles(&corners, &ground.field.desc().colors, &mut mesh);
        return (mesh, Some(ground.tiles as usize));
    }
    let mut samples = Samples::default();
    heightmap(session.world.field.as_ref(), key, &mut scratch, &mut samples);
    mesh_grid(&samples, key.lod, &mut mesh);
    (mesh, None)
}

/// Least barycentric weight of a point in a triangle, and the height there; none where a triangle has no area.
fn interpolate([a, b, c]: [DVec3; 3], at: DVec2) -> Option<(f64, f64)> {
    let flat = |p: DVec3| DVec2::new(p.x, p.z);
    let area = (flat(b) - flat(a)).perp_dot(flat(c) - flat(a));
    let (u, v) = ((at - flat(a)).perp_dot(flat(c) - flat(a)) / area, (flat(b) - flat(a)).perp_dot(at - flat(a)) / area);
    (area.abs() > 1e-9).then(|| (u.min(v).min(1.0 - u - v), a.y + (b.y - a.y) * u + (c.y - a.y) * v))
}

/// Instances as the GPU wrote them.
fn drawn_instances(session: &mut Session, camera: Camera) -> Vec<DrawInstance> {
    // The counters of a frame come with a later one.
    let count = [(); 4].map(|()| count_drawn(session, camera))[3];
    let stride = size_of::<DrawInstance>();
    let bytes = session.device.read_buffer(session.renderer.drawn_instances(), 0, (count * stride) as u64).expect("a buffer");
    let word = |row: &[u8], at: usize| [row[at], row[at + 1], row[at + 2], row[at + 3]];
    let float = |row: &[u8], at: usize| f32::from_le_bytes(word(row, at));
    let rows = bytes.chunks_exact(stride);
    rows.map(|row| DrawInstance { position: [float(row, 0), float(row, 4), float(row, 8)], scale: float(row, 12), packed: u32::from_le_bytes(word(row, 16)) })
        .collect()
}

/// How far bases are from the drawn ground at most, metres; and how many there are.
fn check_bases(session: &mut Session, camera: Camera) -> (f64, usize) {
    let (x, y, z) = camera.place.to_f64().into();
    let instances = drawn_instances(session, camera);
    let cut: Vec<CutChunk> = session.stream.cut().to_vec();
    let mut grounds: HashMap<ChunkKey, Ground> = HashMap::new();
    let mut worst = 0.0f64;
    for instance in &instances {
        let at = DVec2::new(x + f64::from(instance.position[0]), z + f64::from(instance.position[2]));
        let base_m = y + f64::from(instance.position[1]);
        // On a border both chunks draw the same ground.
        let holds = |chunk: &&CutChunk| {
            let edge_m = session.world.shape.edge_m(chunk.key.lod);
            let local = at - DVec2::new(f64::from(chunk.key.x), f64::from(chunk.key.z)) * edge_m;
            local.min_element() > -0.01 && local.max_element() < edge_m + 0.01
        };
        let off = cut.iter().filter(holds).map(|chunk| {
            let ground = grounds.entry(chunk.key).or_insert_with(|| Ground::new(session, &camera, chunk.key));
            (ground.height_m((at - ground.corner_m) / ground.step_m) - base_m).abs()
        });
        let off = off.fold(f64::INFINITY, f64::min);
        worst = worst.max(off);
        check_prop(session, instance);
    }
    for chunk in &cut {
        let ground = grounds.entry(chunk.key).or_insert_with(|| Ground::new(session, &camera, chunk.key));
        check_vertices(ground, chunk);
    }
    (worst, instances.len())
}

/// Every vertex of the ground lies between the chunk's lowest and highest point, morph included.
fn check_vertices(ground: &Ground, chunk: &CutChunk) {
    for (x, z) in (0..CHUNK_VERTICES).flat_map(|z| (0..CHUNK_VERTICES).map(move |x| (x, z))) {
        let height = ground.vertex(x, z).y as f32;
        assert!((chunk.height_min_m - ROUNDING_M..=chunk.height_max_m + ROUNDING_M).contains(&height), "{:?}: {height}", chunk.key);
    }
}

/// What is drawn names a prop that exists, at a size that the bounds of a prop are multiplied with.
fn check_prop(session: &Session, instance: &DrawInstance) {
    let of_tiles = match &session.world.ground {
        terrane::worlds::Ground::Tiles(ground) => Some(ground.kinds.grass.props),
        terrane::worlds::Ground::Layers(_) => None,
    };
    let kinds = session.world.scatter_kinds.iter().map(|kind| kind.props).chain(of_tiles);
    let props = kinds.map(|[first, count]| usize::from(first) + usize::from(count)).max().unwrap_or(0);
    assert!(((instance.packed >> 8 & 255) as usize) < props, "prop {}", instance.packed >> 8 & 255);
    assert!(instance.scale > 0.0 && instance.scale < 4.0, "scale {}", instance.scale);
}

fn check(world: &World) {
    let mut session = open(world, VIEW_DISTANCE_M, EXTENT);
    for ([x, z], up_m, yaw_deg) in POSES {
        let camera = camera(over_ground(&session.world, x, z, up_m), yaw_deg, -5.0);
        settle(&mut session, &camera);
        let (worst, count) = check_bases(&mut session, camera);
        println!("bases, {}, {up_m} m over ({x}, {z}): {count} instances, at most {worst:.5} m from the drawn ground", world.name);
        assert!(count > 0 && worst <= BASE_MAX_M, "a base {worst} m from the ground");
    }
    close(session);
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn everything_stands_on_the_ground_and_within_its_bounds() {
    WORLDS.iter().for_each(check);
}
