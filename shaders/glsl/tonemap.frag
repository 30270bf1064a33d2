// Phase: tonemap. Scene light to display: exposure, AgX (Sobotka 2022; the polynomial fit of its curve is Wrensch's, 2023), a
// slight punch, the sRGB curve, and a dither of one step against banding.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindless.glsl"
#include "cosmetic.glsl"

layout(location = 0) in vec2 in_ndc;
layout(location = 0) out vec4 out_color;

vec3 agx_curve(vec3 x) {
    vec3 x2 = x * x, x4 = x2 * x2;
    return 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
}

vec3 agx(vec3 color) {
    const mat3 inset = mat3(0.842479062253094, 0.0423282422610123, 0.0423756549057051,
                            0.0784335999999992, 0.878468636469772, 0.0784336,
                            0.0792237451477643, 0.0791661274605434, 0.879142973793104);
    const mat3 outset = mat3(1.19687900512017, -0.0528968517574562, -0.0529716355144438,
                             -0.0980208811401368, 1.15190312990417, -0.0980434501171241,
                             -0.0990297440797205, -0.0989611768448433, 1.15107367264116);
    const float low_ev = -12.47393, high_ev = 4.026069;
    vec3 v = clamp((log2(max(inset * color, vec3(1e-10))) - low_ev) / (high_ev - low_ev), 0.0, 1.0);
    v = agx_curve(v);
    float luma = dot(v, vec3(0.2126, 0.7152, 0.0722));
    v = pow(max(v, 0.0), vec3(FRAME.contrast));
    v = mix(vec3(luma), v, FRAME.saturation);
    return clamp(outset * v, 0.0, 1.0); // display-referred, gamma about 2.2
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec3 color = texelFetch(sampler2D(images[push.source_image], samplers[FRAME.clamp_sampler]), pixel, 0).rgb;
    if (FRAME.debug_view != VIEW_NONE) { out_color = vec4(pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0); return; }
    vec3 shown = agx(color * FRAME.exposure);
    float dither = cosmetic_value(pixel) - 0.5;
    out_color = vec4(shown + dither * (1.0 / 255.0), 1.0);
}
