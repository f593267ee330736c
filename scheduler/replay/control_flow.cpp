#include "scheduler/replay/control_flow.h"

#include <fmt/format.h>

#include "traces/base/error.h"

namespace warpscope {

FlowFactory reconvergence_named(const std::string& name) {
  if (name == "ipdom") return make_ipdom_flow;
  if (name == "loops") return make_loops_flow;
  throw InputError(fmt::format("--reconvergence {}: unknown rule, expected ipdom or loops", name));
}

}  // namespace warpscope
