#include "tools/cachesim/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <thread>

#include "cachesim/simulate/input.h"
#include "cachesim/simulate/request.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

/// What only a schedule made here can obey.
constexpr std::array kScheduleOnly = {"policy",         "warp-size",   "core",          "assign",
                                      "max-workgroups", "registers",   "reconvergence", "buffer-base",
                                      "buffer-align",   "layout-seed", "sample-cores",  "sample-launches",
                                      "budget"};

/// A switch or an option with a value.
bool is_given(const OptionValues& values, const char* name) {
  return values.count(name) != 0 && !values[name].defaulted();
}

}  // namespace

bool lists_launches(const OptionValues& values) {
  const std::string which = text_of(values, "launches").value_or("all");
  if (which == "all" || which == "groups") return which == "all";
  throw InputError(fmt::format("--launches '{}': expected all or groups", which));
}

std::uint32_t host_threads(const OptionValues& values) {
  return number32_of(values, "threads", 1, 1024).value_or(std::max(1u, std::thread::hardware_concurrency()));
}

std::optional<LaunchCount> sample_launches(const OptionValues& values) {
  const auto text = text_of(values, "sample-launches");
  if (!text) return {};
  if (!text->ends_with('%'))
    if (const auto number = parse_number(*text, kLeastSampledLaunches, 0xffffffff))
      return LaunchCount{static_cast<std::uint32_t>(*number), 0};
  if (text->ends_with('%'))
    if (const auto percent = parse_real(text->substr(0, text->size() - 1));
        percent && *percent > 0 && *percent <= 100)
      return LaunchCount{0, *percent};
  throw InputError(fmt::format(
      "--sample-launches {}: expected a whole number from {}, or a part of all launches such as 10%", *text,
      kLeastSampledLaunches));
}

void refuse_with_sample_launches(const OptionValues& values, std::initializer_list<const char*> others) {
  if (!has_option(values, "sample-launches")) return;
  for (const char* other : others)
    if (is_given(values, other))
      throw InputError(
          fmt::format("--sample-launches and --{}: {}, expected one of them", other,
                      std::string(other) == "sample-cores" ? "one interval cannot hold both draws"
                      : std::string(other) == "keep-l1"
                          ? "a launch begins with what the one before left in the L1, which is not simulated"
                          : "an interval says nothing of the other's part of the work"));
}

std::optional<double> budget_of(const OptionValues& values, std::initializer_list<const char*> others) {
  const auto text = text_of(values, "budget");
  if (!text) return {};
  for (const char* other : others)
    if (is_given(values, other))
      throw InputError(fmt::format(
          "--budget and --{}: the budget decides what is simulated, expected one of them", other));
  constexpr std::string_view kUnits = "KMGT";
  const auto unit = text->empty() ? std::string_view::npos : kUnits.find(text->back());
  const bool has_unit = unit != std::string_view::npos;
  const auto number = parse_real(std::string_view(*text).substr(0, text->size() - (has_unit ? 1 : 0)));
  const double work = number.value_or(0) * (has_unit ? std::pow(1000, unit + 1) : 1);
  if (work >= 1 && work <= 1e15) return work;
  throw InputError(
      fmt::format("--budget {}: expected a number of look-ups and memory instructions, such as 500K, 50M or "
                  "2G; a budget counts what is simulated, not seconds",
                  *text));
}

void check_order_options(const OptionValues& values, const std::string& input, FileKind kind) {
  require_simulable(input, kind);
  if (kind == FileKind::Capture) return;
  for (const char* option : kScheduleOnly)
    if (has_option(values, option))
      throw InputError(
          fmt::format("--{}: {} is a {} and has its order already, expected a capture; give the option to "
                      "warpsched",
                      option, input, input_kind_name(kind)));
  if (kind == FileKind::TransactionStream && has_option(values, "coalescing"))
    throw InputError(
        "--coalescing: transactions are coalesced already, expected a capture or a stream of warpsched");
}

}  // namespace warpscope
