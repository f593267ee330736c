#include "timed/warm_up.h"

#include <algorithm>

#include "cachesim/transactions/coalescing_sink.h"

namespace warpscope::timed {
namespace {

/// Lets an engine's L2 see sectors.
class IntoL2 final : public TransactionSink {
 public:
  IntoL2(TimedEngine& engine, int sector_shift) : engine_(engine), shift_(sector_shift) {}
  void begin(const TransactionHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override {}
  void add_origins(std::span<const Origin> /*added*/) override {}
  void block(const TransactionBlock& block) override {
    for (const Transaction transaction : block.transactions) {
      const std::uint64_t sector = transaction.line().value();
      const auto bit = static_cast<SectorMask>(1u << (sector & ((1u << shift_) - 1)));
      engine_.touch(sector >> shift_, bit, transaction.kind() != AccessKind::Load);
    }
  }
  void end() override {}

 private:
  TimedEngine& engine_;
  int shift_;
};

}  // namespace

bool WarmUp::begin_launch(const LaunchInfo& launch) {
  const auto& launches = sample_.population().launches();
  const auto found = std::lower_bound(launches.begin(), launches.end(), launch.id,
                                      [](const LaunchInfo* one, LaunchId id) { return one->id < id; });
  const auto position = static_cast<std::size_t>(found - launches.begin());
  first_ = behind_ = position;
  const auto ways_of = [this](const LaunchInfo& one) { return cache_of_ ? cache_of_(one).ways : 0; };
  bool is_new = false;
  double touched = 0;
  const double enough = kTimesL2 * static_cast<double>(config_.memory.l2_size_kib) * 1024;
  while (first_ > next_ && behind_ - first_ < kMost && touched < enough) {
    is_new = ways_of(*launches[first_ - 1]) != ways_of(launch);
    if (is_new) break;
    touched += sample_.population().size_of(--first_) * static_cast<double>(config_.memory.l2_line_bytes);
  }
  next_ = position + 1;
  return is_new;
}

void WarmUp::fill(TimedEngine& engine, std::uint32_t resident) const {
  if (first_ == behind_ || !config_.memory.l2_keeps_content) return;
  NumberRanges numbers;
  for (std::size_t i = first_; i < behind_; ++i) numbers.add(sample_.population().launches()[i]->id.value());
  ScheduleOptions order = schedule_;
  order.launches = LaunchSelection(numbers.text(), std::nullopt);
  order.policy = "warp";
  order.assignment = "round-robin";
  order.cores = 1;
  order.limits.reset();
  order.max_work_groups = std::max(1u, resident);
  IntoL2 into(engine, config_.l1.cache.sector_shift());
  CoalescingSink sink(config_.l1.cache.transaction_bytes(), coalescing_rule(config_.coalescing), into);
  run_schedule(capture_, order, sink);
}

}  // namespace warpscope::timed
