// Phase: cull early, chunks. One workgroup a list keeps the chunks of the drawn cut that its volume touches, in their order (near to
// far), and writes the one indirect draw of their ground. The first also clears what the later passes add to.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "prefix_sum.glsl"
#include "ground_list.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint frustum_count;

void clear_sums() {
    for (uint i = gl_LocalInvocationID.x; i < COUNTER_BUCKETS; i += CULL_GROUP) {
        // The counts of chunks are written, by others too.
        bool written = i == COUNTER_CHUNKS + REASON_EARLY || i == COUNTER_CHUNKS + REASON_FRUSTUM || (i >= COUNTER_LIST_CHUNKS && i < COUNTER_LIST_INSTANCES);
        if (!written) WORD(counters, i) = 0u;
    }
    for (uint i = gl_LocalInvocationID.x; i < LISTS * DISTANCE_BINS; i += CULL_GROUP) WORD(bins, i) = 0u;
    if (gl_LocalInvocationID.x < 6u) WORD(bins, recount_word(LIST_EARLY) + gl_LocalInvocationID.x) = gl_LocalInvocationID.x % 3u == 0u ? 0u : 1u;
}

void main() {
    uint lane = gl_LocalInvocationID.x, list = gl_WorkGroupID.y;
    if (list == LIST_EARLY) clear_sums();
    if (lane == 0u) frustum_count = 0u;
    barrier();
    bool shown = FRAME.debug_view == VIEW_CULLING;
    uint base = 0u;
    for (uint first = 0u; first < FRAME.chunk_count; first += CULL_GROUP) {
        uint index = first + lane;
        bool listed = false;
        if (index < FRAME.chunk_count) {
            DrawChunk chunk = chunk_buffers[push.chunks].chunks[index];
            vec3 low, high, low_props, high_props;
            ground_box(chunk, low, high);
            prop_box(chunk, low_props, high_props);
            bool ground = box_inside(list, low, high), props = chunk.instance_count > 0u && box_inside(list, low_props, high_props);
            uint reason = REASON_EARLY;
            listed = ground;
            if (list == LIST_EARLY) {
                if (!ground) { reason = REASON_FRUSTUM; atomicAdd(frustum_count, 1u); }
                else if (shown && box_occluded(low, high)) reason = REASON_OCCLUDED;
                bool before = WORD(visibility, chunk.slot * VISIBILITY_WORDS + VISIBILITY_WORDS - 1u) != 0u;
                listed = shown || (ground && (before || FRAME.occlusion == 0u));
                props = props || (shown && chunk.instance_count > 0u);
            }
            WORD(chunk_flags, flag_word(list, index)) = (props ? FLAG_INSTANCES : 0u) | (ground ? FLAG_GROUND : 0u) | (listed ? FLAG_LISTED : 0u) | (reason << FLAG_REASON_SHIFT);
        }
        uint total;
        uint sum = inclusive_sum(listed ? 1u : 0u, total);
        if (listed) WORD(list_chunks, list * CHUNKS_DRAWN_MAX + base + sum - 1u) = index;
        base += total;
    }
    if (lane == 0u) {
        write_ground_list(list, base);
        if (list == LIST_EARLY) {
            WORD(counters, COUNTER_CHUNKS + REASON_EARLY) = base;
            WORD(counters, COUNTER_CHUNKS + REASON_FRUSTUM) = frustum_count;
        }
    }
}
