// The drawn ground: unpacking of the 8-byte vertex and the morph between levels. The mesh, the single instances that stand on it
// and the Rust twin (worldgen::morph) evaluate the same surface.

struct GroundVertex {
    float height_m;
    vec2 gradient;        // dh/dx, dh/dz over +-1 sample
    vec2 coarse_gradient; // over +-2 samples: the next level's own gradient
    float cover;          // 0..1
    vec3 color;           // sRGB, of tiles
};

// A slope code of 8 bits: sign(t) (t/127)^2 * 4, fine near the flat where the eye is strict.
float decode_slope(int code) {
    float t = float(code) * (1.0 / 127.0);
    return t * abs(t) * 4.0;
}

GroundVertex unpack_ground(uvec2 words) {
    GroundVertex v;
    v.height_m = float(bitfieldExtract(int(words.x), 0, 22)) * (1.0 / float(MESH_HEIGHT_UNITS_PER_M));
    v.cover = float(bitfieldExtract(words.x, 22, 6)) * (1.0 / 63.0);
    v.color = vec3(0.0);
    int codes = int(words.y);
    v.gradient = vec2(decode_slope(bitfieldExtract(codes, 0, 8)), decode_slope(bitfieldExtract(codes, 8, 8)));
    v.coarse_gradient = vec2(decode_slope(bitfieldExtract(codes, 16, 8)), decode_slope(bitfieldExtract(codes, 24, 8)));
    return v;
}

GroundVertex load_ground(DrawChunk chunk, ivec2 at) {
    return unpack_ground(pair_buffers[push.ground].pairs[chunk.slot * GROUND_VERTICES + uint(at.y * CHUNK_VERTICES + at.x)]);
}

// Where a lattice vertex stands in x and z relative to the camera. The first sum is exact (integers), so two chunks that share a
// vertex get the same bits.
vec2 ground_xz(DrawChunk chunk, ivec2 at) {
    return (vec2(chunk.origin_m) + vec2(at) * chunk.step_m) - FRAME.camera_offset_m.xz;
}

// 0 at and inside `morph_start_m`, 1 at and beyond `morph_end_m`: there the mesh is that of the next coarser level.
float morph_factor(DrawChunk chunk, vec2 xz) {
    float d = sqrt(xz.x * xz.x + xz.y * xz.y + FRAME.eye_m * FRAME.eye_m);
    return max(chunk.morph_min, clamp((d - chunk.morph_start_m) * chunk.morph_scale, 0.0, 1.0));
}

// The vertex after its morph by m. Odd vertices sink onto the edge of the coarser triangle that they lie on.
GroundVertex morph_ground(DrawChunk chunk, ivec2 at, float m) {
    GroundVertex own = load_ground(chunk, at);
    if (m <= 0.0) return own;
    ivec2 odd = at & 1;
    if (odd == ivec2(0)) {
        own.gradient = mix(own.gradient, own.coarse_gradient, m);
        return own;
    }
    // Along x, along z, or along the diagonal that the triangulation uses: (x+1, z-1) to (x-1, z+1).
    ivec2 along = odd.x == 1 ? ivec2(1, -odd.y) : ivec2(0, 1);
    GroundVertex a = load_ground(chunk, at + along);
    GroundVertex b = load_ground(chunk, at - along);
    own.height_m += ((a.height_m + b.height_m) * 0.5 - own.height_m) * m;
    own.gradient = mix(own.gradient, (a.coarse_gradient + b.coarse_gradient) * 0.5, m);
    own.cover = mix(own.cover, (a.cover + b.cover) * 0.5, m);
    return own;
}

#include "tiles.glsl"

GroundVertex corner_ground(DrawChunk chunk, ivec2 at, bool morphs) {
    if (FRAME.tiles != 0u) {
        ivec2 corner;
        return morph_tile(chunk, at, morphs ? morph_factor(chunk, tile_xz(chunk, tile_corner(at))) : 0.0, false, corner);
    }
    return morphs ? morph_ground(chunk, at, morph_factor(chunk, ground_xz(chunk, at))) : load_ground(chunk, at);
}

// Height of the drawn surface under a point, in metres from the chunk's corner. Also the cover there. `morphs`: whether any of it may have
// begun to morph; where none has, the result is the same and costs a third.
vec2 drawn_ground(DrawChunk chunk, vec2 local_m, bool morphs) {
    // Tiles are two steps wide, and their vertices every second.
    bool tiles = FRAME.tiles != 0u;
    vec2 grid = local_m / (tiles ? 2.0 * chunk.step_m : chunk.step_m);
    ivec2 cell = clamp(ivec2(floor(grid)), ivec2(0), ivec2(tiles ? int(FRAME.tiles) - 1 : CHUNK_QUADS - 1));
    vec2 f = grid - vec2(cell);
    if (tiles) cell *= 2;
    bool upper = f.x + f.y <= 1.0;
    GroundVertex near = corner_ground(chunk, upper ? cell : cell + ivec2(1, 1), morphs);
    float a = near.height_m;
    float b = corner_ground(chunk, cell + ivec2(1, 0), morphs).height_m;
    float c = corner_ground(chunk, cell + ivec2(0, 1), morphs).height_m;
    return vec2(upper ? a + (b - a) * f.x + (c - a) * f.y : a + (c - a) * (1.0 - f.x) + (b - a) * (1.0 - f.y), near.cover);
}
