#pragma once
// The application's kernels: the arguments it sets, kept for the hidden kernels of the twin program.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "wrapper/layer/programs.h"

namespace warpscope::layer {

struct KernelArgument {
  enum class Kind { Unset, Bytes, Local, SvmPointer };
  Kind kind = Kind::Unset;
  std::vector<std::uint8_t> bytes;  ///< Bytes: the value
  std::size_t size = 0;             ///< Local: bytes
  const void* pointer = nullptr;    ///< SvmPointer
};

/// One kernel of the application and its hidden twin. Guarded by the owner's lock on launches.
class Kernel {
 public:
  /// `symbol`: OpenCL's name.
  Kernel(std::string symbol, std::shared_ptr<void> program, std::shared_ptr<Build> build);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }  ///< name in captures
  [[nodiscard]] Build* build() const { return build_.get(); }
  [[nodiscard]] const std::shared_ptr<Build>& shared_build() const { return build_; }
  void set(cl_uint index, KernelArgument argument);
  [[nodiscard]] const std::vector<KernelArgument>& arguments() const { return arguments_; }
  [[nodiscard]] std::unique_ptr<Kernel> clone() const;
  void set_info(cl_kernel_exec_info name, std::size_t size, const void* value);

  /// The twin with all arguments as the application set them; null with the reason in `failure`.
  cl_kernel twin(std::string& failure);

 private:
  std::string symbol_, name_;
  std::shared_ptr<void> program_;  ///< known as long as its kernels are
  std::shared_ptr<Build> build_;
  std::vector<KernelArgument> arguments_;
  std::vector<bool> changed_;  ///< since the twin got them
  std::map<cl_kernel_exec_info, std::vector<std::uint8_t>> infos_;
  bool infos_changed_ = false;
  cl_kernel twin_ = nullptr;
};

class Kernels {
 public:
  explicit Kernels(Programs& programs) : programs_(programs) {}

  void add(cl_kernel kernel, cl_program program);
  void add_clone(cl_kernel clone, cl_kernel source);
  void retain(cl_kernel kernel);
  void release(cl_kernel kernel);
  /// Null for kernels that were made before the layer was there.
  std::shared_ptr<Kernel> find(cl_kernel kernel);

 private:
  struct Entry {
    std::shared_ptr<Kernel> kernel;
    unsigned references = 1;
  };

  Programs& programs_;
  std::mutex mutex_;
  std::map<cl_kernel, Entry> kernels_;
};

/// Where a kernel begins, for messages: "mm.cl:3: kernel 'mm'". `build` may be null.
std::string place_of(const std::string& kernel, const Build* build);

}  // namespace warpscope::layer
