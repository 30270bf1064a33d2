// The one descriptor set. Every shader finds its data by index: buffers by the indices in the push constants, textures by the
// indices in the frame constants. The same binding is declared once per element type; the descriptors behind them are shared.
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "shared.gen.glsl"

// Only compute shaders write: stores from vertex and fragment shaders are an optional feature that nothing here needs.
#ifdef SCENE_WRITES
#define SCENE_ACCESS
#else
#define SCENE_ACCESS readonly
#endif

layout(push_constant, scalar) uniform PushBlock { ScenePush push; };

layout(set = 0, binding = 0, scalar) readonly buffer FrameBuffer { FrameConstants constants; } frame_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer ChunkBuffer { DrawChunk chunks[]; } chunk_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer WordPairBuffer { uvec2 pairs[]; } pair_buffers[];
layout(set = 0, binding = 0, scalar) SCENE_ACCESS buffer WordBuffer { uint words[]; } word_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer ClusterBuffer { InstanceCluster clusters[]; } cluster_buffers[];
layout(set = 0, binding = 0, scalar) SCENE_ACCESS buffer RecordBuffer { InstanceRecord records[]; } record_buffers[];
layout(set = 0, binding = 0, scalar) SCENE_ACCESS buffer DrawInstanceBuffer { DrawInstance instances[]; } draw_instance_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer PropVertexBuffer { PropVertex vertices[]; } prop_vertex_buffers[];
layout(set = 0, binding = 0, scalar) readonly buffer PropBuffer { PropRow props[]; } prop_buffers[];
layout(set = 0, binding = 0, scalar) SCENE_ACCESS buffer CommandBuffer { DrawCommand commands[]; } command_buffers[];

layout(set = 0, binding = 1) uniform texture2D images[];
layout(set = 0, binding = 2) uniform texture2DArray image_arrays[];
layout(set = 0, binding = 3) uniform sampler samplers[];
layout(set = 0, binding = 5) uniform texture2D depth_images[];
layout(set = 0, binding = 5) uniform texture2DMS multisampled_depth_images[];

#define FRAME frame_buffers[push.frame].constants
