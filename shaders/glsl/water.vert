// Phase: water. A level sheet over every chunk of the cut; land stands above it and hides it. Two triangles an instance.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"

layout(location = 0) out vec3 out_position; // relative to the camera

void main() {
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[gl_InstanceIndex];
    const int CORNERS[6] = int[](0, 2, 1, 1, 2, 3);
    ivec2 corner = ivec2(CORNERS[gl_VertexIndex] & 1, CORNERS[gl_VertexIndex] >> 1);
    // Integers first: chunks that share a border get the same bits.
    vec2 xz = (vec2(chunk.origin_m) + vec2(corner) * (chunk.step_m * float(FRAME.ground_quads))) - FRAME.camera_offset_m.xz;
    out_position = vec3(xz.x, (TILE_WATER_Y_M - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y, xz.y);
    gl_Position = FRAME.view_projection * vec4(out_position, 1.0);
    // No water in the chunk: nothing.
    if (chunk.height_min_m >= TILE_WATER_Y_M) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
