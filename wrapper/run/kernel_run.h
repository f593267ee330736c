#pragma once
// One kernel built from bitcode, with its buffers, ready to be launched once.
#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wrapper/device/guarded_memory.h"
#include "wrapper/launch/resolved_launch.h"
#include "wrapper/run/opencl_device.h"

namespace warpscope {

class KernelRun {
 public:
  /// Builds `bitcode` and sets the arguments; buffers get copies of the launch's contents. Throws InputError
  /// with the build log if the device's compiler refuses the bitcode. Around each buffer are zeros, so what a kernel reads
  /// there is the same in every run, and then `guard_bytes` of address space where every access faults.
  KernelRun(OpenClDevice& device, const ResolvedLaunch& launch, std::span<const std::uint8_t> bitcode,
            const std::string& build_options, std::uint64_t guard_bytes = device::kRecordedGuards.beyond);
  ~KernelRun();
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  /// Starts the launch and returns at once.
  void enqueue();
  /// Waits for its end. Throws InputError if it failed.
  void finish();
  /// True when the launch has ended, well or not.
  [[nodiscard]] bool has_ended() const;
  /// Content of a buffer argument after finish().
  [[nodiscard]] std::vector<std::uint8_t> read(std::size_t argument);

 private:
  void set_argument(cl_uint index, const ResolvedArgument& argument);
  std::uint8_t* copy_of(const std::vector<std::uint8_t>& content);

  OpenClDevice& device_;
  const ResolvedLaunch& launch_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_event event_ = nullptr;
  std::uint64_t guard_bytes_;
  std::vector<device::GuardedMemory> memory_;
  std::vector<cl_mem> buffers_;  ///< one per argument; null for arguments that are not buffers
};

/// Reads a whole file. Throws InputError.
std::vector<std::uint8_t> read_bytes(const std::string& path);

}  // namespace warpscope
