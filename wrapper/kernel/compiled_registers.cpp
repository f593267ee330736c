#include "wrapper/kernel/compiled_registers.h"

#include <fmt/format.h>

#include <filesystem>

#include "machine/cubin/source_name.h"
#include "machine/facts/spills.h"
#include "passes/driver/ptxas.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"
#include "wrapper/machine/machine_program.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

/// What the cubin says of its kernels.
std::vector<CompiledRegisters> kernels_of(const machine::Cubin& cubin) {
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

}  // namespace

CompilerAnswer ask_compiler(const CompileRequest& request, const std::string& architecture) {
  if (const std::string nvcc = find_nvcc(); !nvcc.empty() && request.source_path.ends_with(".cu")) {
    const MachineProgram program = compile_with_nvcc(nvcc, request, architecture);
    return {fmt::format("{}, {}", program.compiler, program.architecture), kernels_of(program.cubin), {}};
  }
  PtxasReport report = ask_ptxas(request, architecture);
  CompilerAnswer answer{
      fmt::format("ptxas {}, {}", report.version, report.architecture), {}, std::move(report.unresolved)};
  const std::string cubin = request.work_directory + "/kernel.ptx.cubin";
  std::vector<CompiledRegisters> compiled;
  if (std::error_code error; fs::exists(cubin, error)) {
    const std::string text = read_text_file(cubin, "a cubin");
    compiled = kernels_of(machine::Cubin({text.begin(), text.end()}, cubin));
  }
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
