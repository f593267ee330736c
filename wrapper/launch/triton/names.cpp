#include "wrapper/launch/triton/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

constexpr std::string_view kPointer = "!tt.ptr<";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

/// The length of the word of MLIR that `text` begins with.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) != 0 ||
                                  text[length] == '_' || text[length] == '.'))
    ++length;
  return length;
}

const char* type_of(std::string_view type) {
  static constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {"f64", "double"}, {"f32", "float"}, {"f16", "half"}, {"i64", "long"},
      {"i32", "int"},    {"i16", "short"}, {"i8", "char"},  {"i1", "char"}};
  for (const auto& [name, ours] : kTypes)
    if (type == name) return ours;
  return "";
}

/// "x_ptr" of `#loc3 = loc("x_ptr"(#loc))`, for `loc(#loc3)` behind an argument; "" where it is a place in a file.
std::string name_of_location(const std::string& text, std::string_view argument) {
  const std::size_t at = argument.rfind("loc(");
  if (at == std::string_view::npos) return "";
  std::string_view place = argument.substr(at + 4);
  if (place.starts_with('#')) {
    const std::string definition = fmt::format("\n#{} = loc(", place.substr(1, word_length(place.substr(1))));
    const std::size_t found = text.find(definition);
    if (found == std::string::npos) return "";
    place = std::string_view(text).substr(found + definition.size());
  }
  if (!place.starts_with('"')) return "";
  const std::size_t end = place.find('"', 1);
  if (end == std::string_view::npos) return "";
  const std::string_view name = place.substr(1, end - 1);
  const bool is_name =
      !name.empty() && word_length(name) == name.size() && name.find('.') == std::string_view::npos;
  return is_name && !place.substr(end + 1).starts_with(':') ? std::string(name) : "";
}

/// "%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(…)".
TritonArgument argument_of(const std::string& text, std::string_view argument) {
  TritonArgument result;
  argument = trimmed(argument);
  if (!argument.starts_with('%')) return result;
  argument.remove_prefix(1);
  result.name = argument.substr(0, word_length(argument));
  const std::size_t colon = argument.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view type = trimmed(argument.substr(colon + 1));
  result.is_pointer = type.starts_with(kPointer);
  if (result.is_pointer) type.remove_prefix(kPointer.size());
  result.type = type_of(type.substr(0, word_length(type)));
  if (result.name.starts_with("arg"))
    if (const std::string name = name_of_location(text, argument); !name.empty()) result.name = name;
  return result;
}

}  // namespace

std::vector<TritonArgument> triton_arguments(const std::string& text, const std::string& kernel) {
  std::vector<TritonArgument> arguments;
  const std::string begin = fmt::format("tt.func public @{}(", kernel);
  const std::size_t found = text.find(begin);
  if (found == std::string::npos) return arguments;
  int depth = 0;
  bool is_quoted = false;
  std::size_t first = found + begin.size();
  for (std::size_t at = first; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    const bool ends = depth == 0 && (c == ',' || c == ')');
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == '}' || c == ']') --depth;
    if (!ends) continue;
    TritonArgument argument = argument_of(text, std::string_view(text).substr(first, at - first));
    if (argument.name.empty()) break;
    arguments.push_back(std::move(argument));
    if (c == ')') break;
    first = at + 1;
  }
  return arguments;
}

void name_by_ttir(const std::filesystem::path& path, std::size_t count, KernelSignature& kernel) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  std::vector<TritonArgument> arguments;
  try {
    arguments = triton_arguments(read_text_file(path.string(), "Triton's IR"), kernel.symbol);
  } catch (const InputError&) {  // too large, not readable: as if it were not there
  }
  if (arguments.size() != count) return;
  for (std::size_t index = 0; index < count; ++index) {
    ParameterSignature& parameter = kernel.parameters[index];
    const TritonArgument& known = arguments[index];
    const std::uint32_t bytes = parameter.element.size;
    parameter.name = known.name;
    const auto type = builtin_type(known.type);
    if (known.is_pointer) {
      parameter.kind = ParameterSignature::Kind::Buffer;
      parameter.type = (known.type.empty() ? "void" : known.type) + "*";
      parameter.element = type.value_or(ElementType{parameter.type, ElementType::Kind::Opaque, 0, 1});
    } else if (type && (bytes == 0 || bytes == type->size)) {
      parameter.kind = ParameterSignature::Kind::Value;
      parameter.type = known.type;
      parameter.element = *type;
    }
  }
}

}  // namespace warpscope
