#include "wrapper/kernel/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>

#include "gpus/preset.h"
#include "machine/isa/decoder.h"
#include "passes/driver/ptxas.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

constexpr std::string_view kAuto =
    "auto";  ///< auto, auto:GPU or auto:sm_NN: where there is a compiler that knows it
constexpr const char* kAutoArchitecture = "sm_80";  ///< where nobody names a GPU

/// PTX by clang, with its definitions of the built-ins; then ptxas.
MachineProgram compile_opencl(const CompileRequest& request, const std::string& architecture,
                              const std::vector<std::string>& options) {
  if (!options.empty())
    throw InputError(fmt::format("--nvcc-options: {} is compiled by clang, expected a .cu or a .ptx",
                                 request.source_name));
  (void)need_ptxas("--machine");
  const std::string text = read_text_file(request.source_path, "an OpenCL C file");
  if (text.find("get_work_dim") != std::string::npos)
    throw InputError(
        fmt::format("{}: get_work_dim() is not known to machine code, expected a kernel without it",
                    request.source_name));
  const PtxasReport report = ask_ptxas(request, architecture);
  if (!report.unresolved.empty())
    throw InputError(
        fmt::format("{}: --machine: the code of {} is not known here, expected a kernel without such calls",
                    request.source_name, fmt::join(report.unresolved, ", ")));
  MachineProgram program = assemble_ptx(need_ptxas("--machine"), request.work_directory + "/kernel.ptx",
                                        request.source_name, request.work_directory, architecture);
  program.compiler += ", PTX by clang 15, not NVIDIA's OpenCL compiler";
  return program;
}

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

MachineProgram compile_for_execution(const CompileRequest& request, const std::string& given,
                                     const std::vector<std::string>& options) {
  const std::string architecture = architecture_of(given, "--machine");
  if (!machine::Decoder::supports(
          static_cast<std::uint32_t>(std::strtoul(architecture.c_str() + 3, nullptr, 10))))
    throw InputError(fmt::format("--machine {}: {}, expected sm_70 to sm_90", given, architecture));
  if (request.source_path.ends_with(".cl")) return compile_opencl(request, architecture, options);
  if (!request.source_path.ends_with(".cu"))
    throw InputError(fmt::format(
        "{}: --machine executes what nvcc makes of a CUDA file (.cu), or ptxas of an OpenCL file (.cl)",
        request.source_name));
  const std::string nvcc = need_nvcc("--machine");
  return compile_with_nvcc(nvcc, request, architecture, options);
}

}  // namespace warpscope
