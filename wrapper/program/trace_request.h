#pragma once
// What trace-kernel is asked for.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "passes/driver/pipeline.h"
#include "traces/base/random.h"
#include "wrapper/launch/cuda_launch.h"
#include "wrapper/launch/launch_description.h"
#include "wrapper/program/work_group_choice.h"
#include "wrapper/session/device_like.h"

namespace warpscope {

/// Only for a program whose launches are recorded.
struct ProgramRequest {
  std::string launches, kernels;   ///< as LaunchSelection takes them; empty = all
  std::uint64_t max_launches = 0;  ///< 0 = all
  bool slowdown = false;           ///< run without recording first, and compare the times
  bool ignore_children = false;    ///< processes that the program starts are not recorded
  bool finds_unwritten = false;   ///< what memory nobody has written before a launch, and what is never freed
  std::string host_writes;        ///< a file for what the host writes to device memory; empty = none
  layer::DeviceLike device_like;  ///< the device that the program sees
  std::string cache_directory;    ///< of compiled programs; empty = none
};

/// Counters of machine code instead of a capture.
struct CountersRequest {
  std::string path;  ///< "-" = standard output
  GpuPreset gpu;     ///< whose L1 is asked
};

struct TraceRequest {
  std::vector<std::string> program;  ///< and its arguments; empty: `file` is traced
  ProgramRequest of_program;
  std::string file;    ///< OpenCL C or CUDA source, or a .sim file that names one
  std::string output;  ///< empty = NAME.wtrace in the working directory; "-" = standard output
  std::optional<std::string> launch_file;  ///< absent = NAME.launch or NAME.sim next to `file`, if there
  std::string size;                        ///< of the launch file's "sizes"; empty = the file's own
  LaunchDescription launch;                ///< takes precedence over the launch file
  CudaLaunchOptions cuda;                  ///< what only CUDA's users say
  Optimize optimize = Optimize::Gpu;
  bool verify = false;                        ///< run without instrumentation, too, and compare all buffers
  bool count_only = false;                    ///< record nothing, say what would be recorded
  bool boxes = true;                          ///< record in boxes of work-items where that is possible
  bool skip_others = false;                   ///< work-groups that are not recorded are not run
  GroupOrder group_order;                     ///< of the run; work-groups then run one after the other
  bool resume = false;                        ///< goes on with the .part file of the capture, if there is one
  bool addresses_only = false;                ///< no results of kernels whose addresses need no memory
  bool record_order = false;                  ///< also the order of each work-item's accesses
  std::optional<unsigned> threads;            ///< of PoCL, 1 … 1024; absent = all CPUs
  std::optional<std::string> keep_directory;  ///< gets the compiler's files
  std::optional<std::string> dump_directory;  ///< gets every buffer after the run
  std::optional<std::string> run_only;        ///< bitcode to run as it is, on any device
  std::optional<std::string> address_spaces;  ///< to record, separated by commas; absent = all
  std::string registers_for;  ///< GPU preset or architecture whose ptxas is asked for registers; empty = none
  std::optional<std::string>
      machine;           ///< architecture whose machine code is executed; empty text = that of the GPU
  std::string metadata;  ///< Triton's, of the kernel in `file`; empty = none
  std::vector<std::string> nvcc_options;      ///< for the compiler of the machine code
  std::uint64_t instruction_limit = 0;        ///< of warps, for machine code; 0 = none
  std::optional<CountersRequest> counters;    ///< nothing is recorded
  std::uint64_t size_limit = 0;               ///< bytes of the capture, at most; 0 = none
  std::optional<std::uint64_t> group_memory;  ///< bytes that the recording of a work-group may take
  WorkGroupChoice work_groups;                ///< to record
};

}  // namespace warpscope
