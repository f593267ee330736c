#pragma once
// What is below the runtime: PoCL's CPU, and the GPU that the program is told about.
#include <CL/cl.h>
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "passes/cuda/include/warpscope/errors.h"
#include "wrapper/layer/extensions.h"

namespace warpscope::cuda {

/// One per process, made by the first call that needs it and never destroyed: PoCL's threads outlive main().
class Device {
 public:
  /// Throws Failure(cudaErrorNoDevice) after a line that says what is missing.
  static Device& get();
  /// The GPU of $WARPSCOPE_GPU, else the default of warpscope, the H100. Throws
  /// Failure(cudaErrorNoDevice) if there is no such GPU.
  static const GpuPreset& gpu();
  /// Whether $WARPSCOPE_GPU names one.
  static bool gpu_is_given();

  [[nodiscard]] cl_context context() const { return context_; }
  [[nodiscard]] cl_command_queue queue() const { return queue_; }
  [[nodiscard]] cl_device_id id() const { return id_; }
  /// Bytes of global memory that programs are told about.
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

  /// Tells the layer, if this process is traced.
  void name_memory(const void* address, std::size_t bytes, const std::string& name,
                   std::span<const std::uint8_t> room = {},
                   layer::MemoryUse use = layer::MemoryUse::Kept) const;
  /// Whether the calling thread is PoCL's, which run kernels and nothing else.
  [[nodiscard]] bool is_kernel_thread() const;
  void name_launch(const std::string& call_site, const std::string& range) const;
  void describe(cl_program program, const layer::CompiledTwin& twin) const;
  /// Executes a launch of machine code and records it; false: nobody records in this process, and nothing was done.
  bool record(MachineTask& task) const;
  /// The kernel that is running will not come to its end.
  void note_stop(const std::string& why) const;
  void note_failure(const std::string& why) const;
  [[nodiscard]] bool is_traced() const { return describe_ != nullptr; }

 private:
  Device();
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::size_t memory_bytes_ = 0;
  std::vector<pid_t> kernel_threads_;
  layer::DescribeProgram describe_ = nullptr;  ///< null: not traced
  layer::NameMemory name_ = nullptr;
  layer::NameLaunch name_launch_ = nullptr;
  layer::NoteStop note_stop_ = nullptr;
  layer::NoteStop note_failure_ = nullptr;
  layer::RunMachine run_machine_ = nullptr;
};

/// "7.0" → {7, 0}; {0, 0} where the preset has none.
struct ComputeCapability {
  int major = 0, minor = 0;
};
ComputeCapability compute_capability(const GpuPreset& gpu);

}  // namespace warpscope::cuda
