// Phase: cull early, instances, first pass. One workgroup a chunk judges its clusters, a lane each, then decides for each instance of those
// that are left, once, what later passes only read: its bucket (prop and mesh) and the lists that it is in. Counts by list and bucket, and
// lists the survivors: what is in no list costs later passes nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in; // BUCKETS_MAX and CLUSTERS_PER_CHUNK are less: a lane for each
const uint EARLY_LISTS_MAX = LISTS - 1u;
const uint MASK_WORDS = CULL_GROUP / 32u;
// What is known of a cluster that is looked at one by one, in one word: its number, its lists, those whose volumes hold all of it, whether
// the ground under it may morph.
const int CANDIDATE_LISTS_SHIFT = 8;
const int CANDIDATE_WHOLE_SHIFT = 16;
const int CANDIDATE_MORPHS_SHIFT = 24;
shared uint bucket_counts[EARLY_LISTS_MAX * BUCKETS_MAX];
shared uint list_counts[EARLY_LISTS_MAX];
shared uint reason_counts[REASONS];
shared uint judged[CLUSTERS_PER_CHUNK];
shared uint candidate_bits[CLUSTERS_PER_CHUNK / 32u];
shared uint candidates[CLUSTERS_PER_CHUNK]; // those that are left, in their order
shared uint survivor_masks[CLUSTERS_PER_CHUNK * MASK_WORDS]; // for each candidate, which of its instances are in a list

// The lists whose volumes hold a sphere, of those that hold its cluster; `whole`: those that hold all of it.
uint lists_with(uint lists, uint whole, vec3 center, float radius) {
    uint found = lists & whole;
    lists &= ~whole;
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

// How far the next mesh has taken over, 1 to 15; 0 where it has not begun to, and for the last mesh.
uint lod_fade(float apparent_m, vec2 lod_distance_m, uint lod) {
    if (lod > 1u) return 0u;
    float end_m = lod == 0u ? lod_distance_m.x : lod_distance_m.y;
    return uint(clamp((apparent_m / end_m - (1.0 - LOD_FADE_SHARE)) * (16.0 / LOD_FADE_SHARE), 0.0, 15.0));
}

// The record of an instance; without a list when nobody draws it.
InstanceRecord evaluate(DrawChunk chunk, uint index, uint chunk_lists, uint whole, bool morphs) {
    Placed at = load_instance(chunk, index);
    PropRow prop = prop_buffers[push.props].props[at.prop];
    InstanceRecord record = InstanceRecord(REASON_FRUSTUM << RECORD_REASON_SHIFT, 0.0, 0.0);
    uint lists = FRAME.early_lists > 1u ? casting(chunk_lists, prop.radius_m * at.full_scale) : chunk_lists;
    if (lists == 0u) return record;
    record.packed = REASON_FAR << RECORD_REASON_SHIFT;
    if (length(at.xz) * FRAME.prop_distance_scale > prop.hide_m) return record;
    record.scale = drawn_scale(prop, chunk, at);
    record.packed = REASON_THINNED << RECORD_REASON_SHIFT;
    if (record.scale <= 0.0) return record;
    record.packed = REASON_FRUSTUM << RECORD_REASON_SHIFT;
    bool shown = FRAME.debug_view == VIEW_CULLING;
    if (!shown) {
        // A cheap test before the ground is read: the instance stands somewhere between the chunk's lowest and highest point.
        float base = chunk.height_min_m - FRAME.camera_cell_y_m - FRAME.camera_offset_m.y;
        float rise = chunk.height_max_m - chunk.height_min_m;
        vec4 lowest = bounding_sphere(prop, at, base);
        lists = lists_with(lists, whole, lowest.xyz + vec3(0.0, 0.5 * rise, 0.0), lowest.w + 0.5 * rise);
        if (lists == 0u) return record;
    }
    vec2 ground = drawn_ground(chunk, at.local_m, morphs);
    record.y = (ground.x - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y;
    vec4 sphere = bounding_sphere(prop, at, record.y);
    lists = lists_with(lists, whole, sphere.xyz, sphere.w);
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
    float apparent_m = distance_m / max(record.scale, 0.25) * (FRAME.lod_scale * FRAME.prop_distance_scale);
    uint lod = apparent_m < prop.lod_distance_m.x ? 0u : apparent_m < prop.lod_distance_m.y ? 1u : 2u;
    record.packed = (at.prop * PROP_LODS + lod) | (lists << RECORD_LISTS_SHIFT) | (lod_fade(apparent_m, prop.lod_distance_m, lod) << RECORD_FADE_SHIFT)
        | (uint(clamp(ground.y, 0.0, 1.0) * 63.0 + 0.5) << RECORD_COVER_SHIFT) | (reason << RECORD_REASON_SHIFT);
    return record;
}

// The lists that a cluster's instances may be in; none, and why, when nobody needs to look at them one by one. Also whether the ground under
// any of them may have begun to morph.
uint cluster_lists(DrawChunk chunk, InstanceCluster cluster, uint chunk_lists, out uint whole, out uint reason, out bool morphs) {
    vec3 low, high;
    ground_box(chunk, low, high);
    vec2 corner = low.xz;
    low = vec3(corner.x + float(cluster.x & 0xffffu) * (1.0 / 16.0), low.y, corner.y + float(cluster.z & 0xffffu) * (1.0 / 16.0));
    high = vec3(corner.x + float(cluster.x >> 16) * (1.0 / 16.0), high.y, corner.y + float(cluster.z >> 16) * (1.0 / 16.0));
    // Two steps more: the corners of the cells in which instances stand.
    vec2 farthest = max(abs(low.xz), abs(high.xz)) + 2.0 * chunk.step_m;
    morphs = chunk.morph_min > 0.0 || (chunk.morph_scale > 0.0 && length(vec3(farthest, FRAME.eye_m)) > chunk.morph_start_m);
    whole = 0u;
    reason = REASON_FAR;
    // A centimetre more: what is judged again one by one must not be left out here by rounding.
    if (length(clamp(vec2(0.0), low.xz, high.xz)) * FRAME.prop_distance_scale > cluster.hide_m + 0.01) return 0u;
    reason = REASON_FRUSTUM;
    low -= cluster.radius_m + 0.01;
    high += vec3(cluster.radius_m, cluster.top_m, cluster.radius_m) + 0.01;
    uint lists = casting(chunk_lists, cluster.radius_m);
    for (uint list = 0u; list < FRAME.early_lists; list++)
        if ((lists & (1u << list)) != 0u) {
            if (!box_inside(list, low, high)) lists &= ~(1u << list);
            else if (box_wholly_inside(list, low, high)) whole |= 1u << list;
        }
    return lists;
}

void judge_cluster(DrawChunk chunk, uint chunk_index, uint cluster, uint chunk_lists) {
    uint reason, whole, lists = chunk_lists;
    bool morphs;
    uint judged_lists = cluster_lists(chunk, cluster_buffers[push.clusters].clusters[cluster_word(chunk.slot, cluster)], chunk_lists, whole, reason, morphs);
    if (FRAME.debug_view != VIEW_CULLING) lists = judged_lists;
    if (lists == 0u) atomicAdd(reason_counts[reason], min(CULL_GROUP, chunk.instance_count - cluster * CULL_GROUP));
    else atomicOr(candidate_bits[cluster / 32u], 1u << (cluster & 31u));
    judged[cluster] = cluster | (lists << CANDIDATE_LISTS_SHIFT) | (whole << CANDIDATE_WHOLE_SHIFT) | (morphs ? 1u << CANDIDATE_MORPHS_SHIFT : 0u);
    WORD(cluster_lists, cluster_word(chunk_index, cluster)) = lists;
}

// Lists the clusters that are left in their order, and says how many they are.
uint list_candidates() {
    uint lane = gl_LocalInvocationID.x, low = candidate_bits[0], high = candidate_bits[1], below = (1u << (lane & 31u)) - 1u;
    uint before = lane < 32u ? uint(bitCount(low & below)) : uint(bitCount(low) + bitCount(high & below));
    if (lane < CLUSTERS_PER_CHUNK && ((lane < 32u ? low : high) & (1u << (lane & 31u))) != 0u) candidates[before] = judged[lane];
    return uint(bitCount(low) + bitCount(high));
}

// Lists the survivors of the chunk in their order: later passes have a lane for each of these only.
void list_survivors(DrawChunk chunk, uint chunk_index, uint candidate_count) {
    uint lane = gl_LocalInvocationID.x, bit = 1u << (lane & 31u), own_word = lane / 32u, base = chunk.record_first;
    for (uint c = 0u; c < candidate_count; c++) {
        uint rank = 0u, own = 0u, all = 0u;
        for (uint w = 0u; w < MASK_WORDS; w++) {
            uint mask = survivor_masks[c * MASK_WORDS + w];
            rank += w < own_word ? uint(bitCount(mask)) : w == own_word ? uint(bitCount(mask & (bit - 1u))) : 0u;
            own = w == own_word ? mask : own;
            all += uint(bitCount(mask));
        }
        if ((own & bit) != 0u) WORD(survivors, base + rank) = (candidates[c] & 0xffu) * CULL_GROUP + lane;
        base += all;
    }
    if (lane == 0u) WORD(active_chunks, survivor_count_word(chunk_index)) = base - chunk.record_first;
}

void main() {
    uint lane = gl_LocalInvocationID.x, active_index = gl_WorkGroupID.x, chunk_index = WORD(active_chunks, active_index);
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    uint chunk_lists = 0u;
    for (uint list = 0u; list < FRAME.early_lists; list++) chunk_lists |= (WORD(chunk_flags, flag_word(list, chunk_index)) & FLAG_INSTANCES) << list;
    for (uint list = 0u; list < FRAME.early_lists; list++)
        if (lane < FRAME.bucket_count) bucket_counts[list * BUCKETS_MAX + lane] = 0u;
    if (lane < CLUSTERS_PER_CHUNK / 32u) candidate_bits[lane] = 0u;
    if (lane < REASONS) reason_counts[lane] = 0u;
    if (lane < EARLY_LISTS_MAX) list_counts[lane] = 0u;
    for (uint word = lane; word < CLUSTERS_PER_CHUNK * MASK_WORDS; word += CULL_GROUP) survivor_masks[word] = 0u;
    barrier();
    uint cluster_count = (chunk.instance_count + CULL_GROUP - 1u) / CULL_GROUP;
    if (lane < cluster_count) judge_cluster(chunk, chunk_index, lane, chunk_lists);
    barrier();
    uint candidate_count = list_candidates();
    barrier();
    uint far = 0u, thinned = 0u, outside = 0u, drawn = 0u;
    for (uint c = 0u; c < candidate_count; c++) {
        uint candidate = candidates[c], i = (candidate & 0xffu) * CULL_GROUP + lane;
        if (i >= chunk.instance_count) continue;
        uint lists = candidate >> CANDIDATE_LISTS_SHIFT & 0xffu, whole = candidate >> CANDIDATE_WHOLE_SHIFT & 0xffu;
        InstanceRecord record = evaluate(chunk, i, lists, whole, candidate >> CANDIDATE_MORPHS_SHIFT != 0u);
        uint found = record.packed >> RECORD_LISTS_SHIFT & ((1u << LISTS) - 1u), reason = record.packed >> RECORD_REASON_SHIFT & 7u;
        far += reason == REASON_FAR ? 1u : 0u;
        thinned += reason == REASON_THINNED ? 1u : 0u;
        outside += reason == REASON_FRUSTUM ? 1u : 0u;
        // What the late culling decides, it counts.
        drawn += reason == REASON_EARLY && (found & (1u << LIST_EARLY)) != 0u ? 1u : 0u;
        if (found == 0u) continue;
        RECORD(chunk.record_first + i) = record;
        atomicOr(survivor_masks[c * MASK_WORDS + lane / 32u], 1u << (lane & 31u));
        for (uint list = 0u; list < FRAME.early_lists; list++)
            if ((found & (1u << list)) != 0u) {
                uint bucket = list * BUCKETS_MAX + record_bucket(record.packed), copy = 0u;
                do { atomicAdd(bucket_counts[bucket + copy], 1u); copy++; } while (copy < record_copies(record.packed)); // a sum: in any order
            }
    }
    if (far > 0u) atomicAdd(reason_counts[REASON_FAR], far);
    if (thinned > 0u) atomicAdd(reason_counts[REASON_THINNED], thinned);
    if (outside > 0u) atomicAdd(reason_counts[REASON_FRUSTUM], outside);
    if (drawn > 0u) atomicAdd(reason_counts[REASON_EARLY], drawn);
    barrier();
    list_survivors(chunk, chunk_index, candidate_count);
    for (uint list = 0u; list < FRAME.early_lists; list++)
        if (lane < FRAME.bucket_count) {
            uint count = bucket_counts[list * BUCKETS_MAX + lane];
            WORD(counts, count_word(list, lane, active_index)) = count;
            if (count > 0u) atomicAdd(list_counts[list], count);
        }
    barrier();
    if (lane < FRAME.early_lists && (chunk_lists & (1u << lane)) != 0u) {
        WORD(chunk_flags, flag_word(lane, chunk_index)) |= list_counts[lane] << FLAG_COUNT_SHIFT;
        atomicAdd(WORD(counters, COUNTER_LIST_INSTANCES + lane), list_counts[lane]);
    }
    if (lane < REASONS && reason_counts[lane] > 0u) atomicAdd(WORD(counters, COUNTER_INSTANCES + lane), reason_counts[lane]);
}
