#include "wrapper/run/pass_options.h"

#include <sstream>

#include "traces/program/kernel_info.h"

namespace warpscope {

std::vector<std::string> pass_options(const std::optional<std::string>& address_spaces) {
  if (!address_spaces) return {};
  std::istringstream names(*address_spaces);
  for (std::string name; std::getline(names, name, ',');) address_space_from(name);
  return {"-warpscope-spaces=" + *address_spaces};
}

}  // namespace warpscope
