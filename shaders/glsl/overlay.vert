// Phase: overlay. Triangles that egui made, in points; vertices and indices are pulled from one buffer.
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "shared.gen.glsl"

layout(push_constant, scalar) uniform PushBlock { OverlayPush push; };
layout(set = 0, binding = 0, scalar) readonly buffer VertexBuffer { OverlayVertex vertices[]; } vertex_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer WordBuffer { uint words[]; } word_buffers[];

layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec4 out_color;

void main() {
    uint index = word_buffers[push.corners].words[push.indices + uint(gl_VertexIndex)];
    OverlayVertex corner = vertex_buffers[push.corners].vertices[index];
    out_uv = corner.uv;
    out_color = unpackUnorm4x8(corner.color);
    gl_Position = vec4(corner.position * push.scale - 1.0, 0.0, 1.0);
}
