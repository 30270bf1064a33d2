//! The frame: where the data of worldgen meets the GPU.
