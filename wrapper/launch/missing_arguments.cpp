#include "wrapper/launch/missing_arguments.h"

#include <fmt/format.h>

namespace warpscope {
namespace {

using Kind = ParameterSignature::Kind;

/// Collects what is missing.
class Message {
 public:
  void add_global() {
    say("the number of work-items is not known");
    options_ += " --global X[,Y[,Z]]";
  }

  void add_value(const ParameterSignature& parameter) {
    say(fmt::format("argument '{}' ({}) has no value", parameter.name, parameter.type));
    option(parameter.name + "=VALUE");
  }

  void add_local(const ParameterSignature& parameter) {
    say(fmt::format("the size of local memory '{}' ({}) is not known", parameter.name, parameter.type));
    option(parameter.name + "=BYTES");
  }

  void add_buffer(const ParameterSignature& parameter, std::uint64_t work_items) {
    buffers_ += fmt::format("{}'{}' ({})", buffers_.empty() ? "" : ", ", parameter.name, parameter.type);
    option(parameter.name + (parameter.element.size == 0 ? "=bytes=BYTES"
                             : work_items == 0           ? "=count=ELEMENTS"
                                                         : "=count=" + std::to_string(work_items)));
  }

  [[nodiscard]] std::string text(const std::string& kernel) {
    if (options_.empty()) return "";
    if (!buffers_.empty())
      say(fmt::format(
          "what the kernel accesses is not known before it runs, so the sizes of {} have to be given",
          buffers_));
    return fmt::format("kernel '{}': {}, expected{}", kernel, said_, options_);
  }

 private:
  void say(const std::string& what) { said_ += (said_.empty() ? "" : "; ") + what; }

  void option(const std::string& text) { options_ += " --arg " + text; }

  std::string said_, buffers_, options_;
};

}  // namespace

const ArgumentDescription* description_of(const LaunchDescription& launch, const KernelSignature& kernel,
                                          std::size_t index) {
  const auto named = launch.arguments.find(kernel.parameters[index].name);
  if (named != launch.arguments.end()) return &named->second;
  return index < launch.positional.size() ? &launch.positional[index] : nullptr;
}

bool has_open_size(const ParameterSignature& parameter, const ArgumentDescription* given) {
  if (parameter.kind != Kind::Buffer) return false;
  if (given == nullptr) return true;
  const bool is_file = given->fill && given->fill->kind == Fill::Kind::File;
  return !given->is_null && !given->count && !given->bytes && !given->value && !is_file;
}

std::string missing_arguments(const LaunchDescription& launch, const KernelSignature& kernel,
                              bool with_buffers, std::uint64_t work_items) {
  Message message;
  if (launch.global.empty()) message.add_global();
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const ParameterSignature& parameter = kernel.parameters[index];
    const ArgumentDescription* const given = description_of(launch, kernel, index);
    if (parameter.kind == Kind::Value && given == nullptr) message.add_value(parameter);
    if (parameter.kind == Kind::Local && given == nullptr) message.add_local(parameter);
    if (with_buffers && has_open_size(parameter, given)) message.add_buffer(parameter, work_items);
  }
  return message.text(kernel.name);
}

void add_placeholders(LaunchDescription& launch, const KernelSignature& kernel) {
  if (launch.global.empty()) launch.global = {"64"};
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const ParameterSignature& parameter = kernel.parameters[index];
    if (description_of(launch, kernel, index) != nullptr) continue;
    ArgumentDescription any;
    if (parameter.kind == Kind::Value) any.value = "0";
    if (parameter.kind == Kind::Local) any.bytes = "64";
    if (any.value || any.bytes) launch.arguments[parameter.name] = any;
  }
}

std::string with_commas(std::uint64_t value) {
  return value < 1000 ? std::to_string(value)
                      : fmt::format("{},{:03}", with_commas(value / 1000), value % 1000);
}

}  // namespace warpscope
