// For measurements: what is left of a culling that decides nothing. One workgroup a chunk reads each instance and writes it as drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = CULL_GROUP) in;

void main() {
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[gl_WorkGroupID.x];
    for (uint i = gl_LocalInvocationID.x; i < chunk.instance_count; i += CULL_GROUP) {
        uvec2 words = pair_buffers[push.instances].pairs[chunk.slot * INSTANCES_PER_CHUNK_MAX + i];
        vec2 local_m = vec2(words.x & 0xffffu, words.x >> 16) * (1.0 / 16.0);
        vec2 xz = (vec2(chunk.origin_m) + local_m) - FRAME.camera_offset_m.xz;
        uint at = min(chunk.record_first + i, FRAME.draw_instances_max - 1u);
        draw_instance_buffers[push.draw_instances].instances[at] = DrawInstance(vec3(xz.x, 0.0, xz.y), float((words.y >> 8) & 0xffu) * (1.0 / 64.0), words.y);
    }
}
