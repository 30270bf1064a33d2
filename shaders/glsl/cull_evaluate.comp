// Phase: cull early, instances, first pass. One workgroup a chunk decides for each instance, once, what later passes only read: its
// bucket (prop and mesh), the lists that it is in, how far it is. Counts by list and bucket, and by list and bin of distance.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
const uint EARLY_LISTS_MAX = LISTS - 1u;
shared uint bucket_counts[EARLY_LISTS_MAX * BUCKETS_MAX];
shared uint bin_counts[EARLY_LISTS_MAX * DISTANCE_BINS];
shared uint list_counts[EARLY_LISTS_MAX];
shared uint reason_counts[REASONS];

uint distance_bin(float distance_m) {
    return uint(clamp(log2(max(distance_m, 1.0)) * BINS_PER_DOUBLING, 0.0, float(DISTANCE_BINS - 1u)));
}

// The lists whose volumes hold a sphere, of those that hold its chunk.
uint lists_with(uint lists, vec3 center, float radius) {
    uint found = 0u;
    for (uint list = 0u; list < FRAME.early_lists; list++)
        if ((lists & (1u << list)) != 0u && sphere_inside(list, center, radius)) found |= 1u << list;
    return found;
}

// Too small to leave a mark in a cascade's map.
uint casting(uint lists, float radius) {
    for (uint k = 0u; k < CASCADES; k++)
        if (radius < FRAME.cascade_radius_min_m[k]) lists &= ~(1u << (LIST_SHADOW + k));
    return lists;
}

// The record of an instance; without a list when nobody draws it.
InstanceRecord evaluate(DrawChunk chunk, uint index, uint chunk_lists) {
    Placed at = load_instance(chunk, index);
    PropRow prop = prop_buffers[push.props].props[at.prop];
    InstanceRecord record = InstanceRecord(REASON_FRUSTUM << RECORD_REASON_SHIFT, 0.0);
    uint lists = casting(chunk_lists, prop.radius_m * at.full_scale);
    if (lists == 0u) return record;
    record.packed = REASON_FAR << RECORD_REASON_SHIFT;
    if (length(at.xz) > prop.hide_m) return record;
    float scale = drawn_scale(prop, chunk, at);
    record.packed = REASON_THINNED << RECORD_REASON_SHIFT;
    if (scale <= 0.0) return record;
    record.packed = REASON_FRUSTUM << RECORD_REASON_SHIFT;
    bool shown = FRAME.debug_view == VIEW_CULLING;
    if (!shown) {
        // A cheap test before the ground is read: the instance stands somewhere between the chunk's lowest and highest point.
        float base = chunk.height_min_m - FRAME.camera_cell_y_m - FRAME.camera_offset_m.y;
        float rise = chunk.height_max_m - chunk.height_min_m;
        vec4 lowest = bounding_sphere(prop, at, base);
        lists = lists_with(lists, lowest.xyz + vec3(0.0, 0.5 * rise, 0.0), lowest.w + 0.5 * rise);
        if (lists == 0u) return record;
    }
    vec2 ground = drawn_ground(chunk, at.local_m);
    record.y = (ground.x - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y;
    vec4 sphere = bounding_sphere(prop, at, record.y);
    lists = lists_with(lists, sphere.xyz, sphere.w);
    uint reason = (lists & 1u) == 0u ? REASON_FRUSTUM : REASON_EARLY;
    if (shown) {
        if (reason == REASON_EARLY && sphere_occluded(sphere.xyz, sphere.w)) reason = REASON_OCCLUDED;
        lists |= 1u;
    } else if ((lists & 1u) != 0u && FRAME.occlusion != 0u) {
        uint word = WORD(visibility, chunk.slot * VISIBILITY_WORDS + index / 32u);
        // Not seen before: the late culling looks again.
        if ((word >> (index & 31u) & 1u) == 0u) lists = (lists & ~1u) | (1u << LIST_LATE);
    }
    float distance_m = length(vec3(at.xz.x, record.y, at.xz.y));
    float apparent_m = distance_m / max(scale, 0.25) * FRAME.lod_scale;
    uint lod = apparent_m < prop.lod_distance_m.x ? 0u : apparent_m < prop.lod_distance_m.y ? 1u : 2u;
    record.packed = (at.prop * PROP_LODS + lod) | (lists << RECORD_LISTS_SHIFT) | (distance_bin(distance_m) << RECORD_BIN_SHIFT)
        | (uint(clamp(ground.y, 0.0, 1.0) * 63.0 + 0.5) << RECORD_COVER_SHIFT) | (reason << RECORD_REASON_SHIFT);
    return record;
}

void main() {
    uint lane = gl_LocalInvocationID.x, chunk_index = gl_WorkGroupID.x;
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    uint chunk_lists = 0u;
    for (uint list = 0u; list < FRAME.early_lists; list++) chunk_lists |= (WORD(chunk_flags, flag_word(list, chunk_index)) & 1u) << list;
    if (chunk_lists == 0u) {
        if (lane == 0u) atomicAdd(WORD(counters, COUNTER_INSTANCES + REASON_FRUSTUM), chunk.instance_count);
        return;
    }
    for (uint i = lane; i < EARLY_LISTS_MAX * BUCKETS_MAX; i += CULL_GROUP) bucket_counts[i] = 0u;
    for (uint i = lane; i < EARLY_LISTS_MAX * DISTANCE_BINS; i += CULL_GROUP) bin_counts[i] = 0u;
    if (lane < REASONS) reason_counts[lane] = 0u;
    if (lane < EARLY_LISTS_MAX) list_counts[lane] = 0u;
    barrier();
    for (uint i = lane; i < chunk.instance_count; i += CULL_GROUP) {
        InstanceRecord record = evaluate(chunk, i, chunk_lists);
        RECORD(chunk.record_first + i) = record;
        // Sums: the order of the lanes does not matter. What the late culling decides, it counts.
        uint bucket = record_bucket(record.packed), bin = record_bin(record.packed);
        for (uint list = 0u; list < FRAME.early_lists; list++) {
            if ((record.packed & list_bit(list)) == 0u) continue;
            atomicAdd(bucket_counts[list * BUCKETS_MAX + bucket], 1u);
            atomicAdd(bin_counts[list * DISTANCE_BINS + bin], 1u);
            atomicAdd(list_counts[list], 1u);
        }
        if ((record.packed & list_bit(LIST_LATE)) == 0u) atomicAdd(reason_counts[record.packed >> RECORD_REASON_SHIFT & 7u], 1u);
    }
    barrier();
    for (uint list = 0u; list < FRAME.early_lists; list++) {
        if ((chunk_lists & (1u << list)) == 0u) continue;
        if (lane == 0u) WORD(chunk_flags, flag_word(list, chunk_index)) |= list_counts[list] << FLAG_COUNT_SHIFT;
        for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP) WORD(counts, count_word(list, b, chunk_index)) = bucket_counts[list * BUCKETS_MAX + b];
        if (lane < DISTANCE_BINS && bin_counts[list * DISTANCE_BINS + lane] > 0u) atomicAdd(WORD(bins, list * DISTANCE_BINS + lane), bin_counts[list * DISTANCE_BINS + lane]);
    }
    if (lane < REASONS && reason_counts[lane] > 0u) atomicAdd(WORD(counters, COUNTER_INSTANCES + lane), reason_counts[lane]);
}
