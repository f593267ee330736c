#include "tools/cachesim/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "cachesim/simulate/input.h"
#include "cachesim/simulate/request.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

/// What only a schedule made here can obey.
constexpr std::array kScheduleOnly = {"policy",         "warp-size",   "core",          "assign",
                                      "max-workgroups", "registers",   "reconvergence", "buffer-base",
                                      "buffer-align",   "layout-seed", "sample-cores"};

}  // namespace

bool lists_launches(const OptionValues& values) {
  const std::string which = text_of(values, "launches").value_or("all");
  if (which == "all" || which == "groups") return which == "all";
  throw InputError(fmt::format("--launches '{}': expected all or groups", which));
}

std::uint32_t host_threads(const OptionValues& values) {
  return number32_of(values, "threads", 1, 1024).value_or(std::max(1u, std::thread::hardware_concurrency()));
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
