// Phase: opaque, props: plants and stones. Vertices are pulled; the instance is what the culling wrote.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "prop_vertex.glsl"
#include "srgb.glsl"

// Centroid: the centre of a pixel that a blade only touches lies outside of it, and what is extrapolated there glitters.
layout(location = 0) centroid out vec3 out_position;
layout(location = 1) centroid out vec3 out_normal;
layout(location = 2) centroid out vec4 out_color; // albedo (linear), a = translucency
layout(location = 3) centroid out float out_cover;
layout(location = 4) out flat uint out_flags;
layout(location = 5) out flat uint out_lod;
layout(location = 6) out flat uint out_reason;
layout(location = 7) out vec3 out_face_position; // at the pixel's centre: for derivatives, which centroids would bend
layout(location = 8) out flat uint out_fade;

void main() {
    DrawInstance instance = draw_instance_buffers[push.draw_instances].instances[gl_InstanceIndex];
    PropPose pose = prop_pose(instance, uint(gl_VertexIndex));
    out_position = prop_position(instance, pose);
    out_face_position = out_position;
    out_normal = turned(pose.vertex.normal, pose.turn);
    // Every plant is a little different from its neighbour.
    float variety = float(((instance.packed & 0x3fffffu) * 2654435761u) >> 24) * (1.0 / 255.0) - 0.5;
    out_color = vec4(srgb_to_linear(pose.color.rgb) * (1.0 + 0.30 * variety) * vec3(1.0 + 0.10 * variety, 1.0, 1.0 - 0.08 * variety), pose.color.a);
    out_cover = float(bitfieldExtract(instance.packed, 16, 6)) * (1.0 / 63.0);
    out_reason = bitfieldExtract(instance.packed, 22, 3);
    out_fade = fade_of(instance.packed);
    out_flags = pose.prop.flags;
    out_lod = 0u;
    for (uint lod = 1u; lod < PROP_LODS; lod++) if (uint(gl_VertexIndex) >= pose.prop.first_vertex[lod]) out_lod = lod;
    gl_Position = FRAME.view_projection * vec4(out_position, 1.0);
}
