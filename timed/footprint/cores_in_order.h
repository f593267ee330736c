#pragma once
// The accesses of many cores in one order, before anything has taken time.
#include <cstdint>
#include <optional>
#include <vector>

#include "cachesim/l1/lru_lists.h"

namespace warpscope::timed {

/// Orders accesses by how many each core has made before, as if all cores went on equally fast. What a core's L1 serves, of least
/// recently used lines, is left out. Memory is bounded: of the lines one of one_of() by a hash is looked at (spatial sampling:
/// C. Waldspurger et al., FAST 2015), and fewer where a launch has many accesses.
class CoresInOrder {
 public:
  struct Access {
    std::uint64_t sector;
    std::uint64_t time;  ///< accesses of its core before
    std::uint32_t core, buffer;
    bool is_store;
  };

  /// `l1_lines` that each core's L1 has room for, 0 = it takes nothing. A line has at most 8 sectors.
  CoresInOrder(std::uint64_t l1_lines, std::uint32_t sectors_per_line)
      : l1_lines_(l1_lines), sectors_per_line_(sectors_per_line) {}
  /// A core's next access; those of another core may come before or after.
  void add(std::uint32_t core, std::uint64_t sector, bool is_store, std::uint32_t buffer);
  /// What has come since the last clear(), in order; of the same time in no core's favour.
  [[nodiscard]] const std::vector<Access>& sorted();
  /// A launch is over.
  void clear();
  [[nodiscard]] std::uint64_t one_of() const { return one_of_; }

 private:
  static constexpr std::size_t kMostAccesses = std::size_t{1} << 20;  // 32 MiB
  struct Core {
    std::uint64_t time = 0;
    std::optional<LruLists> l1;  ///< of the lines that are looked at
  };
  [[nodiscard]] bool looks_at(std::uint64_t sector) const;
  bool l1_hits(Core& core, std::uint64_t sector) const;
  void look_at_fewer();

  std::uint64_t l1_lines_;
  std::uint32_t sectors_per_line_;
  std::uint64_t one_of_ = 16;
  std::vector<Core> cores_;
  std::vector<Access> accesses_;
};

}  // namespace warpscope::timed
