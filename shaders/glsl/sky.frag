// Phase: sky. Behind everything: the clear dome, thin high clouds, the sun's disc.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"
#include "lighting.glsl"

layout(location = 0) in vec2 in_ndc;
layout(location = 0) out vec4 out_color;

// A sheet of clouds at a fixed height, seen from below; thins out towards the horizon where it would alias.
vec4 clouds(vec3 dir) {
    if (dir.y < 0.02) return vec4(0.0);
    vec2 at = dir.xz / (dir.y + 0.06) * 1.3 + FRAME.cloud_offset;
    vec2 warped = at + 0.35 * vec2(value_fbm(at * 0.7, 3), value_fbm(at * 0.7 + 31.7, 3));
    float base = value_fbm(warped * vec2(0.8, 1.3), 6);
    float density = smoothstep(0.47, 0.78, base) * smoothstep(0.02, 0.20, dir.y);
    float toward_sun = value_fbm((warped + FRAME.sun_direction.xz * 0.12) * vec2(0.8, 1.3), 4);
    float lit = clamp(0.75 + (base - toward_sun) * 2.2, 0.35, 1.25);
    float glow = forward_lobe(dot(dir, FRAME.sun_direction), 0.6);
    vec3 color = FRAME.sun_color * (0.10 * lit + 0.10 * glow) + FRAME.ambient_up * 0.22;
    return vec4(color, density * 0.62 * FRAME.cloud_amount);
}

void main() {
    vec3 dir = normalize(FRAME.view_right * in_ndc.x - FRAME.view_up * in_ndc.y + FRAME.view_forward);
    if (FRAME.debug_view != VIEW_NONE) { out_color = vec4(FRAME.background, 1.0); return; }
    vec3 color = clear_sky(dir);
    vec4 cloud = clouds(dir);
    color = mix(color, mix(haze_color(dir), cloud.rgb, clamp(dir.y * 3.2, 0.0, 1.0)), cloud.a);
    float disc = smoothstep(0.99996, 0.99998, dot(dir, FRAME.sun_direction));
    color += FRAME.sun_color * disc * 6.0 * (1.0 - cloud.a);
    out_color = vec4(color, 1.0);
}
