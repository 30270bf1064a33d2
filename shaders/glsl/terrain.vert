// Phase: opaque, ground. One instance a visible chunk; vertices are pulled from the chunk's slot.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "terrain.glsl"

layout(location = 0) out vec3 out_position; // relative to the camera
layout(location = 1) out vec2 out_gradient;
layout(location = 2) out float out_cover;
layout(location = 3) out flat uint out_chunk;
layout(location = 4) out float out_morph;
invariant gl_Position;

// Lattice vertex of an index; indices past the grid are the skirt, edge after edge.
ivec2 lattice_vertex(uint index, out bool skirt) {
    skirt = index >= GROUND_VERTICES;
    if (!skirt) return ivec2(index % uint(CHUNK_VERTICES), index / uint(CHUNK_VERTICES));
    uint k = index - GROUND_VERTICES;
    int edge = int(k / uint(CHUNK_VERTICES)), along = int(k % uint(CHUNK_VERTICES));
    int far_side = (edge & 1) * CHUNK_QUADS;
    return edge < 2 ? ivec2(along, far_side) : ivec2(far_side, along);
}

void main() {
    uint chunk_index = word_buffers[push.visible_chunks].words[gl_InstanceIndex];
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    bool skirt;
    ivec2 at = lattice_vertex(uint(gl_VertexIndex), skirt);
    float m = morph_factor(chunk, ground_xz(chunk, at));
    // A fully morphed border vertex moves onto its even neighbour: the border is then the coarser chunk's, without a T-junction.
    bool border = any(equal(at, ivec2(0))) || any(equal(at, ivec2(CHUNK_QUADS)));
    if (border && m >= 1.0) at &= ~1;
    GroundVertex v = morph_ground(chunk, at, m);
    vec2 xz = ground_xz(chunk, at);
    float y = (v.height_m - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y;
    if (skirt) y -= chunk.step_m * SKIRT_DEPTH_STEPS;
    out_position = vec3(xz.x, y, xz.y);
    out_gradient = v.gradient;
    out_cover = v.cover;
    out_chunk = chunk_index;
    out_morph = m;
    gl_Position = FRAME.view_projection * vec4(out_position, 1.0);
}
