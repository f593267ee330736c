// The launch file: JSON with comments.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr const char* kTopKeys[] = {"kernel", "global",  "local",         "offset",
                                    "args",   "defines", "build_options", "sizes"};
constexpr const char* kSizeKeys[] = {"global", "local", "offset", "args", "defines"};
constexpr const char* kArgumentKeys[] = {
    "type",    "count",      "bytes",       "value",    "fill",    "local",  "null",  "texture", "surface",
    "filter",  "address",    "coordinates", "read",     "layered", "tensor", "box",   "strides", "steps",
    "swizzle", "interleave", "outside",     "elements", "of",      "offset", "lower", "upper"};

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
    return value.is_boolean() ? (value.get<bool>() ? "1" : "0") : dump(value);
  throw InputError(fmt::format("{}: {}, expected a number or an expression in quotes", where, dump(value)));
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
    throw InputError(fmt::format("{}: {}, expected one to three sizes", where, dump(value)));
  std::vector<std::string> sizes;
  for (const json& size : value) sizes.push_back(expression(size, where));
  return sizes;
}

std::string word(const json& value, const std::string& where) {
  if (!value.is_string())
    throw InputError(fmt::format("{}: {}, expected a word in quotes", where, dump(value)));
  return value.get<std::string>();
}

/// A texture or a surface; nothing: it is neither.
std::optional<TextureDescription> texture_of(const json& value, const std::string& where) {
  const bool is_surface = value.contains("surface");
  if (!is_surface && !value.contains("texture")) return std::nullopt;
  TextureDescription texture;
  texture.is_surface = is_surface;
  texture.sizes = dimensions(value[is_surface ? "surface" : "texture"], where);
  if (value.contains("filter")) texture.filter = word(value["filter"], where);
  if (value.contains("coordinates")) texture.coordinates = word(value["coordinates"], where);
  if (value.contains("read")) texture.read = word(value["read"], where);
  if (value.contains("address") && value["address"].is_array())
    for (const json& mode : value["address"]) texture.address.push_back(word(mode, where));
  else if (value.contains("address"))
    texture.address = {word(value["address"], where)};
  texture.is_layered = value.contains("layered") && value["layered"] == true;
  return texture;
}

/// Numbers as expressions, in a list or alone.
std::vector<std::string> expressions(const json& value, const std::string& where) {
  if (!value.is_array()) return {expression(value, where)};
  std::vector<std::string> list;
  for (const json& one : value) list.push_back(expression(one, where));
  return list;
}

/// A tensor map; nothing: it is none.
std::optional<TensorDescription> tensor_of(const json& value, const std::string& where) {
  if (!value.contains("tensor")) return std::nullopt;
  TensorDescription tensor;
  const auto list = [&](const char* key, std::vector<std::string>& to) {
    if (value.contains(key)) to = expressions(value[key], where);
  };
  const auto number = [&](const char* key, std::string& to) {
    if (value.contains(key)) to = expression(value[key], where);
  };
  list("tensor", tensor.sizes);
  list("box", tensor.box);
  list("strides", tensor.strides);
  list("steps", tensor.steps);
  list("lower", tensor.lower);
  list("upper", tensor.upper);
  number("swizzle", tensor.swizzle);
  number("interleave", tensor.interleave);
  number("offset", tensor.offset);
  if (value.contains("outside")) tensor.outside = word(value["outside"], where);
  if (value.contains("elements")) tensor.elements = word(value["elements"], where);
  if (value.contains("of")) tensor.of = word(value["of"], where);
  return tensor;
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
  result.is_local = value.contains("local");
  if (value.contains("value")) result.value = vector_value(value["value"], where);
  if (value.contains("fill")) {
    result.fill = value["fill"].is_string()
                      ? parse_fill(value["fill"].get<std::string>(), where)
                      : Fill{Fill::Kind::Constant, {expression(value["fill"], where)}, ""};
  }
  result.texture = texture_of(value, where);
  result.tensor = tensor_of(value, where);
  if (value.contains("null")) {
    if (!value["null"].is_boolean())
      throw InputError(fmt::format("{}: null is {}, expected true or false", where, dump(value["null"])));
    result.is_null = value["null"].get<bool>();
  }
  return result;
}

std::uint64_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'));
}

/// What the whole file and one of its sizes have in common; `where` is for messages.
LaunchDescription description(const json& object, const std::string& where) {
  LaunchDescription launch;
  launch.where = where;
  if (object.contains("kernel")) launch.kernel = expression(object["kernel"], where + ": kernel");
  if (object.contains("global")) launch.global = dimensions(object["global"], where + ": global");
  if (object.contains("local")) launch.local = dimensions(object["local"], where + ": local");
  if (object.contains("offset")) launch.offset = dimensions(object["offset"], where + ": offset");
  if (object.contains("build_options"))
    launch.build_options = expression(object["build_options"], where + ": build_options");
  for (const char* key : {"args", "defines"})
    if (object.contains(key) && !object[key].is_object())
      throw InputError(fmt::format("{}: {}: expected an object with a key per name", where, key));
  if (object.contains("args"))
    for (const auto& [argument_name, value] : object["args"].items())
      launch.arguments[argument_name] =
          argument(value, fmt::format("{}: argument '{}'", where, argument_name));
  if (object.contains("defines"))
    for (const auto& [define, value] : object["defines"].items())
      launch.defines[define] = expression(value, fmt::format("{}: define '{}'", where, define));
  return launch;
}

/// The sizes of a file by name; all are checked, whichever is asked for.
std::map<std::string, LaunchDescription> sizes_of(const json& file, const std::string& name) {
  std::map<std::string, LaunchDescription> sizes;
  if (!file.contains("sizes")) return sizes;
  if (!file["sizes"].is_object())
    throw InputError(fmt::format("{}: sizes: expected an object with a key per size", name));
  for (const auto& [size, value] : file["sizes"].items()) {
    const std::string where = fmt::format("{}: size '{}'", name, size);
    if (!value.is_object())
      throw InputError(fmt::format("{}: expected an object such as {{\"global\": [64, 64]}}", where));
    check_keys(value, kSizeKeys, where);
    sizes[size] = description(value, where);
  }
  return sizes;
}

}  // namespace

LaunchDescription parse_json_launch(const std::string& text, const std::string& name,
                                    const std::string& size) {
  json file;
  try {
    file = parse_json(text, name, JsonComments::Ignored);
  } catch (const JsonError& error) {
    const std::string line =
        error.byte() == 0 ? "" : fmt::format("{}:{}: ", name, line_of(text, error.byte()));
    throw InputError(
        fmt::format("{}not valid JSON, expected a launch file such as {{\"global\": [256, 256]}} ({})", line,
                    error.what()));
  }
  if (!file.is_object())
    throw InputError(fmt::format("{}:1: expected a JSON object with the launch's sizes", name));
  check_keys(file, kTopKeys, name);
  LaunchDescription launch = description(file, name);
  const auto sizes = sizes_of(file, name);
  for (const auto& [known, unused] : sizes) launch.sizes.push_back(known);
  if (size.empty()) return launch;
  const auto chosen = sizes.find(size);
  if (chosen == sizes.end()) {
    std::string known;
    for (const auto& [other, unused] : sizes) known.append(known.empty() ? "" : ", ").append(other);
    throw InputError(fmt::format("{}: no size '{}', expected {}", name, size,
                                 known.empty() ? "--global instead: the file names no sizes" : known));
  }
  launch = merge(chosen->second, launch);
  launch.where = name;
  return launch;
}

}  // namespace warpscope
