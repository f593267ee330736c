#include "wrapper/launch/build_options.h"

namespace warpscope {

std::string portable_options(const std::vector<std::string>& options) {
  std::string text;
  for (std::size_t at = 0; at < options.size(); ++at) {
    if (options[at] == "-I") {
      ++at;
      continue;
    }
    if (!options[at].starts_with("-I")) text.append(text.empty() ? "" : " ").append(options[at]);
  }
  return text;
}

}  // namespace warpscope
