#include "scheduler/formation/formed_core.h"

#include <memory>

namespace warpscope {

void run_formed_core(const FormedLaunch& launch, const WorkGroupSource& source,
                     const std::vector<WorkGroupId>& groups, std::uint32_t slots, CoreId core,
                     WarpAccessSink& sink, const std::function<void(WorkGroupId)>& finished) {
  std::vector<std::unique_ptr<FormedGroup>> residents(slots);
  std::size_t next = 0, running = 0;
  const auto fill = [&](std::unique_ptr<FormedGroup>& place) {
    place =
        next < groups.size() ? std::make_unique<FormedGroup>(launch, source.read(groups[next++])) : nullptr;
    running += place != nullptr ? 1 : 0;
  };
  for (auto& place : residents) fill(place);
  WarpAccess access;
  access.core = core;
  while (running != 0)
    for (auto& place : residents) {
      while (place != nullptr && !place->step(access)) {
        if (finished) finished(place->group());
        --running;
        fill(place);
      }
      if (place != nullptr) sink.access(access);
    }
}

}  // namespace warpscope
