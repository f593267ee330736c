#include "cachesim/counters/kernel_numbers.h"

#include <array>
#include <map>
#include <string>

#include "traces/base/json_fields.h"

namespace warpscope {

// Launches of a kernel mostly share the objects that describe it, so that texts are rarely looked at.
KernelNumbers number_kernels(const LaunchList& launches) {
  KernelNumbers numbers;
  std::map<std::array<const void*, 3>, std::size_t> known;
  std::map<std::array<std::string, 3>, std::size_t> by_content;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchInfo& launch = launches[i];
    const std::array objects = {launch.kernel.identity(), launch.source.identity(),
                                launch.build_options.identity()};
    const auto [object, is_new] = known.try_emplace(objects, 0);
    if (is_new) {
      const auto [content, is_other] = by_content.try_emplace(
          {dump(to_json(*launch.kernel)), *launch.source, *launch.build_options}, numbers.first.size());
      if (is_other) numbers.first.push_back(i);
      object->second = content->second;
    }
    numbers.of_launch.push_back(object->second);
  }
  return numbers;
}

}  // namespace warpscope
