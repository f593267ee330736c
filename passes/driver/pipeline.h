#pragma once
// From kernel source to the two bitcode files and the kernel descriptions that a capture needs.
// Free of LLVM: clang and opt run as child processes, so that a crash or an unusual kernel never
// takes the traced program down.
#include <string>
#include <vector>

#include "traces/program/kernel_info.h"

namespace warpscope {

/// How kernels are optimised before they are instrumented.
enum class Optimize : std::uint8_t {
  Gpu, ///< as a GPU's compiler would: full unrolling, promoted private arrays, merged vector
       ///< accesses
  O0,  ///< the setting of Crawford 2014: no optimisation but mem2reg
};

/// "gpu" or "O0", as options and captures spell it. Throws InputError that lists both otherwise.
Optimize optimize_from(const std::string &name);
const char *name_of(Optimize optimize);

struct CompileRequest {
  std::string source_path; ///< OpenCL C or CUDA file (see is_cuda_file()), or bitcode made by
                           ///< clang 15 for spir64
  std::string source_name; ///< name in messages, site locations and __FILE__; empty = file name of
                           ///< source_path
  std::string work_directory; ///< exists and is writable; the outputs below are put there
  /// Build options as for clBuildProgram, one per element: -D, -I, -cl-*, -w, -Werror. See
  /// split_build_options().
  std::vector<std::string> options;
  /// CL_DEVICE_EXTENSIONS of the device that will run the kernel; all others are off.
  std::vector<std::string> extensions;
  Optimize optimize = Optimize::Gpu;
  /// CUDA: the file is part of a program, whose host can change every device variable.
  bool cuda_program = false;
  /// CUDA: __CUDA_ARCH__ / 10. clang 15 knows the architectures up to 86.
  unsigned cuda_architecture = 80;
  /// More options for the instrumenting pass, to bisect: "-warpscope-no-branches",
  /// "-warpscope-spaces=global,local".
  std::vector<std::string> pass_options;
};

/// The option of the instrumenting pass that records in boxes of work-items (passes/README.md).
inline constexpr const char *kBoxesOption = "-warpscope-boxes";
/// With it: nothing but addresses is left of kernels whose addresses need no memory; they compute
/// nothing.
inline constexpr const char *kAddressesOnlyOption = "-warpscope-addresses-only";

/// Numbers the work-items of a row from its end (lower/MirrorLanes.cpp).
inline constexpr const char *kMirrorOption = "-warpscope-mirror-lanes";

struct CompiledProgram {
  std::string optimised_path; ///< uninstrumented spir64 bitcode: for Oclgrind
  std::string
      runnable_path; ///< the same for PoCL: where a kernel runs on stacks of its own, another file
  std::string instrumented_path; ///< the same with calls through the table of passes/RuntimeABI.h
  std::string kernels_path;      ///< JSON array of kernel descriptions
  std::vector<KernelInfo> kernels;
  /// JSON of passes/signatures/Signatures.h: the kernels' parameters, in CUDA with those that were
  /// variables.
  std::string signatures;
  std::string log; ///< the compiler's warnings, empty if none
};

/// Options for clBuildProgram of either bitcode file.
inline constexpr const char *kBitcodeBuildOptions = "-x spir -spir-std=1.2";

/// Compiles, optimises and instruments. Thread-safe as long as work directories differ. Throws
/// InputError: the compiler's own message (with the source's name and line) if the source does not
/// compile; "clang-15: not found, …package clang-15" if a tool is missing.
CompiledProgram compile_for_capture(const CompileRequest &request);

/// Only the first half, for sources that are linked before they are optimised: the path of bitcode
/// that compile_for_capture() takes. Throws as it does. `log`, if given, gets the warnings.
std::string compile_front_end(const CompileRequest &request, std::string *log = nullptr);

/// Only CompiledProgram::signatures. Throws as compile_for_capture() does.
std::string kernel_signatures(const CompileRequest &request);

/// Links results of compile_front_end() to `output`. Throws InputError with the linker's message.
void link_front_ends(const std::vector<std::string> &parts, const std::string &output);

/// The kernels as LLVM's back end for NVIDIA GPUs would get them, optimised as for a capture: the
/// path of LLVM assembly with calls of OpenCL's built-ins. Throws as compile_for_capture() does.
std::string compile_to_nvptx_ir(const CompileRequest &request);

/// CUDA's language follows from the file's name, as in nvcc and clang: .cu or .cuh.
bool is_cuda_file(const std::string &name);

/// Splits the option string of clBuildProgram at white space; double quotes group, backslash
/// escapes.
std::vector<std::string> split_build_options(const std::string &options);

} // namespace warpscope
