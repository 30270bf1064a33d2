// Phase: cull, instances, only when a list is full. One workgroup a chunk finds the bins of distance of the instances of full lists, and counts them.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint bin_counts[DISTANCE_BINS];

// Noted in the record: whoever counts and whoever writes see the same bin.
uint note_bin(DrawChunk chunk, uint index, uint packed) {
    vec2 xz = load_instance(chunk, index).xz;
    float distance_m = length(vec3(xz.x, RECORD(chunk.record_first + index).y, xz.y));
    uint bin = uint(clamp(log2(max(distance_m, 1.0)) * BINS_PER_DOUBLING, 0.0, float(DISTANCE_BINS - 1u)));
    RECORD(chunk.record_first + index).packed = bitfieldInsert(packed, bin, RECORD_BIN_SHIFT, 6);
    return bin;
}

void main() {
    uint lane = gl_LocalInvocationID.x, chunk_index = WORD(active_chunks, gl_WorkGroupID.x);
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    for (uint k = 0u; k < (push.list == LIST_LATE ? 1u : FRAME.early_lists); k++) {
        uint list = push.list + k;
        bool full = WORD(bins, cutoff_word(list)) < DISTANCE_BINS;
        if (!full || (WORD(chunk_flags, flag_word(list, chunk_index)) & FLAG_INSTANCES) == 0u) continue;
        if (lane < DISTANCE_BINS) bin_counts[lane] = 0u;
        barrier();
        for (uint survivor = lane; survivor < WORD(active_chunks, survivor_count_word(chunk_index)); survivor += CULL_GROUP) {
            uint i = WORD(survivors, chunk.record_first + survivor);
            uint packed = RECORD(chunk.record_first + i).packed;
            if ((packed & list_bit(list)) != 0u) atomicAdd(bin_counts[note_bin(chunk, i, packed)], record_copies(packed));
        }
        barrier();
        if (lane < DISTANCE_BINS && bin_counts[lane] > 0u) atomicAdd(WORD(bins, list * DISTANCE_BINS + lane), bin_counts[lane]);
        barrier();
    }
}
