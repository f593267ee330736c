#pragma once
// The lists of a stack: for each set the tags of its newest lines, the newest first.
//
// A list begins anywhere in its row. So a line that comes in takes the place in front of it, and the oldest
// line is no longer part of it: a cache line of the host's is written, whatever the depth. Where the row
// begins, the list moves to the end of the row.
//
// Most such lines are found missing without a search. A line that comes in moves all others one place back, and only
// its own use brings a line nearer to the front. So one that was last used before as many others came in as there
// are levels has gone. When a list moves in its row, which has a quarter more places than levels, the time is kept;
// the one four moves ago is the list's *horizon*: what was last used before has gone.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cachesim/classes/last_uses.h"

namespace warpscope {

class SetLists {
 public:
  /// A set's list. Places are those of its tags in all rows.
  struct List {
    std::uint32_t front = 0;    ///< place of the newest line
    std::uint32_t row = 0;      ///< begin of the set's row
    std::uint32_t horizon = 0;  ///< lines last used before this time (LastUses) are certainly absent
    std::uint16_t taken = 0;    ///< levels up to the deepest that is no hole
    std::uint16_t moves = 0;
    std::array<std::uint32_t, 4> times{};  ///< times of the last moves
  };

  /// `depth` is a multiple of 8, at most 2^15. What else is known of lines has the same places as their tags.
  SetLists(std::uint32_t sets, std::uint32_t depth);
  /// How many lines a row has places for.
  static std::uint32_t stride(std::uint32_t depth) { return depth + room(depth); }
  static std::uint64_t bytes(std::uint32_t sets, std::uint32_t depth) {
    return sets * (sizeof(std::uint32_t) * std::uint64_t{stride(depth)} + sizeof(List));
  }
  /// Whether lists are so long that a search is worth sparing.
  static bool has_horizon(std::uint32_t depth) { return room(depth) != 0; }

  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  [[nodiscard]] std::size_t places() const { return tags_.size(); }
  [[nodiscard]] List* all() { return lists_.data(); }
  [[nodiscard]] std::uint32_t* all_tags() { return tags_.data(); }
  [[nodiscard]] List& operator[](std::uint32_t set) { return lists_[set]; }
  [[nodiscard]] const List& operator[](std::uint32_t set) const { return lists_[set]; }
  /// Newest first; 0 behind those that are taken, up to the depth.
  [[nodiscard]] std::uint32_t* tags(std::uint32_t set) { return tags_.data() + lists_[set].front; }
  void take(std::uint32_t set, std::uint32_t count) { lists_[set].taken = static_cast<std::uint16_t>(count); }

  /// A line that was nowhere comes in in front of a list that has_horizon(), and the oldest one of a full list
  /// goes. `reference`: its number in LastUses. `moved(from, to, count)`: so many lines have other places now.
  template <class Moved>
  void bring_in(List& list, std::uint32_t tag, std::uint64_t reference, Moved&& moved) {
    if (list.front == list.row) [[unlikely]] {
      move(list, reference);
      moved(list.row, list.front, depth_ - 1);
    }
    tags_[--list.front] = tag;
  }
  void bring_in(List& list, std::uint32_t tag, std::uint64_t reference) {
    if (list.front == list.row) [[unlikely]]
      move(list, reference);
    tags_[--list.front] = tag;
  }
  /// Empties the list of a set.
  void clear(std::uint32_t set);

 private:
  /// Places of a row in addition to the depth. A search of two chunks costs less than what spares it.
  static std::uint32_t room(std::uint32_t depth) { return depth > 16 ? depth / 4 : 0; }
  void move(List& list, std::uint64_t reference);

  std::uint32_t depth_;
  std::vector<std::uint32_t> tags_;
  std::vector<List> lists_;
};

inline SetLists::SetLists(std::uint32_t sets, std::uint32_t depth)
    : depth_(depth), tags_(std::size_t{sets} * stride(depth)), lists_(sets) {
  for (std::uint32_t set = 0; set < sets; ++set) {
    lists_[set].row = set * stride(depth);
    lists_[set].front = lists_[set].row + room(depth);
  }
}

/// To the end of its row, but for the oldest line. Since the fourth move before there were as many misses as
/// there are levels.
inline void SetLists::move(List& list, std::uint64_t reference) {
  list.front = list.row + room(depth_);
  std::memmove(&tags_[list.front], &tags_[list.row], (depth_ - 1) * sizeof(tags_.front()));
  std::uint32_t& time = list.times[list.moves++ % list.times.size()];
  list.horizon = time;
  time = LastUses::time_of(reference);
}

inline void SetLists::clear(std::uint32_t set) {
  List& list = lists_[set];
  std::fill_n(tags(set), list.taken, 0);
  list.taken = 0;
  list.horizon = 0;
  list.times = {};
}

}  // namespace warpscope
