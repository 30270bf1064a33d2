// Phase: depth pyramid, first level, four samples a pixel: the farthest of them counts.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

float pixel_depth(ivec2 at) {
    float farthest = texelFetch(multisampled_depth_images[push.source_image], at, 0).r;
    for (int i = 1; i < 4; i++) farthest = min(farthest, texelFetch(multisampled_depth_images[push.source_image], at, i).r);
    return farthest;
}

#include "pyramid_first.glsl"

void main() { make_first_level(); }
