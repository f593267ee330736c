#pragma once
// From what an application gave to its OpenCL compiler to instrumented bitcode. Knows no OpenCL.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "passes/driver/pipeline.h"
#include "wrapper/session/program_cache.h"

namespace warpscope::layer {

/// One source as clBuildProgram or clCompileProgram got it.
struct SourceUnit {
  std::string text;
  std::vector<std::string> options;            ///< split
  std::map<std::string, std::string> headers;  ///< headers of clCompileProgram: include name → text
};

struct TwinRequest {
  std::vector<SourceUnit> units;  ///< several: linked
  std::vector<std::string> extensions;
  Optimize optimize = Optimize::Gpu;
  std::vector<std::string> pass_options;
  std::string work_directory;  ///< the compiler's files are in a folder of it, until it has ended
};

struct TwinCode {
  std::vector<std::uint8_t> bitcode;
  std::vector<KernelInfo> kernels;
};

/// Name under which a source is shown: NAME.cl after its first kernel, else program.cl.
std::string name_of_source(const std::string& text);
/// Line where kernel `name` begins in `text`, counted from 1; 0 = not found.
std::size_t line_of_kernel(const std::string& text, const std::string& name);

/// Compiles and instruments, or takes the result from the cache. Throws InputError with the compiler's
/// message. `unwritable` becomes true when the result could not be stored.
TwinCode compile_twin(const TwinRequest& request, const ProgramCache& cache, bool& unwritable);

}  // namespace warpscope::layer
