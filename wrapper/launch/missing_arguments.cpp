#include "wrapper/launch/missing_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace warpscope {
namespace {

using Kind = ParameterSignature::Kind;

constexpr std::uint64_t kUsualGroup = 256;
constexpr std::array<Dim3, 3> kUsualSizes = {{{1024, 1, 1}, {64, 64, 1}, {16, 16, 16}}};
constexpr std::array<Dim3, 3> kUsualBlocks = {{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

std::array<std::uint64_t, 3> sizes_of(const Dim3& sizes) {
  return {sizes.x, sizes.y, sizes.z};
}

/// "64,64": without ones at the end.
std::string text_of(const std::array<std::uint64_t, 3>& sizes) {
  std::string text = std::to_string(sizes[0]);
  if (sizes[1] != 1 || sizes[2] != 1) text += "," + std::to_string(sizes[1]);
  return sizes[2] != 1 ? text + "," + std::to_string(sizes[2]) : text;
}

/// The local size if it is given in numbers.
std::optional<std::array<std::uint64_t, 3>> local_of(const LaunchDescription& launch,
                                                     const KernelSignature& kernel) {
  if (kernel.required_local) return kernel.required_local;
  if (launch.local.empty() || !std::ranges::all_of(launch.local, is_number)) return std::nullopt;
  std::array<std::uint64_t, 3> local = {1, 1, 1};
  for (std::size_t d = 0; d < launch.local.size() && d < local.size(); ++d)
    local[d] = std::max<std::uint64_t>(1, std::stoul(launch.local[d]));
  return local;
}

/// Sizes for which a kernel of this kind is usually run, in whole work-groups.
Dim3 example_size(const LaunchDescription& launch, const KernelSignature& kernel, std::uint32_t dimensions) {
  Dim3 size = kUsualSizes[dimensions - 1];
  if (const auto local = local_of(launch, kernel)) {
    const auto [x, y, z] = *local;
    size = {(size.x + x - 1) / x * x, (size.y + y - 1) / y * y, (size.z + z - 1) / z * z};
  }
  return size;
}

/// Collects what is missing, and an example that gives it.
class Message {
 public:
  /// `group`: work-items of a work-group, if somebody says how many.
  Message(Dim3 size, std::uint64_t group) : size_(size), group_(group) {}

  void add_global(const LaunchExample& example, bool has_local) {
    say("the number of work-items is not known");
    const auto size = sizes_of(size_);
    if (!example.is_cuda || has_local) {
      options_ += " --global " + text_of(size);
      return;
    }
    const auto block = sizes_of(kUsualBlocks[example.dimensions - 1]);
    options_ +=
        fmt::format(" --grid {} --block {}",
                    text_of({size[0] / block[0], size[1] / block[1], size[2] / block[2]}), text_of(block));
  }

  void add_value(const ParameterSignature& parameter) {
    say(fmt::format("argument '{}' ({}) has no value", parameter.name, parameter.type));
    option(parameter.name + "=" + example_of(parameter.element));
  }

  void add_local(const ParameterSignature& parameter) {
    say(fmt::format("the size of local memory '{}' ({}) is not known, in bytes", parameter.name,
                    parameter.type));
    option(parameter.name + "=" +
           std::to_string(group_ * std::max<std::uint64_t>(parameter.element.size, 4)));
  }

  void add_buffer(const ParameterSignature& parameter) {
    buffers_ += fmt::format("{}'{}' ({})", buffers_.empty() ? "" : ", ", parameter.name, parameter.type);
    option(fmt::format("{}={}={}", parameter.name, parameter.element.size == 0 ? "bytes" : "count",
                       size_.count()));
  }

  [[nodiscard]] std::string text(const std::string& kernel, const std::string& command) {
    if (options_.empty()) return "";
    if (!buffers_.empty())
      say(fmt::format(
          "what the kernel accesses is not known before it runs, so the sizes of {} have to be given",
          buffers_));
    return fmt::format("kernel '{}': {}, expected for example{}{}{}", kernel, said_,
                       command.empty() ? "" : ": ", command, options_);
  }

 private:
  void say(const std::string& what) { said_ += (said_.empty() ? "" : "; ") + what; }

  void option(const std::string& text) { options_ += " --arg " + text; }

  /// An integer is most often a size.
  [[nodiscard]] std::string example_of(const ElementType& type) const {
    if (type.kind == ElementType::Kind::Opaque) return "fill=file:FILE";
    const bool is_size = type.kind != ElementType::Kind::Floating && type.component_size() > 1;
    return is_size ? std::to_string(size_.x) : "1";
  }

  Dim3 size_;
  std::uint64_t group_;
  std::string said_, buffers_, options_;
};

/// Whether the text asks for its position in this dimension: get_global_id(1), blockIdx.y.
bool asks_for(const std::string& source, char number, char letter) {
  for (const char* name : {"get_global_id(", "get_local_id(", "get_group_id("})
    for (std::size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
      const std::size_t argument = source.find_first_not_of(" \t", at + std::strlen(name));
      if (argument != std::string::npos && source[argument] == number) return true;
    }
  return std::ranges::any_of(std::array{"threadIdx.", "blockIdx."}, [&](const char* name) {
    return source.find(std::string(name) + letter) != std::string::npos;
  });
}

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
  return !given->is_null && !given->texture && !given->tensor && !given->count && !given->bytes &&
         !given->value && !is_file;
}

std::uint32_t dimensions_of(const std::string& source) {
  return asks_for(source, '2', 'z') ? 3 : asks_for(source, '1', 'y') ? 2 : 1;
}

std::string missing_arguments(const LaunchDescription& launch, const KernelSignature& kernel,
                              bool with_buffers, const std::optional<Dim3>& global,
                              const LaunchExample& example) {
  const auto local = local_of(launch, kernel);
  Message message(global.value_or(example_size(launch, kernel, example.dimensions)),
                  local ? (*local)[0] * (*local)[1] * (*local)[2] : kUsualGroup);
  if (launch.global.empty()) message.add_global(example, !launch.local.empty() || kernel.required_local);
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const ParameterSignature& parameter = kernel.parameters[index];
    const ArgumentDescription* const given = description_of(launch, kernel, index);
    if (parameter.kind == Kind::Value && given == nullptr) message.add_value(parameter);
    if (parameter.kind == Kind::Local && given == nullptr) message.add_local(parameter);
    if (with_buffers && has_open_size(parameter, given)) message.add_buffer(parameter);
  }
  return message.text(kernel.name, example.command);
}

void add_placeholders(LaunchDescription& launch, const KernelSignature& kernel) {
  if (launch.global.empty())
    for (const std::uint64_t size : sizes_of(example_size(launch, kernel, 1)))
      launch.global.push_back(std::to_string(size));
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
