// Machine code, executed: results of NVIDIA's compiler's code are what plain code computes here, on all architectures.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>

#include "machine/execute/launch.h"
#include "machine/isa/printer.h"
#include "tests/unit/machine/cubin_program.h"
#include "tests/unit/machine/files.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kArchitectures[] = {75, 80, 86, 89, 90};

using Program = CubinProgram;

/// Small whole numbers: sums and products of them are exact in any order.
std::vector<float> whole_reals(std::size_t count) {
  const std::vector<std::uint32_t> from = numbers_below(count, 16);
  return {from.begin(), from.end()};
}

class Executed : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Executed, MatrixProductRoundsOncePerStep) {
  constexpr std::size_t kWidth = 32;
  std::vector<float> a(kWidth * kWidth), b(kWidth * kWidth), c(kWidth * kWidth), expected(kWidth * kWidth);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0F / static_cast<float>(i + 1);
    b[i] = 1.0F / static_cast<float>(i % 37 + 3);
  }
  for (std::size_t y = 0; y < kWidth; ++y)
    for (std::size_t x = 0; x < kWidth; ++x)
      for (std::size_t k = 0; k < kWidth; ++k)
        expected[y * kWidth + x] = std::fma(a[y * kWidth + k], b[k * kWidth + x], expected[y * kWidth + x]);
  Program(GetParam(), "mm_tiled")
      .buffer(a)
      .buffer(b)
      .buffer(c)
      .number(std::uint32_t{kWidth})
      .run({2, 2, 1}, {16, 16, 1});
  EXPECT_EQ(c, expected);
}

TEST_P(Executed, ReductionThroughSharedMemory) {
  std::vector<float> in = whole_reals(4 * 3 * 128), out(3);
  std::vector<float> expected(3);
  for (std::size_t i = 0; i < in.size(); ++i) expected[i % (3 * 128) / 128] += in[i];
  Program(GetParam(), "reduction")
      .buffer(in)
      .buffer(out)
      .number(std::uint32_t{4})
      .run({3, 1, 1}, {128, 1, 1}, 512);
  EXPECT_EQ(out, expected);
}

TEST_P(Executed, BitonicNetworkSorts) {
  std::vector<std::uint32_t> keys = numbers_below(2 * 256, 1000), expected = keys;
  for (const std::size_t first : {std::size_t{0}, std::size_t{256}})
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first),
              expected.begin() + static_cast<std::ptrdiff_t>(first) + 256);
  Program(GetParam(), "bitonic").buffer(keys).run({2, 1, 1}, {128, 1, 1}, 1024);
  EXPECT_EQ(keys, expected);
}

TEST_P(Executed, HistogramCountsByAtomics) {
  std::vector<std::uint32_t> values = numbers_below(2 * 96 * 5, 700), bins(256), expected(256);
  for (const std::uint32_t value : values) ++expected[value % 256];
  Program(GetParam(), "histogram")
      .buffer(values)
      .buffer(bins)
      .number(std::uint32_t{5})
      .run({2, 1, 1}, {96, 1, 1});
  EXPECT_EQ(bins, expected);
}

TEST_P(Executed, SearchFindsTheNumberOfSmallerKeys) {
  std::vector<std::uint32_t> keys = numbers_below(64, 500), queries = numbers_below(100, 600), found(100),
                             expected;
  std::sort(keys.begin(), keys.end());
  for (const std::uint32_t query : queries)
    expected.push_back(
        static_cast<std::uint32_t>(std::upper_bound(keys.begin(), keys.end(), query) - keys.begin()));
  // The search stands before the last key and looks at it at the end.
  Program(GetParam(), "search_sorted")
      .buffer(keys)
      .buffer(queries)
      .buffer(found)
      .number(std::uint32_t{64})
      .run({2, 1, 1}, {50, 1, 1});
  EXPECT_EQ(found, expected);
}

TEST_P(Executed, SparseProductHasLoopsOfDifferentLengths) {
  constexpr std::size_t kRows = 70;
  std::vector<std::uint32_t> length = numbers_below(kRows, 23), begin(kRows), column;
  std::exclusive_scan(length.begin(), length.end(), begin.begin(), 0U);
  column = numbers_below(begin.back() + length.back(), kRows);
  std::vector<float> value = whole_reals(column.size()), x = whole_reals(kRows), y(kRows), expected(kRows);
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t k = begin[row]; k < begin[row] + length[row]; ++k)
      expected[row] += value[k] * x[column[k]];
  Program(GetParam(), "spmv_csr")
      .buffer(begin)
      .buffer(length)
      .buffer(column)
      .buffer(value)
      .buffer(x)
      .buffer(y)
      .run({2, 1, 1}, {35, 1, 1});
  EXPECT_EQ(y, expected);
}

TEST_P(Executed, StepOnAPlaneWithItsBorder) {
  constexpr std::size_t kWidth = 34;
  std::vector<float> in = whole_reals(kWidth * kWidth), out(in.size()), expected(in.size());
  for (std::size_t y = 1; y + 1 < kWidth; ++y)
    for (std::size_t x = 1; x + 1 < kWidth; ++x) {
      const std::size_t i = y * kWidth + x;
      expected[i] = 0.25F * (in[i - 1] + in[i + 1] + in[i - kWidth] + in[i + kWidth]);
    }
  Program(GetParam(), "stencil2d")
      .buffer(in)
      .buffer(out)
      .number(std::int32_t{kWidth})
      .run({2, 2, 1}, {16, 16, 1});
  EXPECT_EQ(out, expected);
}

TEST_P(Executed, FaultsSayWhereAndTouchNothing) {
  std::vector<std::uint32_t> keys(255);  // one less than two blocks of 128
  Program program(GetParam(), "bitonic");
  program.buffer(keys);
  EXPECT_THAT(
      [&] {
        program.run({1, 1, 1}, {128, 1, 1}, 1024);
      },
      testing::ThrowsMessage<ExecutionFault>(
          testing::AllOf(testing::HasSubstr("work-item (127, 0, 0)"), testing::HasSubstr("LDG"),
                         testing::HasSubstr("0 bytes behind the end of buffer 1 (1020 bytes)"))));
  EXPECT_THAT(keys, testing::Each(0U));
}

/// Instructions of a cubin that cannot be executed, by name and modifiers.
void count_unknown(const std::filesystem::path& path, std::map<std::string, int>& unknown) {
  std::ifstream file(path, std::ios::binary);
  const Cubin cubin({std::istreambuf_iterator<char>(file), {}}, path.string());
  for (const Function& function : cubin.functions()) {
    if (!function.is_kernel) continue;
    const Code code(cubin, function);
    for (std::size_t place = 0; place < code.instructions().size(); ++place) {
      if (code.operations()[place].flow != Flow::Unknown) continue;
      std::string text = text_of(code.decoder(), code.instructions()[place]);
      if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
      ++unknown[text.substr(0, text.find(' '))];
    }
  }
}

// WARPSCOPE_CUBINS=FOLDER lists those of a folder's cubins, the most frequent ones last.
TEST(Execute, InstructionsThatAreNotExecutedAreFew) {
  std::map<std::string, int> unknown;
  for (const std::uint32_t architecture : kArchitectures)
    for (const auto& entry : std::filesystem::directory_iterator(
             std::string(WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data/kernels/sm_") +
             std::to_string(architecture)))
      if (entry.path().stem() != "hopper") count_unknown(entry.path(), unknown);
  EXPECT_THAT(unknown, testing::IsEmpty());
  const char* folder = std::getenv("WARPSCOPE_CUBINS");
  if (folder == nullptr) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cubin") count_unknown(entry.path(), unknown);
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [name, count] : unknown) ranked.emplace_back(count, name);
  std::sort(ranked.begin(), ranked.end());
  for (const auto& [count, name] : ranked) std::cout << count << ' ' << name << '\n';
}

INSTANTIATE_TEST_SUITE_P(All, Executed, testing::ValuesIn(kArchitectures));

}  // namespace
}  // namespace warpscope::machine
