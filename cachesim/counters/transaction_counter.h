#pragma once
// Counts transactions without a cache: what does not depend on one is as a simulation has it.
#include <vector>

#include "cachesim/counters/counts.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

class TransactionCounter final : public TransactionSink {
 public:
  void begin(const TransactionHeader& header) override;
  void begin_launch(LaunchId launch) override;
  void add_origins(std::span<const Origin> added) override;
  void block(const TransactionBlock& block) override;
  void end() override { close_launch(); }
  /// Of all launches, valid after end(). What looks the L1 up is among the misses: hits are not known.
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void close_launch();

  TransactionHeader header_;
  std::vector<bool> is_private_;  ///< indexed by buffer
  std::vector<Origin> origins_;
  std::vector<EventCounts> events_;  ///< this launch's, indexed by origin
  std::vector<OriginTally> tallies_;
  Counts counts_;
};

}  // namespace warpscope
