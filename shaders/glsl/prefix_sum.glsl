// Sums over the lanes of a culling workgroup, without subgroup operations: every device has shared memory.
const uint SUM_ROW = 16u;
const uint SUM_ROWS = CULL_GROUP / SUM_ROW;
shared uint prefix_sums[CULL_GROUP];
shared uint prefix_row_sums[SUM_ROWS];

// The sum of the lanes up to and with this one. All lanes call it; `total` is the sum of all. Each lane adds up what is before it in its row,
// then the rows before: three barriers, where halving steps would need two for each.
uint inclusive_sum(uint value, out uint total) {
    uint lane = gl_LocalInvocationID.x, row = lane / SUM_ROW;
    prefix_sums[lane] = value;
    barrier();
    uint sum = 0u;
    for (uint i = 0u; i < SUM_ROW; i++) sum += row * SUM_ROW + i <= lane ? prefix_sums[row * SUM_ROW + i] : 0u;
    if (lane % SUM_ROW == SUM_ROW - 1u) prefix_row_sums[row] = sum;
    barrier();
    total = 0u;
    for (uint i = 0u; i < SUM_ROWS; i++) {
        sum += i < row ? prefix_row_sums[i] : 0u;
        total += prefix_row_sums[i];
    }
    barrier();
    return sum;
}
