// Phase: shadows, props: while a mesh gives way to the next, their shadows share the texels too.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "lod_fade.glsl"

layout(location = 0) in flat uint in_fade;

void main() {
    if (pixel_is_of_other_mesh(in_fade)) discard;
}
