//! Checks that the compiler cannot make: of the tree ([`tidy`]) and of pictures ([`golden`]).
//!
//! In: a checkout, or two pictures. Out: what is wrong, where, and what to do about it.
//! Never knows: how a world is made or drawn; tests in this crate bring the pictures.
#![forbid(unsafe_code)]

pub mod golden;
pub mod tidy;
