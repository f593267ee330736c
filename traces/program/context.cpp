#include "traces/program/context.h"

#include "traces/base/version.h"

namespace warpscope {

nlohmann::ordered_json program_json(const std::string& tool) {
  return {{"tool", tool}, {"version", version()}, {"commit", commit()}, {"model_version", kModelVersion}};
}

nlohmann::ordered_json layout_json(const LayoutOptions& layout) {
  return {{"base", layout.base},
          {"granule", layout.granule},
          {"large_from", layout.large_from},
          {"large_granule", layout.large_granule},
          {"seed", layout.seed}};
}

}  // namespace warpscope
