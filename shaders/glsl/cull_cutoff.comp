// Phase: cull, instances. One workgroup a list; where the list is full, it finds the first bin that is left out, and counts what goes.
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
    if (WORD(bins, cutoff_word(list)) == DISTANCE_BINS) return;
    uint capacity = capacity_of(list), kept = 0u, total = 0u, cutoff = DISTANCE_BINS;
    for (uint bin = 0u; bin < DISTANCE_BINS; bin++) {
        total += WORD(bins, list * DISTANCE_BINS + bin);
        if (total <= capacity) kept = total;
        else cutoff = min(cutoff, bin);
    }
    WORD(bins, cutoff_word(list)) = cutoff;
    WORD(counters, COUNTER_LIST_INSTANCES + list) = kept;
    WORD(counters, COUNTER_LIST_DROPPED + list) = total - kept;
}
