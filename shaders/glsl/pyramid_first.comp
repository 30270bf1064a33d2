// Phase: depth pyramid, first level, one sample a pixel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

float pixel_depth(ivec2 at) { return texelFetch(depth_images[push.source_image], at, 0).r; }

#include "pyramid_first.glsl"

void main() { make_first_level(); }
