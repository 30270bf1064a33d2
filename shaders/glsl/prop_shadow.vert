// Phase: shadows, props.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "prop_vertex.glsl"
#include "shadow.glsl"

layout(location = 0) out flat uint out_fade;

void main() {
    DrawInstance instance = draw_instance_buffers[push.draw_instances].instances[gl_InstanceIndex];
    out_fade = fade_of(instance.packed);
    gl_Position = shadow_clip_position(push.list - LIST_SHADOW, prop_position(instance, prop_pose(instance, uint(gl_VertexIndex))));
}
