#include <vector>

#include "bench.h"

int main() {
  constexpr int kValues = 3000, kRows = 40, kColumns = 56, kBins = 16;
  std::vector<unsigned char> values(kValues);
  std::vector<unsigned> bins(kBins), expected(kBins);
  for (int i = 0; i < kValues; ++i) {
    values[i] = static_cast<unsigned char>(i * i % 251);
    ++expected[values[i] % kBins];
  }
  histogram(values.data(), kValues, bins.data());
  std::vector<float> in(kRows * kColumns), out(kRows * kColumns);
  for (int i = 0; i < kRows * kColumns; ++i) in[i] = static_cast<float>(i);
  transpose(in.data(), out.data(), kRows, kColumns);
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kColumns; ++x)
      if (out[x * kRows + y] != in[y * kColumns + x]) return std::puts("transpose: wrong"), 1;
  std::puts(bins == expected ? "all correct" : "histogram: wrong");
  return bins == expected ? 0 : 1;
}
