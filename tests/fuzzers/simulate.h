#pragma once
// What follows a reader in cachesim: the coalescer and the L1 caches, with every law checked.
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

inline SimulationOptions checked_simulation() {
  SimulationOptions options;
  options.self_check = true;
  return options;
}

/// Simulates a bounded number of accesses: a small file may stand for very many.
class BoundedSimulation final : public WarpAccessSink {
 public:
  void begin(const StreamHeader& header) override { coalescer_.begin(header); }
  void begin_launch(LaunchId launch) override { coalescer_.begin_launch(launch); }
  void access(const WarpAccess& access) override {
    constexpr std::uint64_t kMostAccesses = 20000;
    if (++accesses_ > kMostAccesses) throw InputError("enough accesses");
    coalescer_.access(access);
  }
  void end() override { coalescer_.end(); }

 private:
  std::uint64_t accesses_ = 0;
  L1Simulator simulator_{checked_simulation()};
  CoalescingSink coalescer_{CacheConfig().line_bytes, coalescing_rule("fermi"), simulator_,
                            L1Takes::Everything, StageRules{}};
};

}  // namespace warpscope::fuzzing
