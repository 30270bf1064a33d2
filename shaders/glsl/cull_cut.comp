// Phase: cull, instances, second pass. One workgroup a list compares what it holds with its capacity. What does not fit is left out by
// whole bins of distance, the farthest first, and counted; then the third pass counts anew, else it has no workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = 1) in;

void main() {
    uint list = push.list + gl_WorkGroupID.y;
    uint capacity = FRAME.shadow_instances_max;
    if (list == LIST_EARLY) capacity = FRAME.draw_instances_max;
    if (list == LIST_LATE) capacity = FRAME.draw_instances_max - WORD(counters, COUNTER_LIST_INSTANCES + LIST_EARLY);
    uint kept = 0u, total = 0u, cutoff = DISTANCE_BINS;
    for (uint bin = 0u; bin < DISTANCE_BINS; bin++) {
        uint count = WORD(bins, list * DISTANCE_BINS + bin);
        total += count;
        if (total <= capacity) kept = total;
        else cutoff = min(cutoff, bin);
    }
    WORD(bins, cutoff_word(list)) = cutoff;
    WORD(counters, COUNTER_LIST_INSTANCES + list) = kept;
    WORD(counters, COUNTER_LIST_DROPPED + list) = total - kept;
    if (total > capacity) WORD(bins, recount_word(list)) = FRAME.chunk_count;
}
