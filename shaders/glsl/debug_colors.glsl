// Colours of the debug views.

vec3 rainbow(float t) { return 0.5 + 0.5 * cos(6.2831853 * (t + vec3(0.0, 0.33, 0.67))); }

// From none, dark blue, over green to much, nearly white.
vec3 heat_color(float t) {
    t = clamp(t, 0.0, 1.0);
    return mix(mix(vec3(0.02, 0.03, 0.15), vec3(0.05, 0.5, 0.2), smoothstep(0.0, 0.5, t)), vec3(1.0, 0.95, 0.6), smoothstep(0.5, 1.0, t));
}

// Grey is drawn, green has just come into sight, red is outside of the view, blue behind something.
vec3 reason_color(uint reason) {
    switch (reason) {
        case REASON_EARLY: return vec3(0.75);
        case REASON_LATE: return vec3(0.2, 0.9, 0.2);
        case REASON_FRUSTUM: return vec3(0.9, 0.15, 0.1);
        case REASON_OCCLUDED: return vec3(0.15, 0.3, 1.0);
        default: return vec3(1.0, 0.8, 0.1);
    }
}

vec3 cascade_color(vec3 position) {
    vec2 at;
    float blend;
    uint k = cascade_of(position, at, blend);
    return k == CASCADES ? vec3(0.5) : mix(rainbow(float(k) * 0.25), k + 1u < CASCADES ? rainbow(float(k + 1u) * 0.25) : vec3(0.5), blend);
}
