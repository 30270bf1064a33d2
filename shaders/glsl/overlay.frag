// Phase: overlay. Colours stay encoded, as egui wants them: the output is encoded too, so they meet it as they are.
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "shared.gen.glsl"

layout(push_constant, scalar) uniform PushBlock { OverlayPush push; };
layout(set = 0, binding = 1) uniform texture2D images[];
layout(set = 0, binding = 3) uniform sampler samplers[];

layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 out_color;

void main() {
    out_color = in_color * texture(sampler2D(images[push.texture], samplers[push.texels]), in_uv);
}
