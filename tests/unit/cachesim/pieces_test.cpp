// A simulation in pieces that is interrupted, and the sum of its pieces.
#include "cachesim/simulate/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <set>

#include "cachesim/simulate/result_bytes.h"
#include "tests/unit/temporary_folder.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using Plan = std::vector<LaunchPieces>;

TEST(PlanPieces, CutsOneLaunchIntoItsCores) {
  const std::vector<double> work = {1e9};
  EXPECT_EQ(plan_pieces(work, {.cores = 80, .threads = 2}), (Plan{{1, 80}}));
  EXPECT_EQ(plan_pieces(work, {.cores = 1, .threads = 2}), (Plan{{1, 1}})) << "a core is not cut";
  EXPECT_EQ(plan_pieces(work, {.cores = 1000, .threads = 2}), (Plan{{1, 256}}));
}

TEST(PlanPieces, PutsSmallLaunchesTogether) {
  const std::vector<double> work(6400, 1.0);
  const Plan plan = plan_pieces(work, {.cores = 80, .threads = 2});
  ASSERT_EQ(plan.size(), 64u);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i], (LaunchPieces{100 * (i + 1), 2}));
}

TEST(PlanPieces, CutsALargeLaunchAmongSmallOnes) {
  std::vector<double> work(100, 1.0);
  work[50] = 100;  // half of the work less one
  const Plan plan = plan_pieces(work, {.cores = 80, .threads = 2});
  const auto large =
      std::find_if(plan.begin(), plan.end(), [](const LaunchPieces& one) { return one.to == 51; });
  ASSERT_NE(large, plan.end());
  EXPECT_EQ(std::prev(large)->to, 50u);
  EXPECT_EQ(large->shares, 80u);
  EXPECT_EQ(plan.back().to, 100u);
}

TEST(PlanPieces, LeavesLaunchesTogetherThatKeepTheirCaches) {
  const std::vector<double> work(100, 1.0);
  EXPECT_EQ(plan_pieces(work, {.cores = 80, .threads = 2, .whole = true}), (Plan{{100, 80}}));
}

TEST(PlanPieces, CutsWhatACoreHasWhereThereAreTooFewCores) {
  const std::vector<double> one = {1e9}, two = {1e9, 1e9}, many(6400, 1.0);
  EXPECT_EQ(plan_pieces(one, {.cores = 80, .threads = 2, .parts = 10}), (Plan{{1, 80, 4}}))
      << "320 of 256 wanted";
  EXPECT_EQ(plan_pieces(one, {.cores = 1, .threads = 2, .parts = 10}), (Plan{{1, 1, 10}}));
  EXPECT_EQ(plan_pieces(one, {.cores = 1, .threads = 2, .parts = 1000}), (Plan{{1, 1, 256}}));
  EXPECT_EQ(plan_pieces(one, {.cores = 1, .threads = 2, .parts = 1000, .pieces = 40}), (Plan{{1, 1, 40}}));
  EXPECT_EQ(plan_pieces(two, {.cores = 1, .threads = 2, .parts = 1000}), (Plan{{1, 1, 128}, {2, 1, 128}}));
  EXPECT_EQ(plan_pieces(many, {.cores = 1, .threads = 2, .parts = 10}).front(), (LaunchPieces{100, 1, 1}))
      << "there are enough pieces";
  EXPECT_EQ(plan_pieces(many, {.cores = 1, .threads = 2, .whole = true, .parts = 10}), (Plan{{6400, 1, 10}}));
}

TEST(PlanPieces, TakesLaunchesWithoutWork) {
  EXPECT_EQ(plan_pieces(std::vector<double>{0, 0}, {.cores = 80, .threads = 2}).back().to, 2u);
}

class InPieces : public ::testing::Test {
 protected:
  KeptWork kept() { return {std::make_shared<ResumeFile>(folder_.file("r"), nlohmann::json{{"a", 1}}), 0}; }
  /// Three launches; the last two of 4 cores.
  const Plan plan_ = {{1, 1}, {3, 4}};
  TemporaryFolder folder_;
};

std::uint8_t name_of(const Piece& piece) {
  return static_cast<std::uint8_t>(10 * piece.launches.from + piece.share.number);
}

constexpr std::array<std::uint64_t, 3> kGroups = {3, 3, 3};

/// Works until `most` pieces are done. Returns those that were worked on.
std::set<int> work_some(const KeptWork& kept, const Plan& plan, std::size_t most, std::uint32_t threads = 1) {
  PieceWork pieces(kept, plan, kGroups);
  std::mutex mutex;
  std::set<int> done;
  try {
    pieces.run(threads, [&](const Piece& piece, const std::function<void()>& group_finished) {
      group_finished();
      const std::lock_guard lock(mutex);
      if (done.size() == most) throw std::runtime_error("interrupted");
      EXPECT_TRUE(done.insert(name_of(piece)).second);
      return std::vector<std::uint8_t>{name_of(piece)};
    });
  } catch (const std::runtime_error&) {
  }
  return done;
}

TEST_F(InPieces, WhatIsDoneIsNotDoneAgain) {
  EXPECT_THAT(work_some(kept(), plan_, 2), ElementsAre(0, 10));
  EXPECT_THAT(work_some(kept(), plan_, 0), ElementsAre());
  EXPECT_THAT(work_some(kept(), plan_, 1), ElementsAre(11));
  EXPECT_THAT(work_some(kept(), plan_, 9, 3), ElementsAre(12, 13));
  EXPECT_THAT(work_some(kept(), plan_, 9), ElementsAre());
}

TEST_F(InPieces, KeepsItsCut) {
  work_some(kept(), plan_, 2);
  const Plan other = {{3, 7}};  // with as many threads as another machine has
  EXPECT_THAT(work_some(kept(), other, 9), ElementsAre(11, 12, 13));
}

TEST_F(InPieces, GivesAllInOrder) {
  work_some(kept(), plan_, 2);
  const KeptWork again = kept();
  work_some(again, plan_, 9, 2);
  std::vector<std::vector<std::vector<std::uint8_t>>> taken;
  PieceWork(again, plan_, kGroups).collect([&](const auto& shares) { taken.push_back(shares); });
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_THAT(taken,
              ElementsAre(ElementsAre(Bytes{0}), ElementsAre(Bytes{10}, Bytes{11}, Bytes{12}, Bytes{13})));
}

TEST_F(InPieces, PartsOfAShareAreDifferentPieces) {
  const KeptWork kept = this->kept();
  PieceWork pieces(kept, {{3, 2, 2}}, kGroups);
  std::uint64_t finished = 0;
  pieces.run(1, [&](const Piece& piece, const std::function<void()>&) {
    return std::vector<std::uint8_t>{name_of(piece), static_cast<std::uint8_t>(piece.part.number),
                                     static_cast<std::uint8_t>(finished++)};
  });
  std::vector<std::vector<std::uint8_t>> all;
  pieces.each([&](const Piece& piece, std::span<const std::uint8_t> bytes) {
    EXPECT_EQ(piece.part.of, 2u);
    EXPECT_EQ(piece.launches.to, 3u);
    all.emplace_back(bytes.begin(), bytes.end());
  });
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_THAT(all, ElementsAre(Bytes{0, 0, 0}, Bytes{0, 1, 1}, Bytes{1, 0, 2}, Bytes{1, 1, 3}));
}

TEST_F(InPieces, StagesAreApart) {
  work_some(kept(), plan_, 9);
  KeptWork second = kept();
  second.stage = 1;
  EXPECT_EQ(work_some(second, plan_, 9).size(), 5u);
}

TEST_F(InPieces, RefusesAPlanOfOtherLaunches) {
  work_some(kept(), plan_, 1);
  for (const std::size_t launches : {1, 2, 4})
    EXPECT_THROW(PieceWork(kept(), plan_, std::vector<std::uint64_t>(launches, 3)), InputError) << launches;
}

/// A result with a number of its own in every place.
SimulationResult sample(std::uint64_t seed, std::size_t from, std::size_t to) {
  SimulationResult result;
  std::uint64_t next = seed;
  const auto counts = [&] {
    Counts c;
    each_number([&](const char*, std::uint64_t& number) { number = next++ % 3 == 0 ? 0 : next; }, c);
    c.degrees[2] = next++;
    return c;
  };
  result.kernels = {0, 1};
  result.launches = LaunchRecords(from);
  for (std::size_t i = from; i < to; ++i) {
    const Counts c = counts();
    result.launches.add(i, {16 + i, c, {}}, 0);
    result.all_launches += c;
  }
  result.cores[CoreId(static_cast<std::uint32_t>(seed))] = counts();
  result.sites[{{1, SiteId(3), AccessKind::Store}, BufferId(7)}] = counts();
  result.sets.resize(4);
  for (SetCounts& set : result.sets) set = {next++, next++};
  result.reuse = ReuseHistogram(128);
  result.reuse.add(seed, true);
  result.reuse.add(ReuseDistance::kCold, false);
  result.site_reuse.try_emplace({1, SiteId(3), AccessKind::Load}, 128).first->second.add(200, false);
  return result;
}

TEST(ResultBytes, AddUpAsResultsDo) {
  SimulationResult wanted = sample(5, 0, 3);
  wanted += sample(9, 0, 3);
  std::vector<std::uint8_t> first, second;
  encode(sample(5, 0, 3), first);
  encode(sample(9, 0, 3), second);
  SimulationResult sum;
  sum.kernels = {0, 1};
  sum.sets.resize(4);
  sum.reuse = ReuseHistogram(128);
  std::vector<ByteReader> parts = {ByteReader(first), ByteReader(second)};
  add(parts, sum);
  for (const ByteReader& in : parts) EXPECT_EQ(in.remaining(), 0u);
  std::vector<std::uint8_t> bytes, wanted_bytes;
  encode(sum, bytes);
  encode(wanted, wanted_bytes);
  EXPECT_EQ(bytes, wanted_bytes);
  EXPECT_EQ(sum.all_launches, wanted.all_launches);
  EXPECT_EQ(sum.cores, wanted.cores);
  EXPECT_EQ(sum.sites, wanted.sites);
}

TEST(ResultBytes, RefuseDamage) {
  std::vector<std::uint8_t> whole;
  encode(sample(5, 0, 2), whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SimulationResult sum;
    sum.kernels = {0, 1};
    sum.sets.resize(4);
    sum.reuse = ReuseHistogram(128);
    std::vector<ByteReader> parts = {ByteReader(std::span<const std::uint8_t>(whole).first(size))};
    EXPECT_THROW(add(parts, sum), InputError) << size;
  }
}

}  // namespace
}  // namespace warpscope
