// Phase: opaque, ground. Three layers by height and slope, sun, sky and haze; or one intermediate field as colour.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"
#include "lighting.glsl"
#include "shadow.glsl"
#include "shadow_filter.glsl"
#include "debug_colors.glsl"
#include "material.glsl"
#include "meadow.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec2 in_gradient;
layout(location = 2) in float in_cover;
layout(location = 3) in flat uint in_chunk;
layout(location = 4) in float in_morph;
layout(location = 0) out vec4 out_color;

// The noises that disturb the masks: over 64 m and over 8 m.
vec2 mask_noise(vec2 world_m) { return vec2(value_fbm(world_m * (1.0 / 64.0), 3), value_fbm(world_m * (1.0 / 8.0), 3)); }

float instances_per_hectare(DrawChunk chunk) {
    float edge_m = float(CHUNK_QUADS) * chunk.step_m;
    return float(chunk.instance_count) / (edge_m * edge_m) * 10000.0;
}

vec3 debug_color(vec3 n, float y, float snow, float rock) {
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[in_chunk];
    switch (FRAME.debug_view) {
        case VIEW_LOD: return mix(rainbow(float(chunk.lod) * 0.17), vec3(0.05), 0.35 * in_morph) * (0.4 + 0.6 * n.y);
        case VIEW_HEIGHT: return rainbow(y * 0.001) * (0.4 + 0.6 * n.y);
        case VIEW_SLOPE: return mix(vec3(0.1, 0.4, 0.1), vec3(0.9, 0.2, 0.1), clamp(length(in_gradient), 0.0, 1.0));
        case VIEW_COVER: return mix(vec3(0.5, 0.42, 0.2), vec3(0.05, 0.3, 0.08), in_cover);
        case VIEW_MASKS: return vec3(rock, 1.0 - max(rock, snow), snow);
        case VIEW_GRASS: return vec3(1.0 - max(rock, snow));
        case VIEW_SNOW: return vec3(min(snow, 1.0 - rock));
        case VIEW_ROCK: return vec3(rock);
        case VIEW_GRADIENT: return vec3(clamp(in_gradient * 0.5 + 0.5, 0.0, 1.0), 0.5);
        case VIEW_DENSITY: return heat_color(log2(1.0 + instances_per_hectare(chunk)) / 12.0) * (0.4 + 0.6 * n.y);
        case VIEW_NOISE: return vec3(mask_noise((in_position + FRAME.texture_offset_m).xz), 0.0);
        case VIEW_NORMAL: return n * 0.5 + 0.5;
        case VIEW_CULLING: return reason_color(word_buffers[push.chunk_flags].words[in_chunk] >> FLAG_REASON_SHIFT & 7u) * (0.3 + 0.7 * n.y);
        case VIEW_CASCADES: return cascade_color(in_position) * (0.3 + 0.7 * n.y * sun_visibility(in_position, n));
        case VIEW_CHUNKS: return rainbow(float(cosmetic_hash(ivec2(chunk.slot, 7)) & 255u) / 255.0) * (0.4 + 0.6 * n.y);
        default: return vec3(in_morph);
    }
}

Material ground_material(vec3 n, float y, float distance_m, out float snow, out float rock) {
    vec3 world = in_position + FRAME.texture_offset_m;
    vec3 dx = dFdx(in_position), dy = dFdy(in_position);
    Projection p = project(world, dx, dy, n);
    vec2 noise = mask_noise(world.xz);
    float macro = noise.x, micro = noise.y;
    // The masks of the world's definition, on a height and a slope that small shapes disturb, so that their borders are alive.
    float north = clamp(0.5 - in_gradient.y, -0.5, 1.5); // the ground falls to the north (-z): shade keeps its snow
    snow = height_mask(y + (macro - 0.45) * 90.0 + (micro - 0.45) * 24.0 + (north - 0.5) * 70.0);
    rock = slope_mask(clamp(n.y + (micro - 0.45) * 0.10 + (macro - 0.45) * 0.06, 0.0, 1.0));
    float far = smoothstep(60.0, 500.0, distance_m);
    Material m = Material(vec3(0.0), n, 0.2);
    if (snow < 1.0 && rock < 1.0) {
        m = sample_layer(LAYER_GRASS, 1.0 / 4.0, p);
        if (far < 1.0) m.color *= mix(vec3(1.0), textureGrad(sampler2DArray(image_arrays[FRAME.material_color], samplers[FRAME.material_sampler]), vec3(world.xz * (1.0 / 32.0), float(LAYER_GRASS)), dx.xz / 32.0, dy.xz / 32.0).rgb / FRAME.grass_mean, 0.35);
        m.color = meadow_color(m.color, in_cover, macro, world.xz);
        m.color = forest_floor(m.color, in_cover, y, n.y, distance_m);
    }
    if (snow > 0.0 && rock < 1.0) m = blend(m, sample_layer(LAYER_SNOW, 1.0 / 8.0, p), smoothstep(0.0, 1.0, snow));
    if (rock > 0.0) {
        Material r = sample_layer(LAYER_ROCK, 1.0 / 16.0, p);
        if (far < 1.0) {
            Material fine = sample_layer(LAYER_ROCK, 1.0 / 4.0, p);
            r.color *= mix(fine.color / FRAME.rock_mean, vec3(1.0), far * 0.8);
            r.normal = normalize(mix(r.normal + fine.normal, r.normal, far));
        }
        r.color *= 0.80 + 0.45 * macro;
        m = blend(m, r, rock);
    }
    return m;
}

void main() {
    vec3 n = normalize(vec3(-in_gradient.x, 1.0, -in_gradient.y));
    float y = in_position.y + FRAME.camera_offset_m.y + FRAME.camera_cell_y_m;
    float distance_m = length(in_position);
    float snow, rock;
    Material m = ground_material(n, y, distance_m, snow, rock);
    if (FRAME.debug_view != VIEW_NONE && FRAME.debug_view != VIEW_ALBEDO) {
        out_color = vec4(debug_color(n, y, snow, rock), 1.0);
        return;
    }
    if (FRAME.debug_view == VIEW_ALBEDO) { out_color = vec4(m.color, 1.0); return; }
    vec3 view = -in_position / distance_m;
    float facing = clamp(dot(m.normal, FRAME.sun_direction), 0.0, 1.0);
    // The shape itself shades: where the smooth surface turns away from the sun, detail normals must not light it.
    facing *= smoothstep(-0.02, 0.12, dot(n, FRAME.sun_direction));
    float sun = facing > 0.0 ? sun_visibility(in_position, n) : 0.0;
    facing *= sun;
    vec3 color = m.color * (FRAME.sun_color * (facing / PI) + ambient_light(m.normal) * (1.0 / PI));
    float shine = specular_ggx(m.normal, view, FRAME.sun_direction, clamp(1.0 - m.smoothness * 0.8, 0.3, 1.0));
    color += FRAME.sun_color * min(shine, 2.0) * sun * step(0.0, dot(n, FRAME.sun_direction));
    out_color = vec4(apply_haze(color, in_position), 1.0);
}
