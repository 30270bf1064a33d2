// Phase: cull, instances, last pass. One workgroup a chunk and list writes what is drawn, in the order of chunk and instance, whatever
// the lanes do.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SCENE_WRITES
#include "bindless.glsl"
#include "terrain.glsl"
#include "instance_cull.glsl"

layout(local_size_x = CULL_GROUP) in;
const uint MASK_WORDS = CULL_GROUP / 32u;
const uint ROUND_WORDS = BUCKETS_MAX * MASK_WORDS;
// Turned over from round to round, so that one barrier a round is enough: a round sets its own masks, all read them after the barrier, while
// the masks of the round after the next are cleared and the next one's offsets are written.
shared uint next_offset[2u * BUCKETS_MAX];
shared uint masks[3u * ROUND_WORDS]; // for each bucket, which lanes of a round draw into it

DrawInstance drawn_instance(DrawChunk chunk, uint index, InstanceRecord record) {
    Placed at = load_instance(chunk, index);
    uint cover = bitfieldExtract(record.packed, RECORD_COVER_SHIFT, 6), reason = record.packed >> RECORD_REASON_SHIFT & 7u;
    return DrawInstance(vec3(at.xz.x, record.y, at.xz.y), record.scale, at.rotation | (at.prop << 8) | (cover << 16) | (reason << 22));
}

// Each bucket's offset moves on by what this round has written, and the masks of the round after the next are emptied.
void turn_over(uint masks_now, uint masks_then, uint offset_now, uint offset_next) {
    for (uint b = gl_LocalInvocationID.x; b < FRAME.bucket_count; b += CULL_GROUP) {
        uint count = 0u;
        for (uint w = 0u; w < MASK_WORDS; w++) {
            count += uint(bitCount(masks[masks_now + b * MASK_WORDS + w]));
            masks[masks_then + b * MASK_WORDS + w] = 0u;
        }
        next_offset[offset_next + b] = next_offset[offset_now + b] + count;
    }
}

void main() {
    uint lane = gl_LocalInvocationID.x, active_index = gl_WorkGroupID.x, chunk_index = WORD(active_chunks, active_index);
    uint list = push.list + gl_WorkGroupID.y;
    if (WORD(chunk_flags, flag_word(list, chunk_index)) >> FLAG_COUNT_SHIFT == 0u) return;
    DrawChunk chunk = chunk_buffers[push.chunks].chunks[chunk_index];
    uint cutoff = WORD(bins, cutoff_word(list)), survivor_count = WORD(active_chunks, survivor_count_word(chunk_index));
    for (uint b = lane; b < FRAME.bucket_count; b += CULL_GROUP)
        next_offset[b] = command_buffers[push.commands].commands[command_index(list) + 1u + b].first_instance + WORD(counts, count_word(list, b, active_index));
    // The third round's are cleared in the first.
    for (uint m = lane; m < FRAME.bucket_count * MASK_WORDS; m += CULL_GROUP) {
        masks[m] = 0u;
        masks[ROUND_WORDS + m] = 0u;
    }
    barrier();
    uint bit = 1u << (lane & 31u), lane_word = lane / 32u;
    for (uint round = 0u; round * CULL_GROUP < survivor_count; round++) {
        uint survivor = round * CULL_GROUP + lane, masks_now = round % 3u * ROUND_WORDS, offset_now = (round & 1u) * BUCKETS_MAX;
        uint index = survivor < survivor_count ? WORD(survivors, chunk.record_first + survivor) : 0u;
        InstanceRecord record = RECORD(chunk.record_first + index);
        bool drawn = survivor < survivor_count && record_drawn(record.packed, list, cutoff);
        uint bucket = record_bucket(record.packed), word = masks_now + bucket * MASK_WORDS;
        bool fades = drawn && record_copies(record.packed) > 1u;
        if (drawn) atomicOr(masks[word + lane_word], bit);
        if (fades) atomicOr(masks[word + MASK_WORDS + lane_word], bit);
        barrier();
        if (drawn) {
            DrawInstance instance = drawn_instance(chunk, index, record);
            instance.packed |= fades ? record_fade(record.packed) << DRAWN_FADE_SHIFT : 0u;
            // Nearly always once: a loop that is left costs a processor less than a branch that all lanes walk through.
            uint copy = 0u;
            do {
                uint first = word + copy * MASK_WORDS, rank = uint(bitCount(masks[first + lane_word] & (bit - 1u)));
                for (uint w = 0u; w < lane_word; w++) rank += uint(bitCount(masks[first + w]));
                draw_instance_buffers[push.draw_instances].instances[next_offset[offset_now + bucket + copy] + rank] = instance;
                instance.packed |= DRAWN_NEXT_BIT;
                copy++;
            } while (copy < (fades ? 2u : 1u));
        }
        turn_over(masks_now, (round + 2u) % 3u * ROUND_WORDS, offset_now, BUCKETS_MAX - offset_now);
    }
}
