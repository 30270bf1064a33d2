// A depth image with one sample a pixel.
const int DEPTH_SAMPLES = 1;
float depth_sample(ivec2 at, int index) { return texelFetch(depth_images[push.source_image], at, 0).r; }
