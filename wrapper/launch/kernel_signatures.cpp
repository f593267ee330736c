#include "wrapper/launch/kernel_signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/base/installation.h"

namespace warpscope {
namespace {

using nlohmann::json;

std::string tool_path() {
  std::string tool = installed_path("bin/kernel-signatures");
  if (!std::filesystem::exists(tool))
    throw InputError(tool + ": not found, expected it next to trace-kernel; build all targets");
  return tool;
}

/// A compiler's message without the line break at its end.
std::string without_last_break(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

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
  return result;
}

KernelSignature kernel_from(const json& kernel) {
  KernelSignature result;
  result.name = kernel.at("name").get<std::string>();
  result.symbol = kernel.value("symbol", result.name);
  result.line = kernel.at("line").get<std::uint32_t>();
  for (const json& parameter : kernel.at("parameters"))
    result.parameters.push_back(parameter_from(parameter));
  const json& required = kernel.at("reqd_work_group_size");
  if (!required.is_null()) result.required_local = required.get<std::array<std::uint64_t, 3>>();
  return result;
}

}  // namespace

std::vector<KernelSignature> kernel_signatures(const std::string& source_path,
                                               const std::vector<std::string>& options) {
  // Warnings are shown by the compilation that follows.
  std::vector<std::string> command = {tool_path(), source_path, "--", "-w"};
  command.insert(command.end(), options.begin(), options.end());
  const ProcessResult result = run_process(command);
  // The compiler goes on without options that it does not know, but says so before the answer.
  const std::size_t answer_begin =
      result.status == 0 ? result.output.find("{\n  \"kernels\"") : std::string::npos;
  const std::string messages = without_last_break(result.output.substr(0, answer_begin));
  if (result.status != 0 || messages.find("error: ") != std::string::npos)
    throw InputError(fmt::format("{}: does not compile", source_path), messages);
  if (answer_begin == std::string::npos) throw std::logic_error("kernel-signatures gave no answer");
  return parse_signatures(result.output.substr(answer_begin));
}

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
