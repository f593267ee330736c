#include "wrapper/machine/machine_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

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

MachineProgram compile_with_nvcc(const std::string& nvcc, const CompileRequest& request,
                                 const std::string& architecture) {
  const std::string cubin = request.work_directory + "/nvcc.cubin";
  std::vector<std::string> command{nvcc, "-cubin", "-lineinfo", "-w", "-arch=" + architecture, "-o", cubin};
  for (std::string& option : shared_options(request)) command.push_back(std::move(option));
  command.push_back(request.source_path);
  const ProcessResult result = run_process(command);
  const std::string version = version_of(nvcc);
  if (result.output.find("Unsupported gpu architecture") != std::string::npos)
    throw InputError(
        fmt::format("{}: nvcc {} does not know {}; expected a toolkit of that GPU's time in $CUDA_HOME", nvcc,
                    version, architecture));
  if (result.status != 0)
    throw InputError(fmt::format("nvcc: failed for {}", request.source_name), result.output);
  const std::string text = read_text_file(cubin, "a cubin");
  return {machine::Cubin({text.begin(), text.end()}, cubin),
          fmt::format("nvcc {}, {}", version, architecture)};
}

}  // namespace warpscope
