#pragma once
// How much of what all cores touch some cores touch: where cores share lines, more than their share.
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "cachesim/transactions/transaction_sink.h"
#include "timed/config/config.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// Of the lines in a stream of transactions, one of kOneOf by a hash: who touches them, and who loads which of their sectors. A stream
/// holds the accesses of all cores, or those of the cores that are asked about only; these were drawn at random then. How many lines
/// the others touch alone follows from how many lines one and how many two of these touch: the lower bound of A. Chao and C.-W. Lin
/// (Biometrics 68, 2012, 912) for units drawn without replacement. Lines of few and lines of many cores together are taken for fewer
/// than they are.
class Footprint final : public TransactionSink {
 public:
  /// `some`: the cores that are asked about. A transaction of the stream is a sector; `sectors_per_line`, of the L2, is at least 1.
  Footprint(SampledCores some, std::uint32_t sectors_per_line, bool has_others)
      : some_(std::move(some)), sectors_per_line_(sectors_per_line), has_others_(has_others) {}
  void begin(const TransactionHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override { buffer_of_.clear(); }
  void add_origins(std::span<const Origin> added) override;
  void block(const TransactionBlock& block) override;
  void end() override {}

  /// The lines that these cores touch over those of all cores; where no line is known the cores' share.
  [[nodiscard]] double share() const { return share_of(lines_); }
  /// Which part of the sectors that these cores load another core brings into the L2, if each of those that load it does so as often
  /// as the others: buffer by buffer, since what one holds may be every core's, and what another holds one core's.
  [[nodiscard]] std::vector<FetchedByOthers> fetched_by_others() const;

 private:
  static constexpr std::uint64_t kOneOf = 16;
  struct Touched {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t first, second = kNone;  ///< cores
    bool by_some = false, by_more = false;
  };
  using Places = std::unordered_map<std::uint64_t, Touched>;  ///< by number of the line or the sector
  struct Buffer {
    std::uint64_t first_line = ~std::uint64_t{0};
    Places loaded;  ///< sectors
  };
  void touch(Places& places, std::uint64_t number, std::uint32_t core, bool is_one) const;
  [[nodiscard]] double share_of(const Places& places) const;
  [[nodiscard]] double share_without_others(const Places& places) const;
  [[nodiscard]] double share_of_cores() const {
    return static_cast<double>(some_.count()) / static_cast<double>(some_.of);
  }

  SampledCores some_;
  std::uint32_t sectors_per_line_;
  bool has_others_;
  Places lines_;
  std::map<BufferId, Buffer> buffers_;
  std::vector<Buffer*> buffer_of_;  ///< by origin of the launch
};

}  // namespace warpscope::timed
