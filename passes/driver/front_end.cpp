#include "passes/driver/front_end.h"

#include <algorithm>
#include <filesystem>

#include "passes/driver/parts.h"
#include "passes/driver/subprocess.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

bool starts_with_any(const std::string &option, std::initializer_list<const char *> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char *prefix) { return option.starts_with(prefix); });
}

std::string language_of(const Arguments &options) {
  std::string result = "CL1.2";
  for (const std::string &option : options) {
    if (option.starts_with("-cl-std="))
      result = option.substr(8);
  }
  return result;
}

// Everything that the device does not have is off; spir64 alone would switch every extension on.
// OpenCL C 3.0 asks for optional features by other names, and clang refuses the one without the
// other.
std::string extension_option(const CompileRequest &request) {
  std::string result = "-cl-ext=-all";
  for (const std::string &extension : request.extensions)
    result += ",+" + extension;
  if (language_of(request.options) == "CL3.0") {
    result += ",+__opencl_c_generic_address_space,+__opencl_c_atomic_order_acq_rel,+__opencl_c_"
              "atomic_order_seq_cst"
              ",+__opencl_c_atomic_scope_device";
    const auto &known = request.extensions;
    if (std::find(known.begin(), known.end(), "cl_khr_fp64") != known.end())
      result += ",+__opencl_c_fp64";
  }
  return result;
}

Arguments user_options(const Arguments &options) {
  Arguments result;
  for (const std::string &option : options) {
    // How far to optimise is not the kernel's decision here; the others are about the binary, not
    // the code.
    if (option == "-cl-opt-disable" || option == "-g" || option == "-s")
      continue;
    if (starts_with_any(option, {"-cl-std=", "-O", "-cl-kernel-arg-info", "-cl-nv-"}))
      continue;
    result.push_back(option);
  }
  return result;
}

// What is left to say of a text whose macros have been replaced: macros would be so again where
// the headers have put them away.
Arguments without_macros(const Arguments &options) {
  Arguments result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string &option = options[i];
    if (option == "-D" || option == "-U" || option == "-include")
      ++i; // the value follows
    else if (!option.starts_with("-D") && !option.starts_with("-U"))
      result.push_back(option);
  }
  return result;
}

// The same source has the same code at any time.
void fix_time(Arguments &command) {
  command.insert(command.end(),
                 {"-Wno-builtin-macro-redefined", "-D__DATE__=\"Jan  1 1970\"",
                  "-D__TIME__=\"00:00:00\"", "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\""});
}

} // namespace

Arguments front_end_command(const CompileRequest &request, const std::string &input,
                            const std::string &output) {
  Arguments command = {require_program("clang-15", "clang-15"),
                       "-x",
                       "cl",
                       "-cl-std=" + language_of(request.options),
                       "-target",
                       "spir64-unknown-unknown",
                       "-Xclang",
                       "-finclude-default-header"};
  if (request.optimize == Optimize::Gpu) {
    command.insert(command.end(), {"-O3", "-Xclang", "-disable-llvm-passes"});
  } else {
    command.insert(command.end(), {"-O0", "-Xclang", "-disable-O0-optnone"});
  }
  command.insert(command.end(), {"-g1", "-fno-discard-value-names", "-cl-kernel-arg-info",
                                 "-emit-llvm", "-c", "-fno-color-diagnostics", "-Xclang",
                                 extension_option(request), "-D__OPENCL_VERSION__=300"});
  fix_time(command);
  for (const std::string &extension : request.extensions)
    command.push_back("-D" + extension + "=1");
  command.insert(command.end(),
                 {"-iquote", fs::absolute(request.source_path).parent_path().string()});
  for (std::string &option : user_options(request.options))
    command.push_back(std::move(option));
  command.insert(command.end(), {input, "-o", output});
  return command;
}

// Clang's SPIR-V mode for device code maps CUDA's memories to OpenCL's address spaces and makes all
// other pointers generic. It belongs to the HIP dialect, whose macros no CUDA file expects.
Arguments cuda_front_end_command(const CompileRequest &request, CudaStep step,
                                 const std::string &input, const std::string &output) {
  const std::string headers = cuda_header_path();
  Arguments command = {require_program("clang-15", "clang-15"),
                       "-x",
                       "hip", // "hip-cpp-output" would make no code for the device
                       "--cuda-device-only",
                       "--offload=spirv64-unknown-unknown",
                       "-nogpuinc",
                       "-nogpulib",
                       "-fdeclspec",
                       "-std=c++17",
                       "-ffp-contract=on",
                       "-Wno-unknown-assumption", // how the headers mark built-ins
                       "-Xclang",
                       "-no-opaque-pointers",
                       "-Xclang",
                       "-fcuda-allow-variadic-functions"}; // of libcu++
  for (const char *macro : {"__HIP__", "__HIPCC__", "__HIP_DEVICE_COMPILE__"})
    command.push_back(std::string("-U") + macro);
  for (const char *macro : {"__CUDA__", "__CUDACC__", "__NVCC__"})
    command.push_back(std::string("-D") + macro);
  // The host's answers, as for NVIDIA's devices: libcu++ asks.
  for (const char *type : {"BOOL", "CHAR", "CHAR16_T", "CHAR32_T", "WCHAR_T", "SHORT", "INT",
                           "LONG", "LLONG", "POINTER"}) {
    const std::string macro = std::string("__GCC_ATOMIC_") + type + "_LOCK_FREE";
    command.insert(command.end(), {"-U" + macro, "-D" + macro + "=2"});
  }
  fix_time(command);
  command.push_back("-D__CUDA_ARCH__=" + std::to_string(request.cuda_architecture * 10));
  if (request.optimize == Optimize::Gpu) {
    command.insert(command.end(), {"-O3", "-Xclang", "-disable-llvm-passes"});
  } else {
    command.insert(command.end(), {"-O0", "-Xclang", "-disable-O0-optnone"});
  }
  // The driver switches debug information off in this mode; types and lines come from it.
  command.insert(command.end(),
                 {"-Xclang", "-debug-info-kind=limited", "-Xclang", "-dwarf-version=4",
                  "-fno-discard-value-names", "-fno-color-diagnostics"});
  if (step == CudaStep::Preprocess)
    command.push_back("-E");
  else
    command.insert(command.end(), {"-emit-llvm", "-c"});
  if (step != CudaStep::CompilePreprocessed)
    command.insert(command.end(),
                   {"-isystem", headers, "-include", headers + "/cuda_runtime.h", "-iquote",
                    fs::absolute(request.source_path).parent_path().string()});
  const Arguments given = user_options(request.options);
  const Arguments options = step == CudaStep::CompilePreprocessed ? without_macros(given) : given;
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {input, "-o", output});
  return command;
}

} // namespace warpscope
