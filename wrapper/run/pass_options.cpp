#include "wrapper/run/pass_options.h"

#include <sstream>

#include "passes/driver/pipeline.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

std::vector<std::string> pass_options(const std::optional<std::string>& address_spaces, bool boxes,
                                      bool addresses_only, bool mirrors_lanes) {
  std::vector<std::string> options;
  if (boxes) options.emplace_back(kBoxesOption);
  if (addresses_only) options.emplace_back(kAddressesOnlyOption);
  if (mirrors_lanes) options.emplace_back(kMirrorOption);
  if (!address_spaces) return options;
  std::istringstream names(*address_spaces);
  for (std::string name; std::getline(names, name, ',');) address_space_from(name);
  options.push_back("-warpscope-spaces=" + *address_spaces);
  return options;
}

}  // namespace warpscope
