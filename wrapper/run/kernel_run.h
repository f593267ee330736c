#pragma once
// One kernel built from bitcode, with its buffers, ready to be launched once.
#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wrapper/launch/resolved_launch.h"
#include "wrapper/run/opencl_device.h"

namespace warpscope {

/// Host memory of a buffer, page-aligned between two guard zones of zeros: what a kernel reads beyond its
/// buffer is the same in every run, and never another buffer.
class GuardedMemory {
 public:
  /// Throws InputError when there is not enough memory.
  explicit GuardedMemory(std::span<const std::uint8_t> content);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  static constexpr std::size_t kGuardBytes = std::size_t{1} << 18;
  [[nodiscard]] std::uint8_t* data() const { return map_ + kGuardBytes; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::uint8_t* map_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t size_ = 0;
};

class KernelRun {
 public:
  /// Builds `bitcode` and sets the arguments; buffers get copies of the launch's contents. Throws InputError
  /// with the build log if the device's compiler refuses the bitcode.
  KernelRun(OpenClDevice& device, const ResolvedLaunch& launch, std::span<const std::uint8_t> bitcode,
            const std::string& build_options);
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

  OpenClDevice& device_;
  const ResolvedLaunch& launch_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_event event_ = nullptr;
  std::vector<GuardedMemory> memory_;
  std::vector<cl_mem> buffers_;  ///< per argument; null for those that are not buffers
};

/// Reads a whole file. Throws InputError.
std::vector<std::uint8_t> read_bytes(const std::string& path);

}  // namespace warpscope
