#pragma once
// What became of a pattern of lanes at a place, remembered: kernels repeat few patterns.
#include <cstdint>
#include <vector>

namespace warpscope {

/// What an entry of a RememberedPatterns derives from.
struct PatternKey {
  std::uint64_t pattern_at_residue = 0;
  std::uint32_t shape = 0;
};

/// A table of 4,096 entries, each found by the pattern's number, what of the address its result depends on
/// (`residue`), and the `shape` of the access: its width, alignment and what else matters. Two that fall on
/// one entry displace each other.
template <class Entry>
class RememberedPatterns {
 public:
  RememberedPatterns() : entries_(std::size_t{1} << kBits) {}
  /// An entry, and whether it is to be filled. `pattern` 0 is never remembered. The entry stays as it is until
  /// the next call.
  struct Found {
    Entry& entry;
    bool fresh;
  };
  [[nodiscard]] Found at(std::uint32_t pattern, std::uint64_t residue, std::uint32_t shape) {
    if (pattern == 0) [[unlikely]]
      return {once_, true};
    const std::uint64_t key = std::uint64_t{pattern} << 32 | residue;
    Entry& entry = entries_[((key + std::uint64_t{shape} * 0x9E37) * 0x9E3779B97F4A7C15ull) >> (64 - kBits)];
    if (entry.pattern_at_residue == key && entry.shape == shape) [[likely]]
      return {entry, false};
    entry.pattern_at_residue = key;
    entry.shape = shape;
    return {entry, true};
  }
  /// For what is not remembered.
  [[nodiscard]] Entry& once() { return once_; }

 private:
  static constexpr int kBits = 12;
  std::vector<Entry> entries_;
  Entry once_;
};

}  // namespace warpscope
