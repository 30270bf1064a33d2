// Phase: cull early, instances, first pass. One workgroup a chunk counts what each bucket will draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint bucket_counts[BUCKETS_MAX];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint chunk_index = gl_WorkGroupID.x;
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) bucket_counts[b] = 0u;
    barrier();
    if (chunk_visible(chunk, FRAME.prop_height_max_m)) {
        for (uint i = lane; i < chunk.instance_count; i += CULL_GROUP) {
            int bucket = evaluate(chunk, i).bucket;
            if (bucket >= 0) atomicAdd(bucket_counts[bucket], 1u); // a sum: the order does not matter
        }
    }
    barrier();
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP)
        word_buffers[push.counts].words[b * CHUNKS_DRAWN_MAX + chunk_index] = bucket_counts[b];
}
