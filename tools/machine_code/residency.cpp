#include "tools/machine_code/residency.h"

#include "gpus/occupancy.h"
#include "machine/facts/counts.h"

namespace warpscope::machine {
nlohmann::ordered_json residency_json(const LaunchShape& shape, std::uint32_t architecture,
                                      const Function& function) {
  const std::uint64_t bytes = own_shared_bytes(architecture, function);
  const Occupancy found =
      occupancy(*shape.gpu, {shape.work_items, bytes + shape.dynamic_bytes, function.registers});
  nlohmann::ordered_json json = {{"gpu", shape.gpu->name}, {"work_items", shape.work_items}};
  json["work_groups"] = found.binding ? nlohmann::ordered_json(found.work_groups()) : nullptr;
  json["limited_by"] = found.binding ? nlohmann::ordered_json(found.binding->what) : nullptr;
  return json;
}

}  // namespace warpscope::machine
