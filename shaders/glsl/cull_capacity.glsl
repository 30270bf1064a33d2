// What a list may hold: the view's two share theirs, and the early one, which is counted first, goes before.

uint capacity_of(uint list) {
    if (list == LIST_EARLY) return FRAME.draw_instances_max;
    if (list == LIST_LATE) return FRAME.draw_instances_max - WORD(counters, COUNTER_LIST_INSTANCES + LIST_EARLY);
    return FRAME.shadow_instances_max;
}
