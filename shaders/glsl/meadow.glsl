// The colour of what grows: one tint for the ground and for the tufts that stand on it, so that they fade into each other.

vec3 meadow_color(vec3 color, float cover, float macro, vec2 world) {
    vec3 dry = vec3(1.28, 1.10, 0.62), lush = vec3(0.80, 1.02, 0.62);
    vec3 tint = mix(dry, lush, smoothstep(0.15, 0.75, cover + (macro - 0.45) * 0.6));
    return color * tint * (0.85 + 0.35 * macro);
}

// Under and beyond the trees the ground is darker: far away the canopy is all that is left of them.
vec3 forest_floor(vec3 color, float cover, float y, float up, float distance_m) {
    float forest = smoothstep(FRAME.forest_cover_low, FRAME.forest_cover_high, cover) * smoothstep(0.70, 0.84, up);
    forest *= 1.0 - smoothstep(FRAME.tree_line_m - 80.0, FRAME.tree_line_m + 40.0, y);
    vec3 floor_color = color * vec3(0.70, 0.66, 0.55);
    vec3 canopy = vec3(0.022, 0.040, 0.018);
    return mix(color, mix(floor_color, canopy, smoothstep(900.0, 3000.0, distance_m)), forest * 0.85);
}
