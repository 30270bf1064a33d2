// Phase: water. The surface over the bed that is drawn already: the sky mirrored by Fresnel's share (Schlick 1994), a breath of its own colour, the
// sun's glint, a shimmer. Premultiplied alpha.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"
#include "lighting.glsl"
#include "shadow.glsl"
#include "shadow_filter.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 0) out vec4 out_color;

// Facets of water, each tilting in its own rhythm; far ones lie still, where they would only glitter.
vec3 shimmer_normal(vec3 world, float distance_m) {
    vec2 at = world.xz * 0.5;
    ivec2 cell = ivec2(floor(at));
    bool upper = fract(at.x) + fract(at.y) <= 1.0;
    uint h = cosmetic_hash(cell * 2 + (upper ? 0 : 1));
    vec2 phase = vec2(h & 0xffffu, h >> 16) * (6.2831853 / 65536.0);
    vec2 tilt = sin(phase + FRAME.time_s * vec2(1.1, 0.9)) * 0.045 * (1.0 - smoothstep(30.0, 160.0, distance_m));
    return normalize(vec3(tilt.x, 1.0, tilt.y));
}

void main() {
    if (FRAME.debug_view != VIEW_NONE) discard;
    float distance_m = length(in_position);
    vec3 view = -in_position / distance_m;
    vec3 n = shimmer_normal(in_position + FRAME.texture_offset_m, distance_m);
    float facing = clamp(dot(n, view), 0.0, 1.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 mirrored = reflect(-view, n);
    vec3 sky = clear_sky(vec3(mirrored.x, abs(mirrored.y), mirrored.z));
    float sun = sun_visibility(in_position, vec3(0.0, 1.0, 0.0));
    vec3 lit = FRAME.water_color * (FRAME.sun_color * (max(FRAME.sun_direction.y, 0.0) * (0.35 + 0.65 * sun) / PI) + ambient_light(n) * (1.0 / PI));
    float body = 0.22 * (1.0 - fresnel);
    float glint = min(specular_ggx(n, view, FRAME.sun_direction, 0.22), 6.0) * sun;
    float alpha = fresnel + body;
    vec3 color = (sky * fresnel + lit * body) / alpha;
    color = apply_haze(color, in_position) * alpha + FRAME.sun_color * glint * haze_transmittance(in_position);
    out_color = vec4(color, alpha);
}
