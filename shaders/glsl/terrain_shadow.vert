// Phase: shadows, ground.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "terrain.glsl"
#include "ground_vertex.glsl"
#include "shadow.glsl"

void main() {
    uint chunk_index = word_buffers[push.list_chunks].words[gl_InstanceIndex];
    GroundPoint point = ground_point(chunk_buffers[push.chunks].chunks[chunk_index], uint(gl_VertexIndex));
    gl_Position = shadow_clip_position(push.list - LIST_SHADOW, point.position);
}
