// Noise for looks only (clouds, colour variation): nothing that the simulation or the CPU sees depends on it.

uint cosmetic_hash(ivec2 cell) {
    uint h = uint(cell.x) * 0x9E3779B1u ^ uint(cell.y) * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 12; h *= 0x297A2D39u;
    return h ^ (h >> 15);
}

float cosmetic_value(ivec2 cell) { return float(cosmetic_hash(cell) >> 8) * (1.0 / 16777216.0); }

// Value noise in [0, 1] with a quintic fade.
float value_noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = p - cell;
    vec2 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    ivec2 i = ivec2(cell);
    return mix(mix(cosmetic_value(i), cosmetic_value(i + ivec2(1, 0)), u.x),
               mix(cosmetic_value(i + ivec2(0, 1)), cosmetic_value(i + ivec2(1, 1)), u.x), u.y);
}

float value_fbm(vec2 p, int octaves) {
    float sum = 0.0, amplitude = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += amplitude * value_noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p + 17.3;
        amplitude *= 0.5;
    }
    return sum;
}
