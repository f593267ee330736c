#pragma once
// What the accesses of a capture say about the layout of an object.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/capture/reader.h"

namespace warpscope::whatif {

/// All in bytes.
struct ObjectFacts {
  std::uint64_t accesses = 0;  ///< accesses by single work-items
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint32_t narrowest = 0, widest = 0;  ///< access widths
  std::string narrowest_at;                 ///< source place of an access of the smallest width
  /// The first access whose offset or width is no multiple of `narrowest`.
  std::optional<std::string> other_type;
  /// Distance → how often it is between the first accesses of neighbouring work-items at a site (in x and y),
  /// and between consecutive accesses of a work-item at a site. Without 0; at most kMostDistances of each.
  std::map<std::uint64_t, std::uint64_t> between_items, between_accesses;
};
constexpr std::size_t kMostDistances = 1u << 14;

/// A row that was found.
struct FoundRow {
  std::uint64_t bytes = 0;
  std::string rule;  ///< observation that led to it
};
/// The rule: the most frequent distance above one element between neighbouring work-items; without one, that
/// between consecutive accesses of a work-item. Of equally frequent ones the smallest.
std::optional<FoundRow> find_row(const ObjectFacts& facts);

/// Of the objects in `wanted` (by id). Reads the whole capture.
std::vector<ObjectFacts> facts_of(const CaptureReader& capture, const std::vector<bool>& wanted);

}  // namespace warpscope::whatif
