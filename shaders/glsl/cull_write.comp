// Phase: cull early, instances, third pass. Writes what is drawn, in the order of chunk and instance, whatever the lanes do.
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

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint chunk_index = gl_WorkGroupID.x;
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP)
        next_offset[b] = word_buffers[push.counts].words[b * CHUNKS_DRAWN_MAX + chunk_index];
    barrier();
    if (next_offset[0] == NOT_DRAWN || !chunk_visible(chunk, FRAME.prop_height_max_m)) return;
    for (uint first = 0u; first < chunk.instance_count; first += CULL_GROUP) {
        for (uint m = lane; m < FRAME.bucket_count * MASK_WORDS; m += CULL_GROUP) masks[m] = 0u;
        barrier();
        Candidate c;
        c.bucket = -1;
        if (first + lane < chunk.instance_count) c = evaluate(chunk, first + lane);
        if (c.bucket >= 0) atomicOr(masks[uint(c.bucket) * MASK_WORDS + lane / 32u], 1u << (lane & 31u));
        barrier();
        if (c.bucket >= 0) {
            uint rank = bitCount(masks[uint(c.bucket) * MASK_WORDS + lane / 32u] & ((1u << (lane & 31u)) - 1u));
            for (uint w = 0u; w < lane / 32u; w++) rank += bitCount(masks[uint(c.bucket) * MASK_WORDS + w]);
            uint at = word_buffers[push.bucket_first].words[c.bucket] + next_offset[c.bucket] + rank;
            uint packed = c.rotation | (c.prop << 8) | (uint(clamp(c.cover, 0.0, 1.0) * 255.0) << 16);
            draw_instance_buffers[push.draw_instances].instances[at] = DrawInstance(c.position, c.scale, packed);
        }
        barrier();
        for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) {
            uint drawn = 0u;
            for (uint w = 0u; w < MASK_WORDS; w++) drawn += bitCount(masks[b * MASK_WORDS + w]);
            next_offset[b] += drawn;
        }
        barrier();
    }
}
