#pragma once
// Transactions without the launches that are not selected; as traces/stream/launch_filter.h.
#include <algorithm>
#include <vector>

#include "cachesim/transactions/transaction_sink.h"
#include "traces/stream/launch_filter.h"

namespace warpscope {

class TransactionFilter final : public TransactionSink {
 public:
  /// Both outlive this.
  TransactionFilter(const LaunchSelection& selection, TransactionSink& sink)
      : selection_(selection), sink_(sink) {}
  void begin(const TransactionHeader& header) override {
    TransactionHeader chosen = header;
    chosen.stream = select_launches(header.stream, selection_);
    for (const LaunchInfo& launch : chosen.stream.launches) selected_.push_back(launch.id);
    sink_.begin(chosen);
  }
  void begin_launch(LaunchId launch) override {
    passes_ = selection_.is_all() || std::binary_search(selected_.begin(), selected_.end(), launch);
    if (passes_) sink_.begin_launch(launch);
  }
  void add_origins(std::span<const Origin> added) override {
    if (passes_) sink_.add_origins(added);
  }
  void block(const TransactionBlock& block) override {
    if (passes_) sink_.block(block);
  }
  void end() override { sink_.end(); }

 private:
  const LaunchSelection& selection_;
  TransactionSink& sink_;
  std::vector<LaunchId> selected_;  ///< ascending
  bool passes_ = true;
};

}  // namespace warpscope
