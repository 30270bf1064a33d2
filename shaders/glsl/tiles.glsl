// The drawn ground of a world of square tiles: unpacking of its vertex and the morph towards tiles of twice the edge. worldgen::tiles is the
// Rust twin, and says how a mesh of tiles and seams is laid out.

struct TileVertex {
    float land_m;
    float bed_m;
    bool water;
    vec3 color; // sRGB
    float grove;
    float noise;
};

TileVertex load_tile(DrawChunk chunk, ivec2 at) {
    at = min(at, ivec2(CHUNK_QUADS));
    uvec2 words = pair_buffers[push.ground].pairs[chunk.slot * GROUND_VERTICES + uint(at.y * CHUNK_VERTICES + at.x)];
    TileVertex v;
    v.land_m = float(words.x & 0xffffu) * (1.0 / float(TILE_UNITS_PER_M)) + float(TILE_LAND_LOW_M);
    v.bed_m = TILE_WATER_Y_M - float(bitfieldExtract(words.x, 16, 8)) * (1.0 / float(TILE_DEPTH_UNITS_PER_M));
    v.water = (words.x >> 24 & 1u) != 0u;
    vec4 color = unpackUnorm4x8(words.y);
    v.color = color.rgb;
    v.grove = color.a;
    v.noise = float(words.x >> 25) * (1.0 / 127.0);
    return v;
}

float tile_height(TileVertex v, bool water) { return water ? v.bed_m : v.land_m; }

// Which corner a vertex stands on, in tiles from the chunk's corner: column 2i is the left edge of tile i, 2i + 1 its right edge.
ivec2 tile_corner(ivec2 at) { return (at >> 1) + (at & 1); }

vec2 tile_xz(DrawChunk chunk, ivec2 corner) {
    return (vec2(chunk.origin_m) + vec2(corner) * (2.0 * chunk.step_m)) - FRAME.camera_offset_m.xz;
}

// A vertex after its morph by m. `corner`: where it stands; a fully morphed border vertex moves onto the corner of the coarser tile, so that
// the border is then the coarser chunk's, without a T-junction.
GroundVertex morph_tile(DrawChunk chunk, ivec2 at, float m, bool border, out ivec2 corner) {
    TileVertex own = load_tile(chunk, at);
    corner = tile_corner(at);
    GroundVertex v;
    v.height_m = tile_height(own, own.water);
    v.color = own.color;
    // What tiles have instead of slopes, for who looks at fields.
    v.gradient = v.coarse_gradient = vec2(own.noise, 0.0);
    v.cover = own.grove;
    if (m <= 0.0) return v;
    ivec2 coarse = at >> 2;
    ivec2 halves = corner - coarse * 2;
    if (border && m >= 1.0) {
        halves &= ~1;
        corner = coarse * 2 + halves;
    }
    // The class of the coarser tile is that of its first child, whose noise it shares.
    TileVertex a = load_tile(chunk, coarse * 4);
    bool water = a.water;
    TileVertex b = load_tile(chunk, coarse * 4 + ivec2(4, 0)), c = load_tile(chunk, coarse * 4 + ivec2(0, 4)), d = load_tile(chunk, coarse * 4 + ivec2(4));
    vec2 f = vec2(halves) * 0.5;
    bool upper = f.x + f.y <= 1.0;
    vec3 weight = upper ? vec3(1.0 - f.x - f.y, f.x, f.y) : vec3(f.x + f.y - 1.0, 1.0 - f.y, 1.0 - f.x); // of a or d, of b, of c
    float near = tile_height(upper ? a : d, water);
    float coarse_m = near * weight.x + tile_height(b, water) * weight.y + tile_height(c, water) * weight.z;
    // A corner whose own tile is of the other class has no colour for this one: that of the first child will do.
    vec3 near_color = upper || d.water != water ? a.color : d.color;
    vec3 coarse_color = near_color * weight.x + (b.water == water ? b.color : a.color) * weight.y + (c.water == water ? c.color : a.color) * weight.z;
    v.height_m += (coarse_m - v.height_m) * m;
    v.color = mix(v.color, coarse_color, m);
    return v;
}
