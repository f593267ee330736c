#pragma once
// A kernel as the timed engine issues it: between two memory instructions, what takes issue slots and where a
// warp must wait for data. Compiled once per launch from what the capture says about blocks, sites and
// consumers.
#include <cstdint>
#include <span>
#include <vector>

#include "timed/config/config.h"
#include "traces/program/kernel_info.h"

namespace warpscope::timed {

/// Index of a load site among the sites that return data; what a scoreboard counts.
using LoadIndex = std::uint16_t;
constexpr LoadIndex kNoLoad = 0xFFFF;

struct Op {
  enum class Kind : std::uint8_t {
    Compute,  ///< `count` instructions of class `index`
    Wait,     ///< waits for the data of load `index`
  };
  static constexpr std::uint32_t kGapsPerCycle = 64;
  Kind kind = Kind::Compute;
  std::uint16_t index = 0;
  std::uint32_t count = 0;
  /// From each of the instructions to the next of its warp, in parts of a cycle: kGapsPerCycle or more. A wait has none.
  std::uint32_t gap = 0;
  bool operator==(const Op&) const = default;
};

/// A range of ops.
struct Segment {
  std::uint32_t first = 0, end = 0;
  [[nodiscard]] bool empty() const { return first == end; }
};

/// The instructions of a block belong to its sites: those before a site run when a warp comes to it, those
/// after the last site right behind that one. A block without sites runs when it is entered.
struct SiteOps {
  Segment before;
  Segment after;  ///< set only at the last site of a block
  /// At the last site of a loop body that is unrolled: what every iteration does at once; `after` then holds
  /// the waits and what comes behind them, once per unrolled body.
  Segment every;
  std::uint32_t loop_block = ~0u;  ///< the block, if it is an unrolled loop's body
  std::uint32_t iterations = 1;    ///< iterations that issue as one body
  LoadIndex load = kNoLoad;        ///< this site's, if it returns data
  AccessKind kind = AccessKind::Load;
  std::uint32_t instructions = 1;  ///< memory instructions that one access takes
};

class Program {
 public:
  Program(const KernelInfo& kernel, const IssueConfig& config);

  [[nodiscard]] const SiteOps& site(std::uint32_t id) const { return sites_[id]; }
  /// Of a block without sites; empty for others.
  [[nodiscard]] Segment body(std::uint32_t block) const { return bodies_[block]; }
  [[nodiscard]] const Op* op(std::uint32_t at) const { return ops_.data() + at; }
  [[nodiscard]] std::span<const Op> ops(Segment segment) const {
    return {ops_.data() + segment.first, ops_.data() + segment.end};
  }
  [[nodiscard]] std::uint32_t loads() const { return loads_; }

 private:
  struct Item;
  class OnTheirWay;
  void add_block(const KernelInfo& kernel, std::uint32_t block, const IssueConfig& config);
  [[nodiscard]] std::vector<Item> items_of(const KernelInfo& kernel, std::uint32_t block) const;
  [[nodiscard]] std::vector<Item> limit_registers(const KernelInfo& kernel, const std::vector<Item>& items,
                                                  std::uint32_t most_registers) const;
  void push_compute(std::size_t which, std::uint32_t position, std::vector<Item>& items) const;
  void push_site(const KernelInfo& kernel, std::uint32_t site, std::uint32_t position,
                 std::vector<Item>& items) const;
  void unroll(const KernelInfo& kernel, std::uint32_t block, const std::vector<Item>& tail, double exposed,
              SiteOps& last);
  Segment append(std::span<const Item> items, double exposed);

  CostTable costs_;
  std::vector<Op> ops_;
  std::vector<SiteOps> sites_;
  std::vector<Segment> bodies_;
  std::vector<std::vector<std::pair<std::uint32_t, LoadIndex>>>
      waits_;  ///< indexed by block: (position, load), ascending
  std::uint32_t loads_ = 0;
  std::vector<std::uint32_t> site_of_load_;
};

}  // namespace warpscope::timed
