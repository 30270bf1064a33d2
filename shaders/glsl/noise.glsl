// One octave of each noise: twin of engine/worldgen/src/noise/, with the same bits.
//
// Rules of this file and of stack.glsl, which a test of the compiled words holds (shaders/tests/exact.rs): integers, +, -, *, comparing and
// selecting, in the order of the Rust. Every float that is computed goes through a `precise` variable, also what a function returns: else a
// driver may fuse a product with a sum. No min, max, clamp, mix, dot, sqrt, division. And no arithmetic on constants but by powers of
// two: the compiler folds it in double, where Rust rounds each step to float. Loops stay loops: unrolled, they make drivers compile a fifth longer.
#include "phase.glsl"

const float PLANE_K = 0.41421356; // tan(22.5 degrees): lattice.rs
const float PLANE_SCALE = 1.306563;
const uint PRIME_X = 0x9e3779b1u, PRIME_Y = 0x85ebca77u, PRIME_Z = 0xc2b2ae3du; // space.rs

// Where a sample is along one axis.
struct Along {
    uint cell;
    float fraction;
    float fade;
};

Along along(uvec2 phase) {
    precise float t = phase_fraction(phase);
    precise float fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    return Along(phase.y, t, fade);
}

float fade_slope(float t) {
    precise float slope = 30.0 * t * t * (t * (t - 2.0) + 1.0);
    return slope;
}

// Clamped to [0, 1].
float unit(float t) { return 1.0 < t ? 1.0 : t < 0.0 ? 0.0 : t; }

// A gradient of the plane from three bits: two signs, and which axis is the long one.
vec2 plane_gradient(uint bits) {
    float far = (bits & 1u) == 0u ? 1.0 : -1.0;
    float near = (bits & 2u) == 0u ? PLANE_K : -PLANE_K;
    return (bits & 4u) == 0u ? vec2(far, near) : vec2(near, far);
}

float entry(uint some, uint negative, uint bits) { return float(int(some >> bits & 1u) - 2 * int(negative >> bits & 1u)); }

// A gradient of space from four bits: from the centre of a cube to an edge. The tables of space.rs as one bit an entry.
vec3 space_gradient(uint bits) { return vec3(entry(0x30ffu, 0x20aau, bits), entry(0xff0fu, 0xca0cu, bits), entry(0xcff0u, 0x8cc0u, bits)); }

// Linear from a to b.
float blend(float a, float b, float t) {
    precise float between = a + (b - a) * t;
    return between;
}

// a + b t.
float rise(float a, float b, float t) {
    precise float sum = a + b * t;
    return sum;
}

// From the far corner of a cell: a + b (t - 1).
float rise_back(float a, float b, float t) {
    precise float sum = a + b * (t - 1.0);
    return sum;
}

// lattice.rs, edge: the part along the row. Parts that are linear across are a `blend`.
float edge(Along x, float west, float east) {
    precise float left = west * x.fraction;
    precise float right = east * (x.fraction - 1.0);
    precise float value = left + (right - left) * x.fade;
    return value;
}

float edge_slope(Along x, float west, float east) {
    precise float left = west * x.fraction;
    precise float right = east * (x.fraction - 1.0);
    precise float value = west + (east - west) * x.fade + (right - left) * fade_slope(x.fraction);
    return value;
}

// lattice.rs, between: two lattice rows, each its own part and the one that is linear across.
float between(vec2 low, vec2 high, Along z) { return blend(rise(low.x, low.y, z.fraction), rise_back(high.x, high.y, z.fraction), z.fade); }

// Gradients at the corners (0, 0), (1, 0), (0, 1), (1, 1) of a cell.
struct Corners {
    vec2 a, b, c, d;
};

Corners plane_corners(uint seed, uint mask, uint x, uint z) {
    uint west = x & mask, east = x + 1u & mask;
    uint near = pcg(z & mask), far = pcg(z + 1u & mask);
    return Corners(plane_gradient(pcg(seed ^ pcg(west ^ near)) >> 29), plane_gradient(pcg(seed ^ pcg(east ^ near)) >> 29),
                   plane_gradient(pcg(seed ^ pcg(west ^ far)) >> 29), plane_gradient(pcg(seed ^ pcg(east ^ far)) >> 29));
}

float plane_between(Corners g, Along x, Along z) {
    vec2 low = vec2(edge(x, g.a.x, g.b.x), blend(g.a.y, g.b.y, x.fade));
    vec2 high = vec2(edge(x, g.c.x, g.d.x), blend(g.c.y, g.d.y, x.fade));
    return between(low, high, z);
}

// lattice.rs, value_and_slope.
vec3 plane_slopes(Corners g, Along x, Along z) {
    vec2 low = vec2(edge(x, g.a.x, g.b.x), blend(g.a.y, g.b.y, x.fade));
    vec2 high = vec2(edge(x, g.c.x, g.d.x), blend(g.c.y, g.d.y, x.fade));
    precise float slope = fade_slope(x.fraction);
    precise float low_slope = (g.b.y - g.a.y) * slope;
    precise float high_slope = (g.d.y - g.c.y) * slope;
    float dx = between(vec2(edge_slope(x, g.a.x, g.b.x), low_slope), vec2(edge_slope(x, g.c.x, g.d.x), high_slope), z);
    precise float below = rise(low.x, low.y, z.fraction);
    precise float above = rise_back(high.x, high.y, z.fraction);
    precise float dz = low.y + (high.y - low.y) * z.fade + (above - below) * fade_slope(z.fraction);
    return vec3(blend(below, above, z.fade), dx, dz);
}

// space.rs, mix.
uint mix_shares(uint shares) { return (shares ^ shares >> 15) * 0x2c1b3c6du; }

// quick.rs.
vec2 quick_gradient(uint shares) { return plane_gradient(shares * 0x2c1b3c6du >> 29); }

float quick_noise(uint seed, uint mask, uvec2 x_phase, uvec2 z_phase) {
    Along x = along(x_phase), z = along(z_phase);
    uint west = (x.cell & mask) * PRIME_X, east = (x.cell + 1u & mask) * PRIME_X;
    uint low = (z.cell & mask) * PRIME_Y ^ seed, high = (z.cell + 1u & mask) * PRIME_Y ^ seed;
    Corners g = Corners(quick_gradient(west ^ low), quick_gradient(east ^ low), quick_gradient(west ^ high), quick_gradient(east ^ high));
    return plane_between(g, x, z);
}

// A row of corners of a cell of space, along x: the part of x, of y, of z.
vec3 space_edge(Along x, uint west, uint east, uint row) {
    vec3 a = space_gradient(mix_shares(west ^ row) >> 28), b = space_gradient(mix_shares(east ^ row) >> 28);
    return vec3(edge(x, a.x, b.x), blend(a.y, b.y, x.fade), blend(a.z, b.z, x.fade));
}

// space.rs, fold: between rows along z.
vec2 space_fold(vec3 near, vec3 far, Along z) {
    return vec2(blend(rise(near.x, near.z, z.fraction), rise_back(far.x, far.z, z.fraction), z.fade), blend(near.y, far.y, z.fade));
}

// space.rs.
float space_noise(uint seed, uint mask, uvec2 x_phase, uvec2 y_phase, uvec2 z_phase) {
    Along x = along(x_phase), y = along(y_phase), z = along(z_phase);
    uint west = (x.cell & mask) * PRIME_X, east = (x.cell + 1u & mask) * PRIME_X;
    uint low = (y.cell & mask) * PRIME_Y, high = (y.cell + 1u & mask) * PRIME_Y;
    uint near = (z.cell & mask) * PRIME_Z ^ seed, far = (z.cell + 1u & mask) * PRIME_Z ^ seed;
    vec2 below = space_fold(space_edge(x, west, east, low ^ near), space_edge(x, west, east, low ^ far), z);
    vec2 above = space_fold(space_edge(x, west, east, high ^ near), space_edge(x, west, east, high ^ far), z);
    return between(below, above, y);
}

// simplex.rs, falloff.
float falloff(float distance_2) {
    precise float t = 0.5 - distance_2;
    t = t < 0.0 ? 0.0 : t;
    precise float fourth = t * t * (t * t);
    return fourth;
}

float simplex_corner_2(uint shares, float x, float y) {
    vec2 g = plane_gradient(mix_shares(shares) >> 29);
    precise float distance_2 = x * x + y * y;
    precise float part = falloff(distance_2) * (g.x * x + g.y * y);
    return part;
}

const float UNSKEW_2 = 0.21132487; // and 1 - 2 x it:
const float UNSKEW_2_FAR = 0.57735026;

float simplex_2(uint seed, uint mask, uvec2 u_phase, uvec2 v_phase) {
    precise float u = phase_fraction(u_phase);
    precise float v = phase_fraction(v_phase);
    precise float back = (u + v) * UNSKEW_2;
    precise float x = u - back;
    precise float y = v - back;
    bool east = y < x;
    precise float x_1 = x - (east ? 1.0 : 0.0) + UNSKEW_2;
    precise float y_1 = y - (east ? 0.0 : 1.0) + UNSKEW_2;
    precise float x_2 = x - UNSKEW_2_FAR;
    precise float y_2 = y - UNSKEW_2_FAR;
    uint i = (u_phase.y & mask) * PRIME_X, i_next = (u_phase.y + 1u & mask) * PRIME_X;
    uint j = (v_phase.y & mask) * PRIME_Y ^ seed, j_next = (v_phase.y + 1u & mask) * PRIME_Y ^ seed;
    uint middle = east ? i_next ^ j : i ^ j_next;
    precise float sum = simplex_corner_2(i ^ j, x, y) + simplex_corner_2(middle, x_1, y_1) + simplex_corner_2(i_next ^ j_next, x_2, y_2);
    return sum;
}

float simplex_corner_3(uint shares, float x, float y, float z) {
    vec3 g = space_gradient(mix_shares(shares) >> 28);
    precise float distance_2 = x * x + y * y + z * z;
    precise float part = falloff(distance_2) * (g.x * x + g.y * y + g.z * z);
    return part;
}

const float UNSKEW_3 = 0.16666667; // and 2 x it; 1 - 3 x it is 1/2:
const float UNSKEW_3_TWICE = 0.33333334;

// A corner between the first and the last.
float simplex_step_3(uvec3 low, uvec3 high, bvec3 steps, float x, float y, float z, float moved) {
    uint shares = (steps.x ? high.x : low.x) ^ (steps.y ? high.y : low.y) ^ (steps.z ? high.z : low.z);
    precise float x_1 = x - (steps.x ? 1.0 : 0.0) + moved;
    precise float y_1 = y - (steps.y ? 1.0 : 0.0) + moved;
    precise float z_1 = z - (steps.z ? 1.0 : 0.0) + moved;
    return simplex_corner_3(shares, x_1, y_1, z_1);
}

float simplex_3(uint seed, uint mask, uvec2 u_phase, uvec2 v_phase, uvec2 w_phase) {
    precise float u = phase_fraction(u_phase);
    precise float v = phase_fraction(v_phase);
    precise float w = phase_fraction(w_phase);
    precise float back = (u + v + w) * UNSKEW_3;
    precise float x = u - back;
    precise float y = v - back;
    precise float z = w - back;
    // Corners are reached along the largest coordinate first, the smallest last.
    bool x_y = !(x < y), y_z = !(y < z), x_z = !(x < z);
    uvec3 cells = uvec3(u_phase.y, v_phase.y, w_phase.y);
    uvec3 primes = uvec3(PRIME_X, PRIME_Y, PRIME_Z);
    uvec3 low = (cells & mask) * primes ^ uvec3(seed, 0u, 0u);
    uvec3 high = (cells + 1u & mask) * primes ^ uvec3(seed, 0u, 0u);
    precise float x_far = x - 0.5;
    precise float y_far = y - 0.5;
    precise float z_far = z - 0.5;
    precise float sum = simplex_corner_3(low.x ^ low.y ^ low.z, x, y, z);
    sum = sum + simplex_step_3(low, high, bvec3(x_y && x_z, !x_y && y_z, !(x_z || y_z)), x, y, z, UNSKEW_3);
    sum = sum + simplex_step_3(low, high, bvec3(x_y || x_z, !x_y || y_z, !(x_z && y_z)), x, y, z, UNSKEW_3_TWICE);
    sum = sum + simplex_corner_3(high.x ^ high.y ^ high.z, x_far, y_far, z_far);
    return sum;
}

// worley.rs, along: how far the point of a cell lies from `to`.
float worley_along(uint shares, uint axis, float to) {
    uint mixed = mix_shares(shares);
    uint hash = mixed ^ mixed >> 16;
    precise float place = float(hash << axis * 10u >> 22) * (1.0 / 1024.0) - to;
    return place;
}

// The two smallest so far.
vec2 nearer(vec2 two, float distance_2) {
    float second = distance_2 < two.y ? distance_2 : two.y;
    return distance_2 < two.x ? vec2(distance_2, two.x) : vec2(two.x, second);
}

// Squared distances to the nearest and the second nearest point.
vec2 worley_2(uint seed, uint mask, uvec2 x_phase, uvec2 y_phase) {
    vec2 two = vec2(32.0);
    [[dont_unroll]] for (int dy = -1; dy <= 1; dy++) {
        uint row = (y_phase.y + uint(dy) & mask) * PRIME_Y ^ seed;
        precise float y_to = phase_fraction(y_phase) - float(dy);
        [[dont_unroll]] for (int dx = -1; dx <= 1; dx++) {
            uint shares = row ^ (x_phase.y + uint(dx) & mask) * PRIME_X;
            precise float x_to = phase_fraction(x_phase) - float(dx);
            precise float x = worley_along(shares, 0u, x_to);
            precise float y = worley_along(shares, 1u, y_to);
            precise float distance_2 = x * x + y * y;
            two = nearer(two, distance_2);
        }
    }
    return two;
}

vec2 worley_3(uint seed, uint mask, uvec2 x_phase, uvec2 y_phase, uvec2 z_phase) {
    vec2 two = vec2(32.0);
    [[dont_unroll]] for (int cell = 0; cell < 27; cell++) {
        int dx = cell % 3 - 1, dy = cell / 3 % 3 - 1, dz = cell / 9 - 1;
        uint shares = (z_phase.y + uint(dz) & mask) * PRIME_Z ^ seed ^ (y_phase.y + uint(dy) & mask) * PRIME_Y ^ (x_phase.y + uint(dx) & mask) * PRIME_X;
        precise float x_to = phase_fraction(x_phase) - float(dx);
        precise float y_to = phase_fraction(y_phase) - float(dy);
        precise float z_to = phase_fraction(z_phase) - float(dz);
        precise float x = worley_along(shares, 0u, x_to);
        precise float y = worley_along(shares, 1u, y_to);
        precise float z = worley_along(shares, 2u, z_to);
        precise float distance_2 = x * x + y * y + z * z;
        two = nearer(two, distance_2);
    }
    return two;
}
