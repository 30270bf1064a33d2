// What the passes of the culling share: volumes, the depth pyramid, where an instance stands, and its record.

#define WORD(buffer, index) word_buffers[push.buffer].words[index]
#define RECORD(index) record_buffers[push.records].records[index]

// The early lists come first and each has a volume of its own; the late list looks through the view's once more.
uint volume_of(uint list) { return list == LIST_LATE ? 0u : list; }

// The view's volume is that of the culling camera, which may be frozen elsewhere.
vec3 in_volume(uint volume, vec3 position) { return volume == 0u ? position + FRAME.cull_offset_m : position; }

bool sphere_inside(uint volume, vec3 center, float radius) {
    if (FRAME.cull == 0u) return true;
    center = in_volume(volume, center);
    for (uint i = 0u; i < uint(VOLUME_PLANES); i++) {
        vec4 plane = FRAME.planes[volume * uint(VOLUME_PLANES) + i];
        if (dot(plane.xyz, center) + plane.w < -radius) return false;
    }
    return true;
}

bool box_inside(uint volume, vec3 low, vec3 high) {
    if (FRAME.cull == 0u) return true;
    low = in_volume(volume, low);
    high = in_volume(volume, high);
    for (uint i = 0u; i < uint(VOLUME_PLANES); i++) {
        vec4 plane = FRAME.planes[volume * uint(VOLUME_PLANES) + i];
        vec3 far_corner = mix(low, high, greaterThan(plane.xyz, vec3(0.0)));
        if (dot(plane.xyz, far_corner) + plane.w < 0.0) return false;
    }
    return true;
}

// Whether every corner is inside, and so all that is in the box.
bool box_wholly_inside(uint volume, vec3 low, vec3 high) {
    if (FRAME.cull == 0u) return true;
    low = in_volume(volume, low);
    high = in_volume(volume, high);
    for (uint i = 0u; i < uint(VOLUME_PLANES); i++) {
        vec4 plane = FRAME.planes[volume * uint(VOLUME_PLANES) + i];
        vec3 near_corner = mix(high, low, greaterThan(plane.xyz, vec3(0.0)));
        if (dot(plane.xyz, near_corner) + plane.w < 0.0) return false;
    }
    return true;
}

// The box of a chunk's ground, relative to the camera. The skirts hang below the lowest vertex.
void ground_box(DrawChunk chunk, out vec3 low, out vec3 high) {
    float bottom_m = chunk.height_min_m - chunk.step_m * SKIRT_DEPTH_STEPS;
    low = vec3(chunk.origin_m.x, bottom_m - FRAME.camera_cell_y_m, chunk.origin_m.y) - FRAME.camera_offset_m;
    float edge = chunk.step_m * float(FRAME.ground_quads);
    high = low + vec3(edge, chunk.height_max_m - bottom_m, edge);
}

// The box that holds the spheres of all its instances.
void prop_box(DrawChunk chunk, out vec3 low, out vec3 high) {
    ground_box(chunk, low, high);
    low -= chunk.prop_reach_m;
    high += vec3(chunk.prop_reach_m, chunk.prop_top_m, chunk.prop_reach_m);
}

// Whether all that may show in a rectangle of the picture, from `low` to `high` in NDC, is nearer than `nearest`. A level is chosen where
// the rectangle touches two by two texels at most; a texel of level L is the farthest depth of 2^(L+1) x 2^(L+1) pixels.
bool behind_pyramid(vec2 low, vec2 high, float nearest) {
    ivec2 last = ivec2(FRAME.pyramid_width, FRAME.pyramid_height) - 1;
    vec2 to_pixel = vec2(last + 1) * 0.5;
    // A sixteenth of a pixel more: the rasteriser rounds to less.
    ivec2 a = clamp(ivec2(floor((low + 1.0) * to_pixel - 0.0625)), ivec2(0), last);
    ivec2 b = clamp(ivec2(floor((high + 1.0) * to_pixel + 0.0625)), ivec2(0), last);
    int span = max(b.x - a.x, b.y - a.y);
    uint level = span <= 1 ? 0u : uint(findMSB(span - 1));
    level = min(level, FRAME.pyramid_levels - 1u);
    uint shift = level + 1u;
    uvec2 u = uvec2(a) >> shift, v = uvec2(b) >> shift;
    uint row = (FRAME.pyramid_width + (1u << shift) - 1u) >> shift;
    uint first = FRAME.pyramid_first[level];
    float p = uintBitsToFloat(WORD(pyramid, first + u.y * row + u.x)), q = uintBitsToFloat(WORD(pyramid, first + u.y * row + v.x));
    float r = uintBitsToFloat(WORD(pyramid, first + v.y * row + u.x)), s = uintBitsToFloat(WORD(pyramid, first + v.y * row + v.x));
    // A thousandth nearer: interpolated depth is not exact.
    return nearest * 1.001 < min(min(p, q), min(r, s));
}

bool sphere_occluded(vec3 center, float radius) {
    center += FRAME.cull_offset_m;
    float w = dot(center, FRAME.cull_forward);
    float nearest = w - radius;
    if (nearest <= FRAME.near_m) return false;
    vec2 at = vec2(dot(center, FRAME.cull_right), -dot(center, FRAME.cull_up));
    vec2 reach = radius * vec2(length(FRAME.cull_right), length(FRAME.cull_up));
    vec2 low = at - reach, high = at + reach;
    // Divided by the nearer or the farther end, whichever makes the rectangle larger.
    low /= mix(vec2(w + radius), vec2(nearest), lessThan(low, vec2(0.0)));
    high /= mix(vec2(w + radius), vec2(nearest), greaterThan(high, vec2(0.0)));
    return behind_pyramid(low, high, FRAME.near_m / nearest);
}

bool box_occluded(vec3 low, vec3 high) {
    vec2 from = vec2(1e30), to = vec2(-1e30);
    float nearest = 1e30;
    for (uint corner = 0u; corner < 8u; corner++) {
        vec3 p = mix(low, high, bvec3((corner & 1u) != 0u, (corner & 2u) != 0u, (corner & 4u) != 0u)) + FRAME.cull_offset_m;
        float w = dot(p, FRAME.cull_forward);
        if (w <= FRAME.near_m) return false;
        vec2 at = vec2(dot(p, FRAME.cull_right), -dot(p, FRAME.cull_up)) / w;
        from = min(from, at);
        to = max(to, at);
        nearest = min(nearest, w);
    }
    return behind_pyramid(from, to, FRAME.near_m / nearest);
}

// What the words of an instance say.
struct Placed {
    vec2 local_m;
    vec2 xz; // relative to the camera
    uint rotation;
    float full_scale;
    uint prop;
    uint rank;
};

Placed load_instance(DrawChunk chunk, uint index) {
    uvec2 words = pair_buffers[push.instances].pairs[chunk.slot * INSTANCES_PER_CHUNK_MAX + index];
    Placed at;
    at.local_m = vec2(words.x & 0xffffu, words.x >> 16) * (1.0 / 16.0);
    at.xz = (vec2(chunk.origin_m) + at.local_m) - FRAME.camera_offset_m.xz;
    at.rotation = words.y & 0xffu;
    at.full_scale = float((words.y >> 8) & 0xffu) * (1.0 / 64.0);
    at.prop = (words.y >> 16) & 0xffu;
    at.rank = words.y >> 24;
    return at;
}

// Ranks fade out with the distance, so that neither a coarser level nor the hiding distance pops.
float rank_fade(PropRow prop, DrawChunk chunk, uint rank, float distance_m, float morph) {
    uint level = min(chunk.lod, SCATTER_LEVELS - 1u);
    float next = level + 1u < SCATTER_LEVELS ? prop.keep[level + 1u] : 0.0;
    float keep = mix(prop.keep[level], next, morph) * (1.0 - smoothstep(prop.hide_m * 0.55, prop.hide_m, distance_m * FRAME.prop_distance_scale));
    return clamp((keep - float(rank) * (1.0 / 256.0)) * 12.0, 0.0, 1.0);
}

float drawn_scale(PropRow prop, DrawChunk chunk, Placed at) {
    float morph = chunk.morph_scale == 0.0 ? 0.0 : morph_factor(chunk, at.xz);
    return at.full_scale * rank_fade(prop, chunk, at.rank, length(vec3(at.xz, FRAME.eye_m)), morph);
}

// The sphere of an instance at its full size; smaller, it lies within, for the base does.
vec4 bounding_sphere(PropRow prop, Placed at, float y) {
    return vec4(at.xz.x, y + prop.height_m * 0.5 * at.full_scale, at.xz.y, prop.radius_m * at.full_scale);
}

uint record_bucket(uint packed) { return packed & ((1u << RECORD_BUCKET_BITS) - 1u); }
uint record_bin(uint packed) { return bitfieldExtract(packed, RECORD_BIN_SHIFT, 6); }
uint record_fade(uint packed) { return packed >> RECORD_FADE_SHIFT; }
// How often an instance is drawn: while one mesh gives way to the next, with both.
uint record_copies(uint packed) { return record_fade(packed) != 0u ? 2u : 1u; }
uint list_bit(uint list) { return 1u << (uint(RECORD_LISTS_SHIFT) + list); }

// Words of the bins' buffer after the bins themselves.
uint cutoff_word(uint list) { return LISTS * DISTANCE_BINS + list; }
uint recount_word(uint list) { return LISTS * DISTANCE_BINS + LISTS + (list == LIST_LATE ? 3u : 0u); }

// Words of the active chunks' buffer after the chunks themselves.
uint active_count_word() { return CHUNKS_DRAWN_MAX; }
uint survivor_count_word(uint chunk) { return CHUNKS_DRAWN_MAX + 1u + chunk; }

uint active_word() { return LISTS * DISTANCE_BINS + LISTS + 6u; }

bool record_drawn(uint packed, uint list, uint cutoff) { return (packed & list_bit(list)) != 0u && record_bin(packed) < cutoff; }

uint cluster_word(uint chunk, uint cluster) { return chunk * CLUSTERS_PER_CHUNK + cluster; }
uint count_word(uint list, uint bucket, uint active_chunk) { return (list * BUCKETS_MAX + bucket) * CHUNKS_DRAWN_MAX + active_chunk; }
uint flag_word(uint list, uint chunk) { return list * CHUNKS_DRAWN_MAX + chunk; }
uint command_index(uint list) { return list * (1u + BUCKETS_MAX); }
