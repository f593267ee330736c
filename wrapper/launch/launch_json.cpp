#include "wrapper/launch/launch_json.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "traces/base/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

const char* name_of(Fill::Kind kind) {
  switch (kind) {
    case Fill::Kind::Zero:
      return "zero";
    case Fill::Kind::Iota:
      return "iota";
    case Fill::Kind::Constant:
      return "constant";
    case Fill::Kind::Random:
      return "random";
    case Fill::Kind::Range:
      return "range";
    case Fill::Kind::File:
      return "file";
    case Fill::Kind::None:
      return "none";
    case Fill::Kind::Default:
      break;
  }
  return "default";
}

json to_json(const Number& number) {
  return std::visit([](auto value) { return json(value); }, number);
}

json to_json(const std::vector<Number>& numbers) {
  json result = json::array();
  for (const Number& number : numbers) result.push_back(to_json(number));
  return result;
}

json to_json(const Dim3& sizes) {
  return json::array({sizes.x, sizes.y, sizes.z});
}

json fill_json(Fill::Kind kind, const std::vector<Number>& numbers, const std::string& path) {
  json result = {{"kind", name_of(kind)}};
  if (kind == Fill::Kind::File)
    result["path"] = path;
  else
    result["numbers"] = to_json(numbers);
  return result;
}

json to_json(const EvaluatedArgument& argument) {
  json result = {{"name", argument.name}};
  if (argument.type) result["type"] = *argument.type;
  if (!argument.values.empty()) result["values"] = to_json(argument.values);
  if (argument.count) result["count"] = *argument.count;
  if (argument.bytes) result["bytes"] = *argument.bytes;
  if (argument.is_local) result["local"] = true;
  if (argument.is_null) result["null"] = true;
  if (argument.fill) result["fill"] = fill_json(*argument.fill, argument.fill_numbers, argument.fill_path);
  return result;
}

const char* name_of(ParameterSignature::Kind kind) {
  switch (kind) {
    case ParameterSignature::Kind::Buffer:
      return "buffer";
    case ParameterSignature::Kind::Local:
      return "local";
    case ParameterSignature::Kind::Value:
      return "value";
    case ParameterSignature::Kind::Unsupported:
      break;
  }
  return "unsupported";
}

const char* name_of(ElementType::Kind kind) {
  switch (kind) {
    case ElementType::Kind::Signed:
      return "signed";
    case ElementType::Kind::Unsigned:
      return "unsigned";
    case ElementType::Kind::Floating:
      return "floating";
    case ElementType::Kind::Opaque:
      break;
  }
  return "opaque";
}

json to_json(const ResolvedArgument& argument) {
  const ElementType& element = argument.element;
  json result = {{"name", argument.parameter.name},
                 {"kind", name_of(argument.parameter.kind)},
                 {"type", argument.parameter.type},
                 {"element",
                  {{"name", element.name},
                   {"kind", name_of(element.kind)},
                   {"bytes", element.size},
                   {"lanes", element.lanes}}}};
  if (argument.size != 0) result["bytes"] = argument.size;
  if (argument.is_null) result["null"] = true;
  if (!argument.text.empty()) result["value"] = argument.text;
  if (argument.fill) result["fill"] = fill_json(*argument.fill, argument.fill_numbers, argument.fill_path);
  return result;
}

}  // namespace

std::string to_json(const EvaluatedLaunch& launch) {
  json result = {{"kernel", nullptr},
                 {"global", to_json(launch.global)},
                 {"local", nullptr},
                 {"offset", to_json(launch.offset)},
                 {"defines", json(launch.defines)},
                 {"define_values", json::object()},
                 {"build_options", launch.build_options},
                 {"sizes", launch.sizes},
                 {"arguments", json::array()}};
  if (launch.kernel) result["kernel"] = *launch.kernel;
  if (launch.local) result["local"] = to_json(*launch.local);
  for (const auto& [name, value] : launch.define_values) result["define_values"][name] = to_json(value);
  for (const EvaluatedArgument& argument : launch.arguments) result["arguments"].push_back(to_json(argument));
  return dump(result);
}

std::string to_json(const ResolvedLaunch& launch) {
  json result = {{"kernel", launch.kernel.name},
                 {"global", to_json(launch.global)},
                 {"local", to_json(launch.local)},
                 {"offset", to_json(launch.offset)},
                 {"arguments", json::array()}};
  for (const ResolvedArgument& argument : launch.arguments) result["arguments"].push_back(to_json(argument));
  return dump(result);
}

}  // namespace warpscope
