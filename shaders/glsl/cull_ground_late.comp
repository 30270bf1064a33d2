// Phase: cull late, chunks. One workgroup tests the ground of every chunk in the view against the pyramid, notes what is visible for the
// next frame, and lists what the early draws left out. It also tests the box of the chunk's instances.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "prefix_sum.glsl"
#include "ground_list.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint occluded_count;

void main() {
    uint lane = gl_LocalInvocationID.x;
    if (lane == 0u) occluded_count = 0u;
    barrier();
    uint base = 0u;
    for (uint first = 0u; first < FRAME.chunk_count; first += CULL_GROUP) {
        uint index = first + lane;
        bool listed = false;
        if (index < FRAME.chunk_count) {
            uint flags = WORD(chunk_flags, flag_word(LIST_EARLY, index));
            DrawChunk chunk = chunk_buffers[push.chunks].chunks[index];
            vec3 low, high;
            prop_box(chunk, low, high);
            WORD(chunk_flags, flag_word(LIST_LATE, index)) = (flags & FLAG_INSTANCES) | (box_occluded(low, high) ? FLAG_HIDDEN : 0u);
            if ((flags & FLAG_GROUND) != 0u) {
                ground_box(chunk, low, high);
                bool visible = !box_occluded(low, high);
                WORD(visibility, chunk.slot * VISIBILITY_WORDS + VISIBILITY_WORDS - 1u) = visible ? 1u : 0u;
                bool early = (flags & FLAG_LISTED) != 0u;
                listed = visible && !early;
                if (!visible && !early) atomicAdd(occluded_count, 1u);
            }
        }
        uint total;
        uint sum = inclusive_sum(listed ? 1u : 0u, total);
        if (listed) WORD(list_chunks, LIST_LATE * CHUNKS_DRAWN_MAX + base + sum - 1u) = index;
        base += total;
    }
    if (lane == 0u) {
        write_ground_list(LIST_LATE, base);
        WORD(counters, COUNTER_CHUNKS + REASON_LATE) = base;
        WORD(counters, COUNTER_CHUNKS + REASON_OCCLUDED) = occluded_count;
    }
}
