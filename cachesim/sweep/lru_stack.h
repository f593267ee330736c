#pragma once
// LRU caches of every associativity at once: one set index, one number of sets, one write policy, one core.
//
// Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
// 1970, DOI 10.1147/sj.92.0078: where a cache of A ways always holds what one of A - 1 ways holds and one
// line more, one list per set describes all of them. The line at *level* l of the list is in exactly the
// caches of l ways and more; a reference to it hits in those. Hill and Smith, IEEE Trans. Computers 38(12),
// 1989, DOI 10.1109/12.40842, do so per set.
//
// Inclusion holds for LRU under each of our write policies:
//   stores like loads (WBWA, WTWA)
//     The list is the order of last uses.
//   stores that hit only where the line is (WTNA, WBNA)
//     A store to the line at level l makes it the newest in the caches that have it, and changes nothing in
//     the smaller ones: it keeps its level, with a new time.
//   stores that remove (WENA)
//     The store leaves a hole at level l: one free way in the caches of l ways and more.
// A load of x at level d (or of a line that is nowhere) puts x at level 1. Every cache below d loses its
// oldest line, unless it has a hole: what was at level 1 is carried down the list; at each level the newer
// of carried and standing line stays, a hole takes what is carried, and the last one carried comes to level
// d. Common lines of two caches are always used together, so both have them in the same order, and what the
// smaller one loses is what is carried. Where the list is in order of time, that is a shift by one place,
// done with SIMD instructions.
//
// Write-backs are counted in arrears (after Thompson and Smith, ACM TOCS 7(1), 1989,
// DOI 10.1145/58564.59296): a line is dirty in the caches of its dirty level and more; when it is used again
// at level l, those from the dirty level to l - 1 have lost it, and written it back.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cachesim/classes/set_lists.h"
#include "cachesim/classes/set_logs.h"
#include "cachesim/counters/counts.h"
#include "cachesim/l1/cache_config.h"

namespace warpscope {

/// References of one core, in order; those that bypass the L1 are not among them.
struct StackBatch {
  const std::uint32_t* tags = nullptr;  ///< a number per line, from 1 on
  const std::uint32_t* sets = nullptr;  ///< set of each
  const std::uint8_t* kinds = nullptr;  ///< AccessKind of each
  std::size_t count = 0;
  /// Of each, what LastUses says, and the number of the first reference there; null: everything is searched.
  const std::uint32_t* last_uses = nullptr;
  std::uint64_t first = 0;
};

/// What a stack has seen, by level; sums over cores are taken of these.
struct StackCounts {
  explicit StackCounts(std::uint32_t depth);
  StackCounts& operator+=(const StackCounts& other);
  /// Hits, misses (the outcomes of `kind`), evictions and write-backs of the cache with `ways` ways, 1 …
  /// depth.
  [[nodiscard]] Counts of_ways(std::uint32_t ways, const WritePolicy& write) const;
  /// References to lines that were nowhere.
  [[nodiscard]] std::uint64_t nowhere() const;
  /// Levels that were searched, all for each of those.
  [[nodiscard]] std::uint64_t levels() const;
  /// Caches of `from` to `to` - 1 ways wrote a line back; none if `from` is 0 or not below `to`.
  void note_write_backs(std::uint32_t from, std::uint32_t to) {
    if (from == 0 || from >= to) return;
    ++write_back_steps[from];
    --write_back_steps[to];
  }

  std::uint32_t depth;
  /// [kind][n]: n < depth: hits at level n + 1. n = depth + f: the line was nowhere, f levels were taken.
  std::array<std::vector<std::uint64_t>, 3> references;
  std::uint64_t passing_stores = 0;  ///< store misses that do not allocate, in every cache
  /// By n: corrections to "an allocating reference evicts in the caches of up to n ways", for lists with
  /// holes. Unsigned, modulo 2^64.
  std::vector<std::uint64_t> eviction_corrections;
  std::vector<std::uint64_t>
      write_back_steps;  ///< write-backs minus those with one way less, indexed by ways, modulo 2^64
};

class LruStack {
 public:
  /// Whether caches of up to `ways` ways with these stores can be had: not stores that remove lines and also
  /// allocate or write back.
  static bool can(std::uint32_t ways, const WritePolicy& write) {
    return ways <= kMaxWays &&
           (!write.store_hit_removes || (!write.store_miss_allocates && !write.writes_back));
  }
  static constexpr std::uint32_t kMaxWays = 1u << 15;
  /// For caches of 1 … `ways` ways; can(ways, write) holds.
  LruStack(std::uint32_t sets, std::uint32_t ways, const WritePolicy& write);
  /// Whether a log would spare such a stack the search of its lists.
  static bool can_have_logs(std::uint32_t ways, const WritePolicy& write) {
    return SetLogs::can(levels(ways)) && !write.writes_back;
  }
  /// Bytes of the tables of one core's stack, at most; without logs.
  static std::uint64_t bytes(std::uint32_t sets, std::uint32_t ways, const WritePolicy& write);
  void process(const StackBatch& batch);
  /// The same with what every x86-64 has, or portable code.
  void process_without_avx2(const StackBatch& batch);
  /// The caches are emptied, without write-backs.
  void invalidate();
  /// After the last invalidate().
  [[nodiscard]] const StackCounts& counts() const { return counts_; }

 private:
  friend struct StackKernel;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kChunk = 8;  ///< levels that one SIMD instruction compares

  static constexpr std::uint32_t levels(std::uint32_t ways) { return (ways + kChunk - 1) / kChunk * kChunk; }
  bool use_logs(const StackBatch& batch);
  void leave_logs();
  [[nodiscard]] std::size_t row(std::uint32_t set) const { return std::size_t{set} * depth_; }
  bool is_scattered(const StackBatch& batch);
  [[nodiscard]] std::uint16_t* dirty(std::uint32_t set) { return dirty_.data() + lists_[set].front; }
  void bring_in_dirty(std::uint32_t set, std::uint32_t tag, std::uint64_t reference, bool store);
  void hit_by_store(std::uint32_t set, std::uint32_t at);
  void remove(std::uint32_t set, std::uint32_t at);
  void load_out_of_order(std::uint32_t set, std::uint32_t at, std::uint32_t tag, AccessKind kind);
  void note_times(std::uint32_t set);
  void find_disorder(std::uint32_t set, std::uint32_t last);
  void shift_dirty(std::uint32_t set, std::uint32_t at, std::uint32_t taken, bool store);

  WritePolicy write_;
  std::uint32_t depth_;  ///< levels: the ways, rounded up to whole chunks
  SetLists lists_;       ///< tags; 0 = hole
  std::unique_ptr<SetLogs> logs_;
  bool in_logs_ = false;  ///< logs are used in place of lists, while these are in the order of last uses
  bool was_disturbed_ = false;  ///< that order was lost since the caches were empty: the lists stay
  std::vector<std::uint16_t>
      disorder_;                  ///< by set: below this place the list is in order of time; 0 = all of it
  std::uint32_t disordered_ = 0;  ///< sets that are not all in order of time
  std::vector<std::uint64_t> times_;   ///< [set][level - 1], valid where there is disorder; 0 = hole
  std::vector<std::uint64_t> clocks_;  ///< indexed by set
  std::vector<std::uint16_t> dirty_;   ///< dirty levels at the places of the tags; 0 = clean
  std::uint32_t batches_ = 0;
  bool scattered_ = false;
  StackCounts counts_;
};

}  // namespace warpscope
