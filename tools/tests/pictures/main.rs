//! Proofs that need pictures. In: worlds and a Vulkan driver. Out: the figures that the design must hold, measured and printed.
//! Never knows: windows, Vulkan calls.
//!
//! Every test is ignored where nobody asks for a driver; `TERRANE_SOAK=1` runs the full counts.
#![forbid(unsafe_code)]

mod bounds;
mod common;
mod cracks;
mod culling;
mod golden;
mod lod_change;
mod precision;
mod prop_change;
mod shadows;
mod validation;
mod water;
