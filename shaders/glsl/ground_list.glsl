// How the culling writes the list of ground chunks and its one draw.

// Full meshes where they are seen; shadow maps of wide cascades leave vertices out that are finer than their texels.
DrawCommand ground_command(uint list, uint chunks) {
    uint first_chunk = list * CHUNKS_DRAWN_MAX;
    if (list == LIST_SHADOW + 1u) return DrawCommand(GROUND_INDICES_HALF, chunks, GROUND_INDICES, 0, first_chunk);
    if (list == LIST_SHADOW + 2u || list == LIST_SHADOW + 3u) return DrawCommand(GROUND_INDICES_QUARTER, chunks, GROUND_INDICES + GROUND_INDICES_HALF, 0, first_chunk);
    if (list == LIST_SHADOW) return DrawCommand(GROUND_INDICES_QUADS, chunks, 0u, 0, first_chunk);
    return DrawCommand(GROUND_INDICES, chunks, 0u, 0, first_chunk);
}

void write_ground_list(uint list, uint chunks) {
    command_buffers[push.commands].commands[command_index(list)] = ground_command(list, chunks);
    WORD(counters, COUNTER_LIST_CHUNKS + list) = chunks;
}
