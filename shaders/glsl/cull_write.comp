// Phase: cull, instances, last pass. One workgroup a chunk and list writes what is drawn, in the order of chunk and instance, whatever
// the lanes do.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
const uint MASK_WORDS = CULL_GROUP / 32u;
shared uint next_offset[BUCKETS_MAX];
shared uint masks[BUCKETS_MAX * MASK_WORDS]; // for each bucket, which lanes of this round draw into it

DrawInstance drawn_instance(DrawChunk chunk, uint index, InstanceRecord record) {
    Placed at = load_instance(chunk, index);
    uint cover = bitfieldExtract(record.packed, RECORD_COVER_SHIFT, 6), reason = record.packed >> RECORD_REASON_SHIFT & 7u;
    return DrawInstance(vec3(at.xz.x, record.y, at.xz.y), record.scale, at.rotation | (at.prop << 8) | (cover << 16) | (reason << 22));
}

void main() {
    uint lane = gl_LocalInvocationID.x, chunk_index = WORD(active_chunks, gl_WorkGroupID.x), list = push.list + gl_WorkGroupID.y;
    if (WORD(chunk_flags, flag_word(list, chunk_index)) >> FLAG_COUNT_SHIFT == 0u) return;
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    uint cutoff = WORD(bins, cutoff_word(list));
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP)
        next_offset[b] = command_buffers[push.commands].commands[command_index(list) + 1u + b].first_instance + WORD(counts, count_word(list, b, chunk_index));
    for (uint m = lane; m < FRAME.bucket_count * MASK_WORDS; m += CULL_GROUP) masks[m] = 0u;
    barrier();
    for (uint cluster = 0u; cluster * CULL_GROUP < chunk.instance_count; cluster++) {
        if ((WORD(cluster_lists, cluster_word(chunk_index, cluster)) & (1u << list)) == 0u) continue;
        uint index = cluster * CULL_GROUP + lane;
        uint packed = index < chunk.instance_count ? RECORD(chunk.record_first + index).packed : 0u;
        bool drawn = record_drawn(packed, list, cutoff);
        uint bucket = record_bucket(packed), word = bucket * MASK_WORDS + lane / 32u;
        if (drawn) atomicOr(masks[word], 1u << (lane & 31u));
        barrier();
        if (drawn) {
            uint rank = bitCount(masks[word] & ((1u << (lane & 31u)) - 1u));
            for (uint w = bucket * MASK_WORDS; w < word; w++) rank += bitCount(masks[w]);
            draw_instance_buffers[push.draw_instances].instances[next_offset[bucket] + rank] = drawn_instance(chunk, index, RECORD(chunk.record_first + index));
        }
        barrier();
        for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) {
            uint count = 0u;
            for (uint w = 0u; w < MASK_WORDS; w++) {
                count += bitCount(masks[b * MASK_WORDS + w]);
                masks[b * MASK_WORDS + w] = 0u;
            }
            next_offset[b] += count;
        }
        barrier();
    }
}
