#include "traces/program/group_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014,
// doi:10.1145/2660193.2660195): its output function on the number itself.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kMostGroup = 0xffffffffu;

[[noreturn]] void refuse(const std::string& text) {
  throw InputError(
      fmt::format("work-groups '{}': expected all, numbers and ranges such as 0-63,128, every:16, random:1%, "
                  "every-core:4/108, drawn-cores:0,7,33/108 or waves:3/864",
                  text));
}

/// "4/108".
std::pair<std::uint64_t, std::uint64_t> parse_part_and_whole(std::string_view text,
                                                             const std::string& whole) {
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  const auto second = parse_number(text.substr(slash + 1), 1, kMostGroup);
  const auto first = second ? parse_number(text.substr(0, slash), 1, kMostGroup) : std::nullopt;
  if (!first) refuse(whole);
  return {*first, *second};
}

double parse_percentage(std::string_view text, const std::string& whole) {
  const auto value = text.ends_with('%') ? parse_real(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!value || !(*value > 0) || *value > 100) refuse(whole);
  return *value;
}

/// "0,7-9/108": at most 2^20 cores, as a schedule has.
SampledCores parse_drawn_cores(std::string_view text, const std::string& whole) {
  constexpr std::uint64_t kMostCores = std::uint64_t{1} << 20;
  SampledCores cores;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto of = parse_number(text.substr(std::min(slash + 1, text.size())), 1, kMostCores);
  if (!of) refuse(whole);
  cores.of = *of;
  try {
    for (const auto& [first, last] : parse_number_ranges(std::string(text.substr(0, slash)), "")) {
      if (last >= cores.of) refuse(whole);
      for (std::uint64_t core = first; core <= last; ++core)
        cores.drawn.push_back(static_cast<std::uint32_t>(core));
    }
  } catch (const InputError&) {
    refuse(whole);
  }
  return cores;
}

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_number_ranges(const std::string& text,
                                                                         const std::string& where) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view part = std::string_view(text).substr(start, comma - start);
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash), 0, kMostGroup);
    const auto last = first && dash != std::string_view::npos
                          ? parse_number(part.substr(dash + 1), *first, kMostGroup)
                          : first;
    if (!last) throw InputError(fmt::format("{}: expected numbers and ranges such as 3,7-9", where));
    ranges.emplace_back(*first, *last);
    start = comma + 1;
  }
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, range.second);
    else
      merged.push_back(range);
  }
  return merged;
}

GroupSelection GroupSelection::parse(const std::string& text) {
  GroupSelection selection;
  selection.text_ = text;
  if (text == "all") return selection;
  if (text.starts_with("every:")) {
    selection.kind_ = Kind::Every;
    const auto stride = parse_number(std::string_view(text).substr(6), 1, kMostGroup);
    if (!stride) refuse(text);
    selection.stride_ = *stride;
  } else if (text.starts_with("every-core:")) {
    selection.kind_ = Kind::Cores;
    std::tie(selection.cores_.every, selection.cores_.of) =
        parse_part_and_whole(std::string_view(text).substr(11), text);
    if (selection.cores_.every > selection.cores_.of) refuse(text);
  } else if (text.starts_with("drawn-cores:")) {
    selection.kind_ = Kind::Cores;
    selection.cores_ = parse_drawn_cores(std::string_view(text).substr(12), text);
  } else if (text.starts_with("waves:")) {
    selection.kind_ = Kind::Ranges;
    const auto [waves, groups] = parse_part_and_whole(std::string_view(text).substr(6), text);
    selection.ranges_ = {{0, std::min(waves * groups - 1, kMostGroup)}};
  } else if (text.starts_with("random:")) {
    selection.kind_ = Kind::Random;
    selection.threshold_ = static_cast<std::uint64_t>(
        std::llround(parse_percentage(std::string_view(text).substr(7), text) / 100 * 0x1p32));
  } else {
    selection.kind_ = Kind::Ranges;
    try {
      selection.ranges_ = parse_number_ranges(text, "");
    } catch (const InputError&) {
      refuse(text);
    }
  }
  return selection;
}

GroupSelection GroupSelection::without(std::vector<WorkGroupId> groups) const {
  GroupSelection selection = *this;
  selection.without_ = std::move(groups);
  return selection;
}

bool GroupSelection::kind_contains(LaunchId launch, WorkGroupId group) const {
  const std::uint64_t number = group.value();
  switch (kind_) {
    case Kind::All:
      return true;
    case Kind::Every:
      return number % stride_ == 0;
    case Kind::Cores:
      return cores_.has(number % cores_.of);
    case Kind::Random:
      return mix(std::uint64_t{launch.value()} << 32 | number) >> 32 < threshold_;
    case Kind::Ranges:
      break;
  }
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                      [](std::uint64_t n, const auto& range) { return n < range.first; });
  return after != ranges_.begin() && number <= std::prev(after)->second;
}

std::uint64_t GroupSelection::count(LaunchId launch, std::uint64_t groups) const {
  return kind_count(launch, groups) -
         static_cast<std::uint64_t>(std::count_if(without_.begin(), without_.end(), [&](WorkGroupId group) {
           return group.value() < groups && kind_contains(launch, group);
         }));
}

std::uint64_t GroupSelection::kind_count(LaunchId launch, std::uint64_t groups) const {
  if (kind_ == Kind::All) return groups;
  if (kind_ == Kind::Every) return (groups + stride_ - 1) / stride_;
  if (kind_ == Kind::Cores)  // whole rounds, and the first cores of the last one
    return groups / cores_.of * cores_.count() + cores_.count_below(groups % cores_.of);
  std::uint64_t total = 0;
  if (kind_ == Kind::Ranges) {
    for (const auto& [first, last] : ranges_)
      if (first < groups) total += std::min(last, groups - 1) - first + 1;
    return total;
  }
  for (std::uint64_t group = 0; group < groups; ++group)
    total += kind_contains(launch, WorkGroupId(static_cast<std::uint32_t>(group))) ? 1 : 0;
  return total;
}

}  // namespace warpscope
