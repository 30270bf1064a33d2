// Evaluates a field, a list of rows made from worldgen's nodes, at samples of an area or at listed places: one lane a sample, the bits of the CPU.
// An interpreter: settings change a world's list at any time, while shaders are compiled before they ship and pipelines before the first
// frame. Lanes of a group all run the same row, so the choice costs one uniform branch beside the thousands of operations of a noise.
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shared.gen.glsl"

layout(push_constant, scalar) uniform PushBlock { FieldPush push; };
layout(set = 0, binding = 0, scalar) readonly buffer NodeBuffer { FieldNode nodes[]; } node_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer OctaveBuffer { NoiseOctave octaves[]; } octave_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer WornBuffer { WornRow octaves[]; } worn_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer TableBuffer { float values[]; } table_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer PlaceBuffer { FieldPlace places[]; } place_buffers[];
layout(set = 0, binding = 0, scalar) writeonly buffer OutBuffer { uint words[]; } out_buffers[];

#define OCTAVE(i) octave_buffers[push.octaves].octaves[i]
#define WORN(i) worn_buffers[push.worn].octaves[i]
#define TABLE(i) table_buffers[push.table].values[i]
#include "stack.glsl"

layout(local_size_x = FIELD_GROUP) in;

// run.rs, clamp.
float held(float value, float low, float high) { return value < low ? low : high < value ? high : value; }

float smooth_step(float value) {
    precise float t = held(value, 0.0, 1.0);
    precise float smoothed = t * t * (3.0 - 2.0 * t);
    return smoothed;
}

// run.rs, shape: a table read by straight lines; its last index is a whole number below 2^24.
float shape(FieldNode node, float x) {
    uint last = node.count - 1u;
    precise float at = x * float(last);
    if (!(at < float(last))) return TABLE(node.first + last);
    if (!(0.0 < at)) return TABLE(node.first);
    uint index = uint(at);
    float low = TABLE(node.first + index), high = TABLE(node.first + index + 1u);
    precise float value = low + (high - low) * (at - float(index));
    return value;
}

Sample sample_of(uint index) {
    if (push.places != FIELD_NOTHING) {
        FieldPlace place = place_buffers[push.places].places[index];
        return Sample(place.x_m, place.y_m, place.z_m, place.units);
    }
    uvec2 step_m = uvec2(push.step_m, 0u);
    uvec2 x = mul64(uvec2(index % push.edge, 0u), step_m), z = mul64(uvec2(index / push.edge, 0u), step_m);
    return Sample(add64(push.x_m, x), uvec2(0u), add64(push.z_m, z), ivec3(0));
}

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= push.count) return;
    Sample at = sample_of(index);
    precise float slots[FIELD_SLOTS];
    [[dont_unroll]] for (uint row = 0u; row < push.nodes_count; row++) {
        FieldNode node = node_buffers[push.nodes].nodes[row];
        precise float a = node.from.x == FIELD_NOTHING ? 0.0 : slots[node.from.x];
        precise float b = node.from.y == FIELD_NOTHING ? 0.0 : slots[node.from.y];
        precise float c = node.from.z == FIELD_NOTHING ? 0.0 : slots[node.from.z];
        precise float value = 0.0;
        if (node.kind <= NODE_WORN) {
            Sample moved = at;
            if (node.from.x != FIELD_NOTHING) {
                precise float x_units = a * node.numbers.w;
                precise float z_units = b * node.numbers.w;
                moved.units = ivec3(whole(x_units), 0, whole(z_units));
            }
            if (node.kind == NODE_SLOPE) value = stack_slopes(node, moved);
            else if (node.kind != NODE_WORN) value = stack(node, moved);
            else if (node.from.z == FIELD_NOTHING || c > 0.0) value = worn(node, moved);
        } else if (node.kind == NODE_LINEAR) value = a * node.numbers.x + node.numbers.y;
        else if (node.kind == NODE_ADD) value = a + b;
        else if (node.kind == NODE_SUB) value = a - b;
        else if (node.kind == NODE_MUL) value = a * b;
        else if (node.kind == NODE_MIX) value = a + (b - a) * c;
        else if (node.kind == NODE_CLAMP) value = held(a, node.numbers.x, node.numbers.y);
        else if (node.kind == NODE_SMOOTH) value = smooth_step(a);
        else if (node.kind == NODE_CURVE) value = shape(node, a);
        else if (node.kind == NODE_WRITE_BITS) out_buffers[push.target].words[node.to * push.count + index] = floatBitsToUint(a);
        else if (node.kind == NODE_WRITE_WHOLE) {
            precise float scaled = a * node.numbers.x;
            out_buffers[push.target].words[node.to * push.count + index] = uint(whole(scaled));
        }
        if (node.kind < NODE_WRITE_BITS) slots[node.to] = value;
    }
}
