#include "wrapper/kernel/architecture.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "gpus/preset.h"
#include "machine/isa/decoder.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::string_view kAuto =
    "auto";  ///< auto, auto:GPU or auto:sm_NN: where there is a compiler that knows it
constexpr const char* kAutoArchitecture = "sm_80";  ///< where nobody names a GPU

}  // namespace

bool is_auto(const std::string& text) {
  return text == kAuto || text.starts_with(std::string(kAuto) + ":");
}

/// "sm_80" as it is; for a GPU preset its compute capability.
std::string architecture_of(const std::string& given, const char* option) {
  std::string text = !is_auto(given)  ? given
                     : given == kAuto ? kAutoArchitecture
                                      : given.substr(kAuto.size() + 1);
  if (text.starts_with("sm_")) return text;
  GpuPreset preset;
  try {
    preset = load_preset(text, {}, option);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: expected sm_NN, a GPU or auto ({})", option, given, error.what()));
  }
  if (!preset.compute_capability)
    throw InputError(
        fmt::format("{} {}: the preset has no compute_capability, expected sm_NN", option, given));
  std::string digits = *preset.compute_capability;
  std::erase(digits, '.');
  return "sm_" + digits;
}

MachineProgram compile_for_execution(const CompileRequest& request, const std::string& given) {
  const std::string architecture = architecture_of(given, "--machine");
  if (!machine::Decoder::supports(
          static_cast<std::uint32_t>(std::strtoul(architecture.c_str() + 3, nullptr, 10))))
    throw InputError(fmt::format("--machine {}: {}, expected sm_70 to sm_90", given, architecture));
  if (!request.source_path.ends_with(".cu"))
    throw InputError(fmt::format("{}: --machine executes what nvcc makes, expected a CUDA file (.cu)",
                                 request.source_name));
  const std::string nvcc = need_nvcc("--machine");
  return compile_with_nvcc(nvcc, request, architecture);
}

}  // namespace warpscope
