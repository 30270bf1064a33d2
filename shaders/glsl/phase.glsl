// Twin of engine/worldgen/src/phase.rs: places on noise lattices in 32.32 fixed point, without 64-bit integers. A uvec2 is (low, high):
// high is the lattice cell, low its fraction, of which 24 bits become a float. Sums and products wrap.

uvec2 add64(uvec2 a, uvec2 b) {
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uvec2 mul64(uvec2 a, uvec2 b) {
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

// Frequency::phase.
uvec2 phase_at(uvec2 metre, uvec2 frequency, uvec2 offset) { return add64(mul64(metre, frequency), offset); }

// units x frequency, with 16 more fraction bits than a phase has, in two parts; sums of some of them are exact, too.
struct Shift {
    uvec2 whole; // of 2^16
    uvec2 rest;
};

Shift shift_product(uvec2 frequency, int units) {
    uvec2 wide = uvec2(uint(units), uint(units >> 31));
    uvec2 whole = uvec2(frequency.x >> 16 | frequency.y << 16, uint(int(frequency.y) >> 16));
    return Shift(mul64(wide, whole), mul64(wide, uvec2(frequency.x & 0xffffu, 0u)));
}

Shift shift_sum(Shift a, Shift b) { return Shift(add64(a.whole, b.whole), add64(a.rest, b.rest)); }

// Rounded down to a phase.
uvec2 shift_rounded(Shift a) { return add64(a.whole, uvec2(a.rest.x >> 16 | a.rest.y << 16, uint(int(a.rest.y) >> 16))); }

// Frequency::shift: floor(units x frequency / 2^16).
uvec2 phase_shift(uvec2 frequency, int units) { return shift_rounded(shift_product(frequency, units)); }

// Phase::fraction: both steps are exact.
float phase_fraction(uvec2 phase) {
    precise float fraction = float(phase.x >> 8) * (1.0 / 16777216.0);
    return fraction;
}

// terrane_base::hash::pcg.
uint pcg(uint value) {
    uint state = value * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return word >> 22 ^ word;
}

// Towards zero, held within int, as Rust converts. GLSL leaves open what int() makes of numbers out of range, so it never sees one.
int whole(float value) {
    bool is_above = value >= 2147483648.0;
    bool is_below = value < -2147483648.0;
    int inside = int(is_above || is_below ? 0.0 : value);
    return is_above ? 2147483647 : is_below ? -2147483647 - 1 : inside;
}
