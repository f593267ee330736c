#pragma once
// How much of what all cores have in the L2 some cores use: where cores share lines, more than their share.
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cachesim/transactions/transaction_sink.h"
#include "timed/config/config.h"
#include "timed/footprint/cores_in_order.h"
#include "timed/footprint/l2_content.h"

namespace warpscope::timed {

/// Sends a stream of transactions through an L2 and asks who uses what is there. A stream holds the accesses of all cores, or those of the
/// cores that are asked about only; these were drawn at random then. How many lines the others use alone follows from how many lines one
/// and how many two of these use: the lower bound of A. Chao and C.-W. Lin (Biometrics 68, 2012, 912) for units drawn without
/// replacement. Lines of few and lines of many cores together are taken for fewer than they are.
class Footprint final : public TransactionSink {
 public:
  /// `some`: the cores that are asked about. A transaction of the stream is what an L1 fetches: a sector here. `l1_lines` and
  /// `l2_lines` that L1 (0: there is none) and L2 have room for, `sectors_per_line` 1 … 8. Without
  /// `l2_keeps_content` each launch begins with an empty L2.
  Footprint(const SampledCores& some, std::uint64_t l1_lines, std::uint64_t l2_lines,
            std::uint32_t sectors_per_line, bool has_others, bool l2_keeps_content = true);
  void begin(const TransactionHeader& /*header*/) override {}
  void begin_launch(LaunchId launch) override;
  void add_origins(std::span<const Origin> added) override;
  void block(const TransactionBlock& block) override;
  void end() override;

  /// Of the lines in the L2, those that these cores use; where no line is known the cores' share. After end().
  [[nodiscard]] double share() const { return share_of(counts_.lines); }
  /// Which part of the sectors that these cores load and do not have in the L2 another core has brought there: buffer by buffer, since
  /// what one holds may be every core's, and what another holds one core's. After end().
  [[nodiscard]] std::vector<FetchedByOthers> fetched_by_others() const;

 private:
  struct Buffer {
    std::uint32_t id;
    std::uint64_t first_line = ~std::uint64_t{0};
    bool is_loaded = false;
  };
  void play();
  void play_alone(const std::vector<CoresInOrder::Access>& accesses);
  [[nodiscard]] std::uint32_t places(double part) const;
  [[nodiscard]] double share_of(const Shared& places) const;
  [[nodiscard]] double share_without_others(const Shared& places) const;
  [[nodiscard]] double share_of_cores() const {
    return static_cast<double>(some_.count()) / static_cast<double>(some_.of);
  }
  [[nodiscard]] FetchedByOthers fetched(const Buffer& buffer) const;

  SampledCores some_;
  std::uint64_t l2_lines_;
  std::uint32_t sectors_per_line_;
  bool has_others_, l2_keeps_content_;
  CoresInOrder order_;
  L2Counts counts_;
  std::optional<L2Content> l2_;
  std::uint64_t l2_one_of_ = 0;  ///< of l2_
  std::map<BufferId, Buffer> buffers_;
  std::vector<Buffer*> buffer_of_;  ///< by origin of the launch
};

}  // namespace warpscope::timed
