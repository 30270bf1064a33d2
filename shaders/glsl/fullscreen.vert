// One triangle over the whole picture, at the far plane (reversed depth: 0).
#version 460
layout(location = 0) out vec2 out_ndc;
void main() {
    out_ndc = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0;
    gl_Position = vec4(out_ndc, 0.0, 1.0);
}
