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
shared uint late_count;
shared uint copy_count;
shared uint occluded_count;
shared uint visible_masks[CLUSTERS_PER_CHUNK * MASK_WORDS];

bool visible_instance(DrawChunk chunk, uint index) {
    Placed at = load_instance(chunk, index);
    vec4 sphere = bounding_sphere(prop_buffers[push.props].props[at.prop], at, RECORD(chunk.record_first + index).y);
    return !sphere_occluded(sphere.xyz, sphere.w);
}

// Whether any of its instances may be in the view; if not, what is noted of it stays.
bool cluster_in_view(uint chunk_index, uint cluster) {
    return (WORD(cluster_lists, cluster_word(chunk_index, cluster)) & (1u << LIST_EARLY)) != 0u;
}

void main() {
    uint lane = gl_LocalInvocationID.x, active_index = gl_WorkGroupID.x, chunk_index = WORD(active_chunks, active_index);
    uint flags = WORD(chunk_flags, flag_word(LIST_LATE, chunk_index));
    if ((flags & FLAG_INSTANCES) == 0u) {
        for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) WORD(counts, count_word(LIST_LATE, b, active_index)) = 0u;
        return;
    }
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    if (lane < BUCKETS_MAX) bucket_counts[lane] = 0u;
    for (uint word = lane; word < CLUSTERS_PER_CHUNK * MASK_WORDS; word += CULL_GROUP) visible_masks[word] = 0u;
    if (lane == 0u) {
        late_count = 0u;
        copy_count = 0u;
        occluded_count = 0u;
    }
    barrier();
    uint late = 0u, copies = 0u, occluded = 0u, survivor_count = WORD(active_chunks, survivor_count_word(chunk_index));
    for (uint survivor = lane; survivor < survivor_count; survivor += CULL_GROUP) {
        uint index = WORD(survivors, chunk.record_first + survivor), packed = RECORD(chunk.record_first + index).packed;
        bool is_late = (packed & list_bit(LIST_LATE)) != 0u;
        if (!is_late && (packed & list_bit(LIST_EARLY)) == 0u) continue;
        bool visible = (flags & FLAG_HIDDEN) == 0u && visible_instance(chunk, index);
        if (visible) atomicOr(visible_masks[index / 32u], 1u << (index & 31u));
        if (is_late && visible) {
            atomicAdd(bucket_counts[record_bucket(packed)], 1u);
            if (record_copies(packed) > 1u) atomicAdd(bucket_counts[record_bucket(packed) + 1u], 1u);
            copies += record_copies(packed);
            late++;
        } else if (is_late) {
            RECORD(chunk.record_first + index).packed = packed & ~list_bit(LIST_LATE);
            occluded++;
        }
    }
    if (late > 0u) atomicAdd(late_count, late);
    if (copies > 0u) atomicAdd(copy_count, copies);
    if (occluded > 0u) atomicAdd(occluded_count, occluded);
    barrier();
    for (uint word = lane; word * 32u < chunk.instance_count; word += CULL_GROUP)
        if (cluster_in_view(chunk_index, word / MASK_WORDS)) WORD(visibility, chunk.slot * VISIBILITY_WORDS + word) = visible_masks[word];
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) WORD(counts, count_word(LIST_LATE, b, active_index)) = bucket_counts[b];
    if (lane == 0u) {
        WORD(chunk_flags, flag_word(LIST_LATE, chunk_index)) = flags | (copy_count << FLAG_COUNT_SHIFT);
        atomicAdd(WORD(counters, COUNTER_LIST_INSTANCES + LIST_LATE), copy_count);
        atomicAdd(WORD(counters, COUNTER_INSTANCES + REASON_LATE), late_count);
        atomicAdd(WORD(counters, COUNTER_INSTANCES + REASON_OCCLUDED), occluded_count);
    }
}
