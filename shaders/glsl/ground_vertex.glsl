// Where a vertex of the ground stands: the same in the picture and in shadow maps.

// Lattice vertex of an index; indices past the grid are the skirt, edge after edge.
ivec2 lattice_vertex(uint index, out bool skirt) {
    skirt = index >= GROUND_VERTICES;
    ivec2 last = ivec2(FRAME.ground_quads); // a chunk of few tiles uses a part of the lattice
    if (!skirt) return min(ivec2(index % uint(CHUNK_VERTICES), index / uint(CHUNK_VERTICES)), last);
    uint k = index - GROUND_VERTICES;
    int edge = int(k / uint(CHUNK_VERTICES)), along = int(k % uint(CHUNK_VERTICES));
    along = min(along, last.x);
    int far_side = (edge & 1) * last.x;
    return edge < 2 ? ivec2(along, far_side) : ivec2(far_side, along);
}

struct GroundPoint {
    vec3 position; // relative to the camera
    vec2 gradient;
    float cover;
    float morph;
    vec3 color;
};

GroundPoint tile_point(DrawChunk chunk, ivec2 at, bool skirt) {
    ivec2 corner = tile_corner(at);
    float m = morph_factor(chunk, tile_xz(chunk, corner));
    bool border = any(equal(at, ivec2(0))) || any(equal(at, ivec2(FRAME.ground_quads)));
    GroundVertex v = morph_tile(chunk, at, m, border, corner);
    vec2 xz = tile_xz(chunk, corner);
    float y = (v.height_m - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y;
    if (skirt) y -= chunk.step_m * SKIRT_DEPTH_STEPS;
    return GroundPoint(vec3(xz.x, y, xz.y), v.gradient, v.cover, m, v.color);
}

GroundPoint ground_point(DrawChunk chunk, uint vertex) {
    bool skirt;
    ivec2 at = lattice_vertex(vertex, skirt);
    if (FRAME.tiles != 0u) return tile_point(chunk, at, skirt);
    float m = morph_factor(chunk, ground_xz(chunk, at));
    // A fully morphed border vertex moves onto its even neighbour: the border is then the coarser chunk's, without a T-junction.
    bool border = any(equal(at, ivec2(0))) || any(equal(at, ivec2(CHUNK_QUADS)));
    if (border && m >= 1.0) at &= ~1;
    GroundVertex v = morph_ground(chunk, at, m);
    vec2 xz = ground_xz(chunk, at);
    float y = (v.height_m - FRAME.camera_cell_y_m) - FRAME.camera_offset_m.y;
    if (skirt) y -= chunk.step_m * SKIRT_DEPTH_STEPS;
    return GroundPoint(vec3(xz.x, y, xz.y), v.gradient, v.cover, m, v.color);
}
