// Phase: cull early, instances, second pass. Turns counts per (bucket, chunk) into offsets and writes one indirect draw a bucket.
// What does not fit is dropped by whole chunks, the farthest first (chunks come near to far), and counted.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = CULL_GROUP) in;
shared uint totals[BUCKETS_MAX];
shared uint chunks_kept;
shared uint wanted;

uint chunk_total(uint chunk) {
    uint sum = 0u;
    for (uint b = 0u; b < FRAME.bucket_count; b++) sum += word_buffers[push.counts].words[b * CHUNKS_DRAWN_MAX + chunk];
    return sum;
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    if (lane == 0u) { chunks_kept = FRAME.chunk_count; wanted = 0u; }
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) totals[b] = 0u;
    barrier();
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) {
        uint sum = 0u;
        for (uint c = 0u; c < FRAME.chunk_count; c++) sum += word_buffers[push.counts].words[b * CHUNKS_DRAWN_MAX + c];
        atomicAdd(wanted, sum);
    }
    barrier();
    if (lane == 0u && wanted > FRAME.draw_instances_max) {
        uint sum = 0u, c = 0u;
        for (; c < FRAME.chunk_count; c++) {
            uint more = chunk_total(c);
            if (sum + more > FRAME.draw_instances_max) break;
            sum += more;
        }
        chunks_kept = c;
        word_buffers[push.counters].words[COUNTER_INSTANCES_DROPPED] = wanted - sum;
    } else if (lane == 0u) {
        word_buffers[push.counters].words[COUNTER_INSTANCES_DROPPED] = 0u;
    }
    barrier();
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) {
        uint sum = 0u;
        for (uint c = 0u; c < FRAME.chunk_count; c++) {
            uint at = b * CHUNKS_DRAWN_MAX + c;
            uint count = c < chunks_kept ? word_buffers[push.counts].words[at] : 0u;
            word_buffers[push.counts].words[at] = c < chunks_kept ? sum : NOT_DRAWN;
            sum += count;
        }
        totals[b] = sum;
    }
    barrier();
    if (lane == 0u) {
        uint first = 0u;
        for (uint b = 0u; b < FRAME.bucket_count; b++) {
            PropRow prop = prop_buffers[push.props].props[b / PROP_LODS];
            uint lod = b % PROP_LODS;
            command_buffers[push.commands].commands[1u + b] = DrawCommand(prop.index_count[lod], totals[b], prop.first_index[lod], int(prop.first_vertex[lod]), first);
            word_buffers[push.bucket_first].words[b] = first;
            first += totals[b];
        }
        word_buffers[push.counters].words[COUNTER_INSTANCES_DRAWN] = first;
    }
}
