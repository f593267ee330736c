#pragma once
// One input, several simulated runs.
#include <memory>
#include <vector>

#include "cachesim/counters/runs.h"
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"

namespace warpscope {

/// Gives every transaction to every simulator: runs that differ in their random replacement.
class TransactionFanOut final : public TransactionSink {
 public:
  explicit TransactionFanOut(const std::vector<std::unique_ptr<L1Simulator>>& simulators)
      : simulators_(simulators) {}
  void begin(const TransactionHeader& header) override {
    for (const auto& simulator : simulators_) simulator->begin(header);
  }
  void begin_launch(LaunchId launch) override {
    for (const auto& simulator : simulators_) simulator->begin_launch(launch);
  }
  void add_origins(std::span<const Origin> added) override {
    for (const auto& simulator : simulators_) simulator->add_origins(added);
  }
  void block(const TransactionBlock& block) override {
    for (const auto& simulator : simulators_) simulator->block(block);
  }
  void end() override {
    for (const auto& simulator : simulators_) simulator->end();
  }

 private:
  const std::vector<std::unique_ptr<L1Simulator>>& simulators_;
};

/// For streams that do not say which core makes an access: each run gets the accesses of one core's share of
/// the work-groups, ceil(groups / cores) of them, chosen at random (Crawford 2014, 6.4). With one core it gets
/// everything.
class WorkGroupFanOut final : public WarpAccessSink {
 public:
  WorkGroupFanOut(std::uint32_t cores, const CacheConfig& cache, const CoalescingRule& rule,
                  const std::vector<std::unique_ptr<L1Simulator>>& simulators,
                  L1Takes takes = L1Takes::Everything, const std::optional<StageRules>& stages = {})
      : cores_(cores), seed_(cache.seed) {
    for (const auto& simulator : simulators)
      coalescers_.push_back(
          std::make_unique<CoalescingSink>(cache.transaction_bytes(), rule, *simulator, takes, stages));
  }
  /// As CoalescingSink::name_accessors().
  void name_accessors() {
    for (const auto& coalescer : coalescers_) coalescer->name_accessors();
  }
  void begin(const StreamHeader& header) override;
  void begin_launch(LaunchId launch) override;
  void access(const WarpAccess& access) override;
  void end() override;
  [[nodiscard]] std::uint64_t share() const { return share_; }  ///< work-groups per run; after begin()

 private:
  std::uint32_t cores_;
  std::uint64_t seed_;
  std::uint64_t share_ = 0;
  std::vector<std::unique_ptr<CoalescingSink>> coalescers_;
  std::vector<WorkGroupFilter> filters_;
};

}  // namespace warpscope
