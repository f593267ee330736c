#pragma once
// The way of a warp access: where it goes, whose it is, which addresses its lanes touch, which transactions
// they make and what that costs. The same for fixed order, sweeps (coalescing_sink.h) and timed mode
// (timed/memory/access_lines.h).
#include <algorithm>
#include <optional>
#include <vector>

#include "cachesim/access/access_stages.h"
#include "cachesim/access/coalescer.h"
#include "cachesim/transactions/access_memory.h"
#include "cachesim/transactions/origin.h"

namespace warpscope {

/// What the L1 takes; the rest bypasses it.
enum class L1Takes : std::uint8_t {
  Everything,          ///< global and private memory
  GlobalMemory,        ///< without private memory
  PrivateMemory,       ///< without global memory
  ReadOnlyLoads,       ///< loads that are marked read-only
  PrivateAndReadOnly,  ///< private memory, and loads that are marked read-only
  PrivateOrReadOnly,  ///< two caches, of which one is simulated: the L1 for a kernel with private memory, else the read-only cache
  Nothing
};
/// Whether all accesses to global memory are looked up.
constexpr bool takes_global(L1Takes takes) {
  return takes == L1Takes::Everything || takes == L1Takes::GlobalMemory;
}
/// What is taken while `kernel` runs: never PrivateOrReadOnly.
L1Takes taken_of(const KernelInfo& kernel, L1Takes takes);
/// Where the accesses of a site go, as far as the site says. `takes`: by taken_of().
PlannedDestination planned_destination(const SiteInfo& site, L1Takes takes);

/// What a site's accesses have in common.
struct AccessSite {
  AccessSite() = default;
  AccessSite(const SiteInfo& info, L1Takes takes);
  AccessKind kind = AccessKind::Load;
  PlannedDestination planned;
  std::uint32_t width = 0, alignment = 1;  ///< bytes; the alignment is a power of two
  std::uint32_t instructions = 1;          ///< a GPU's instructions for one access
  std::uint32_t shape = 0;  ///< accesses of the same width and alignment are coalesced in the same way
  std::uint32_t last_buffer = ~0u;  ///< the origin looked up last
  OriginId last_origin;
  /// Of 32 bits that an access has of each lane; at least 1.
  [[nodiscard]] std::uint32_t words() const { return std::max(1u, (width + 3) / 4); }
};

struct AccessRules {
  const CoalescingRule& coalescing;
  std::uint32_t transaction_bytes = 128;  ///< power of two
  std::uint32_t line_bytes = 128;         ///< a multiple of it: what an access is placed in
  std::optional<StageRules> stages = {};  ///< absent = stages are not asked for
};

class AccessPath {
 public:
  explicit AccessPath(const AccessRules& rules);
  void begin(const StreamHeader& header);
  void begin_launch(const LaunchInfo& launch);

  [[nodiscard]] const AccessMemory& memory() const { return memory_; }
  [[nodiscard]] const CoalescingRule& rule() const { return rule_; }
  [[nodiscard]] std::uint32_t warp_size() const { return warp_size_; }
  /// Of the launch, by OriginId.
  [[nodiscard]] std::span<const Origin> origins() const { return origins_.origins(); }
  [[nodiscard]] AccessStages* stages() { return stages_ ? &*stages_ : nullptr; }
  [[nodiscard]] const AccessStages* stages() const { return stages_ ? &*stages_ : nullptr; }

  /// Whether no lane leaves the buffer of the first.
  static bool in_one_buffer(const WarpAccess& access) {
    const auto offset = static_cast<std::int64_t>(access.base.offset());
    return offset + access.pattern->min_offset >= 0 &&
           offset + access.pattern->max_offset <= static_cast<std::int64_t>(BufferAddr::kOffsetMask);
  }
  [[nodiscard]] Destination destination_of(const AccessSite& site, BufferId buffer) const {
    return destination_in(site.planned, buffer, memory_.spaces());
  }
  /// Throws InputError when a launch has too many origins.
  OriginId origin_of(AccessSite& site, SiteId id, BufferId buffer, Destination destination) {
    if (site.last_buffer != buffer.value()) {
      site.last_origin = origins_.id_of({id, buffer, site.kind, destination});
      site.last_buffer = buffer.value();
    }
    return site.last_origin;
  }
  /// What of the address of its first lane the transactions and stages of a pattern depend on.
  [[nodiscard]] std::uint64_t residue(std::uint64_t address) const { return address & residue_mask_; }

  /// Transactions of the lanes; lines() has them. What is returned is valid until the next call, as are the
  /// addresses.
  LaneAccesses coalesce_at(const WarpAccess& access, const AccessSite& site, std::uint64_t address);
  /// The same for lanes in several buffers.
  LaneAccesses coalesce_scattered(const WarpAccess& access, const AccessSite& site);
  void coalesce(const LaneAccesses& lanes);
  [[nodiscard]] std::span<const CoalescedLine> lines() const { return lines_; }

  /// Private memory is interleaved by words of 32 bits: an instruction of 8 bytes touches two words of every
  /// lane, which are in different lines. Calls `take(lanes, begins)` for every word; lines() has its
  /// transactions, without those that an earlier word of the same instruction looked up; `begins`: the word is
  /// the first of its instruction.
  template <class Take>
  void each_private_word(const WarpAccess& access, const AccessSite& site, const Take& take) {
    const std::uint32_t bytes = instruction_width(site.width, site.alignment);
    for (std::uint32_t at = 0; at < std::max(1u, site.width); at += 4) {
      const bool begins = bytes == 0 || at % bytes == 0;
      take(coalesce_private_word(access, at, begins), begins);
    }
  }

 private:
  LaneAccesses coalesce_private_word(const WarpAccess& access, std::uint32_t at, bool begins);
  void collect(const WarpAccess& access, std::uint32_t at);

  const CoalescingRule& rule_;
  std::uint32_t transaction_bytes_;
  std::optional<AccessStages> stages_;
  std::uint64_t residue_mask_;
  std::uint32_t warp_size_ = 32;
  AccessMemory memory_;
  OriginTable origins_;
  std::vector<std::uint64_t> addresses_;
  std::vector<CoalescedLine> lines_;
  std::vector<LineAddr> looked_up_;  ///< lines that a private access's instruction looks up, by word
};

}  // namespace warpscope
