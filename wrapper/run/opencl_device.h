#pragma once
// The OpenCL device that kernels run on.
#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

class OpenClDevice {
 public:
  enum class Choice {
    PoclCpu,  ///< PoCL's CPU device and no other: a GPU's driver would not find the runtime
    First,    ///< the first device of the first platform: for other simulators, such as Oclgrind
  };
  /// Throws InputError that names the missing package.
  explicit OpenClDevice(Choice choice);
  ~OpenClDevice();
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  [[nodiscard]] cl_device_id id() const { return device_; }
  [[nodiscard]] cl_context context() const { return context_; }
  [[nodiscard]] cl_command_queue queue() const { return queue_; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::vector<std::string> extensions() const;
  [[nodiscard]] std::uint64_t max_work_group_size() const;
  [[nodiscard]] std::uint64_t local_memory() const;  ///< bytes per work-group

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

/// Throws InputError "OpenCL: CALL failed: CL_… (NUMBER)" unless `status` is CL_SUCCESS.
void check_cl(cl_int status, const char* call);

}  // namespace warpscope
