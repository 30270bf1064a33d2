// While a mesh gives way to the next, both are drawn, and every pixel shows one of the two.

// Of 16 pixels in a square each has its own turn (Bayer 1973).
uint turn_of_pixel() {
    uvec2 p = uvec2(gl_FragCoord.xy);
    uint x = p.x ^ p.y, y = p.y;
    return (x & 1u) << 3 | (y & 1u) << 2 | (x & 2u) | (y & 2u) >> 1;
}

// `fade`: as the vertex shader says it.
bool pixel_is_of_other_mesh(uint fade) { return fade != 0u && (turn_of_pixel() < (fade & 15u)) != (fade > 15u); }
