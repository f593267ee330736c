#include "cachesim/simulate/launch_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/base/error.h"

namespace warpscope {

std::size_t LaunchCount::of(std::size_t all) const {
  if (number > all)
    throw InputError(
        fmt::format("--sample-launches {}: there {} {} launch{} to draw from, expected at most as many",
                    number, all == 1 ? "is" : "are", all, all == 1 ? "" : "es"));
  if (number != 0) return number;
  const auto part = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(all)));
  return std::min(all, std::max<std::size_t>(part, kLeastSampledLaunches));
}

}  // namespace warpscope
