#include "machine/cubin/source_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace warpscope::machine {
namespace {

/// "" for what is no mangled name.
std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && symbol.starts_with("_Z") ? name.get() : "";
}

void erase_all(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

/// Numba tells variants of a function apart by tags of its ABI, "add[abi:v1]", which nobody has written.
void erase_tags(std::string& name) {
  constexpr std::string_view kTag = "[abi:";
  for (std::size_t at = name.find(kTag); at != std::string::npos; at = name.find(kTag, at))
    name.erase(at, std::min(name.find(']', at), name.size() - 1) + 1 - at);
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
  std::string name = demangled(symbol);
  if (name.empty()) return symbol;
  erase_all(name, "(anonymous namespace)::");
  erase_tags(name);
  name.resize(start_of_parameters(name));
  return name.substr(end_of_type(name));
}

std::string variable_name(const std::string& symbol) {
  const std::string name = demangled(symbol);
  if (name.empty()) return symbol;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(' || name[at] == '{') ++depth;
    if (name[at] == '>' || name[at] == ')' || name[at] == '}') --depth;
    if (depth == 0 && name[at] == ':' && name[at + 1] == ':') begin = at + 2;
  }
  return name.substr(begin);
}

std::vector<std::string> parameter_types(const std::string& symbol) {
  const std::string name = demangled(symbol);
  const std::size_t begin = start_of_parameters(name);
  if (begin == name.size()) return {};
  std::vector<std::string> types(1);
  int depth = 0;
  for (const char c : name.substr(begin + 1, name.size() - begin - 2)) {
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0)
      types.emplace_back();
    else if (c != ' ' || !types.back().empty())
      types.back() += c;
  }
  if (types.back().empty()) types.pop_back();
  return types;
}

}  // namespace warpscope::machine
