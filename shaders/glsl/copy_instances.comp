// For measurements: the least that a culling could do. One workgroup a chunk reads each instance and writes its record, and decides nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"

layout(local_size_x = CULL_GROUP) in;

void main() {
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[gl_WorkGroupID.x];
    for (uint i = gl_LocalInvocationID.x; i < chunk.instance_count; i += CULL_GROUP) {
        uvec2 words = pair_buffers[push.instances].pairs[chunk.slot * INSTANCES_PER_CHUNK_MAX + i];
        record_buffers[push.records].records[chunk.record_first + i] = InstanceRecord(words.x, uintBitsToFloat(words.y));
    }
}
