#pragma once
// The device code in the program: what the host's objects register, and the kernels and variables in it.
#include <CL/cl.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/program/kernel_info.h"
#include "wrapper/cuda/machine/machine_module.h"
#include "wrapper/cuda/memory.h"
#include "wrapper/layer/extensions.h"
#include "wrapper/session/container.h"

namespace warpscope::cuda {

/// One argument of a kernel as OpenCL sees it, and where the host has it.
struct Parameter {
  std::string name;
  bool is_local = false;    ///< dynamic shared memory
  bool is_pointer = false;  ///< whether it points to memory of the device
  unsigned argument = 0;    ///< index of the kernel's C++ argument
  std::size_t offset = 0;   ///< bytes from that argument's beginning
  std::size_t bytes = 0;    ///< size of a value
  std::string variable;     ///< if not empty, this variable's address is passed (mangled name)
  std::size_t variable_bytes = 0;
  std::string initial;  ///< the variable's first bytes; empty = zeros
};

class Module;

struct Kernel {
  Module* module = nullptr;
  std::string symbol;  ///< OpenCL's name
  std::string name;    ///< name in C++
  std::vector<Parameter> parameters;
  bool allocates = false;                    ///< calls malloc()
  cl_kernel handle = nullptr;                ///< made by the first launch
  const KernelInfo* info = nullptr;          ///< null: not described
  const MachineFunction* machine = nullptr;  ///< not null: of NVIDIA's compiler, which is executed as it is
  std::size_t dynamic_limit = 0;             ///< cudaFuncSetAttribute(); 0 = the GPU's default
  bool allows_large_clusters = false;        ///< cudaFuncSetAttribute(); of 9 to 16 work-groups
};

/// A container, built when its first kernel is needed. Guarded by the registry's lock.
class Module {
 public:
  Module(const void* content, std::uint64_t size) : content_(content), size_(size) {}
  /// An image that the program handed over (machine/module_image.h), read at once. Throws InputError.
  explicit Module(std::vector<std::uint8_t> image);

  /// By mangled name; null if there is none. Throws Failure: cudaErrorInvalidKernelImage, with a line that
  /// says why.
  Kernel* kernel(const std::string& mangled);
  /// Of all its kernels, ascending. Throws as kernel().
  std::vector<std::string> names();
  [[nodiscard]] bool is_relocatable();
  /// Memory of a variable, made when it is first asked for. `bytes`: if no kernel says more.
  void* variable(const std::string& mangled, std::size_t bytes);
  /// If `mangled` is a managed variable: `host` is its memory from here on, and gets its value.
  void adopt(const std::string& mangled, void* host);
  /// Makes sure that the kernel has its handle.
  void build(Kernel& kernel);
  /// Null: the code is of warpscope-nvcc.
  [[nodiscard]] bool is_machine_code() const;
  [[nodiscard]] MachineModule* machine() const { return machine_.get(); }

 private:
  void read();
  void read_machine();
  void build_program();

  std::vector<std::uint8_t> image_;  ///< empty: the code is the program's
  const void* content_;
  std::uint64_t size_;
  bool is_read_ = false;
  std::unique_ptr<MachineModule> machine_;
  layer::Container container_;
  std::vector<KernelInfo> infos_;
  std::map<std::string, Kernel> kernels_;  ///< kernels by mangled name
  std::vector<Parameter> unused_;          ///< variables with a value that no kernel uses
  std::map<std::string, void*> variables_;
  struct Managed {
    std::string name;
    std::size_t bytes = 0;
    std::string initial;
    bool is_known = false;  ///< whether Memory knows it
  };
  std::map<std::string, Managed> managed_;  ///< variables by mangled name
  cl_program program_ = nullptr;
};

/// What the host's objects say before main(), and later by dlopen().
class Registry {
 public:
  static Registry& get();

  /// `wrapper`: as clang makes it. The handle that the object's other calls pass.
  void** add_object(const void* wrapper);
  void remove_object(void** handle);
  /// Code that the program loads while it runs; a handle as add_object() gives. Throws InputError.
  void** add_image(std::vector<std::uint8_t> image);
  /// The module of such a handle. Throws Failure(cudaErrorInvalidResourceHandle).
  Module& image(void** handle);
  /// What stands for a kernel of such a module in calls of the program; null: there is none of that name.
  const void* function_of(Module& module, const std::string& mangled);
  /// The handle of the code that has the kernel; null: it is the program's own. Throws as kernel().
  void** image_of(const void* host);
  void add_kernel(void** handle, const void* host, const char* mangled);
  void add_variable(void** handle, const void* host, const char* mangled, std::size_t bytes);
  /// Of variables of such code.
  std::vector<MemoryRange> variable_memory();
  /// Device code of relocatable objects, linked.
  void add_linked(const void* content);

  /// The kernel behind the host's stub. Throws Failure(cudaErrorInvalidDeviceFunction).
  Kernel& kernel(const void* host);
  struct Variable {
    void* address;
    std::size_t bytes;
  };
  /// Throws Failure(cudaErrorInvalidSymbol).
  Variable variable(const void* host);
  /// Held while a kernel or a module is used.
  std::recursive_mutex& mutex() { return mutex_; }
  /// What `module`, or for a relocatable one the linked modules, have.
  Kernel* find(Module& module, const std::string& mangled);

 private:
  void explain_name(const void* host) const;
  void adopt(Module& module, const std::string& mangled, const void* host);

  struct HostObject {
    Module* module;
    std::string mangled;
    std::size_t bytes;
  };
  std::recursive_mutex mutex_;
  std::map<void**, std::unique_ptr<Module>> modules_;
  std::set<void**> images_;  ///< those of add_image() that are loaded
  std::vector<std::unique_ptr<Module>> linked_;
  std::map<const void*, HostObject> kernels_, variables_;
};

}  // namespace warpscope::cuda
