// How much of the sun a surface sees, from the shadow maps. Percentage-closer filtering (Reeves et al. 1987) over 4 x 4 texels with the
// weights of a tent, so that edges are soft and do not step. Each texel is compared with the depth that the surface's own plane has there
// (Isidoro 2006), so a slope does not shade itself and next to no offset is needed, which would shorten shadows.

// Share of the sun in one cascade. `at` in [-1, 1]; `slope`: how the surface's depth changes per texel.
float cascade_light(uint cascade, vec2 at, float depth, vec2 slope) {
    // The map holds the cascades two by two.
    vec2 tile = vec2(cascade & 1u, cascade >> 1u) * FRAME.shadow_edge;
    vec2 texel = (at * 0.5 + 0.5) * FRAME.shadow_edge + tile - 0.5;
    vec2 corner = floor(texel), f = texel - corner;
    vec4 sum = vec4(0.0);
    vec2 per_map = vec2(0.5 / FRAME.shadow_edge);
    // Weights of a tent of two texels' reach for the texels -1, 0, 1, 2.
    vec4 wx = vec4(1.0 - f.x, 2.0 - f.x, 1.0 + f.x, f.x), wy = vec4(1.0 - f.y, 2.0 - f.y, 1.0 + f.y, f.y);
    float light = 0.0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            // A gather takes the two by two texels around a corner: (0, 1), (1, 1), (1, 0), (0, 0).
            vec2 uv = (corner + vec2(i, j) * 2.0) * per_map;
            vec4 map = textureGather(sampler2DArray(image_arrays[FRAME.shadow_image], samplers[FRAME.clamp_sampler]), vec3(uv, 0.0));
            vec2 near = vec2(i, j) * 2.0 - 1.0 - f;
            vec4 plane = depth + slope.x * (near.x + vec4(0.0, 1.0, 1.0, 0.0)) + slope.y * (near.y + vec4(1.0, 1.0, 0.0, 0.0));
            vec4 lit = vec4(greaterThanEqual(plane, map));
            vec2 x = i == 0 ? wx.xy : wx.zw, y = j == 0 ? wy.xy : wy.zw;
            light += dot(lit, vec4(x.x * y.y, x.y * y.y, x.y * y.x, x.x * y.x));
        }
    return light * (1.0 / 16.0); // both tents sum to 4
}

// The first cascade that holds the place; 4 when none does. Near its edge, how far the next one has taken over.
uint cascade_of(vec3 position, out vec2 at, out float blend) {
    for (uint k = 0u; k < CASCADES; k++) {
        at = cascade_position(k, position);
        float edge = max(abs(at.x), abs(at.y));
        if (edge < 0.97) {
            blend = clamp((edge - 0.82) * (1.0 / 0.15), 0.0, 1.0);
            return k;
        }
    }
    blend = 0.0;
    return CASCADES;
}

float cascade_sun(uint k, vec3 position, vec3 normal) {
    float texel_m = FRAME.cascades[k].w;
    // Where the light grazes, the plane is too steep to trust.
    float facing = max(dot(normal, FRAME.sun_direction), 0.12);
    vec2 slope = -vec2(dot(normal, FRAME.sun_right), dot(normal, FRAME.sun_up)) / facing * (texel_m * FRAME.shadow_depth_per_m);
    vec3 moved = position + normal * (0.75 * texel_m);
    return cascade_light(k, cascade_position(k, moved), shadow_depth(moved), slope);
}

// 0 in shadow to 1 in the sun.
float sun_visibility(vec3 position, vec3 normal) {
    if (FRAME.shadows == 0u) return 1.0;
    vec2 at;
    float blend;
    uint k = cascade_of(position, at, blend);
    if (k == CASCADES) return 1.0;
    float light = cascade_sun(k, position, normal);
    if (blend > 0.0) light = mix(light, k + 1u < CASCADES ? cascade_sun(k + 1u, position, normal) : 1.0, blend);
    return light;
}
