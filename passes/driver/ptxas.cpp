#include "passes/driver/ptxas.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "passes/driver/ptx_builtins.h"
#include "passes/driver/subprocess.h"
#include "passes/driver/text_file.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// The newest architecture that LLVM 15 writes PTX for. PTX for it is valid for every later one (PTX
// ISA, directive .target).
constexpr unsigned kNewestTarget = 86;

std::string read_text(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string run(const std::vector<std::string> &command, const std::string &what) {
  ProcessResult result = run_process(command);
  if (result.status != 0)
    throw InputError(
        fmt::format("{}: failed for {}", fs::path(command[0]).filename().string(), what),
        result.output);
  return std::move(result.output);
}

std::string llvm_tool(const std::string &name) {
  std::string path = find_program(name);
  if (path.empty())
    throw InputError(name + ": not found in PATH, expected the Debian package llvm-15; install it "
                            "with apt-get");
  return path;
}

/// Of digits only.
std::uint64_t number_in(const std::ssub_match &digits) {
  return parse_number(digits.str()).value_or(0);
}

unsigned number_of(const std::string &architecture) {
  static const std::regex kForm("sm_([1-9][0-9]{1,2})[af]?");
  std::smatch parts;
  if (!std::regex_match(architecture, parts, kForm))
    throw InputError(fmt::format("architecture '{}': expected a name such as sm_80", architecture));
  return static_cast<unsigned>(number_in(parts[1]));
}

/// The toolkit's folders differ: ptxas may be a link, and the library is next to the real one.
std::optional<std::string> find_libdevice(const std::string &ptxas) {
  std::error_code error;
  const fs::path real = fs::canonical(ptxas, error);
  for (const fs::path &bin : {real.parent_path(), fs::path("/usr/local/cuda/bin")}) {
    fs::path candidate = bin / "../nvvm/libdevice/libdevice.10.bc";
    if (fs::exists(candidate, error))
      return candidate.lexically_normal().string();
  }
  return std::nullopt;
}

/// Kernels with reqd_work_group_size: with 1,024 work-items no more than 64 registers are allowed.
std::map<std::string, std::string> required_sizes(const std::string &assembly) {
  static const std::regex kKernel(
      R"(define [^\n]*ptx_kernel[^\n]*@([A-Za-z0-9_]+)\([^\n]*!reqd_work_group_size !([0-9]+))");
  static const std::regex kSize(R"(\n!([0-9]+) = !\{i32 ([0-9]+), i32 ([0-9]+), i32 ([0-9]+)\})");
  std::map<std::string, std::string> sizes, result;
  for (std::sregex_iterator at(assembly.begin(), assembly.end(), kSize), end; at != end; ++at)
    sizes[(*at)[1]] =
        fmt::format(".reqntid {}, {}, {}\n", (*at)[2].str(), (*at)[3].str(), (*at)[4].str());
  for (std::sregex_iterator at(assembly.begin(), assembly.end(), kKernel), end; at != end; ++at)
    result[(*at)[1]] = sizes[(*at)[2]];
  return result;
}

std::string with_required_sizes(std::string ptx, const std::map<std::string, std::string> &sizes) {
  for (const auto &[kernel, directive] : sizes) {
    const std::size_t entry = ptx.find(".entry " + kernel + "(");
    const std::size_t body = entry == std::string::npos ? entry : ptx.find("\n{", entry);
    if (body != std::string::npos)
      ptx.insert(body + 1, directive);
  }
  return ptx;
}

std::string version_of(const std::string &ptxas) {
  static const std::regex kRelease("release ([0-9.]+)");
  const std::string text = run({ptxas, "--version"}, "--version");
  std::smatch parts;
  return std::regex_search(text, parts, kRelease) ? parts[1].str() : "of unknown version";
}

std::vector<KernelRegisters> parse_report(const std::string &text) {
  static const std::regex kEntry("Compiling entry function '([^']+)'");
  static const std::regex kSpills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  static const std::regex kUsed("Used ([0-9]+) registers");
  std::vector<KernelRegisters> kernels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_search(line, parts, kEntry))
      kernels.push_back({parts[1], 0, 0});
    if (kernels.empty() || kernels.back().registers != 0)
      continue;
    if (std::regex_search(line, parts, kSpills))
      kernels.back().spill_bytes = number_in(parts[1]) + number_in(parts[2]);
    if (std::regex_search(line, parts, kUsed))
      kernels.back().registers = static_cast<std::uint32_t>(number_in(parts[1]));
  }
  return kernels;
}

/// Lines as PTX has them (.loc, .file): without the sections that a debugger reads.
std::string with_lines_only(std::string assembly) {
  static const std::string kTables = "emissionKind: LineTablesOnly";
  if (const std::size_t at = assembly.find(kTables); at != std::string::npos)
    assembly.replace(at, kTables.size(), "emissionKind: DebugDirectivesOnly");
  return assembly;
}

/// What `ptxas -v` says.
std::string run_ptxas(const std::string &ptxas, const PtxasReport &report, const std::string &ptx,
                      const std::string &name) {
  const ProcessResult result =
      run_process({ptxas, "-v", "--generate-line-info", "--compile-only", "--gpu-name",
                   report.architecture, ptx, "-o", ptx + ".cubin"});
  if (result.status == 0)
    return result.output;
  if (result.output.find("'gpu-name'") != std::string::npos)
    throw InputError(fmt::format("{}: ptxas {} does not know {}; expected a toolkit of that GPU's "
                                 "time in $WARPSCOPE_PTXAS, or "
                                 "the registers as a number (--registers of warpsched)",
                                 ptxas, report.version, report.architecture));
  throw InputError(fmt::format("ptxas: failed for {}", name), result.output);
}

/// Definitions of the built-ins inlined, and the mathematical library's where it is.
std::string linked(const std::string &work, const std::string &input, const std::string &ptxas) {
  std::string module = input;
  if (const auto library = find_libdevice(ptxas)) {
    module = work + "/nvptx_linked.bc";
    run({llvm_tool("llvm-link-15"), "--internalize", "--only-needed", "--suppress-warnings", input,
         *library, "-o", module},
        *library);
  }
  std::string optimised = work + "/nvptx_optimised.bc";
  const char *passes = "-passes=function(nvvm-reflect),always-inline,"
                       "function(sroa,early-cse,instcombine,simplifycfg),globaldce";
  run({llvm_tool("opt-15"), passes, module, "-o", optimised}, input);
  return optimised;
}

} // namespace

std::string find_ptxas() {
  if (const char *given = std::getenv("WARPSCOPE_PTXAS"); given != nullptr && *given != '\0')
    return given;
  if (const char *home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    if (std::string found = std::string(home) + "/bin/ptxas"; access(found.c_str(), X_OK) == 0)
      return found;
  if (std::string found = find_program("ptxas"); !found.empty())
    return found;
  constexpr const char *kUsual = "/usr/local/cuda/bin/ptxas";
  return access(kUsual, X_OK) == 0 ? kUsual : "";
}

PtxasReport ask_ptxas(const CompileRequest &request, const std::string &architecture) {
  const unsigned number = number_of(architecture);
  const std::string ptxas = find_ptxas();
  if (ptxas.empty() || access(ptxas.c_str(), X_OK) != 0)
    throw InputError(fmt::format(
        "ptxas{}: not found, expected NVIDIA's assembler (CUDA toolkit, no GPU needed) in PATH or "
        "in "
        "$WARPSCOPE_PTXAS; or give the registers as a number (--registers of warpsched)",
        ptxas.empty() ? "" : " (" + ptxas + ")"));
  PtxasReport report;
  report.version = version_of(ptxas);
  report.architecture = architecture;
  ResolvedBuiltins resolved = resolve_builtins(read_text(compile_to_nvptx_ir(request)));
  const std::string &work = request.work_directory;
  const std::string name = request.source_name.empty() ? request.source_path : request.source_name;
  const std::string assembly = work + "/nvptx_resolved.ll", raw = work + "/kernel.raw.ptx",
                    ptx = work + "/kernel.ptx";
  write_text_file(assembly, with_lines_only(resolved.assembly));
  run({llvm_tool("llc-15"), "-O3", fmt::format("-mcpu=sm_{}", std::min(number, kNewestTarget)),
       linked(work, assembly, ptxas), "-o", raw},
      name);
  write_text_file(ptx, with_required_sizes(read_text(raw), required_sizes(resolved.assembly)));
  report.kernels = parse_report(run_ptxas(ptxas, report, ptx, name));
  report.unresolved = std::move(resolved.unresolved);
  return report;
}

} // namespace warpscope
