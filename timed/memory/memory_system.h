#pragma once
// What lies behind the L1s: where a GPU has them caches that several cores share, a banked, sectored L2 and the DRAM, all as queues.
#include <cstdint>
#include <optional>
#include <vector>

#include "cachesim/l1/cache_config.h"
#include "timed/config/slice_distances.h"
#include "timed/memory/l1.h"
#include "timed/memory/rate_limiter.h"
#include "timed/memory/shared_l1.h"

namespace warpscope::timed {

struct MemoryRequest {
  enum class Kind : std::uint8_t { Load, Store, Atomic };
  Cycle time = 0;  ///< when it has left its core
  std::uint64_t line = 0;
  Token token = 0;  ///< comes back with the reply
  std::uint32_t core = 0;
  std::uint8_t unit = 0;  ///< load-store unit of the core
  SectorMask sectors = 0;
  Kind kind = Kind::Load;
  bool wants_reply = false;
  std::uint64_t order = 0;      ///< number of the core's request; times ascend with it
  std::uint8_t operations = 1;  ///< of an atomic one: on the word that most of its lanes change
};

struct MemoryReply {
  Cycle time = 0;
  std::uint64_t line = 0;
  std::uint64_t order = 0;  ///< number of the request; breaks ties
  Token token = 0;
  std::uint8_t unit = 0;
  SectorMask sectors = 0;
};

/// cachesim/access/counters.def says what they count.
struct MemoryCounts {
#define MEMORY_COUNTER(name, ...) std::uint64_t name = 0;
#include "cachesim/access/counters.def"
  MemoryCounts& operator+=(const MemoryCounts& other);
  MemoryCounts operator-(const MemoryCounts& other) const;
};

class MemorySystem {
 public:
  /// `sector_bytes`: of the masks in requests; the L2's own sectors are at least as fine. `config` has passed
  /// validate().
  MemorySystem(const MemoryConfig& config, std::uint32_t sector_bytes);

  /// Requests in order of their time; the cycle in which the data reaches the core's port. Loads and atomics
  /// take at least config.least_latency(). Threads may serve different lanes at the same time.
  Cycle serve(const MemoryRequest& request);
  /// From now on there are so many lanes of slices with nothing in common, at least one, and no more than there are groups of slices
  /// (slice_groups()). What is served is the same with any number of them.
  void split(std::uint32_t lanes);
  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(tallies_.size()); }
  [[nodiscard]] std::uint32_t lane_of(std::uint64_t line) const {
    return tallies_.size() == 1 ? 0 : slices_[slice_of(line)].lane;
  }
  /// The L2 has these sectors afterwards, with what leaves for them gone. Nothing is counted, nothing takes time.
  void touch(std::uint64_t line, SectorMask sectors, bool writes);
  /// A new launch; `keep`: the L2's content stays, and what is queued. Otherwise all is as at the start.
  void begin_launch(bool keep);
  /// Whether DRAM that is behind another part takes longer than that behind a core's own, by as much as a hit there does: then what was
  /// measured, over lines of both, is between. Else all takes the same.
  void tell_dram_apart(bool apart);
  [[nodiscard]] MemoryCounts counts() const;

 private:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  struct Line {
    Cycle arrives = 0;  ///< data of the newest sectors
    SectorMask valid = 0, dirty = 0, coming = 0;
  };
  struct Slice {
    RateLimiter port;
    std::uint32_t channel = 0;
    std::uint32_t lane = 0;
    std::uint64_t clock = 0;  ///< clock of its lines' last uses
  };
  /// Of a lane, in host cache lines that no other lane writes.
  struct alignas(64) Tally {
    MemoryCounts counts;
  };
  Cycle load_shared(const MemoryRequest& request);
  Cycle serve_l2(const MemoryRequest& request);
  [[nodiscard]] Tally& tally_of(std::uint32_t slice) { return tallies_[slices_[slice].lane]; }
  void store(const MemoryRequest& request, std::uint32_t home, Line& line, Cycle start);
  void write_back(SectorMask sectors, SectorMask before, std::uint32_t slice, Cycle now);
  void write(Line& line, SectorMask sectors, std::uint32_t slice, Cycle now);
  SectorMask fetch_absent(const MemoryRequest& request, SectorMask absent, std::uint32_t slice, Cycle arrival,
                          Cycle start);
  SectorMask fetch_far(Line& line, const MemoryRequest& request, SectorMask wanted, Cycle arrival,
                       Cycle start);
  void remove_copies(std::uint64_t line, SectorMask sectors, std::uint32_t home, std::uint32_t writer);
  Cycle take_port(std::uint32_t slice, Cycle at, SectorMask sectors, double cost = 1, Cycle least = 0);
  [[nodiscard]] std::uint32_t slice_of(std::uint64_t line) const;
  [[nodiscard]] std::uint32_t slice_in(std::uint32_t part, std::uint32_t home) const;
  [[nodiscard]] SectorMask pieces_of(SectorMask sectors) const;
  [[nodiscard]] std::uint32_t set_of(std::uint64_t line) const;
  [[nodiscard]] std::size_t place_of(std::uint64_t line, std::uint32_t slice) const;
  Line& take_place(std::size_t place, std::uint64_t line, std::uint32_t slice);
  Line& line_of(std::uint64_t line, std::uint32_t slice, Cycle now);
  void fetch(Line& line, SectorMask sectors, std::uint32_t slice, Cycle start);

  MemoryConfig config_;
  std::uint32_t sector_bytes_;
  std::uint32_t sets_;  ///< per slice
  std::uint32_t slices_of_part_;
  std::uint32_t dram_latency_ = 0,
                far_dram_ = 0;  ///< behind an L2 miss, and what is more behind another part
  SliceDistances distances_;
  std::uint32_t piece_;          ///< sectors that the DRAM moves at once
  std::uint64_t request_bytes_;  ///< what a request takes of a slice at least
  SetIndexFunction slice_index_ = nullptr, set_index_ = nullptr;  ///< null: spread
  std::optional<SharedL1s> shared_;
  std::vector<Slice> slices_;
  std::vector<RateLimiter> channels_;
  // By place: slice, set, way. Apart, as a search reads the first and the oldest is found by the second.
  std::vector<std::uint64_t> tags_, last_uses_;
  std::vector<Line> lines_;
  std::uint32_t wanted_lanes_ = 1;
  std::vector<Tally> tallies_{1};  ///< indexed by lane
};

}  // namespace warpscope::timed
