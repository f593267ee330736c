#pragma once
// Which work-groups of a launch are recorded: the text in LaunchInfo::sampling (traces/FORMAT.md, "Launch").
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

/// Some of `of` cores: those of `drawn`, or, where it is empty, every `every`-th from core 0 on (1 <= every <=
/// of).
struct SampledCores {
  std::uint64_t every = 1, of = 1;
  std::vector<std::uint32_t> drawn;  ///< ascending, below `of`
  /// How many these are.
  [[nodiscard]] std::uint64_t count() const {
    return drawn.empty() ? (of + every - 1) / every : drawn.size();
  }
  /// How many of these are below `core`.
  [[nodiscard]] std::uint64_t count_below(std::uint64_t core) const {
    if (drawn.empty()) return (core + every - 1) / every;
    return static_cast<std::uint64_t>(std::lower_bound(drawn.begin(), drawn.end(), core) - drawn.begin());
  }
  [[nodiscard]] bool has(std::uint64_t core) const {
    return drawn.empty() ? core % every == 0
                         : std::binary_search(drawn.begin(), drawn.end(), static_cast<std::uint32_t>(core));
  }
};

class GroupSelection {
 public:
  GroupSelection() = default;  ///< all
  /// "all"; numbers and ranges "0-63,128"; "every:16" (numbers divisible by 16); "random:1%" (each with this
  /// probability, the same ones in every run); "every-core:4/108" (of 108 cores that get work-group i as core i
  /// mod 108, those of cores divisible by 4); "drawn-cores:0,7,33/108" (those of these cores, which were drawn at
  /// random: core_sample.h); "waves:3/864" (the first 3 · 864: 864 are resident at once).
  /// Throws InputError that shows these forms.
  static GroupSelection parse(const std::string& text);

  /// The same but for `groups`, which are ascending. text() stays.
  [[nodiscard]] GroupSelection without(std::vector<WorkGroupId> groups) const;

  [[nodiscard]] bool is_all() const { return kind_ == Kind::All && without_.empty(); }
  [[nodiscard]] bool contains(LaunchId launch, WorkGroupId group) const {
    return kind_contains(launch, group) && !std::binary_search(without_.begin(), without_.end(), group);
  }
  /// How many of the work-groups 0 .. groups - 1 are selected.
  [[nodiscard]] std::uint64_t count(LaunchId launch, std::uint64_t groups) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Of "every-core" and "drawn-cores"; else absent.
  [[nodiscard]] std::optional<SampledCores> cores() const {
    return kind_ == Kind::Cores ? std::optional(cores_) : std::nullopt;
  }

 private:
  enum class Kind { All, Ranges, Every, Random, Cores };
  [[nodiscard]] bool kind_contains(LaunchId launch, WorkGroupId group) const;
  [[nodiscard]] std::uint64_t kind_count(LaunchId launch, std::uint64_t groups) const;
  Kind kind_ = Kind::All;
  std::string text_ = "all";
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  ///< first and last, disjoint, ascending
  std::uint64_t stride_ = 1;
  SampledCores cores_;
  std::uint64_t threshold_ = 0;       ///< Random: selected when the upper 32 bits of the hash are below this
  std::vector<WorkGroupId> without_;  ///< ascending
};

/// Numbers and ranges "3,7-9" as first and last of each, disjoint and ascending; InputError "WHERE: …"
/// otherwise.
std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_number_ranges(const std::string& text,
                                                                         const std::string& where);

}  // namespace warpscope
