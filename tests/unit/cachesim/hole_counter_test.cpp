#include "cachesim/classes/hole_counter.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace warpscope {
namespace {

/// Marks every time once, in random order, and compares every count with a plain list of marks.
void compare(std::uint32_t times) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << times << " times, seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> order(times);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  HoleCounter counter;
  counter.reset(times);
  std::vector<int> marked(times, 0);
  const std::size_t checked = std::min<std::size_t>(times, 3000);
  for (std::size_t i = 0; i < checked; ++i) {
    const auto up_to = [&](std::uint32_t time) {
      return static_cast<std::uint64_t>(std::accumulate(marked.begin(), marked.begin() + time + 1, 0));
    };
    ASSERT_EQ(counter.count_and_mark(order[i]), up_to(order[i]));
    marked[order[i]] = 1;
    const auto other = static_cast<std::uint32_t>(random() % times);
    ASSERT_EQ(counter.count(other), up_to(other));
  }
}

// One leaf; a leaf and a half level; two levels; the border of a level.
TEST(HoleCounter, EqualsAListOfMarks) {
  for (const std::uint32_t times : {1u << 11, 1u << 13, 1u << 15, 1u << 16}) compare(times);
}

TEST(HoleCounter, CountsUpToTheLastTimeAndStartsAgain) {
  HoleCounter counter;
  counter.reset(1u << 20);
  for (const std::uint32_t time : {0u, 63u, 64u, 2047u, 2048u, 32767u, 32768u, (1u << 20) - 1})
    counter.count_and_mark(time);
  EXPECT_EQ(counter.count(0), 1u);
  EXPECT_EQ(counter.count(62), 1u);
  EXPECT_EQ(counter.count(2047), 4u);
  EXPECT_EQ(counter.count(2048), 5u);
  EXPECT_EQ(counter.count((1u << 20) - 2), 7u);
  EXPECT_EQ(counter.count((1u << 20) - 1), 8u);
  counter.reset(1u << 11);
  EXPECT_EQ(counter.count(2047), 0u);
}

}  // namespace
}  // namespace warpscope
