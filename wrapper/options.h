#pragma once
// The command line of trace-kernel.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/pipeline.h"
#include "wrapper/cuda_launch.h"
#include "wrapper/launch_description.h"

namespace warpscope {

struct TraceOptions {
  std::string file;    ///< OpenCL C source, or a .sim file that names one
  std::string output;  ///< empty = NAME.wtrace in the working directory; "-" = standard output
  std::optional<std::string> launch_file;
  LaunchDescription launch;  ///< what the options say
  CudaLaunchOptions cuda;    ///< what only CUDA's users say
  Optimize optimize = Optimize::Gpu;
  bool verify = false;
  bool count_only = false;
  bool record_order = false;
  std::optional<unsigned> threads;
  std::optional<std::string> keep_directory;  ///< --keep-temporaries
  std::optional<std::string> dump_directory;  ///< --dump-buffers
  std::optional<std::string> run_only;        ///< bitcode to run as it is, on any device
  std::optional<std::string> address_spaces;
  std::uint64_t size_limit = 0;
};

/// Parses the command line; nothing if --help or --version was printed instead. Throws InputError.
std::optional<TraceOptions> parse_trace_options(int argc, const char* const* argv);

}  // namespace warpscope
