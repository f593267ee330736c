// Logs of uses against lists that are searched and moved.
#include "cachesim/classes/set_logs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../random.h"

namespace warpscope {
namespace {

/// The tags of a set, the newest first.
class NaiveList {
 public:
  /// Returns where it was, or ~0.
  std::uint32_t use(std::uint32_t tag) {
    const auto found = std::find(tags_.begin(), tags_.end(), tag);
    const auto level =
        found == tags_.end() ? ~std::uint32_t{0} : static_cast<std::uint32_t>(found - tags_.begin());
    if (found != tags_.end()) tags_.erase(found);
    tags_.insert(tags_.begin(), tag);
    return level;
  }
  [[nodiscard]] std::vector<std::uint32_t> newest(std::uint32_t depth) const {
    return {tags_.begin(), tags_.begin() + std::min<std::ptrdiff_t>(depth, std::ssize(tags_))};
  }

 private:
  std::vector<std::uint32_t> tags_;
};

struct Pattern {
  std::uint32_t lines;
  bool cyclic;
  bool late;  ///< some times are later than the use
};

class Comparison {
 public:
  Comparison(std::uint32_t depth, std::uint64_t first) : logs_(2, depth), depth_(depth), reference_(first) {}

  void use(std::uint32_t tag, bool late) {
    const std::uint32_t now = LastUses::time_of(reference_);
    std::uint32_t time = times_.contains(tag) ? times_[tag] : LastUses::kNever;
    if (late) time += static_cast<std::uint32_t>(random_.below(std::uint64_t{now} - time + 1));
    const SetLogs::View view(logs_);
    ASSERT_EQ(std::min(view.lines(1), depth_), naive_.newest(depth_).size());
    const std::uint32_t level = naive_.use(tag);
    if (view.is_newest(1, tag)) {
      ASSERT_EQ(level, 0u);
    }
    std::uint32_t found = SetLogs::kNowhere;
    if (!view.is_gone(1, time)) {
      found = view.level_of<false>(1, tag, time);
      ASSERT_EQ(view.level_of<true>(1, tag, time), found);
    }
    view.bring_in(1, tag, reference_++);
    ASSERT_EQ(std::min(found, depth_), std::min(level, depth_));
    ASSERT_TRUE(view.is_newest(1, tag));
    times_[tag] = now;
  }
  /// To a list and back, as lines of which no time is known.
  void turn() {
    std::vector<std::uint32_t> tags(depth_);
    tags.resize(logs_.newest_first(1, tags.data()));
    ASSERT_EQ(tags, naive_.newest(depth_));
    logs_.fill(1, tags.data(), static_cast<std::uint32_t>(tags.size()));
    for (auto& [tag, time] : times_) time = std::min(time, LastUses::kBefore);
  }
  void clear() {
    logs_.clear();
    naive_ = {};
  }

 private:
  SetLogs logs_;
  NaiveList naive_;
  std::map<std::uint32_t, std::uint32_t> times_;
  std::uint32_t depth_;
  std::uint64_t reference_;
  testing::Random random_{17};
};

void compare(std::uint32_t depth, std::uint64_t first) {
  testing::Random random(depth);
  Comparison comparison(depth, first);
  for (int phase = 0; phase < 24; ++phase) {
    const std::uint32_t among[] = {2, depth / 2, depth, depth + 2, 3 * depth, 100000};
    const std::uint32_t lines = among[random.below(std::size(among))];
    const bool cyclic = random.below(3) == 0, late = random.below(3) == 0;
    const auto from = static_cast<std::uint32_t>(1 + random.below(lines));
    for (std::uint32_t i = 0; i < 8 * depth; ++i) {
      comparison.use(from + (cyclic ? i % lines : static_cast<std::uint32_t>(random.below(lines))),
                     late && random.below(4) == 0);
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (random.below(4) == 0) comparison.turn();
    if (random.below(8) == 0) comparison.clear();
  }
}

TEST(SetLogs, HaveTheLevelsOfAList) {
  for (const std::uint32_t depth : {24u, 40u, 96u, 128u}) {
    SCOPED_TRACE(depth);
    compare(depth, 0);
  }
}

// From then on all uses have the same time, and everything is searched.
TEST(SetLogs, HaveThemWhereTimesEnd) {
  for (const std::uint32_t depth : {24u, 128u}) compare(depth, (std::uint64_t{1} << 34) - 3000);
}

// Each of 100 lines is followed by the same 15 others.
TEST(SetLogs, FindALineThatIsAloneInEveryBlock) {
  SetLogs logs(1, 128);
  const SetLogs::View view(logs);
  std::uint64_t reference = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    view.bring_in(0, 1000 + i, reference++);
    for (std::uint32_t j = 0; j < 15; ++j, ++reference) {
      const std::uint32_t level =
          i == 0 ? 15 : view.level_of<true>(0, 1 + j, LastUses::time_of(reference - 16));
      EXPECT_EQ(level, 15u);
      view.bring_in(0, 1 + j, reference);
    }
  }
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(view.level_of<false>(0, 1000 + i, LastUses::time_of(std::uint64_t{16} * i)), 15u + 99 - i);
}

}  // namespace
}  // namespace warpscope
