//! GLSL, the structs both sides share, and the compiled SPIR-V.
#![deny(unsafe_code)]

pub mod declare;
pub mod macros;
pub mod shared;
