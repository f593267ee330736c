#include "wrapper/kernel/user_command.h"

#include <cstdlib>

namespace warpscope {

std::string user_command() {
  const char* const command = std::getenv("WARPSCOPE_COMMAND");
  return command != nullptr ? command : "";
}

}  // namespace warpscope
