#include "wrapper/launch/kernel_signatures.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warpscope {
namespace {

using nlohmann::json;

ElementType element_from(const json& parameter) {
  const std::uint32_t lanes = parameter.at("vector_width").get<std::uint32_t>();
  std::string name = parameter.at("element").get<std::string>();
  const auto scalar = builtin_type(name);
  if (lanes > 1) name += std::to_string(lanes);
  ElementType type;
  type.name = name;
  type.size = parameter.at("bytes").get<std::uint32_t>();
  type.lanes = lanes;
  if (scalar) type.kind = scalar->kind;
  return type;
}

ParameterSignature parameter_from(const json& parameter) {
  ParameterSignature result;
  result.name = parameter.at("name").get<std::string>();
  result.type = parameter.at("type").get<std::string>();
  const std::string kind = parameter.at("kind").get<std::string>();
  if (kind == "buffer")
    result.kind = ParameterSignature::Kind::Buffer;
  else if (kind == "local")
    result.kind = ParameterSignature::Kind::Local;
  else if (kind == "value" || kind == "struct")
    result.kind = ParameterSignature::Kind::Value;
  else
    result.kind = ParameterSignature::Kind::Unsupported;
  result.element = element_from(parameter);
  result.fixed_bytes = parameter.value("fixed_bytes", std::uint64_t{0});
  if (parameter.contains("argument")) result.source_number = parameter.at("argument").get<std::uint32_t>();
  result.source_offset = parameter.value("offset", std::uint64_t{0});
  return result;
}

KernelSignature kernel_from(const json& kernel) {
  KernelSignature result;
  result.name = kernel.at("name").get<std::string>();
  result.symbol = kernel.value("symbol", result.name);
  result.mangled = kernel.value("mangled", "");
  result.line = kernel.at("line").get<std::uint32_t>();
  for (const json& parameter : kernel.at("parameters"))
    result.parameters.push_back(parameter_from(parameter));
  const json& required = kernel.at("reqd_work_group_size");
  if (!required.is_null()) result.required_local = required.get<std::array<std::uint64_t, 3>>();
  return result;
}

}  // namespace

std::vector<KernelSignature> parse_signatures(const std::string& text) {
  std::vector<KernelSignature> kernels;
  try {
    const json answer = json::parse(text);
    for (const json& kernel : answer.at("kernels")) kernels.push_back(kernel_from(kernel));
  } catch (const json::exception& error) {
    throw std::logic_error(fmt::format("not kernel signatures: {}", error.what()));
  }
  return kernels;
}

}  // namespace warpscope
