#include "wrapper/kernel/compiled_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "machine/cubin/source_name.h"
#include "machine/facts/spills.h"
#include "passes/driver/ptxas.h"
#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

/// What the cubin says of its kernels.
std::vector<CompiledRegisters> kernels_of(const std::string& path) {
  const std::string text = read_text_file(path, "a cubin");
  const machine::Cubin cubin({text.begin(), text.end()}, path);
  std::vector<CompiledRegisters> kernels;
  for (const machine::Function& function : cubin.functions()) {
    if (!function.is_kernel) continue;
    CompiledRegisters one{machine::source_name(function.name), function.registers, 0, 0, true, ""};
    one.knows_spills = machine::Decoder::supports(cubin.architecture());
    if (one.knows_spills) {
      const machine::SpilledRegisters spilled = machine::spilled_registers(cubin, function);
      one.spilled = spilled.registers;
      one.spill_bytes = spilled.bytes;
      if (spilled.line != 0)
        one.spill_place = fmt::format("{}:{}", fs::path(spilled.file).filename().string(), spilled.line);
    }
    kernels.push_back(std::move(one));
  }
  return kernels;
}

std::string version_of(const std::string& nvcc) {
  static const std::regex release("release ([0-9.]+)");
  const std::string text = run_process({nvcc, "--version"}).output;
  std::smatch parts;
  return std::regex_search(text, parts, release) ? parts[1].str() : "of unknown version";
}

/// Options that both compilers have: macros, folders and the language.
std::vector<std::string> shared_options(const CompileRequest& request) {
  std::vector<std::string> shared;
  for (const std::string& option : request.options)
    for (const char* prefix : {"-D", "-U", "-I", "-std="})
      if (option.starts_with(prefix)) shared.push_back(option);
  return shared;
}

CompilerAnswer ask_nvcc(const std::string& nvcc, const CompileRequest& request,
                        const std::string& architecture) {
  const std::string cubin = request.work_directory + "/nvcc.cubin";
  std::vector<std::string> command{nvcc, "-cubin", "-lineinfo", "-w", "-arch=" + architecture, "-o", cubin};
  for (std::string& option : shared_options(request)) command.push_back(std::move(option));
  command.push_back(request.source_path);
  const ProcessResult result = run_process(command);
  const std::string version = version_of(nvcc);
  if (result.output.find("Unsupported gpu architecture") != std::string::npos)
    throw InputError(
        fmt::format("{}: nvcc {} does not know {}; expected a toolkit of that GPU's time in $CUDA_HOME, or "
                    "the registers as a number (--registers of warpsched)",
                    nvcc, version, architecture));
  if (result.status != 0)
    throw InputError(fmt::format("nvcc: failed for {}", request.source_name), result.output);
  return {fmt::format("nvcc {}, {}", version, architecture), kernels_of(cubin), {}};
}

}  // namespace

std::string find_nvcc() {
  if (const char* given = std::getenv("WARPSCOPE_PTXAS"); given != nullptr && *given != '\0') return "";
  std::vector<std::string> places;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    places.push_back(std::string(home) + "/bin/nvcc");
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  places.push_back(find_program("nvcc"));
  std::error_code error;
  for (const std::string& place : places)
    if (!place.empty() && fs::exists(place, error) &&
        fs::exists(fs::path(place).parent_path() / "ptxas", error))
      return place;
  return "";
}

CompilerAnswer ask_compiler(const CompileRequest& request, const std::string& architecture) {
  if (const std::string nvcc = find_nvcc(); !nvcc.empty() && request.source_path.ends_with(".cu"))
    return ask_nvcc(nvcc, request, architecture);
  PtxasReport report = ask_ptxas(request, architecture);
  CompilerAnswer answer{
      fmt::format("ptxas {}, {}", report.version, report.architecture), {}, std::move(report.unresolved)};
  const std::string cubin = request.work_directory + "/kernel.ptx.cubin";
  std::vector<CompiledRegisters> compiled;
  if (std::error_code error; fs::exists(cubin, error)) compiled = kernels_of(cubin);
  for (const KernelRegisters& kernel : report.kernels) {
    CompiledRegisters one{kernel.kernel, kernel.registers, 0, kernel.spill_bytes, true, ""};
    for (const CompiledRegisters& other : compiled)
      if (other.kernel == kernel.kernel) {
        one.spilled = other.spilled;
        one.spill_place = other.spill_place;
      }
    answer.kernels.push_back(std::move(one));
  }
  return answer;
}

std::string origin_of(const CompilerAnswer& answer, const CompiledRegisters& kernel) {
  if (kernel.spilled == 0) return answer.from;
  return fmt::format("{}; {} registers spilled{}", answer.from, kernel.spilled,
                     kernel.spill_place.empty() ? "" : fmt::format(" ({})", kernel.spill_place));
}

}  // namespace warpscope
