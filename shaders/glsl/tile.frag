// Phase: opaque, ground made of tiles. Colours of corners, flat faces, earth where a wall is; what lies under water is seen through it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"
#include "lighting.glsl"
#include "shadow.glsl"
#include "shadow_filter.glsl"
#include "debug_colors.glsl"
#include "flat.glsl"
#include "srgb.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_color;
layout(location = 2) in flat uint in_chunk;
layout(location = 3) in float in_morph;
layout(location = 4) in vec2 in_fields; // grove, noise
layout(location = 0) out vec4 out_color;

vec3 debug_color(vec3 n, float y, vec3 albedo) {
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[in_chunk];
    switch (FRAME.debug_view) {
        case VIEW_ALBEDO: return albedo;
        case VIEW_LOD: return mix(rainbow(float(chunk.lod) * 0.17), vec3(0.05), 0.35 * in_morph) * (0.4 + 0.6 * n.y);
        case VIEW_HEIGHT: return rainbow(y * 0.02) * (0.4 + 0.6 * n.y);
        case VIEW_SLOPE: return mix(vec3(0.1, 0.4, 0.1), vec3(0.9, 0.2, 0.1), 1.0 - n.y);
        case VIEW_MASKS: return vec3(n.y < WALL_UP_MAX, y >= TILE_WATER_Y_M && n.y >= WALL_UP_MAX, y < TILE_WATER_Y_M);
        case VIEW_COVER: return mix(vec3(0.5, 0.42, 0.2), vec3(0.05, 0.3, 0.08), in_fields.x);
        case VIEW_NOISE: return in_fields.y < 0.25 ? vec3(0.05, 0.1, 0.3) + in_fields.y : vec3(in_fields.y);
        case VIEW_GRADIENT: return vec3(clamp(n.xz * -0.5 + 0.5, 0.0, 1.0), 0.5);
        case VIEW_GRASS: return vec3(y >= TILE_WATER_Y_M && n.y >= WALL_UP_MAX);
        case VIEW_ROCK: return vec3(n.y < WALL_UP_MAX);
        case VIEW_SNOW: return vec3(0.0);
        case VIEW_DENSITY: {
            float edge_m = float(FRAME.ground_quads) * chunk.step_m;
            return heat_color(log2(1.0 + float(chunk.instance_count) / (edge_m * edge_m) * 10000.0) / 12.0) * (0.4 + 0.6 * n.y);
        }
        case VIEW_NORMAL: return n * 0.5 + 0.5;
        case VIEW_CULLING: return reason_color(word_buffers[push.chunk_flags].words[in_chunk] >> FLAG_REASON_SHIFT & 7u) * (0.3 + 0.7 * n.y);
        case VIEW_CASCADES: return cascade_color(in_position) * (0.3 + 0.7 * n.y * sun_visibility(in_position, n));
        case VIEW_CHUNKS: return rainbow(float(cosmetic_hash(ivec2(chunk.slot, 7)) & 255u) / 255.0) * (0.4 + 0.6 * n.y);
        default: return vec3(in_morph);
    }
}

void main() {
    vec3 n = flat_normal(in_position);
    float y = in_position.y + FRAME.camera_offset_m.y + FRAME.camera_cell_y_m;
    vec3 albedo = srgb_to_linear(in_color);
    if (n.y < WALL_UP_MAX) {
        // Earth under the turf: layers that run level, wherever the wall is.
        float layer = fract(y * 1.7) < 0.5 ? 1.0 : 0.90;
        albedo = FRAME.wall_color * layer * mix(0.80, 1.05, clamp((y - TILE_WATER_Y_M) * 0.35, 0.0, 1.0));
    }
    if (FRAME.debug_view != VIEW_NONE) { out_color = vec4(debug_color(n, y, albedo), 1.0); return; }
    vec3 view = -normalize(in_position);
    float facing = clamp(dot(n, FRAME.sun_direction), 0.0, 1.0);
    float sun = facing > 0.0 ? sun_visibility(in_position, n) : 0.0;
    vec3 ambient = ambient_light(n);
    float depth_m = TILE_WATER_Y_M - y;
    vec3 color;
    if (depth_m > 0.0) {
        // Light goes down to the bed and comes back up: what is lost on the way is the water's colour.
        vec3 in_light = exp(-FRAME.water_absorption * depth_m / max(FRAME.sun_direction.y, 0.25));
        vec3 in_view = exp(-FRAME.water_absorption * depth_m / max(abs(view.y), 0.2));
        color = albedo * (FRAME.sun_color * (facing * sun / PI) * in_light + ambient * in_light * (1.0 / PI)) * in_view;
        vec3 scattered = FRAME.water_color * (FRAME.sun_color * (max(FRAME.sun_direction.y, 0.0) * (0.35 + 0.65 * sun) / PI) + ambient_light(vec3(0.0, 1.0, 0.0)) * (1.0 / PI));
        color += scattered * (1.0 - in_view);
    } else {
        color = albedo * (FRAME.sun_color * (facing * sun / PI) + ambient * (1.0 / PI));
    }
    out_color = vec4(apply_haze(color, in_position), 1.0);
}
