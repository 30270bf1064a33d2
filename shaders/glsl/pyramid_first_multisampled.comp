// Phase: depth pyramid, first level, four samples a pixel: the farthest of them counts.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "depth_multisampled.glsl"
#include "pyramid_first.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() { make_first_level(); }
