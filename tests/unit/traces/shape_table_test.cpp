#include "traces/base/shape_table.h"

#include <gmock/gmock.h>

#include <vector>

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<DeltaRun> runs_of(const ShapeView& shape) {
  return {shape.begin(), shape.end()};
}

// Every number of bytes that a coded difference can take, to both sides of each border.
TEST(ShapeTable, GivesBackDifferencesOfEverySize) {
  std::vector<DeltaRun> runs;
  for (int bits = 0; bits < 61; ++bits) {
    for (const std::int64_t delta : {(std::int64_t{1} << bits) - 1, std::int64_t{1} << bits}) {
      runs.push_back({delta, 1});
      runs.push_back({-delta, 2});
      runs.push_back({delta, (std::uint64_t{1} << bits) + 1});
    }
  }
  runs.push_back({4, ~std::uint64_t{0}});
  ShapeTable table;
  table.add(runs);
  EXPECT_THAT(runs_of(table[0]), ElementsAreArray(runs));
  EXPECT_EQ(table[0].size(), runs.size());
}

TEST(ShapeTable, NumbersShapesAsTheyCome) {
  ShapeTable table = {{}, {{4, 1}}, {}, {{-8, 3}, {1 << 20, 1}}};
  ASSERT_EQ(table.size(), 4u);
  EXPECT_TRUE(table[0].empty());
  EXPECT_THAT(runs_of(table[1]), ElementsAre(DeltaRun{4, 1}));
  EXPECT_TRUE(table[2].empty());
  EXPECT_THAT(runs_of(table[3]), ElementsAre(DeltaRun{-8, 3}, DeltaRun{1 << 20, 1}));
  table.clear();
  EXPECT_TRUE(table.empty());
  table.add(std::vector<DeltaRun>{{16, 2}});
  EXPECT_THAT(runs_of(table[0]), ElementsAre(DeltaRun{16, 2}));
}

TEST(ShapeTable, TakesCodedRuns) {
  ShapeTable plain = {{{4, 1}, {8, 5}}, {{12, 1}}};
  ShapeTable copied;
  for (std::size_t i = 0; i < plain.size(); ++i) copied.add_coded(plain[i].coded(), plain[i].size());
  EXPECT_EQ(copied, plain);
}

// By hand from FORMAT.md: zigzag(-3) = 5, one step: 5 << 1; zigzag(4) = 8, repeated: 8 << 1 | 1, repeat - 2.
TEST(ShapeTable, CodesAsTheFormatSays) {
  const ShapeTable table = {{{-3, 1}, {4, 6}}};
  EXPECT_THAT(table[0].coded(), ElementsAre(10, 17, 4));
}

}  // namespace
}  // namespace warpscope
