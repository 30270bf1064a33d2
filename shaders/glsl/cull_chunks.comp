// Phase: cull early, chunks. One workgroup keeps the chunks of the drawn cut that the frustum sees, in their order (near to far),
// and writes the one indirect draw of the ground.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint counts[CULL_GROUP];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint base = 0u;
    for (uint first = 0u; first < FRAME.chunk_count; first += CULL_GROUP) {
        uint index = first + lane;
        bool seen = index < FRAME.chunk_count && chunk_visible(chunk_buffers[push.chunks].chunks[index], 0.0);
        counts[lane] = seen ? 1u : 0u;
        barrier();
        for (uint offset = 1u; offset < CULL_GROUP; offset <<= 1u) { // inclusive prefix sum (Hillis and Steele 1986)
            uint other = lane >= offset ? counts[lane - offset] : 0u;
            barrier();
            counts[lane] += other;
            barrier();
        }
        if (seen) word_buffers[push.visible_chunks].words[base + counts[lane] - 1u] = index;
        base += counts[CULL_GROUP - 1u];
        barrier();
    }
    if (lane == 0u) {
        command_buffers[push.commands].commands[0] = DrawCommand(GROUND_INDICES, base, 0u, 0, 0u);
        word_buffers[push.counters].words[COUNTER_CHUNKS_DRAWN] = base;
    }
}
