// Phase: cull late, instances, first pass. One workgroup a chunk tests every instance in the view against the pyramid, notes what is
// visible for the next frame, and counts what the early draws left out.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
const uint MASK_WORDS = CULL_GROUP / 32u;
shared uint bucket_counts[BUCKETS_MAX];
shared uint bin_counts[DISTANCE_BINS];
shared uint late_count;
shared uint occluded_count;
shared uint visible_mask[MASK_WORDS];

bool visible_instance(DrawChunk chunk, uint index, float y) {
    Placed at = load_instance(chunk, index);
    vec4 sphere = bounding_sphere(prop_buffers[push.props].props[at.prop], at, y);
    return !sphere_occluded(sphere.xyz, sphere.w);
}

void main() {
    uint lane = gl_LocalInvocationID.x, chunk_index = gl_WorkGroupID.x;
    bool in_view = (WORD(chunk_flags, flag_word(LIST_EARLY, chunk_index)) & FLAG_INSTANCES) != 0u;
    if (!in_view) {
        if (lane == 0u) WORD(chunk_flags, flag_word(LIST_LATE, chunk_index)) = 0u;
        return;
    }
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    vec3 low, high;
    prop_box(chunk, low, high);
    bool chunk_hidden = box_occluded(low, high);
    if (lane < BUCKETS_MAX) bucket_counts[lane] = 0u;
    if (lane < DISTANCE_BINS) bin_counts[lane] = 0u;
    if (lane < MASK_WORDS) visible_mask[lane] = 0u;
    if (lane == 0u) { late_count = 0u; occluded_count = 0u; }
    barrier();
    for (uint first = 0u; first < chunk.instance_count; first += CULL_GROUP) {
        uint index = first + lane;
        if (index < chunk.instance_count) {
            InstanceRecord record = RECORD(chunk.record_first + index);
            bool late = (record.packed & list_bit(LIST_LATE)) != 0u;
            if (late || (record.packed & list_bit(LIST_EARLY)) != 0u) {
                bool visible = !chunk_hidden && visible_instance(chunk, index, record.y);
                if (visible) atomicOr(visible_mask[lane / 32u], 1u << (lane & 31u));
                if (late && visible) {
                    atomicAdd(bucket_counts[record_bucket(record.packed)], 1u);
                    atomicAdd(bin_counts[record_bin(record.packed)], 1u);
                    atomicAdd(late_count, 1u);
                } else if (late) {
                    RECORD(chunk.record_first + index).packed = record.packed & ~list_bit(LIST_LATE);
                    atomicAdd(occluded_count, 1u);
                }
            }
        }
        barrier();
        if (lane < MASK_WORDS) {
            WORD(visibility, chunk.slot * VISIBILITY_WORDS + first / 32u + lane) = visible_mask[lane];
            visible_mask[lane] = 0u;
        }
        barrier();
    }
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) WORD(counts, count_word(LIST_LATE, b, chunk_index)) = bucket_counts[b];
    if (lane < DISTANCE_BINS && bin_counts[lane] > 0u) atomicAdd(WORD(bins, LIST_LATE * DISTANCE_BINS + lane), bin_counts[lane]);
    if (lane == 0u) {
        WORD(chunk_flags, flag_word(LIST_LATE, chunk_index)) = FLAG_INSTANCES | (late_count << FLAG_COUNT_SHIFT);
        atomicAdd(WORD(counters, COUNTER_INSTANCES + REASON_LATE), late_count);
        atomicAdd(WORD(counters, COUNTER_INSTANCES + REASON_OCCLUDED), occluded_count);
    }
}
