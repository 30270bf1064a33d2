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
const uint CHUNKS_PER_LANE = CHUNKS_DRAWN_MAX / CULL_GROUP;

void main() {
    uint lane = gl_LocalInvocationID.x, bucket = gl_WorkGroupID.x, list = push.list + gl_WorkGroupID.y;
    uint counts[CHUNKS_PER_LANE];
    uint sum = 0u;
    for (uint i = 0u; i < CHUNKS_PER_LANE; i++) {
        uint chunk = lane * CHUNKS_PER_LANE + i;
        // What nobody counted is not read.
        bool counted = chunk < FRAME.chunk_count && (WORD(chunk_flags, flag_word(list, chunk)) & FLAG_INSTANCES) != 0u;
        counts[i] = counted ? WORD(counts, count_word(list, bucket, chunk)) : 0u;
        sum += counts[i];
    }
    uint total;
    uint offset = inclusive_sum(sum, total) - sum;
    for (uint i = 0u; i < CHUNKS_PER_LANE; i++) {
        uint chunk = lane * CHUNKS_PER_LANE + i;
        if (chunk < FRAME.chunk_count) WORD(counts, count_word(list, bucket, chunk)) = offset;
        offset += counts[i];
    }
    if (lane == 0u) WORD(counters, COUNTER_BUCKETS + list * BUCKETS_MAX + bucket) = total;
}
