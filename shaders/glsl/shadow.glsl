// Shadow maps: cascades around the camera, all along the sun's axes. Depth grows towards the sun, like everywhere here nearer is greater.

vec2 cascade_position(uint cascade, vec3 position) {
    vec4 c = FRAME.cascades[cascade];
    return (vec2(dot(position, FRAME.sun_right), dot(position, FRAME.sun_up)) - c.xy) * c.z;
}

float shadow_depth(vec3 position) { return dot(position, FRAME.sun_direction) * FRAME.shadow_depth_per_m + 0.5; }

vec4 shadow_clip_position(uint cascade, vec3 position) {
    return vec4(cascade_position(cascade, position), shadow_depth(position), 1.0);
}
