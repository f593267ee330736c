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

/// "13.0" of what `nvcc --version` and `ptxas --version` say.
std::string version_of(const std::string& tool) {
  static const std::regex release("release ([0-9.]+)");
  const std::string text = run_process({tool, "--version"}).output;
  std::smatch parts;
  return std::regex_search(text, parts, release) ? parts[1].str() : "of unknown version";
}

std::vector<std::string> tool_places(const char* name) {
  std::vector<std::string> places;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    places.push_back(fmt::format("{}/bin/{}", home, name));
  places.push_back(fmt::format("/usr/local/cuda/bin/{}", name));
  if (std::string found = find_program(name); !found.empty()) places.push_back(std::move(found));
  return places;
}

[[noreturn]] void is_missing(const char* tool, const std::string& what) {
  const char* const home = std::getenv("CUDA_HOME");
  throw InputError(fmt::format(
      "{}: no {} in {}, /usr/local/cuda/bin and $PATH, expected NVIDIA's CUDA toolkit, which needs "
      "no GPU (scripts/setup --with-cuda installs it)",
      what, tool,
      home != nullptr && *home != '\0' ? fmt::format("$CUDA_HOME/bin ({}/bin)", home)
                                       : "$CUDA_HOME/bin (not set)"));
}

/// PTX that a newer toolkit wrote, as ptxas says it: "Unsupported .version 9.9; current version is '9.0'", "Unsupported .target 'sm_130'".
void refuse_newer_ptx(const std::string& output, const std::string& name, const std::string& tool) {
  static const std::regex version(R"(Unsupported \.version ([0-9.]+); current version is '([0-9.]+)')");
  static const std::regex target(R"(Unsupported \.target '(\w+)')");
  std::smatch parts;
  if (std::regex_search(output, parts, version))
    throw InputError(
        fmt::format("{}: PTX of version {}, while {} knows versions up to {}; expected a newer "
                    "toolkit in $CUDA_HOME",
                    name, parts[1].str(), tool, parts[2].str()));
  if (std::regex_search(output, parts, target))
    throw InputError(
        fmt::format("{}: PTX for {}, which {} does not know; expected a newer toolkit in "
                    "$CUDA_HOME",
                    name, parts[1].str(), tool));
}

/// Runs a compiler that writes a cubin.
MachineProgram run_compiler(const std::vector<std::string>& command, const std::string& tool,
                            const std::string& name, const std::string& architecture,
                            const std::string& cubin) {
  const ProcessResult result = run_process(command);
  const std::string version = version_of(command[0]);
  // nvcc: "Unsupported gpu architecture"; ptxas: "Value 'sm_10' is not defined for option 'gpu-name'".
  if (result.output.find("Unsupported gpu architecture") != std::string::npos ||
      result.output.find("'gpu-name'") != std::string::npos)
    throw InputError(
        fmt::format("{}: {} {} does not know {}; expected a toolkit of that GPU's time in $CUDA_HOME",
                    command[0], tool, version, architecture));
  refuse_newer_ptx(result.output, name, fmt::format("{} {}", tool, version));
  if (result.status != 0) throw InputError(fmt::format("{}: failed for {}", tool, name), result.output);
  const std::string text = read_text_file(cubin, "a cubin");
  MachineProgram program{machine::Cubin({text.begin(), text.end()}, cubin), architecture,
                         fmt::format("{} {}", tool, version), ""};
  program.ptx = program.cubin.ptx_text();
  return program;
}

/// Options that both compilers have: macros, headers and their folders, and the language. Their values may be words of
/// their own.
std::vector<std::string> shared_options(const CompileRequest& request) {
  std::vector<std::string> shared;
  const std::vector<std::string>& all = request.options;
  for (std::size_t at = 0; at < all.size(); ++at)
    for (const char* name : {"-D", "-U", "-I", "-isystem", "-include", "-std="}) {
      if (!all[at].starts_with(name)) continue;
      shared.push_back(all[at]);
      if (all[at] == name && at + 1 < all.size()) shared.push_back(all[++at]);
      break;
    }
  return shared;
}

}  // namespace

std::string MachineProgram::from() const {
  return fmt::format("{}{}{}{}", architecture, compiler.empty() ? "" : ", ", compiler,
                     cubin.lines().sequences.empty() ? "" : ", with -lineinfo");
}

std::string find_nvcc() {
  if (const char* given = std::getenv("WARPSCOPE_PTXAS"); given != nullptr && *given != '\0') return "";
  std::error_code error;
  for (const std::string& place : tool_places("nvcc"))
    if (fs::exists(place, error) && fs::exists(fs::path(place).parent_path() / "ptxas", error)) return place;
  return "";
}

MachineProgram compile_with_nvcc(const std::string& nvcc, const CompileRequest& request,
                                 const std::string& architecture, const std::vector<std::string>& options) {
  const std::string cubin = request.work_directory + "/nvcc.cubin";
  std::vector<std::string> command{nvcc, "-cubin", "-lineinfo", "-w", "-arch=" + architecture, "-o", cubin};
  for (std::string& option : shared_options(request)) command.push_back(std::move(option));
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(request.source_path);
  return run_compiler(command, "nvcc", request.source_name, architecture, cubin);
}

MachineProgram assemble_ptx(const std::string& ptxas, const std::string& path, const std::string& name,
                            const std::string& work, const std::string& architecture,
                            const std::vector<std::string>& options) {
  const std::string cubin = work + "/ptxas.cubin";
  std::vector<std::string> command{ptxas, "-lineinfo", "-arch=" + architecture, "-o", cubin};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(path);
  MachineProgram program = run_compiler(command, "ptxas", name, architecture, cubin);
  program.ptx = read_text_file(path, "PTX");
  return program;
}

std::string need_ptxas(const std::string& what) {
  if (const char* given = std::getenv("WARPSCOPE_PTXAS"); given != nullptr && *given != '\0') return given;
  std::error_code error;
  for (const std::string& place : tool_places("ptxas"))
    if (fs::exists(place, error)) return place;
  is_missing("ptxas", what);
}

std::string need_nvcc(const std::string& what) {
  std::string found = find_nvcc();
  if (found.empty()) is_missing("nvcc", what);
  return found;
}

}  // namespace warpscope
