//! Coordinates, hashing, seeds, culling: the vocabulary of every other room.
//!
//! Never knows: anything else of the engine but the instruction sets.
#![forbid(unsafe_code)]

pub mod cull;
mod digest;
pub mod hash;
mod key;
mod place;
mod seed;

pub use digest::{Digest, DigestValue};
pub use key::{ChunkKey, FACES, KeyError, LOD_MAX};
pub use place::{Place, WORLD_LIMIT_M};
pub use seed::Seed;
