#pragma once
// The command line of trace-kernel.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/driver/pipeline.h"
#include "wrapper/launch/cuda_launch.h"
#include "wrapper/launch/launch_description.h"
#include "wrapper/layer/device_like.h"

namespace warpscope {

struct TraceOptions {
  std::vector<std::string> program;  ///< and its arguments, behind "--"; empty: `file` is traced
  std::string file;                  ///< OpenCL C source, or a .sim file that names one
  std::string output;                ///< empty = NAME.wtrace in the working directory; "-" = standard output
  std::optional<std::string> launch_file;
  std::string size;          ///< of the launch file's "sizes"; empty = the file's own
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
  std::string registers_for;  ///< GPU preset or architecture whose ptxas is asked for registers; empty = none
  std::uint64_t size_limit = 0;
  std::optional<std::uint64_t> group_memory;  ///< bytes; --limit-memory
  std::string work_groups = "all";            ///< as GroupSelection::parse() takes it

  // Only with a program.
  std::string launches, kernels;   ///< as LaunchSelection takes them; empty = all
  std::uint64_t max_launches = 0;  ///< 0 = all
  bool slowdown = false;
  bool ignore_children = false;
  layer::DeviceLike device_like;  ///< what the program is told about its device
  std::string cache_directory;    ///< of compiled programs; empty = none
};

/// Parses the command line; nothing if --help or --version was printed instead. Throws InputError.
std::optional<TraceOptions> parse_trace_options(int argc, const char* const* argv);

}  // namespace warpscope
