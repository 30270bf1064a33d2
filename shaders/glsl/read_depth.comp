// For tests: every sample of the depth image as a word of the buffer that `push.pyramid` names.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "depth_single.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    ivec2 size = ivec2(FRAME.pyramid_width, FRAME.pyramid_height), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size))) return;
    for (int i = 0; i < DEPTH_SAMPLES; i++)
        word_buffers[push.pyramid].words[(at.y * size.x + at.x) * DEPTH_SAMPLES + i] = floatBitsToUint(depth_sample(at, i));
}
