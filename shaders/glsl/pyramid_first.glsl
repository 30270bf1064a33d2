// The first level of the depth pyramid: the farthest depth (reversed: the least) of two by two pixels. At an odd edge there are fewer.

float pixel_depth(ivec2 at) {
    float farthest = depth_sample(at, 0);
    for (int i = 1; i < DEPTH_SAMPLES; i++) farthest = min(farthest, depth_sample(at, i));
    return farthest;
}

void make_first_level() {
    ivec2 size = ivec2(FRAME.pyramid_width, FRAME.pyramid_height);
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 level_size = (size + 1) >> 1;
    if (any(greaterThanEqual(at, level_size))) return;
    ivec2 a = at * 2, b = min(a + 1, size - 1);
    float farthest = min(min(pixel_depth(a), pixel_depth(ivec2(b.x, a.y))), min(pixel_depth(ivec2(a.x, b.y)), pixel_depth(b)));
    word_buffers[push.pyramid].words[uint(at.y * level_size.x + at.x)] = floatBitsToUint(farthest);
}
