// Light and air: the analytic sky, the sun, ambient light from that sky, and the haze between the eye and a surface.
// Henyey-Greenstein lobe: Henyey and Greenstein 1941. Height fog integral: Quilez, 'better fog', 2010.

const float PI = 3.14159265;

float forward_lobe(float cosine, float g) {
    float g2 = g * g;
    return (1.0 - g2) / (4.0 * PI * pow(1.0 + g2 - 2.0 * g * cosine, 1.5));
}

// Radiance of the clear sky in a direction; without disc and clouds. Smooth through the horizon and below it.
vec3 clear_sky(vec3 dir) {
    float up = max(dir.y, 0.0);
    float thickness = 1.0 / (1.0 + 9.0 * up); // 1 at the horizon, small at the zenith
    vec3 color = mix(FRAME.sky_zenith, FRAME.sky_horizon, pow(thickness, 1.4));
    color = mix(color, FRAME.sky_haze, exp(-up * 14.0) * 0.75);
    float toward = dot(dir, FRAME.sun_direction);
    // Forward scattering: a broad warm glow low over the horizon, a tight one around the sun.
    float low = exp(-up * 5.0);
    color += FRAME.sun_glow * (forward_lobe(toward, 0.55) * (0.25 + 0.75 * low) + 0.12 * forward_lobe(toward, 0.88));
    // Away from the sun the low sky is bluer and darker.
    color *= 1.0 - 0.22 * low * (0.5 - 0.5 * toward);
    return color;
}

// Radiance that far haze has in a direction: the sky just over the horizon there.
vec3 haze_color(vec3 dir) {
    vec3 flat_dir = normalize(vec3(dir.x, clamp(dir.y, 0.015, 0.35), dir.z));
    return clear_sky(flat_dir);
}

// Transmittance per colour channel over the way to a point. Air thins out with height.
vec3 haze_transmittance(vec3 to_point) {
    float way = length(to_point);
    float falloff = FRAME.haze_falloff;
    float rise = to_point.y * falloff;
    float mean = abs(rise) > 1e-3 ? (1.0 - exp(-rise)) / rise : 1.0 - 0.5 * rise;
    float depth = FRAME.haze_density * way * exp(-max(FRAME.camera_height_m, 0.0) * falloff) * mean;
    return exp(-depth * FRAME.haze_extinction);
}

vec3 apply_haze(vec3 color, vec3 to_point) {
    vec3 transmittance = haze_transmittance(to_point);
    return color * transmittance + haze_color(normalize(to_point)) * (1.0 - transmittance);
}

// Light of the sky on a surface, by its normal: above, horizon and bounce from the ground.
vec3 ambient_light(vec3 n) {
    vec3 upper = mix(FRAME.ambient_horizon, FRAME.ambient_up, clamp(n.y, 0.0, 1.0));
    vec3 sky = mix(FRAME.ambient_down, upper, clamp(n.y * 0.5 + 0.65, 0.0, 1.0));
    // A little more from the bright side of the sky.
    float side = dot(n, normalize(vec3(FRAME.sun_direction.x, 0.2, FRAME.sun_direction.z)));
    return sky * (1.0 + 0.18 * side);
}

// GGX with the Smith-Schlick visibility of Karis 2013, for a dielectric.
float specular_ggx(vec3 n, vec3 v, vec3 l, float roughness) {
    vec3 h = normalize(v + l);
    float a = roughness * roughness, a2 = a * a;
    float nh = clamp(dot(n, h), 0.0, 1.0), nv = clamp(dot(n, v), 1e-3, 1.0), nl = clamp(dot(n, l), 0.0, 1.0);
    float vh = clamp(dot(v, h), 0.0, 1.0);
    float d = a2 / (PI * pow(nh * nh * (a2 - 1.0) + 1.0, 2.0));
    float k = (roughness + 1.0) * (roughness + 1.0) * 0.125;
    float visibility = 1.0 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k) * 4.0);
    float fresnel = 0.04 + 0.96 * pow(1.0 - vh, 5.0);
    return d * visibility * fresnel * nl;
}
