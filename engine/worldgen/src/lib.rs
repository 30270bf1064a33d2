//! Noise, fields, meshes, scatter and LOD rings: pure functions of a seed.
