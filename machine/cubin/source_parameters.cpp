#include "machine/cubin/source_parameters.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "machine/cubin/source_name.h"

namespace warpscope::machine {
namespace {

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The text with blanks in place of its comments.
std::string without_comments(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*')) continue;
    const std::size_t end =
        text[at + 1] == '/' ? text.find('\n', at) : std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(at),
              text.begin() + static_cast<std::ptrdiff_t>(std::min(end, text.size())), ' ');
  }
  return text;
}

/// "scale" of "ns::scale<float, 3>".
std::string plain_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// "x" of "const float *__restrict__ x[4] = nullptr".
std::string name_of(std::string_view parameter) {
  parameter = parameter.substr(0, parameter.find('='));
  while (!parameter.empty() && !is_part_of_name(parameter.back())) {
    const std::size_t bracket = parameter.back() == ']' ? parameter.rfind('[') : std::string_view::npos;
    parameter = parameter.substr(0, bracket == std::string_view::npos ? parameter.size() - 1 : bracket);
  }
  std::size_t begin = parameter.size();
  while (begin > 0 && is_part_of_name(parameter[begin - 1])) --begin;
  return begin == 0 ? "" : std::string(parameter.substr(begin));  // a lone word is a type
}

/// Whether the function whose name is at `at` is a kernel of CUDA or of OpenCL.
bool is_kernel(const std::string& text, std::size_t at) {
  for (const char* word : {"__global__", "__kernel"})
    if (const std::size_t before = text.rfind(word, at);
        before != std::string::npos &&
        text.substr(before, at - before).find_first_of(";{}") == std::string::npos)
      return true;
  return false;
}

/// The names between the bracket at `begin` and the one that closes it.
std::vector<std::string> names_from(std::string_view text, std::size_t begin) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t first = begin + 1;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if ((c != ',' || depth != 1) && depth != 0) continue;
    if (at > first) names.push_back(name_of(text.substr(first, at - first)));
    if (depth == 0) break;
    first = at + 1;
  }
  return names;
}

}  // namespace

std::vector<std::string> source_parameters(const std::string& source, const std::string& kernel,
                                           std::size_t count) {
  const std::string text = without_comments(source);
  const std::string name = plain_name(kernel);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t behind = at + name.size();
    const std::size_t bracket = text.find_first_not_of(" \t\r\n", behind);
    if ((at != 0 && is_part_of_name(text[at - 1])) || bracket == std::string::npos || text[bracket] != '(')
      continue;
    if (!is_kernel(text, at)) continue;
    std::vector<std::string> names = names_from(text, bracket);
    const std::set<std::string> different(names.begin(), names.end());
    if (names.size() == count && different.size() == count && !different.contains("")) return names;
  }
  return {};
}

std::vector<std::string> parameter_names(const std::string& symbol, std::size_t count, const PtxKernel* ptx,
                                         const std::string& source) {
  std::vector<std::string> names = source_parameters(source, source_name(symbol), count);
  if (!names.empty()) return names;
  names.resize(count);
  if (ptx == nullptr || ptx->parameters.size() != count) return names;
  const std::string prefix = symbol + "_";
  for (std::size_t index = 0; index < count; ++index) {
    const std::string& name = ptx->parameters[index].name;
    names[index] = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }
  return names;
}

}  // namespace warpscope::machine
