// Reuse distances against the definition, and the laws that tie them to caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "simulate.h"

namespace warpscope::test {
namespace {

/// Position in the list of lines by recency: the definition.
class NaiveReuse {
 public:
  std::uint64_t touch(std::uint64_t line) {
    const auto found = std::find(recent_.begin(), recent_.end(), line);
    const std::uint64_t distance =
        found == recent_.end() ? ReuseDistance::kCold : static_cast<std::uint64_t>(found - recent_.begin());
    if (found != recent_.end()) recent_.erase(found);
    recent_.insert(recent_.begin(), line);
    return distance;
  }

 private:
  std::vector<std::uint64_t> recent_;
};

TEST(ReuseDistance, EqualsTheDefinitionOnRandomStreams) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (const std::uint64_t lines : {1, 7, 200, 3000, 6000}) {
    ReuseDistance fast;
    NaiveReuse naive;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t line = random() % lines * 0x100000001ull;
      ASSERT_EQ(fast.touch(LineAddr(line)), naive.touch(line))
          << "access " << i << " of " << lines << " lines";
    }
  }
}

// More touches than times at the start, and more distinct lines than times: renumbering and growth.
TEST(ReuseDistance, SurvivesRenumberingAndGrowth) {
  constexpr std::uint64_t kLines = 300000;
  ReuseDistance reuse;
  for (std::uint64_t line = 0; line < kLines; ++line)
    ASSERT_EQ(reuse.touch(LineAddr(line)), ReuseDistance::kCold);
  for (std::uint64_t line = 0; line < kLines; ++line) ASSERT_EQ(reuse.touch(LineAddr(line)), kLines - 1);
  for (std::uint64_t line = kLines; line-- > 0;) ASSERT_EQ(reuse.touch(LineAddr(line)), kLines - 1 - line);
  for (int i = 0; i < 1000000; ++i) ASSERT_EQ(reuse.touch(LineAddr(5)), i == 0 ? 5u : 0u);
  EXPECT_EQ(reuse.touch(LineAddr(kLines - 1)), kLines - 1);
}

// Lines without neighbours: the table of times is made again twice, with smaller neighbourhoods, in the midst
// of a batch. Two rounds over all lines: each was touched as long ago as there are others.
TEST(ReuseDistance, ScatteredLinesKeepTheirTimesWhenTheTableIsMadeAnew) {
  constexpr std::uint64_t kLines = 300000, kApart = 8192;
  std::vector<LineAddr> lines;
  for (std::uint64_t round = 0; round < 2; ++round)
    for (std::uint64_t line = 0; line < kLines; ++line) lines.emplace_back(line * kApart + line % 3);
  ReuseDistance reuse;
  std::vector<std::uint64_t> distances(lines.size());
  constexpr std::size_t kBatch = 1000;
  for (std::size_t at = 0; at < lines.size(); at += kBatch)
    reuse.touch(std::span(lines).subspan(at, kBatch), std::span(distances).subspan(at, kBatch));
  for (std::size_t i = 0; i < lines.size(); ++i)
    ASSERT_EQ(distances[i], i < kLines ? ReuseDistance::kCold : kLines - 1) << "touch " << i;
}

SimulationOptions lru(std::uint64_t kib, std::uint32_t ways, const std::string& write) {
  SimulationOptions options;
  options.cache = {kib, 128, ways, "LRU", write, "linear", 1};
  options.reuse_histogram = true;
  options.self_check = true;
  return options;
}

std::vector<Transaction> random_transactions(std::mt19937_64& random, std::uint64_t lines,
                                             std::size_t count) {
  std::vector<Transaction> transactions;
  for (std::size_t i = 0; i < count; ++i)
    transactions.push_back(transaction(random() % lines, random() % 4 == 0));
  return transactions;
}

TEST(ReuseHistogram, TailIsWhatAFullyAssociativeLruCacheMisses) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (const std::uint64_t kib : {1, 3, 16, 48}) {
    const SimulationOptions options = lru(kib, static_cast<std::uint32_t>(kib * 8), "WBWA");
    const auto result = simulate(options, {random_transactions(random, 600, 20000)});
    std::uint64_t misses = result.reuse.cold_loads() + result.reuse.cold_stores(), all = misses;
    for (const auto& bin : result.reuse.bins()) {
      all += bin.loads + bin.stores;
      if (bin.from >= options.cache.lines()) misses += bin.loads + bin.stores;
    }
    const Counts total = result.total();
    EXPECT_EQ(total.of(AccessKind::Load).misses + total.of(AccessKind::Store).misses, misses)
        << kib << " KiB";
    EXPECT_EQ(all, 20000u);
    EXPECT_EQ(total.classes.conflict + total.classes.anti_conflict, 0u);
  }
}

TEST(Lru, HitsNeverFallWhenWaysAreAddedAtTheSameSets) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto stream = random_transactions(random, 400, 30000);
  for (const char* write : {"WTNA", "WBWA"}) {
    std::uint64_t before = 0;
    for (std::uint32_t ways = 1; ways <= 24; ++ways) {  // 8 sets: ways KiB
      const auto total = simulate(lru(ways, ways, write), {stream}).total();
      const std::uint64_t hits = total.of(AccessKind::Load).hits;
      EXPECT_GE(hits, before) << write << ", " << ways << " ways";
      before = hits;
    }
    EXPECT_GT(before, 0u);
  }
}

}  // namespace
}  // namespace warpscope::test
