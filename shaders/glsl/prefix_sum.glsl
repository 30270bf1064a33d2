// Sums over the lanes of a culling workgroup, without subgroup operations: every device has shared memory.
shared uint prefix_sums[CULL_GROUP];

// The sum of the lanes up to and with this one (Hillis and Steele 1986). All lanes call it; `total` is the sum of all.
uint inclusive_sum(uint value, out uint total) {
    uint lane = gl_LocalInvocationID.x;
    prefix_sums[lane] = value;
    barrier();
    for (uint offset = 1u; offset < CULL_GROUP; offset <<= 1u) {
        uint other = lane >= offset ? prefix_sums[lane - offset] : 0u;
        barrier();
        prefix_sums[lane] += other;
        barrier();
    }
    uint sum = prefix_sums[lane];
    total = prefix_sums[CULL_GROUP - 1u];
    barrier();
    return sum;
}
