// Phase: cull, instances, fifth pass. One workgroup a list writes one indirect draw a bucket.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "prefix_sum.glsl"

layout(local_size_x = CULL_GROUP) in;

// Where a list starts among the drawn instances: the view's two share a region, each cascade has one.
uint list_first(uint list) {
    if (list == LIST_EARLY) return 0u;
    if (list == LIST_LATE) return WORD(counters, COUNTER_LIST_INSTANCES + LIST_EARLY);
    return FRAME.draw_instances_max + (list - LIST_SHADOW) * FRAME.shadow_instances_max;
}

void main() {
    uint bucket = gl_LocalInvocationID.x, list = push.list + gl_WorkGroupID.y;
    uint count = bucket < FRAME.bucket_count ? WORD(counters, COUNTER_BUCKETS + list * BUCKETS_MAX + bucket) : 0u;
    uint total;
    uint first = list_first(list) + inclusive_sum(count, total) - count;
    if (bucket >= FRAME.bucket_count) return;
    PropRow prop = prop_buffers[push.props].props[bucket / PROP_LODS];
    uint lod = bucket % PROP_LODS;
    command_buffers[push.commands].commands[command_index(list) + 1u + bucket] =
        DrawCommand(prop.index_count[lod], count, prop.first_index[lod], int(prop.first_vertex[lod]), first);
}
