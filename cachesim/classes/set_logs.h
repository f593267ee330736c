#pragma once
// The lists of a stack (set_lists.h) as logs: for each set its uses in blocks of 16, and which of them are still
// their line's last.
//
// A list is searched from its front, and what is in front of the line moves. Here a use is written behind the
// others and the line's use before is no longer its last; nothing moves. A line's level is how many last uses are
// behind its own. When the first use of each block was, its *fence*, is known. So the time of a line's last use
// (LastUses) says which block has it: the newest that did not begin later. Only that block's tags are compared, and
// what is in newer ones is a sum of 16 counts. A line last used before the oldest block began has gone.
//
// The time may be later than the line's use. Then the line is in an older block than that, or nowhere.
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "cachesim/classes/huge_pages.h"
#include "cachesim/classes/last_uses.h"
#include "traces/base/simd.h"

namespace warpscope {

class SetLogs {
 public:
  static constexpr std::uint32_t kBlocks = 16, kUses = 16;  ///< blocks of a log, uses of a block
  static constexpr std::uint32_t kNowhere = simd::kNowhere;
  /// Levels of the deepest lists. Blocks whose neighbours have room for them are joined, so that more than half of
  /// the uses of those that are left are last ones.
  static constexpr std::uint32_t kMostDepth = 128;
  static_assert(kBlocks / 2 * (kUses + 1) > kMostDepth);

  /// A set's log: what every use reads. Blocks are used in turn.
  struct Log {
    std::uint32_t oldest = kNever;  ///< time at which the oldest block began, as LastUses counts
    std::uint32_t next =
        0;  ///< place of the next use's tag; at the beginning of a block the one before is full
    std::uint32_t blocks = 0;  ///< number of used blocks
    std::uint32_t full = 0;    ///< whether there are as many lines as levels, for certain
  };
  /// What is read only where a line may be in the log. Of the newest block, uses that are still to come count, too.
  struct alignas(64) Blocks {
    std::array<std::int32_t, kBlocks> fences = kNoFences;
    std::array<std::uint8_t, kBlocks> counts{};  ///< number of last uses in each block
    std::array<std::uint16_t, kBlocks> last{};   ///< a bit for each use that is its line's last
  };

  SetLogs(std::uint32_t sets, std::uint32_t depth);
  /// Whether lists of this depth are so long that a search is worth sparing, and not too long.
  static bool can(std::uint32_t depth) { return depth > 16 && depth <= kMostDepth; }
  static std::uint64_t bytes(std::uint32_t sets) {
    return sets * (sizeof(Log) + sizeof(Blocks) + std::uint64_t{kTags} * sizeof(std::uint32_t));
  }

  [[nodiscard]] std::size_t size() const { return logs_.size(); }
  /// From a list whose lines were last used at LastUses::kBefore: tags, the newest first.
  void fill(std::uint32_t set, const std::uint32_t* tags, std::uint32_t count);
  /// Writes the tags, the newest first, at most the depth. Returns how many.
  std::uint32_t newest_first(std::uint32_t set, std::uint32_t* tags) const;
  void clear();

  /// For a sweep's innermost loop, which keeps these pointers in registers.
  class View {
   public:
    explicit View(SetLogs& logs)
        : logs_(logs.logs_.data()), blocks_(logs.blocks_.data()), tags_(logs.tags_.data()), all_(logs) {}
    void prefetch(std::uint32_t set) const { __builtin_prefetch(tags_ + logs_[set].next, 1); }
    /// Whether a line that was last used at `time` or before is certainly nowhere.
    [[nodiscard]] bool is_gone(std::uint32_t set, std::uint32_t time) const {
      return time < logs_[set].oldest;
    }
    /// How many lines there are; at least the depth where that is so.
    [[nodiscard]] bool is_full(std::uint32_t set) const { return logs_[set].full != 0; }
    [[nodiscard]] std::uint32_t lines(std::uint32_t set) const {
      return simd::sum_of_bytes(simd::load_aligned(blocks_[set].counts.data())) - to_come(logs_[set]);
    }
    /// Whether the set's newest line is this one: its use again changes nothing. Only of sets that have lines.
    [[nodiscard]] bool is_newest(std::uint32_t set, std::uint32_t tag) const {
      return tags_[logs_[set].next - 1] == tag;
    }
    /// The level of a line that was last used at `time` or before, and not certainly gone, counted from 0; beyond the
    /// depth it is in no cache. With kTake it is taken out.
    template <bool kTake>
    [[gnu::always_inline]] std::uint32_t level_of(std::uint32_t set, std::uint32_t tag,
                                                  std::uint32_t time) const;
    /// A line that has been taken out, or was nowhere, becomes the newest. `reference`: its number in LastUses.
    [[gnu::always_inline]] void bring_in(std::uint32_t set, std::uint32_t tag,
                                         std::uint64_t reference) const {
      Log& log = logs_[set];
      if (log.next % kUses == 0) [[unlikely]]
        all_.begin_block(set, LastUses::time_of(reference));
      tags_[log.next++] = tag;
    }

   private:
    Log* logs_;
    Blocks* blocks_;
    std::uint32_t* tags_;
    SetLogs& all_;
  };

 private:
  static constexpr std::uint32_t kTags = kBlocks * kUses;
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  /// Times in the order of numbers with a sign. That of time 0 is never above another.
  static constexpr std::int32_t fence(std::uint32_t time) {
    return static_cast<std::int32_t>(time ^ 0x80000000u);
  }
  static constexpr std::uint32_t time_of(std::int32_t fence) {
    return static_cast<std::uint32_t>(fence) ^ 0x80000000u;
  }
  static constexpr auto kNoFences = [] {
    std::array<std::int32_t, kBlocks> fences{};
    fences.fill(std::numeric_limits<std::int32_t>::min());
    return fences;
  }();
  [[nodiscard]] static std::uint32_t block_at(const Log& log, std::uint32_t back) {
    return ((log.next - 1) / kUses - back) % kBlocks;
  }
  /// Uses that the newest block has room for.
  [[nodiscard]] static std::uint32_t to_come(const Log& log) { return -log.next % kUses; }
  std::uint32_t older_level_of(std::uint32_t set, std::uint32_t tag, std::uint32_t back, std::uint32_t level,
                               bool take);
  void empty(std::uint32_t set);
  void open_block(std::uint32_t set, std::int32_t fence);
  void close_block(std::uint32_t set);
  void begin_block(std::uint32_t set, std::uint32_t time);
  void make_room(std::uint32_t set);

  std::uint32_t depth_;
  std::vector<Log> logs_;
  std::vector<Blocks, HugePageAllocator<Blocks>> blocks_;
  std::vector<std::uint32_t, HugePageAllocator<std::uint32_t>> tags_;
};

template <bool kTake>
inline std::uint32_t SetLogs::View::level_of(std::uint32_t set, std::uint32_t tag, std::uint32_t time) const {
  const Log& log = logs_[set];
  Blocks& blocks = blocks_[set];
  const simd::Vector newer = simd::words_above(blocks.fences.data(), fence(time));
  const auto back = static_cast<std::uint32_t>(std::popcount(simd::byte_bits(newer)));
  const std::uint32_t level =
      simd::sum_of_bytes(simd::both(newer, simd::load_aligned(blocks.counts.data()))) - to_come(log);
  const std::uint32_t block = block_at(log, back), last = blocks.last[block];
  const std::uint32_t* const tags = tags_ + (std::size_t{set} * kBlocks + block) * kUses;
  const std::uint32_t use = simd::equal_among_16(tags, simd::words_of(tag)) & last;
  if (use == 0) [[unlikely]]
    return all_.older_level_of(set, tag, back, level, kTake);
  if constexpr (kTake) {
    blocks.last[block] = static_cast<std::uint16_t>(last ^ use);
    --blocks.counts[block];
  }
  return level + static_cast<std::uint32_t>(std::popcount(last & ~(use | (use - 1))));
}

}  // namespace warpscope
