// Phase: opaque, props: plants and stones. Vertices are pulled; the instance is what the culling wrote.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"

// Centroid: the centre of a pixel that a blade only touches lies outside of it, and what is extrapolated there glitters.
layout(location = 0) centroid out vec3 out_position;
layout(location = 1) centroid out vec3 out_normal;
layout(location = 2) centroid out vec4 out_color; // albedo (linear), a = translucency
layout(location = 3) centroid out float out_cover;
layout(location = 4) out flat uint out_flags;
layout(location = 5) out flat uint out_lod;

vec3 srgb_to_linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045))); }

void main() {
    DrawInstance instance = draw_instance_buffers[push.draw_instances].instances[gl_InstanceIndex];
    PropVertex vertex = prop_vertex_buffers[push.prop_vertices].vertices[gl_VertexIndex];
    uint prop_index = bitfieldExtract(instance.packed, 8, 8);
    PropRow prop = prop_buffers[push.props].props[prop_index];
    float angle = float(instance.packed & 0xffu) * (6.2831853 / 256.0);
    float s = sin(angle), c = cos(angle);
    vec4 color = unpackUnorm4x8(vertex.color);
    vec3 p = vertex.position * instance.scale;
    p = vec3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
    // Wind: what is high and soft sways most.
    vec2 place = instance.position.xz + FRAME.camera_offset_m.xz;
    float phase = FRAME.time_s * 1.7 + dot(place, vec2(0.11, 0.07));
    p.xz += vec2(sin(phase), cos(phase * 0.83)) * (color.a * p.y * prop.sway);
    out_normal = vec3(c * vertex.normal.x + s * vertex.normal.z, vertex.normal.y, c * vertex.normal.z - s * vertex.normal.x);
    out_position = instance.position + p;
    // Every plant is a little different from its neighbour.
    float variety = float((instance.packed * 2654435761u) >> 24) * (1.0 / 255.0) - 0.5;
    out_color = vec4(srgb_to_linear(color.rgb) * (1.0 + 0.30 * variety) * vec3(1.0 + 0.10 * variety, 1.0, 1.0 - 0.08 * variety), color.a);
    out_cover = float(bitfieldExtract(instance.packed, 16, 8)) * (1.0 / 255.0);
    out_flags = prop.flags;
    out_lod = 0u;
    for (uint lod = 1u; lod < PROP_LODS; lod++) if (uint(gl_VertexIndex) >= prop.first_vertex[lod]) out_lod = lod;
    gl_Position = FRAME.view_projection * vec4(out_position, 1.0);
}
