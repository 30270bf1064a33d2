// Phase: cull, instances, second pass. One workgroup a list compares what it holds with its capacity. Only if it is too much do the next
// passes have workgroups: what does not fit is left out by whole bins of distance, the farthest first.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "cull_capacity.glsl"

layout(local_size_x = 1) in;

void main() {
    uint list = push.list + gl_WorkGroupID.y;
    bool full = WORD(counters, COUNTER_LIST_INSTANCES + list) > capacity_of(list);
    WORD(bins, cutoff_word(list)) = full ? 0u : DISTANCE_BINS;
    if (full) WORD(bins, recount_word(list)) = WORD(active_chunks, active_count_word());
}
