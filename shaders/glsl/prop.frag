// Phase: opaque, props.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"
#include "lighting.glsl"
#include "shadow.glsl"
#include "shadow_filter.glsl"
#include "debug_colors.glsl"
#include "meadow.glsl"
#include "flat.glsl"
#include "lod_fade.glsl"

layout(location = 0) centroid in vec3 in_position;
layout(location = 1) centroid in vec3 in_normal;
layout(location = 2) centroid in vec4 in_color;
layout(location = 3) centroid in float in_cover;
layout(location = 4) in flat uint in_flags;
layout(location = 5) in flat uint in_lod;
layout(location = 6) in flat uint in_reason;
layout(location = 7) in vec3 in_face_position;
layout(location = 8) in flat uint in_fade;
layout(location = 0) out vec4 out_color;

void main() {
    if (pixel_is_of_other_mesh(in_fade)) discard;
    vec3 albedo = in_color.rgb;
    if ((in_flags & PROP_MEADOW) != 0u) {
        vec3 world = in_position + FRAME.texture_offset_m;
        albedo = meadow_color(albedo, in_cover, value_fbm(world.xz * (1.0 / 64.0), 3), world.xz);
    }
    if (FRAME.debug_view == VIEW_LOD) { out_color = vec4(vec3(in_lod == 0u, in_lod == 1u, in_lod == 2u) * 0.7 + 0.1, 1.0); return; }
    if (FRAME.debug_view == VIEW_CULLING) { out_color = vec4(reason_color(in_reason), 1.0); return; }
    if (FRAME.debug_view == VIEW_CASCADES) { out_color = vec4(cascade_color(in_position) * (0.3 + 0.7 * sun_visibility(in_position, FRAME.sun_direction)), 1.0); return; }
    if (FRAME.debug_view != VIEW_NONE) { out_color = vec4(albedo, 1.0); return; }
    vec3 view = normalize(-in_position);
    bool leaf = in_color.a > 0.02;
    // A normal of zero asks for flat faces.
    bool flat_face = dot(in_normal, in_normal) < 0.01;
    vec3 n = flat_face ? flat_normal(in_face_position) : normalize(in_normal);
    if (!gl_FrontFacing && !leaf && !flat_face) n = -n;
    float facing = dot(n, FRAME.sun_direction);
    float soft = leaf ? 0.35 : 0.0; // leaves let light wrap around and shine through
    float diffuse = clamp((facing + soft) / (1.0 + soft), 0.0, 1.0);
    float through = leaf ? in_color.a * 0.55 * pow(clamp(dot(-view, FRAME.sun_direction) * 0.5 + 0.5, 0.0, 1.0), 3.0) : 0.0;
    // Leaves face everywhere, and light sifts through a crown: what stands a metre or more towards the sun shades them, not the next leaf.
    float sun = leaf ? sun_visibility(in_position + FRAME.sun_direction, FRAME.sun_direction) : sun_visibility(in_position, n);
    diffuse *= sun;
    through *= sun;
    vec3 light = FRAME.sun_color * (diffuse / PI) + ambient_light(n) * (1.0 / PI);
    vec3 color = albedo * light + albedo * vec3(1.15, 1.10, 0.55) * FRAME.sun_color * (through / PI);
    out_color = vec4(apply_haze(color, in_position), 1.0);
}
