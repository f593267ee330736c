#pragma once
// Races in global memory between the work-groups of a launch: accesses to common bytes, one of which writes, that neither an
// atomic or volatile access behind a fence nor a barrier of the whole launch orders.
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "traces/faults/position.h"
#include "traces/races/race_plan.h"

namespace warpscope {

/// Two plan sites of different work-groups that race in a buffer; the lower one first.
struct GroupPair {
  std::uint32_t first = 0, second = 0;
  BufferId buffer;
  auto operator<=>(const GroupPair&) const = default;
};
struct GroupExample {
  std::uint32_t first_group = 0, second_group = 0;
  std::uint32_t first_item = 0, second_item = 0;
  std::uint64_t offset = 0;  ///< in the buffer
  std::uint64_t times = 0;   ///< pairs of accesses that were seen
};

/// The groups are given twice, in the same order: the first pass finds where several of them meet and what orders them, the
/// second one looks at those places. It is needed only if needs_second_pass().
class LaunchRaces {
 public:
  LaunchRaces(const KernelInfo& kernel, const RacePlan& plan);

  void begin_group(std::uint32_t group);
  void access(std::uint32_t site, BufferAddr where, const Position& at);
  void fence(const Position& at);
  [[nodiscard]] bool needs_second_pass() const { return !shared_.empty(); }
  void begin_second_pass() { second_pass_ = true; }

  [[nodiscard]] const std::map<GroupPair, GroupExample>& found() const { return found_; }
  [[nodiscard]] bool in_part() const { return in_part_; }

 private:
  /// How an access meets those of other groups. Volatile accesses and atomics do not race with each other.
  enum class Role : std::uint8_t { Load, Store, SyncLoad, SyncStore };
  static constexpr std::size_t kRoles = 4;
  /// Who has accessed some bytes in each role: group + 1, 0 nobody, or kSeveral.
  using Cell = std::array<std::uint32_t, kRoles>;
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};
  static constexpr std::uint64_t kPage = 4096;           ///< cells
  static constexpr std::uint64_t kMostCells = 1u << 26;  ///< 1 GiB
  static constexpr std::size_t kMostShared = 1u << 20;   ///< cells that the second pass looks at
  static constexpr std::size_t kMostSyncs = 1u << 22;    ///< places by which groups may know of each other
  static constexpr std::uint64_t kMostCompared = 50'000'000;  ///< pairs

  struct Seen {
    std::uint32_t group, site;
    Position at;
    std::uint64_t address;  ///< key of its first byte
  };
  /// The last fences of a group before some time: those of one interval.
  struct Fences {
    Position last;
    bool several = false;  ///< of more than one work-item
  };
  struct Release {
    Position at;
    std::optional<Position> own;   ///< the last fence of the work-item itself
    std::optional<Fences> others;  ///< those in intervals before
  };
  /// What a group does at an address that may order its accesses for others, or theirs for it: of each work-item the last release in the
  /// last interval that has one, and the first acquire in the first one. No other is needed.
  struct Sync {
    std::vector<Release> releases;
    std::vector<Position> acquires;
  };
  using Syncs = std::unordered_map<std::uint64_t, Sync>;

  static bool conflict(Role a, Role b);
  Cell* cell_at(std::uint64_t key);
  void first_pass(std::uint64_t key, Role role);
  void end_interval_before(const Position& at);
  void note_sync(std::uint32_t site, std::uint64_t address, const Position& at);
  void second_pass(std::uint64_t key, const Seen& now, BufferAddr where);
  [[nodiscard]] bool is_ordered(const Seen& a, const Seen& b) const;
  static bool has_released(const Sync& sync, const Position& did);
  [[nodiscard]] bool sees(const Seen& did, const Seen& does) const;
  static bool learns(const Syncs& of, const Position& did, const Syncs& by, const Position& does);
  void report(const Seen& before, const Seen& now, BufferAddr where);

  const RacePlan& plan_;
  std::vector<Role> roles_;  ///< by site of the plan
  bool second_pass_ = false, in_part_ = false;
  std::uint32_t group_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::array<Cell, kPage>>> pages_;
  std::uint64_t last_page_ = ~std::uint64_t{0};
  std::array<Cell, kPage>* last_cells_ = nullptr;
  std::unordered_map<std::uint64_t, std::vector<Seen>> shared_;
  std::unordered_map<std::uint32_t, Syncs> syncs_;  ///< by group
  std::size_t sync_count_ = 0;
  std::unordered_map<std::uint32_t, Position> fences_;  ///< of the group, by work-item
  std::optional<Fences> fences_before_,
      fences_now_;  ///< of intervals before the current one, and of that one
  std::uint64_t compared_ = 0;
  std::map<GroupPair, GroupExample> found_;
};

}  // namespace warpscope
