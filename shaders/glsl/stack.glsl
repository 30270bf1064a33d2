// What is stacked from octaves: fBm, billow, ridges, exact slopes, mountains worn by water. Twin of fractal.rs, points.rs, slopes.rs and worn.rs
// in engine/worldgen/src/noise/, under the rules that noise.glsl states.
#include "noise.glsl"

// A place on the global lattice of metres (64 bits an axis, low and high word), and how far it is moved, 2^-16 m.
struct Sample {
    uvec2 x_m, y_m, z_m;
    ivec3 units;
};

// The value of an octave along an axis.
uvec2 lattice_at(NoiseOctave octave, uvec2 metre, int units, uvec2 offset) {
    return add64(phase_at(metre, octave.frequency, offset), phase_shift(octave.frequency, units));
}

// How far the sum of all coordinates moves a skewed lattice.
struct Diagonal {
    uvec2 metres;
    Shift units;
};

Diagonal further(Diagonal diagonal, NoiseOctave octave, uvec2 metre, int units) {
    return Diagonal(phase_at(metre, octave.skew, diagonal.metres), shift_sum(diagonal.units, shift_product(octave.skew, units)));
}

// The value of an octave along an axis of a skewed lattice: what samples are moved by is summed before it is rounded.
uvec2 skewed_at(NoiseOctave octave, uvec2 metre, int units, uvec2 offset, Diagonal diagonal) {
    uvec2 shift = shift_rounded(shift_sum(shift_product(octave.frequency, units), diagonal.units));
    return add64(add64(phase_at(metre, octave.frequency, offset), diagonal.metres), shift);
}

const Diagonal NOWHERE = Diagonal(uvec2(0u), Shift(uvec2(0u), uvec2(0u)));

float chosen(uint basis, vec2 two) {
    precise float difference = two.y - two.x;
    return basis == BASIS_WORLEY_F1 ? two.x : basis == BASIS_WORLEY_F2 ? two.y : difference;
}

// The first two axes of the plane are x and z.
float octave_plane(NoiseOctave octave, uint basis, Sample at) {
    uvec2 x = lattice_at(octave, at.x_m, at.units.x, octave.phase_x);
    uvec2 z = lattice_at(octave, at.z_m, at.units.z, octave.phase_y);
    if (basis == BASIS_GRADIENT) return plane_between(plane_corners(octave.seed, octave.mask, x.y, z.y), along(x), along(z));
    if (basis == BASIS_QUICK_GRADIENT) return quick_noise(octave.seed, octave.mask, x, z);
    if (basis == BASIS_SIMPLEX) {
        Diagonal diagonal = further(further(NOWHERE, octave, at.x_m, at.units.x), octave, at.z_m, at.units.z);
        return simplex_2(octave.seed, octave.mask, skewed_at(octave, at.x_m, at.units.x, octave.phase_x, diagonal),
                         skewed_at(octave, at.z_m, at.units.z, octave.phase_y, diagonal));
    }
    return chosen(basis, worley_2(octave.seed, octave.mask, x, z));
}

float octave_space(NoiseOctave octave, uint basis, Sample at) {
    uvec2 x = lattice_at(octave, at.x_m, at.units.x, octave.phase_x);
    uvec2 y = lattice_at(octave, at.y_m, at.units.y, octave.phase_y);
    uvec2 z = lattice_at(octave, at.z_m, at.units.z, octave.phase_z);
    if (basis == BASIS_GRADIENT || basis == BASIS_QUICK_GRADIENT) return space_noise(octave.seed, octave.mask, x, y, z);
    if (basis == BASIS_SIMPLEX) {
        Diagonal diagonal = further(further(NOWHERE, octave, at.x_m, at.units.x), octave, at.y_m, at.units.y);
        diagonal = further(diagonal, octave, at.z_m, at.units.z);
        return simplex_3(octave.seed, octave.mask, skewed_at(octave, at.x_m, at.units.x, octave.phase_x, diagonal),
                         skewed_at(octave, at.y_m, at.units.y, octave.phase_y, diagonal),
                         skewed_at(octave, at.z_m, at.units.z, octave.phase_z, diagonal));
    }
    return chosen(basis, worley_3(octave.seed, octave.mask, x, y, z));
}

// Sum and weight so far.
struct Sum {
    float sum;
    float weight;
};

// Fractal::add.
Sum add_octave(Sum before, uint fractal, float value, float amplitude, float scale, float sharpness) {
    if (fractal == FRACTAL_FBM) {
        precise float sum = before.sum + amplitude * value;
        return Sum(sum, before.weight);
    }
    precise float scaled = value * scale;
    if (fractal == FRACTAL_BILLOW) {
        precise float opposite = 0.0 - scaled;
        precise float size = scaled < 0.0 ? opposite : scaled;
        precise float sum = before.sum + amplitude * (size + size - 1.0);
        return Sum(sum, before.weight);
    }
    precise float above = 1.0 + scaled;
    precise float below = 1.0 - scaled;
    precise float fold = scaled < 0.0 ? above : below;
    precise float ridge = fold * fold;
    precise float sum = before.sum + ridge * before.weight * amplitude;
    precise float weight = ridge * sharpness;
    return Sum(sum, unit(weight));
}

// StackOf::points of a row of the program, in the plane or in space.
float stack(FieldNode node, Sample at) {
    Sum sum = Sum(0.0, 1.0);
    [[dont_unroll]] for (uint i = 0u; i < node.count; i++) {
        NoiseOctave octave = OCTAVE(node.first + i);
        float value = node.kind == NODE_NOISE ? octave_plane(octave, node.basis, at) : octave_space(octave, node.basis, at);
        sum = add_octave(sum, node.fractal, value, octave.amplitude, node.numbers.x, node.numbers.z);
    }
    precise float whole_sum = sum.sum * node.numbers.y;
    return whole_sum;
}

// Stack::fbm_slopes: the sum, its slope along x, or along z.
float stack_slopes(FieldNode node, Sample at) {
    precise float sum = 0.0;
    [[dont_unroll]] for (uint i = 0u; i < node.count; i++) {
        NoiseOctave octave = OCTAVE(node.first + i);
        uvec2 x = lattice_at(octave, at.x_m, at.units.x, octave.phase_x);
        uvec2 z = lattice_at(octave, at.z_m, at.units.z, octave.phase_y);
        vec3 parts = plane_slopes(plane_corners(octave.seed, octave.mask, x.y, z.y), along(x), along(z));
        float part = node.basis == 0u ? parts.x : node.basis == 1u ? parts.y : parts.z;
        float amplitude = node.basis == 0u ? octave.amplitude : octave.slope_amplitude;
        sum = sum + amplitude * part;
    }
    return sum;
}

// Along an axis of a turned lattice.
uvec2 turned_at(Sample at, uvec2 x_step, uvec2 z_step, uvec2 offset, ivec2 units) {
    uvec2 place = add64(phase_at(at.x_m, x_step, offset), mul64(at.z_m, z_step));
    return add64(add64(place, phase_shift(x_step, units.x)), phase_shift(z_step, units.y));
}

// Worn::grid_warped: each octave is moved downhill by the slopes of those before.
float worn(FieldNode node, Sample at) {
    precise float sum = 0.0;
    precise float amplitude = 1.0;
    precise float slope_x = 0.0;
    precise float slope_z = 0.0;
    [[dont_unroll]] for (uint i = 0u; i < node.count; i++) {
        WornRow octave = WORN(node.first + i);
        precise float wear_x = slope_x * octave.wear_units;
        precise float wear_z = slope_z * octave.wear_units;
        ivec2 units = at.units.xz + ivec2(whole(wear_x), whole(wear_z));
        uvec2 x = turned_at(at, octave.x_step_x, octave.x_step_z, octave.phase_x, units);
        uvec2 z = turned_at(at, octave.z_step_x, octave.z_step_z, octave.phase_z, units);
        vec3 noise = plane_slopes(plane_corners(octave.seed, 0xffffffffu, x.y, z.y), along(x), along(z));
        // Back from the turned lattice: the transpose of its rotation.
        precise float value = noise.x * PLANE_SCALE;
        precise float dx = (noise.y * octave.turn.x - noise.z * octave.turn.y) * PLANE_SCALE;
        precise float dz = (noise.y * octave.turn.y + noise.z * octave.turn.x) * PLANE_SCALE;
        precise float above = 1.0 + value;
        precise float below = 1.0 - value;
        precise float fold = value < 0.0 ? above : below;
        sum = sum + amplitude * fold;
        slope_x = slope_x - amplitude * dx * value;
        slope_z = slope_z - amplitude * dz * value;
        precise float stands_out = sum * 0.8;
        stands_out = 1.0 < stands_out ? 1.0 : stands_out;
        amplitude = amplitude * node.numbers.x * stands_out;
    }
    precise float half_sum = sum * 0.5;
    return half_sum;
}
