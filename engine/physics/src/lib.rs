//! Solids around a walker, and how it moves among them: the only room that knows the physics library.
//!
//! In: solids as plain data, square by square, and what the walker wants in a tick. Out: where it stands after it.
//! Never knows: worlds, chunks, cameras, keys, clocks. A tick has a fixed length.
//!
//! Everything is a pure function of the solids, the walker and its wish, with the same bits on every machine: the physics library runs with
//! its feature for that, the set of solids that it sees follows from the walker's tile alone and is built in one order, and places are whole
//! 1/65,536 m, so that moving the origin by whole metres loses no bit.
#![forbid(unsafe_code)]

mod hull;
mod rules;
mod solid;
mod space;
#[cfg(test)]
mod tests;
mod tile;
mod walker;

pub use hull::Hull;
pub use rules::Rules;
pub use solid::{Patch, Solid, SolidShape};
pub use space::{Center, Space};
pub use tile::{TILE_M, Tile};
pub use walker::{TICK_S, Walker, Wish};
