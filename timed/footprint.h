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
  /// The same of a stream that had these cores only, which were drawn at random. How many lines the others touch alone follows from
  /// how many lines one and how many two of these touch: the lower bound of A. Chao and C.-W. Lin (Biometrics 68, 2012, 912) for
  /// units drawn without replacement. Lines of few and lines of many cores together are taken for fewer than they are.
  [[nodiscard]] double share_without_others() const;

 private:
  static constexpr std::uint64_t kOneOf = 16;
  struct Touched {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t first, second = kNone;  ///< cores
    bool by_some = false, by_more = false;
  };
  [[nodiscard]] double share_of_cores() const {
    return static_cast<double>(some_.count()) / static_cast<double>(some_.of);
  }

  SampledCores some_;
  std::unordered_map<std::uint64_t, Touched> lines_;
};

}  // namespace warpscope::timed
