#include "passes/driver/messages.h"

#include <sstream>

namespace warpscope {

std::string without_trailing_newline(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

std::string without_device(std::string text) {
  constexpr const char *kTail = " when compiling for .";
  if (const std::size_t at = text.rfind(kTail); at != std::string::npos)
    text.replace(at, std::string(kTail).size(), ".");
  return text;
}

std::string without_loop_warnings(const std::string &text) {
  std::istringstream in(text);
  std::string result;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("warning: ") || line.find(": loop not ") == std::string::npos)
      result += line + "\n";
  }
  return result;
}

} // namespace warpscope
