// The launch file: JSON with comments.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/error.h"
#include "wrapper/launch_description.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr const char* kTopKeys[] = {"kernel", "global",  "local",        "offset",
                                    "args",   "defines", "build_options"};
constexpr const char* kArgumentKeys[] = {"type", "count", "bytes", "value", "fill", "local", "null"};

template <std::size_t N>
std::string list_of(const char* const (&words)[N]) {
  std::string list;
  for (const char* word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

template <std::size_t N>
void check_keys(const json& object, const char* const (&known)[N], const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      throw InputError(fmt::format("{}: unknown key '{}', expected {}", where, key, list_of(known)));
  }
}

/// Numbers are written as numbers or as expressions in a string.
std::string expression(const json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean())
    return value.is_boolean() ? (value.get<bool>() ? "1" : "0") : value.dump();
  throw InputError(fmt::format("{}: {}, expected a number or an expression in quotes", where, value.dump()));
}

std::string vector_value(const json& value, const std::string& where) {
  if (!value.is_array()) return expression(value, where);
  std::string text;
  for (const json& component : value)
    text.append(text.empty() ? "" : ",").append(expression(component, where));
  return text;
}

std::vector<std::string> dimensions(const json& value, const std::string& where) {
  if (!value.is_array()) return {expression(value, where)};
  if (value.empty() || value.size() > 3)
    throw InputError(fmt::format("{}: {}, expected one to three sizes", where, value.dump()));
  std::vector<std::string> sizes;
  for (const json& size : value) sizes.push_back(expression(size, where));
  return sizes;
}

ArgumentDescription argument(const json& value, const std::string& where) {
  ArgumentDescription result;
  result.where = where;
  if (!value.is_object()) {
    result.value = vector_value(value, where);
    return result;
  }
  check_keys(value, kArgumentKeys, where);
  if (value.contains("type")) result.type = expression(value["type"], where);
  if (value.contains("count")) result.count = expression(value["count"], where);
  if (value.contains("bytes")) result.bytes = expression(value["bytes"], where);
  if (value.contains("local")) result.bytes = expression(value["local"], where);
  if (value.contains("value")) result.value = vector_value(value["value"], where);
  if (value.contains("fill")) {
    result.fill = value["fill"].is_string()
                      ? parse_fill(value["fill"].get<std::string>(), where)
                      : Fill{Fill::Kind::Constant, {expression(value["fill"], where)}, ""};
  }
  if (value.contains("null")) {
    if (!value["null"].is_boolean())
      throw InputError(fmt::format("{}: null is {}, expected true or false", where, value["null"].dump()));
    result.is_null = value["null"].get<bool>();
  }
  return result;
}

std::uint64_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'));
}

}  // namespace

LaunchDescription parse_json_launch(const std::string& text, const std::string& name) {
  json file;
  try {
    file = json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::parse_error& error) {
    throw InputError(
        fmt::format("{}:{}: not valid JSON, expected a launch file such as {{\"global\": [256, 256]}} ({})",
                    name, line_of(text, error.byte), error.what()));
  }
  if (!file.is_object())
    throw InputError(fmt::format("{}:1: expected a JSON object with the launch's sizes", name));
  check_keys(file, kTopKeys, name);
  LaunchDescription launch;
  launch.where = name;
  if (file.contains("kernel")) launch.kernel = expression(file["kernel"], name + ": kernel");
  if (file.contains("global")) launch.global = dimensions(file["global"], name + ": global");
  if (file.contains("local")) launch.local = dimensions(file["local"], name + ": local");
  if (file.contains("offset")) launch.offset = dimensions(file["offset"], name + ": offset");
  if (file.contains("build_options"))
    launch.build_options = expression(file["build_options"], name + ": build_options");
  for (const char* key : {"args", "defines"})
    if (file.contains(key) && !file[key].is_object())
      throw InputError(fmt::format("{}: {}: expected an object with a key per name", name, key));
  if (file.contains("args"))
    for (const auto& [argument_name, value] : file["args"].items())
      launch.arguments[argument_name] =
          argument(value, fmt::format("{}: argument '{}'", name, argument_name));
  if (file.contains("defines"))
    for (const auto& [define, value] : file["defines"].items())
      launch.defines[define] = expression(value, fmt::format("{}: define '{}'", name, define));
  return launch;
}

}  // namespace warpscope
