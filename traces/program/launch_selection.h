#pragma once
// Which launches a tool takes: --launch LIST and --kernel NAME[,NAME], the same in every tool.
#include <cstdint>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

class LaunchSelection {
 public:
  LaunchSelection() = default;  ///< every launch
  /// `launches`: numbers and ranges "0,3-7", counted from 0. `kernels`: whole names, or regular expressions
  /// (ECMAScript) that are found in a name, separated by commas outside of brackets. A launch is taken when
  /// both say so; an absent one takes every launch. Throws InputError "--launch …" or "--kernel …".
  LaunchSelection(const std::optional<std::string>& launches, const std::optional<std::string>& kernels);

  [[nodiscard]] bool is_all() const { return numbers_.empty() && kernels_.empty(); }
  [[nodiscard]] bool contains(LaunchId launch, const std::string& kernel) const {
    return contains_number(launch) && contains_kernel(kernel);
  }
  /// The launches that are taken, in their order. Throws InputError that says what there is when a number or
  /// a range is beyond the launches, a name is of none of them, or no launch is left.
  [[nodiscard]] std::vector<const LaunchInfo*> of(std::span<const LaunchInfo> launches) const;
  /// As given; "all" and empty where nothing was.
  [[nodiscard]] const std::string& launch_text() const { return launch_text_; }
  [[nodiscard]] const std::string& kernel_text() const { return kernel_text_; }
  /// For the context of results: the number where one launch is named, else launch_text().
  [[nodiscard]] nlohmann::json launch_json() const;

 private:
  struct Kernel {
    std::string name;
    std::optional<std::regex> pattern;  ///< absent: only the whole name
    [[nodiscard]] bool matches(const std::string& kernel) const {
      return kernel == name || (pattern && std::regex_search(kernel, *pattern));
    }
  };
  [[nodiscard]] bool contains_number(LaunchId launch) const;
  [[nodiscard]] bool contains_kernel(const std::string& kernel) const;
  void check_numbers(std::span<const LaunchInfo> launches) const;
  void check_kernels(std::span<const LaunchInfo> launches) const;

  std::string launch_text_ = "all", kernel_text_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers_;  ///< first and last, ascending; empty = all
  std::vector<Kernel> kernels_;                                   ///< empty = all
};

/// Ascending numbers as "3-7,9".
class NumberRanges {
 public:
  /// `number` is above all before it.
  void add(std::uint32_t number);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint32_t first() const { return ranges_.front().first; }
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges() const { return ranges_; }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  ///< first and last
};

}  // namespace warpscope
