// A depth image with four samples a pixel.
const int DEPTH_SAMPLES = 4;
float depth_sample(ivec2 at, int index) { return texelFetch(multisampled_depth_images[push.source_image], at, index).r; }
