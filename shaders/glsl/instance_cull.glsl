// What both passes of the instance culling share: where an instance stands, whether it is seen, and in which bucket it is drawn.

struct Candidate {
    int bucket; // prop * PROP_LODS + lod, or -1: not drawn
    vec3 position; // relative to the camera
    float scale;
    uint rotation;
    uint prop;
    float cover;
};

bool sphere_visible(vec3 center, float radius) {
    for (int i = 0; i < FRUSTUM_PLANES; i++)
        if (dot(FRAME.frustum[i].xyz, center) + FRAME.frustum[i].w < -radius) return false;
    return true;
}

bool box_visible(vec3 low, vec3 high) {
    for (int i = 0; i < FRUSTUM_PLANES; i++) {
        vec4 plane = FRAME.frustum[i];
        vec3 far_corner = mix(low, high, greaterThan(plane.xyz, vec3(0.0)));
        if (dot(plane.xyz, far_corner) + plane.w < 0.0) return false;
    }
    return true;
}

bool chunk_visible(DrawChunk chunk, float headroom_m) {
    // The skirts hang below the lowest vertex.
    float bottom_m = chunk.height_min_m - chunk.step_m * SKIRT_DEPTH_STEPS;
    vec3 low = vec3(chunk.origin_m.x, bottom_m - FRAME.camera_cell_y_m, chunk.origin_m.y) - FRAME.camera_offset_m;
    float edge = chunk.step_m * float(CHUNK_QUADS);
    vec3 high = low + vec3(edge, chunk.height_max_m - bottom_m + headroom_m, edge);
    return FRAME.cull == 0u || box_visible(low, high);
}

// Ranks fade out with the distance, so that neither a coarser level nor the hiding distance pops.
float rank_fade(PropRow prop, DrawChunk chunk, uint rank, float distance_m, float morph) {
    uint level = min(chunk.lod, SCATTER_LEVELS - 1u);
    float next = level + 1u < SCATTER_LEVELS ? prop.keep[level + 1u] : 0.0;
    float keep = mix(prop.keep[level], next, morph) * (1.0 - smoothstep(prop.hide_m * 0.55, prop.hide_m, distance_m));
    return clamp((keep - float(rank) * (1.0 / 256.0)) * 12.0, 0.0, 1.0);
}

Candidate evaluate(DrawChunk chunk, uint index) {
    Candidate c;
    c.bucket = -1;
    uvec2 words = pair_buffers[push.instances].pairs[chunk.slot * INSTANCES_PER_CHUNK_MAX + index];
    vec2 local = vec2(words.x & 0xffffu, words.x >> 16) * (1.0 / 16.0);
    c.rotation = words.y & 0xffu;
    c.prop = (words.y >> 16) & 0xffu;
    PropRow prop = prop_buffers[push.props].props[c.prop];
    vec2 xz = (vec2(chunk.origin_m) + local) - FRAME.camera_offset_m.xz;
    float flat_distance = length(xz);
    if (flat_distance > prop.hide_m) return c;
    float morph = chunk.morph_scale == 0.0 ? 0.0 : morph_factor(chunk, xz);
    float fade = rank_fade(prop, chunk, words.y >> 24, length(vec2(flat_distance, FRAME.eye_m)), morph);
    c.scale = float((words.y >> 8) & 0xffu) * (1.0 / 64.0) * fade;
    if (c.scale <= 0.0) return c;
    // A cheap test before the ground is read: the instance stands somewhere between the chunk's lowest and highest point.
    float base = chunk.height_min_m - FRAME.camera_cell_y_m - FRAME.camera_offset_m.y;
    float rise = chunk.height_max_m - chunk.height_min_m;
    if (FRAME.cull != 0u && !sphere_visible(vec3(xz.x, base + 0.5 * rise, xz.y), 0.5 * rise + prop.radius_m * c.scale + prop.height_m * c.scale)) return c;
    vec2 ground = drawn_ground(chunk, local);
    c.cover = ground.y;
    c.position = vec3(xz.x, (ground.x - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y, xz.y);
    vec3 center = c.position + vec3(0.0, prop.height_m * 0.5 * c.scale, 0.0);
    if (FRAME.cull != 0u && !sphere_visible(center, prop.radius_m * c.scale)) return c;
    float distance_m = length(c.position) / max(c.scale, 0.25) * FRAME.lod_scale;
    uint lod = distance_m < prop.lod_distance_m.x ? 0u : distance_m < prop.lod_distance_m.y ? 1u : 2u;
    c.bucket = int(c.prop * PROP_LODS + lod);
    return c;
}
