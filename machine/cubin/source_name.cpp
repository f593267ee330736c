#include "machine/cubin/source_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpscope::machine {
namespace {

void erase_all(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

/// Where the parameters begin: the last '(' outside of <> whose ')' ends the text.
std::size_t start_of_parameters(const std::string& name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at;
  }
  return name.size();
}

/// Behind the last blank outside of brackets: the type that a template returns is in front of it.
std::size_t end_of_type(const std::string& name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>' || name[at] == ')' || name[at] == '}') ++depth;
    if (name[at] == '<' || name[at] == '(' || name[at] == '{') --depth;
    if (name[at] == ' ' && depth == 0) return at + 1;
  }
  return 0;
}

}  // namespace

std::string source_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return symbol;
  std::string name = demangled.get();
  erase_all(name, "(anonymous namespace)::");
  name.resize(start_of_parameters(name));
  return name.substr(end_of_type(name));
}

}  // namespace warpscope::machine
