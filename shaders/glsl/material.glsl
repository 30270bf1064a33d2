// The ground's material: grass, snow and rock from bindless texture arrays, projected along the three axes.

const uint LAYER_GRASS = 0u, LAYER_SNOW = 1u, LAYER_ROCK = 2u;

struct Material {
    vec3 color;
    vec3 normal;
    float smoothness;
};

struct Projection {
    vec3 position; // metres, wrapped at TEXTURE_WRAP_M
    vec3 dx, dy;   // screen derivatives of position
    vec3 normal;   // of the surface
    vec3 weight;   // share of each axis, sums to 1
};

Projection project(vec3 position, vec3 dx, vec3 dy, vec3 normal) {
    vec3 w = pow(abs(normal), vec3(5.0));
    return Projection(position, dx, dy, normal, w / (w.x + w.y + w.z));
}

void add_axis(inout Material m, uint layer, float tiling, float weight, vec2 uv, vec2 dx, vec2 dy, int axis, vec3 n) {
    vec3 at = vec3(uv * tiling, float(layer));
    vec2 gx = dx * tiling, gy = dy * tiling;
    vec3 color = textureGrad(sampler2DArray(image_arrays[FRAME.material_color], samplers[FRAME.material_sampler]), at, gx, gy).rgb;
    vec2 t = textureGrad(sampler2DArray(image_arrays[FRAME.material_normal], samplers[FRAME.material_sampler]), at, gx, gy).xy * (255.0 / 127.5) - (128.0 / 127.5);
    float smoothness = textureGrad(sampler2DArray(image_arrays[FRAME.material_smoothness], samplers[FRAME.material_sampler]), at, gx, gy).x;
    // The tangent-space tilt is added to the surface normal in the plane of the projection ('whiteout' style blending).
    vec3 bent = axis == 0 ? vec3(n.x, n.y + t.y, n.z + t.x) : axis == 1 ? vec3(n.x + t.x, n.y, n.z + t.y) : vec3(n.x + t.x, n.y + t.y, n.z);
    m.color += color * weight;
    m.normal += bent * weight;
    m.smoothness += smoothness * weight;
}

// One layer, triplanar. Axes that count for nothing are not sampled.
Material sample_layer(uint layer, float tiling, Projection p) {
    Material m = Material(vec3(0.0), vec3(0.0), 0.0);
    const float NEGLIGIBLE = 0.04;
    vec3 w = max(p.weight - NEGLIGIBLE, vec3(0.0));
    w /= w.x + w.y + w.z;
    if (w.x > 0.0) add_axis(m, layer, tiling, w.x, p.position.zy, p.dx.zy, p.dy.zy, 0, p.normal);
    if (w.y > 0.0) add_axis(m, layer, tiling, w.y, p.position.xz, p.dx.xz, p.dy.xz, 1, p.normal);
    if (w.z > 0.0) add_axis(m, layer, tiling, w.z, p.position.xy, p.dx.xy, p.dy.xy, 2, p.normal);
    m.normal = normalize(m.normal);
    return m;
}

Material blend(Material a, Material b, float t) {
    return Material(mix(a.color, b.color, t), normalize(mix(a.normal, b.normal, t)), mix(a.smoothness, b.smoothness, t));
}

// grass -> snow by height, then -> rock by slope (WORLDS: height mask first, slope mask last).
float height_mask(float y) { return clamp((y - FRAME.snow_offset_m) / FRAME.snow_contrast_m, 0.0, 1.0); }
float slope_mask(float up) { return 1.0 - smoothstep(FRAME.rock_low, FRAME.rock_high, up); }
