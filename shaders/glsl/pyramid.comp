// Phase: depth pyramid, a further level: the farthest of two by two texels of the level before. At an odd edge there are fewer.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

uvec2 level_size(uint level) { return (uvec2(FRAME.pyramid_width, FRAME.pyramid_height) + (1u << (level + 1u)) - 1u) >> (level + 1u); }

float texel(uint first, uint row, uvec2 at) { return uintBitsToFloat(word_buffers[push.pyramid].words[first + at.y * row + at.x]); }

void main() {
    uvec2 size = level_size(push.level), below_size = level_size(push.level - 1u);
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, size))) return;
    uint below = FRAME.pyramid_first[push.level - 1u];
    uvec2 a = at * 2u, b = min(a + 1u, below_size - 1u);
    float upper = min(texel(below, below_size.x, a), texel(below, below_size.x, uvec2(b.x, a.y)));
    float lower = min(texel(below, below_size.x, uvec2(a.x, b.y)), texel(below, below_size.x, b));
    word_buffers[push.pyramid].words[FRAME.pyramid_first[push.level] + at.y * size.x + at.x] = floatBitsToUint(min(upper, lower));
}
