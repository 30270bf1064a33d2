// Phase: cull early. One workgroup lists the chunks whose instances may be in any list, in their order; the passes over instances have a
// workgroup for each of these, not for the whole cut. The instances of the others are outside.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "prefix_sum.glsl"

layout(local_size_x = CULL_GROUP) in;

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint base = 0u, outside = 0u;
    for (uint first = 0u; first < FRAME.chunk_count; first += CULL_GROUP) {
        uint index = first + lane;
        bool active_chunk = false;
        if (index < FRAME.chunk_count) {
            for (uint list = 0u; list < FRAME.early_lists; list++)
                active_chunk = active_chunk || (WORD(chunk_flags, flag_word(list, index)) & FLAG_INSTANCES) != 0u;
            if (!active_chunk) outside += chunk_buffers[push.chunks].chunks[index].instance_count;
        }
        uint total;
        uint sum = inclusive_sum(active_chunk ? 1u : 0u, total);
        if (active_chunk) WORD(active_chunks, base + sum - 1u) = index;
        base += total;
    }
    uint all_outside;
    inclusive_sum(outside, all_outside);
    if (lane == 0u) {
        WORD(counters, COUNTER_INSTANCES + REASON_FRUSTUM) = all_outside;
        // A workgroup a chunk; a workgroup a chunk and early list.
        for (uint i = 0u; i < 6u; i++) WORD(bins, active_word() + i) = i % 3u == 0u ? base : i == 4u ? FRAME.early_lists : 1u;
        WORD(active_chunks, active_count_word()) = base;
    }
}
