#include "wrapper/run/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope {
namespace {

std::string hex(const std::vector<std::uint8_t>& bytes, std::size_t begin, std::size_t size) {
  std::string text = "0x";
  for (std::size_t at = std::min(bytes.size(), begin + size); at > begin; --at)
    text += fmt::format("{:02x}", bytes[at - 1]);
  return text;
}

}  // namespace

std::vector<std::string> compare_buffers(KernelRun& traced, KernelRun& plain, const ResolvedLaunch& launch) {
  std::vector<std::string> differences;
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != ParameterSignature::Kind::Buffer || argument.is_null) continue;
    const auto with = traced.read(index);
    const auto without = plain.read(index);
    const auto [first, other] = std::mismatch(with.begin(), with.end(), without.begin());
    if (first == with.end()) continue;
    const std::size_t size = std::max<std::size_t>(argument.parameter.element.size, 1);
    const std::size_t element = static_cast<std::size_t>(first - with.begin()) / size;
    differences.push_back(
        fmt::format("buffer '{}' differs from element {} on: {} with instrumentation, {} without",
                    argument.parameter.name, element, hex(with, element * size, size),
                    hex(without, element * size, size)));
  }
  return differences;
}

}  // namespace warpscope
