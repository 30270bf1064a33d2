// Phase: cull, instances, third pass, only when a list is full. One workgroup a chunk and list counts what the cut has left.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint bucket_counts[BUCKETS_MAX];

void main() {
    uint lane = gl_LocalInvocationID.x, active_index = gl_WorkGroupID.x, chunk_index = WORD(active_chunks, active_index);
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    for (uint k = 0u; k < (push.list == LIST_LATE ? 1u : FRAME.early_lists); k++) {
        uint list = push.list + k;
        if ((WORD(chunk_flags, flag_word(list, chunk_index)) & FLAG_INSTANCES) == 0u) continue;
        uint cutoff = WORD(bins, cutoff_word(list));
        if (lane < BUCKETS_MAX) bucket_counts[lane] = 0u;
        barrier();
        for (uint survivor = lane; survivor < WORD(active_chunks, survivor_count_word(chunk_index)); survivor += CULL_GROUP) {
            uint i = WORD(survivors, chunk.record_first + survivor);
            uint packed = RECORD(chunk.record_first + i).packed;
            if (!record_drawn(packed, list, cutoff)) continue;
            atomicAdd(bucket_counts[record_bucket(packed)], 1u);
            if (record_copies(packed) > 1u) atomicAdd(bucket_counts[record_bucket(packed) + 1u], 1u);
        }
        barrier();
        for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) WORD(counts, count_word(list, b, active_index)) = bucket_counts[b];
        barrier();
    }
}
