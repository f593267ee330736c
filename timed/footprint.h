#pragma once
// How much of what all cores touch some cores touch: where cores share lines, more than their share.
#include <cstdint>
#include <unordered_map>

#include "cachesim/transactions/transaction_sink.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// Of the lines in a stream of transactions, one of kOneOf by a hash: who touches them.
class Footprint final : public TransactionSink {
 public:
  /// `some`: the cores that are asked about.
  explicit Footprint(SampledCores some) : some_(std::move(some)) {}
  void begin(const TransactionHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override {}
  void add_origins(std::span<const Origin> /*added*/) override {}
  void block(const TransactionBlock& block) override;
  void end() override {}

  /// The lines that these cores touch over those of all cores, when the stream had all of them; where no line is known the cores'
  /// share.
  [[nodiscard]] double share() const;
  /// The same of a stream that had these cores only. Each other core is supposed to add as many lines as one of these has for
  /// itself, which is too many where few cores share a line.
  [[nodiscard]] double share_without_others() const;

 private:
  static constexpr std::uint64_t kOneOf = 16;
  struct Touched {
    std::uint32_t first;  ///< core
    bool by_some, by_several;
  };
  [[nodiscard]] double share_of_cores() const {
    return static_cast<double>(some_.count()) / static_cast<double>(some_.of);
  }

  SampledCores some_;
  std::unordered_map<std::uint64_t, Touched> lines_;
};

}  // namespace warpscope::timed
