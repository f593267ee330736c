// Cheapest paths through a grid from its first row to its last: each launch takes five rows, and each block recomputes
// what its neighbours change. A variable that every iteration sets, and no code before the loop, is used behind it.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kBlock = 64, kRowsPerLaunch = 5, kRows = 21, kColumns = 300;

__global__ void advance(int rows, const int* costs, const int* from, int* to, int columns, int first_row) {
  __shared__ int before[kBlock];
  __shared__ int after[kBlock];
  const int lane = threadIdx.x, column = blockIdx.x * (kBlock - 2 * rows) - rows + lane;
  const int leftmost = max(0, lane - column), rightmost = min(kBlock - 1, lane + columns - 1 - column);
  const bool inside = column >= 0 && column < columns;
  if (inside) before[lane] = from[column];
  __syncthreads();
  bool is_mine;
  for (int row = 0; row < rows; ++row) {
    is_mine = false;
    if (lane > row && lane < kBlock - 1 - row && inside) {
      is_mine = true;
      const int left = before[max(lane - 1, leftmost)], right = before[min(lane + 1, rightmost)];
      after[lane] = min(min(left, right), before[lane]) + costs[(first_row + row) * columns + column];
    }
    __syncthreads();
    if (row == rows - 1) break;
    if (is_mine) before[lane] = after[lane];
    __syncthreads();
  }
  if (is_mine) to[column] = after[lane];
}

int main() {
  std::vector<int> costs(kRows * kColumns), best(kColumns), expected(kColumns), next(kColumns);
  for (int i = 0; i < kRows * kColumns; ++i) costs[i] = i * i % 97 % 10;
  int *d_costs, *d_best[2];
  cudaMalloc(&d_costs, costs.size() * sizeof(int));
  for (int*& each : d_best) cudaMalloc(&each, kColumns * sizeof(int));
  cudaMemcpy(d_costs, costs.data(), costs.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_best[0], costs.data(), kColumns * sizeof(int), cudaMemcpyHostToDevice);
  int source = 0;
  for (int row = 1; row < kRows; row += kRowsPerLaunch, source = 1 - source) {
    const int rows = std::min(kRowsPerLaunch, kRows - row), columns_per_block = kBlock - 2 * rows;
    advance<<<(kColumns + columns_per_block - 1) / columns_per_block, kBlock>>>(
        rows, d_costs, d_best[source], d_best[1 - source], kColumns, row);
  }
  cudaMemcpy(best.data(), d_best[source], kColumns * sizeof(int), cudaMemcpyDeviceToHost);
  std::copy_n(costs.begin(), kColumns, expected.begin());
  for (int row = 1; row < kRows; ++row, std::swap(expected, next))
    for (int x = 0; x < kColumns; ++x)
      next[x] =
          std::min({expected[std::max(x - 1, 0)], expected[x], expected[std::min(x + 1, kColumns - 1)]}) +
          costs[row * kColumns + x];
  std::puts(best == expected ? "all correct" : "wrong");
  return best == expected ? 0 : 1;
}
