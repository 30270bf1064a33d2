//! In: generated chunks in canonical key order. Out: one hash of their integers.
//! Never knows: in which order they were made.

use crate::{CHUNK_VERTICES, Samples, scatter::Instance, tiles::TileCorners};
use terrane_base::{ChunkKey, Digest};

/// Takes in a chunk: its key, heights, gradients over +-1 and +-2 samples, cover, and instances.
pub fn write_chunk(digest: &mut Digest, key: ChunkKey, samples: &Samples, instances: &[Instance]) {
    write_key(digest, key);
    for z in 0..CHUNK_VERTICES as i32 {
        for x in 0..CHUNK_VERTICES as i32 {
            digest.write_i32(samples.height(x, z));
            samples.rise(x, z, 1).into_iter().chain(samples.rise(x, z, 2)).for_each(|rise| digest.write_i32(rise));
            digest.write_u32(u32::from(samples.cover[samples.index(x, z)]));
        }
    }
    write_instances(digest, instances);
}

/// Takes in a chunk of tiles: its key, land, beds, classes, groves, specks, and instances.
pub fn write_tiles(digest: &mut Digest, key: ChunkKey, corners: &TileCorners, instances: &[Instance]) {
    write_key(digest, key);
    for at in 0..corners.land_q.len() {
        digest.write_i32(corners.land_q[at]);
        let water = corners.is_water(at % corners.edge, at / corners.edge);
        digest.write_u32(u32::from_le_bytes([corners.depth_q[at], corners.grove[at], corners.speck[at], u8::from(water)]));
    }
    write_instances(digest, instances);
}

fn write_key(digest: &mut Digest, key: ChunkKey) {
    digest.write_u32(u32::from(key.face) << 8 | u32::from(key.lod));
    [key.x, key.y, key.z].into_iter().for_each(|index| digest.write_i32(index));
}

fn write_instances(digest: &mut Digest, instances: &[Instance]) {
    digest.write_u32(instances.len() as u32);
    instances.iter().flat_map(|instance| instance.words).for_each(|word| digest.write_u32(word));
}
