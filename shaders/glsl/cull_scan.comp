// Phase: cull, instances, fourth pass. One workgroup a bucket and list turns the counts of the chunks into offsets, and their sum into
// the bucket's total. Each lane takes a run of chunks.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"
#include "prefix_sum.glsl"

layout(local_size_x = CULL_GROUP) in;

void main() {
    uint lane = gl_LocalInvocationID.x, bucket = gl_WorkGroupID.x, list = push.list + gl_WorkGroupID.y;
    uint active_count = WORD(active_chunks, active_count_word());
    uint run = (active_count + CULL_GROUP - 1u) / CULL_GROUP, first = lane * run, end = min(first + run, active_count);
    uint sum = 0u, total;
    for (uint i = first; i < end; i++) sum += WORD(counts, count_word(list, bucket, i));
    uint offset = inclusive_sum(sum, total) - sum;
    for (uint i = first; i < end; i++) {
        uint count = WORD(counts, count_word(list, bucket, i));
        WORD(counts, count_word(list, bucket, i)) = offset;
        offset += count;
    }
    if (lane == 0u) WORD(counters, COUNTER_BUCKETS + list * BUCKETS_MAX + bucket) = total;
}
