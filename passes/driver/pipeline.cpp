#include "passes/driver/pipeline.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "passes/driver/front_end.h"
#include "passes/driver/messages.h"
#include "passes/driver/parts.h"
#include "passes/driver/subprocess.h"
#include "passes/driver/text_file.h"
#include "passes/driver/thread_library.h"
#include "passes/source/asm_statements.h"
#include "passes/source/kernel_pointers.h"
#include "passes/source/late_alignas.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Inlining and the lowering of built-ins come first so that everything is optimised together.
constexpr const char *kInlinePasses = "warpscope-force-inline,warpscope-lower-builtins,";

constexpr const char *kSignaturePass = "warpscope-signatures";
constexpr const char *kOwnNamesPass = "warpscope-own-names,";

constexpr const char *kOurNames = "warpscope_";
constexpr const char *kWhatCannotBe = "__warpscope_cannot_"; // labels of our headers

// Around them for CUDA: what comes from its front end is made what comes from OpenCL's.
constexpr const char *kBeforeCuda =
    "warpscope-cuda-own-names,warpscope-cuda-to-spir,warpscope-cuda-arithmetic,"
    "warpscope-cuda-plain-recursion,";
constexpr const char *kBeforeCudaOptimised =
    "warpscope-cuda-own-names,warpscope-cuda-to-spir,warpscope-cuda-arithmetic,"
    "warpscope-cuda-callees,"
    "warpscope-cuda-recursion,warpscope-cuda-large-callees,";
constexpr const char *kAfterCuda =
    "warpscope-cuda-inline,globaldce,warpscope-cuda-kernels,function(warpscope-infer-generic),";

// The middle end of a GPU's compiler: NVPTX's cost model, its late IR passes, and the merging of
// neighbouring accesses. Lines are marked when helpers are inlined and nothing is merged yet.
constexpr const char *kGpuPasses =
    "function(warpscope-whole-vectors),warpscope-mark-lines,warpscope-gpu-align,"
    "function(sroa,early-cse,warpscope-cuda-private-aliasing,warpscope-cuda-parameter-pointers,"
    "warpscope-infer-generic,warpscope-cuda-lockstep),default<O3>,"
    "function(sroa,warpscope-expand-memory,warpscope-infer-generic,infer-address-spaces,"
    "separate-const-offset-from-gep,speculative-execution,slsr,gvn,nary-reassociate,early-cse,load-"
    "store-vectorizer,"
    "sroa,instsimplify,warpscope-expand-memory,warpscope-vector-widths,loop-simplify,"
    "warpscope-cuda-volatile,warpscope-cuda-shared-addresses,warpscope-cuda-warp,"
    "warpscope-branch-threads),globaldce";

// The setting of Crawford 2014: the source's own accesses, but scalars in registers.
constexpr const char *kO0Passes =
    "warpscope-mark-lines,"
    "function(mem2reg,warpscope-cuda-parameter-pointers,warpscope-infer-generic,warpscope-cuda-"
    "lockstep,warpscope-expand-memory,warpscope-cuda-volatile,warpscope-cuda-warp,warpscope-branch-"
    "threads),globaldce";

constexpr const char *kRecordPasses = ",warpscope-to-spir,warpscope-instrument";

// Unrolling loops of unknown length only regroups accesses, so that is left to the simulator
// (preset option `unroll`). VectorCombine would split vectors, which NVIDIA's compiler does not
// (vectors/VectorWidths.h).
const Arguments kGpuOptions = {"-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_70",
                               "-unroll-threshold=2000",       "-unroll-runtime=false",
                               "-unroll-allow-partial=false",  "-vectorize-loops=false",
                               "-vectorize-slp=false",         "-disable-vector-combine"};

std::string read_source(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in || fs::is_directory(path, error))
    throw InputError(path + ": cannot read, expected " +
                     (is_cuda_file(path) ? "a CUDA file" : "an OpenCL C file"));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_bitcode(const std::string &text) { return text.starts_with("BC\xC0\xDE"); }

std::string quoted(const std::string &name) {
  std::string result = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

ProcessResult compile_preprocessed(const CompileRequest &request, const std::string &text,
                                   const std::string &file, const std::string &output) {
  write_text_file(file, ptx::with_plain_kernel_types(text));
  return run_process(cuda_front_end_command(request, CudaStep::CompilePreprocessed, file, output));
}

std::ptrdiff_t errors_in(const std::string &log) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = 0; (at = log.find(" error: ", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

// CUDA files are preprocessed first, because clang knows no PTX for this device: asm statements
// are rewritten as C++, and some alignments. A file without any is compiled as it is, which
// gives the better messages; only where that fails, pointers to kernels may be the cause.
ProcessResult compile_cuda(const CompileRequest &request, const std::string &input,
                           const std::string &output) {
  const std::string file = request.work_directory + "/preprocessed.cu";
  ProcessResult first =
      run_process(cuda_front_end_command(request, CudaStep::Preprocess, input, file));
  if (first.status != 0)
    return first;
  const std::string preprocessed = read_source(file);
  if (ptx::names_symbol(preprocessed, kOurNames, kWhatCannotBe))
    throw InputError(
        fs::path(request.source_path).filename().string() +
        ": an asm label names a symbol like Warpscope's own functions, expected another name");
  const std::string text = ptx::as_clang_takes_it(preprocessed);
  if (!text.empty()) {
    ProcessResult result = compile_preprocessed(request, text, file, output);
    result.output = first.output + result.output;
    return result;
  }
  ProcessResult plain =
      run_process(cuda_front_end_command(request, CudaStep::Compile, input, output));
  if (plain.status == 0)
    return plain;
  ProcessResult result = compile_preprocessed(request, preprocessed, file, output);
  return result.status == 0 || errors_in(result.output) < errors_in(plain.output) ? result : plain;
}

// What the passes refuse is about the program; anything else that ends the optimiser is a fault.
[[noreturn]] void throw_refusal(const std::string &name, const std::string &output) {
  const std::string refused = "LLVM ERROR: kernel '";
  if (const std::size_t at = output.find(refused); at != std::string::npos) {
    const std::size_t begin = at + refused.find("kernel");
    throw InputError(name + ": " + output.substr(begin, output.find('\n', begin) - begin));
  }
  throw InputError(name + ": optimiser failed", without_trailing_newline(output));
}

std::string signatures_path(const CompileRequest &request) {
  return request.work_directory + "/signatures.json";
}

std::string threads_prefix(const CompileRequest &request) {
  return request.work_directory + "/threads_";
}

// CUDA's signatures come from warpscope-cuda-kernels.
std::string pass_list(bool gpu, bool cuda) {
  const std::string first = !cuda ? std::string(kOwnNamesPass) + kSignaturePass + ","
                            : gpu ? kBeforeCudaOptimised
                                  : kBeforeCuda;
  return first + kInlinePasses + (cuda ? kAfterCuda : "always-inline,") +
         (gpu ? kGpuPasses : kO0Passes);
}

Arguments middle_end_command(const CompileRequest &request, const CompiledProgram &program,
                             const std::string &input, bool cuda) {
  const bool gpu = request.optimize == Optimize::Gpu;
  Arguments command = {require_program("opt-15", "llvm-15"), "-load-pass-plugin=" + plugin_path()};
  if (gpu)
    command.insert(command.end(), kGpuOptions.begin(), kGpuOptions.end());
  command.push_back("-passes=" + pass_list(gpu, cuda) + kRecordPasses);
  command.push_back("-warpscope-signatures=" + signatures_path(request));
  if (cuda && request.cuda_program)
    command.push_back("-warpscope-cuda-program");
  if (!cuda) // Oclgrind takes the other
    command.push_back("-warpscope-runnable-bitcode=" + program.runnable_path);
  command.push_back("-warpscope-threads-prefix=" + threads_prefix(request));
  command.push_back("-warpscope-kernel-info=" + program.kernels_path);
  command.push_back("-warpscope-optimised-bitcode=" + program.optimised_path);
  command.insert(command.end(), request.pass_options.begin(), request.pass_options.end());
  command.insert(command.end(), {input, "-o", program.instrumented_path});
  return command;
}

std::vector<KernelInfo> read_kernels(const std::string &path) {
  std::ifstream in(path);
  std::vector<KernelInfo> kernels;
  for (const nlohmann::json &kernel : nlohmann::json::parse(in))
    kernels.push_back(kernel_info_from_json(kernel));
  return kernels;
}

// Clang sees a copy that begins with the name to be shown, so that no directory of this machine
// gets into the bitcode. C99 expects a function that is only `inline` to be defined once more
// elsewhere, so -O0 leaves it out; always_inline is what makes it stay.
std::string prepare_source(const CompileRequest &request, const std::string &text,
                           const std::string &name) {
  const bool cuda = is_cuda_file(name);
  std::string path = request.work_directory + (cuda ? "/source.cu" : "/source.cl");
  std::string before, after;
  if (!cuda && request.optimize == Optimize::O0) {
    before = "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n";
    after = "\n#pragma clang attribute pop\n";
  }
  write_text_file(path, before + "#line 1 " + quoted(printable(name)) + "\n" + text + after);
  return path;
}

std::string source_name_of(const CompileRequest &request) {
  return request.source_name.empty() ? fs::path(request.source_path).filename().string()
                                     : request.source_name;
}

// Bitcode before optimisation, in the work directory.
std::string run_front_end(const CompileRequest &request, const std::string &text,
                          const std::string &name, std::string &log) {
  std::string bitcode = request.work_directory + "/front_end.bc";
  const std::string input = prepare_source(request, text, name);
  const ProcessResult result = is_cuda_file(name)
                                   ? compile_cuda(request, input, bitcode)
                                   : run_process(front_end_command(request, input, bitcode));
  log = without_device(without_trailing_newline(result.output));
  if (result.status != 0)
    throw InputError(name + ": does not compile", log);
  return bitcode;
}

} // namespace

Optimize optimize_from(const std::string &name) {
  if (name == "gpu")
    return Optimize::Gpu;
  if (name == "O0")
    return Optimize::O0;
  throw InputError("optimisation '" + name + "' is unknown, expected gpu or O0");
}

const char *name_of(Optimize optimize) { return optimize == Optimize::Gpu ? "gpu" : "O0"; }

std::string compile_front_end(const CompileRequest &request, std::string *log) {
  std::string text;
  std::string path =
      run_front_end(request, read_source(request.source_path), source_name_of(request), text);
  if (log != nullptr)
    *log = text;
  return path;
}

void link_front_ends(const std::vector<std::string> &parts, const std::string &output) {
  Arguments command = {require_program("llvm-link-15", "llvm-15")};
  command.insert(command.end(), parts.begin(), parts.end());
  command.insert(command.end(), {"-o", output});
  const ProcessResult result = run_process(command);
  if (result.status != 0)
    throw InputError(output + ": does not link", without_trailing_newline(result.output));
}

CompiledProgram compile_for_capture(const CompileRequest &request) {
  CompiledProgram program;
  program.optimised_path = request.work_directory + "/optimised.bc";
  program.runnable_path = request.work_directory + "/runnable.bc";
  program.instrumented_path = request.work_directory + "/instrumented.bc";
  program.kernels_path = request.work_directory + "/kernels.json";
  const std::string text = read_source(request.source_path);
  const std::string name = source_name_of(request);
  const bool cuda = is_cuda_file(name);
  std::string bitcode = request.source_path;
  if (!is_bitcode(text)) {
    bitcode = run_front_end(request, text, name, program.log);
  }
  const ProcessResult result = run_process(middle_end_command(request, program, bitcode, cuda));
  if (result.status != 0)
    throw_refusal(name, result.output);
  program.log += without_loop_warnings(result.output);
  std::error_code error;
  if (cuda || !fs::exists(program.runnable_path, error))
    program.runnable_path = program.optimised_path;
  embed_thread_library(threads_prefix(request) + "optimised.bc", program.runnable_path);
  embed_thread_library(threads_prefix(request) + "instrumented.bc", program.instrumented_path);
  program.kernels = read_kernels(program.kernels_path);
  program.signatures = read_source(signatures_path(request));
  return program;
}

std::string kernel_signatures(const CompileRequest &request) {
  if (is_cuda_file(source_name_of(request)))
    return compile_for_capture(request).signatures;
  const std::string bitcode = compile_front_end(request);
  const Arguments command = {require_program("opt-15", "llvm-15"),
                             "-load-pass-plugin=" + plugin_path(),
                             std::string("-passes=") + kSignaturePass,
                             "-warpscope-signatures=" + signatures_path(request),
                             "-disable-output",
                             bitcode};
  const ProcessResult result = run_process(command);
  if (result.status != 0)
    throw InputError(source_name_of(request) + ": cannot be read as bitcode",
                     without_trailing_newline(result.output));
  return read_source(signatures_path(request));
}

std::string compile_to_nvptx_ir(const CompileRequest &request) {
  const std::string text = read_source(request.source_path);
  const std::string name = source_name_of(request);
  const bool cuda = is_cuda_file(name);
  std::string log;
  const std::string bitcode =
      is_bitcode(text) ? request.source_path : run_front_end(request, text, name, log);
  std::string path = request.work_directory + "/nvptx.ll";
  Arguments command = {require_program("opt-15", "llvm-15"), "-load-pass-plugin=" + plugin_path(),
                       "-passes=" + pass_list(true, cuda) + ",strip-nonlinetable-debuginfo",
                       "-discard-value-names"};
  command.insert(command.end(), kGpuOptions.begin(), kGpuOptions.end());
  command.insert(command.end(), {"-S", bitcode, "-o", path});
  const ProcessResult result = run_process(command);
  if (result.status != 0)
    throw InputError(name + ": optimiser failed", without_trailing_newline(result.output));
  return path;
}

std::vector<std::string> split_build_options(const std::string &options) {
  std::vector<std::string> result;
  std::string current;
  bool inside = false, quotes = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (space && !quotes) {
      if (inside)
        result.push_back(std::move(current));
      current.clear();
      inside = false;
      continue;
    }
    inside = true;
    if (c == '"') {
      quotes = !quotes;
    } else if (c == '\\' && i + 1 < options.size()) {
      current += options[++i];
    } else {
      current += c;
    }
  }
  if (inside)
    result.push_back(std::move(current));
  return result;
}

bool is_cuda_file(const std::string &name) {
  const std::string extension = fs::path(name).extension().string();
  return extension == ".cu" || extension == ".cuh";
}

} // namespace warpscope
