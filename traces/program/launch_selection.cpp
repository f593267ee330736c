#include "traces/program/launch_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "traces/base/error.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

constexpr std::size_t kNamesShown = 20;
constexpr std::size_t kRangesShown = 20;
constexpr const char* kPatternCharacters = "^$.*+?()[]{}|\\";

/// Parts between commas that are in no bracket: names of CUDA kernels hold commas, "reduce<float, 256>".
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (std::string_view("<([{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(">)]}").find(c) != std::string_view::npos) --depth;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (const std::string& part : parts)
    if (part.empty())
      throw InputError(fmt::format("--kernel '{}': expected names of kernels, separated by commas", text));
  return parts;
}

/// What launches there are: "3: 0-2", shortened where there are many pieces.
std::string held(std::span<const LaunchInfo> launches) {
  NumberRanges numbers;
  for (const LaunchInfo& launch : launches) numbers.add(launch.id.value());
  if (launches.empty()) return "no launch";
  if (numbers.ranges().size() > kRangesShown)
    return fmt::format("{} launches from {} to {}", launches.size(), numbers.first(),
                       numbers.ranges().back().second);
  return fmt::format("{} (number{} {})", launches.size(), launches.size() == 1 ? "" : "s", numbers.text());
}

std::string names_in(std::span<const LaunchInfo> launches) {
  std::set<std::string> names;
  for (const LaunchInfo& launch : launches) names.insert(launch.kernel->name);
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == kNamesShown) return fmt::format("{} and {} more", text, names.size() - kNamesShown);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

LaunchSelection::LaunchSelection(const std::optional<std::string>& launches,
                                 const std::optional<std::string>& kernels) {
  if (launches && *launches != "all") {
    launch_text_ = *launches;
    numbers_ = parse_number_ranges(*launches, "--launch " + *launches);
  }
  if (!kernels) return;
  kernel_text_ = *kernels;
  for (const std::string& name : split_names(*kernels)) {
    Kernel& kernel = kernels_.emplace_back(Kernel{name, {}});
    if (name.find_first_of(kPatternCharacters) == std::string::npos) continue;
    try {
      kernel.pattern.emplace(name);
    } catch (const std::regex_error&) {
      throw InputError(
          fmt::format("--kernel {}: expected the name of a kernel or a regular expression", name));
    }
  }
}

bool LaunchSelection::contains_number(LaunchId launch) const {
  if (numbers_.empty()) return true;
  const std::uint64_t number = launch.value();
  const auto after = std::upper_bound(numbers_.begin(), numbers_.end(), number,
                                      [](std::uint64_t n, const auto& range) { return n < range.first; });
  return after != numbers_.begin() && number <= std::prev(after)->second;
}

bool LaunchSelection::contains_kernel(const std::string& kernel) const {
  return kernels_.empty() || std::any_of(kernels_.begin(), kernels_.end(),
                                         [&](const Kernel& one) { return one.matches(kernel); });
}

void LaunchSelection::check_numbers(std::span<const LaunchInfo> launches) const {
  for (const auto& [first, last] : numbers_) {
    const auto found =
        std::lower_bound(launches.begin(), launches.end(), first,
                         [](const LaunchInfo& launch, std::uint64_t n) { return launch.id.value() < n; });
    const bool holds_one = found != launches.end() && found->id.value() <= last;
    if (holds_one && last <= launches.back().id.value()) continue;
    throw InputError(fmt::format("--launch {}: no such launch, the capture holds {}",
                                 first == last ? std::to_string(first) : fmt::format("{}-{}", first, last),
                                 held(launches)));
  }
}

void LaunchSelection::check_kernels(std::span<const LaunchInfo> launches) const {
  std::set<std::string> names;
  if (!kernels_.empty())
    for (const LaunchInfo& launch : launches) names.insert(launch.kernel->name);
  for (const Kernel& kernel : kernels_)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return kernel.matches(name); }))
      throw InputError(fmt::format("--kernel {}: no such kernel, the capture holds launches of {}",
                                   kernel.name, names_in(launches)));
}

std::vector<const LaunchInfo*> LaunchSelection::of(std::span<const LaunchInfo> launches) const {
  check_numbers(launches);
  check_kernels(launches);
  std::vector<const LaunchInfo*> selected;
  for (const LaunchInfo& launch : launches)
    if (contains(launch.id, launch.kernel->name)) selected.push_back(&launch);
  if (selected.empty() && !is_all())
    throw InputError(
        fmt::format("--launch {} --kernel {}: none of these launches is of such a kernel, "
                    "expected another pair",
                    launch_text_, kernel_text_));
  return selected;
}

nlohmann::json LaunchSelection::launch_json() const {
  if (numbers_.size() == 1 && numbers_[0].first == numbers_[0].second) return numbers_[0].first;
  return launch_text_;
}

void NumberRanges::add(std::uint32_t number) {
  if (!ranges_.empty() && ranges_.back().second + 1 == number)
    ranges_.back().second = number;
  else
    ranges_.emplace_back(number, number);
}

std::string NumberRanges::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace warpscope
