// Work-groups that share what they have in common replay as those that share nothing do, on random kernels.
#include <gtest/gtest.h>

#include <set>

#include "scheduler/run_launch.h"
#include "tests/property/scheduler/random_kernel.h"

namespace warpscope::testing {
namespace {

constexpr std::uint32_t kGroups = 14;

/// Work-groups as a capture has them.
class EncodedSource final : public WorkGroupSource {
 public:
  EncodedSource(const VectorSource& source, bool shares) : source_(source), shares_(shares) {
    for (const SiteInfo& site : source.launch().kernel->sites) carries_.push_back(has_address(site.kind));
    for (const WorkGroupId group : source.groups()) {
      WorkGroupTrace trace = source.read(group);
      trace.recorded_order.clear();  // nothing is shared where orders are recorded
      payloads_[group] = encode(trace);
    }
  }
  [[nodiscard]] const LaunchInfo& launch() const override { return source_.launch(); }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return source_.groups(); }
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override {
    return decode(payloads_.at(group), LaunchId(0), group, carries_);
  }
  [[nodiscard]] SharedGroup read(WorkGroupId group, FormMemory& memory) const override {
    if (!shares_) return WorkGroupSource::read(group, memory);
    SharedGroup shared = decode(payloads_.at(group), LaunchId(0), group, carries_, memory);
    for (const SharedColumn& column : shared.columns)
      if (column.form != nullptr && !forms_.insert(column.form).second && column.moved != 0) ++moved_columns_;
    return shared;
  }
  [[nodiscard]] std::size_t moved_columns() const { return moved_columns_; }

 private:
  const VectorSource& source_;
  bool shares_;
  std::vector<bool> carries_;
  std::map<WorkGroupId, std::vector<std::uint8_t>> payloads_;
  mutable std::set<std::shared_ptr<const ColumnForm>> forms_;
  mutable std::size_t moved_columns_ = 0;
};

/// Work-groups of a few kinds; those of a kind differ in where their addresses begin.
VectorSource random_groups(const KernelInfo& kernel, SplitMix64& random) {
  const auto items = static_cast<std::uint32_t>(1 + random.below(80));
  VectorSource source(kernel, {kGroups, 1, 1}, {items, 1, 1});
  const std::uint64_t kinds = 1 + random.below(3), seed = random.next();
  std::vector<std::vector<Outcomes>> outcomes(kinds);
  for (auto& of_kind : outcomes) {
    std::vector<Outcomes> walks;
    for (std::uint64_t walk = 1 + random.below(3); walk > 0; --walk)
      walks.push_back(random_walk(kernel, random, 20));
    for (std::uint32_t item = 0; item < items; ++item) of_kind.push_back(walks[random.below(walks.size())]);
  }
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    const std::uint64_t kind = random.below(kinds), begin = 4096 + random.below(4) * 1024;
    const AddressOf address = [=](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t count) {
      SplitMix64 own(seed + kind + item * 977 + site.value() * 31 + count);
      const bool strides = site.value() % 3 != 0;
      return BufferAddr(BufferId(site.value() % 3 + 1),
                        begin + (strides ? item * 4 + count * 256 : own.below(1 << 16) * 4))
          .key();
    };
    source.add(make_group(
        kernel, group, items, [&](std::uint32_t, std::uint32_t item) { return outcomes[kind][item]; },
        address));
  }
  return source;
}

std::vector<Seen> seen_by(const WorkGroupSource& source, ScheduleOptions options) {
  options.cores = 2;
  options.max_work_groups = 3;
  RecordingSink sink;
  run_launch(source, options, sink);
  EXPECT_TRUE(sink.patterns_hold);
  return sink.seen;
}

TEST(SharedReplay, EqualsTheReplayOfGroupsOfTheirOwn) {
  SplitMix64 random(20261126);
  std::size_t moved_columns = 0;
  for (int k = 0; k < 200; ++k) {
    const KernelInfo kernel = StructuredKernel(random).make();
    const VectorSource groups = random_groups(kernel, random);
    const EncodedSource sharing(groups, true), alone(groups, false);
    for (const char* policy : {"warp", "rr"}) {
      ScheduleOptions options;
      options.policy = policy;
      options.warp_size = k % 2 == 0 ? 32 : 7;
      ASSERT_EQ(seen_by(sharing, options), seen_by(alone, options)) << "kernel " << k << ", " << policy;
    }
    moved_columns += sharing.moved_columns();
  }
  EXPECT_GT(moved_columns, 1000u);
}

}  // namespace
}  // namespace warpscope::testing
