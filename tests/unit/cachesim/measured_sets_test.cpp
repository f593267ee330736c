// hopper-xor against GPUs: lines that four lines of a pool drove out, and these four, are of one set (validation/hardware/micro/set_of.cu).
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "cachesim/l1/cache_config.h"

namespace warpscope::test {
namespace {

std::uint32_t hopper_set(std::uint64_t line) {
  const LineAddr address{line};
  std::uint32_t found = 0;
  set_index("hopper-xor").function({&address, 1}, 512, &found);
  return found;
}

struct Compared {
  std::size_t lines = 0, others = 0;  ///< which four others drove out; for which it was not four
  std::set<std::uint32_t> sets;
  std::uint64_t bits = 0;  ///< in which lines differed from the pool's first
};

Compared compare(const std::string& name) {
  std::ifstream file(MEASURED + name);
  std::string row;
  Compared compared;
  std::getline(file, row);
  const std::uint64_t pool = std::stoull(row.substr(row.find(',') + 1), nullptr, 16);
  std::getline(file, row);
  while (std::getline(file, row)) {
    std::stringstream text(row);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (cells.at(2) != "4") {
      ++compared.others;
      continue;
    }
    const std::uint64_t line = std::stoull(cells[0], nullptr, 16);
    for (std::size_t i = 3; i < 7; ++i)
      EXPECT_EQ(hopper_set(pool + std::stoull(cells.at(i))), hopper_set(line)) << row;
    ++compared.lines;
    compared.sets.insert(hopper_set(line));
    compared.bits |= line ^ pool;
  }
  return compared;
}

TEST(MeasuredSets, LinesThatDriveEachOtherOutShareASet) {
  const Compared compared = compare("nvidia-h100-80gb-hbm3/2026-11-27-sets.csv");
  EXPECT_GT(compared.lines, 3000u);
  EXPECT_EQ(compared.lines + compared.others, 4000u);
  EXPECT_GT(compared.sets.size(), 500u);
  EXPECT_EQ(compared.bits, (std::uint64_t{1} << (35 - 7)) - 1);
}

/// Pool and line differ in one of the higher bits, and in where they are in two megabytes.
TEST(MeasuredSets, HigherBitsAddWhatWasMeasured) {
  std::uint64_t bits = 0;
  for (const char* name :
       {"nvidia-h100-80gb-hbm3/2026-11-27-sets-high.csv", "nvidia-h200/2026-11-27-sets-high.csv"}) {
    const Compared compared = compare(name);
    EXPECT_GT(compared.lines, 700u) << name;
    bits |= compared.bits;
  }
  // Of address bits 35 to 46 none is without a line.
  EXPECT_EQ(bits >> (35 - 7), 0xFFFu);
}

}  // namespace
}  // namespace warpscope::test
