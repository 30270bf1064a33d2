// Phase: opaque, ground made of tiles. One instance a visible chunk; vertices are pulled from the chunk's slot.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "terrain.glsl"
#include "ground_vertex.glsl"

layout(location = 0) out vec3 out_position; // relative to the camera
layout(location = 1) out vec3 out_color; // sRGB: gradients between corners are meant for the eye
layout(location = 2) out flat uint out_chunk;
layout(location = 3) out float out_morph;
layout(location = 4) out vec2 out_fields; // grove, noise
invariant gl_Position;

void main() {
    uint chunk_index = word_buffers[push.list_chunks].words[gl_InstanceIndex];
    GroundPoint point = ground_point(chunk_buffers[push.chunks].chunks[chunk_index], uint(gl_VertexIndex));
    out_position = point.position;
    out_color = point.color;
    out_chunk = chunk_index;
    out_morph = point.morph;
    out_fields = vec2(point.cover, point.gradient.x);
    gl_Position = FRAME.view_projection * vec4(out_position, 1.0);
}
