#pragma once
// Memory that nobody had written when a launch began, and memory that a program never freed: what a capture's NOTE section says.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

/// `count` parts of `size` bytes of a buffer, from `first` on, `stride` bytes apart.
struct UnwrittenBytes {
  BufferId buffer;
  std::uint64_t first = 0, size = 0, stride = 0, count = 1;
  bool operator==(const UnwrittenBytes&) const = default;
};

/// An allocation that was there when its program ended.
struct LeftAllocation {
  BufferId buffer;  ///< 0: no launch had it
  std::string name;
  std::uint64_t bytes = 0;
};

struct UnwrittenOfLaunch {
  std::vector<UnwrittenBytes> parts;  ///< ascending
  bool in_part = false;               ///< there are more
};

inline constexpr const char* kUnwrittenList = "unwritten";  ///< keys of the notes
inline constexpr const char* kLeftList = "left";

/// An entry of a note's list, "unwritten"; `as`: an earlier launch that found the same, whose entry has the parts.
nlohmann::json unwritten_json(LaunchId launch, const UnwrittenOfLaunch& found,
                              std::optional<LaunchId> as = {});
/// An entry of the list "left".
nlohmann::json to_json(const LeftAllocation& left);

/// What the notes of a capture say, which may be null. All throw InputError for notes that cannot be right.
class UnwrittenNotes {
 public:
  /// `notes` outlive this.
  explicit UnwrittenNotes(const nlohmann::json& notes);
  [[nodiscard]] UnwrittenOfLaunch of(LaunchId launch) const;

 private:
  std::map<std::uint64_t, const nlohmann::json*> entries_;
};
std::vector<LeftAllocation> left_allocations(const nlohmann::json& notes);

}  // namespace warpscope
