//! GLSL, the structs both sides share, and the compiled SPIR-V.
