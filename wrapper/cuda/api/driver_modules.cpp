// The driver API's modules, libraries and linker: code that the program brings along or makes (CUDA Driver API, "Module Management",
// "Library Management").
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "traces/base/error.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/device.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/machine/module_image.h"
#include "wrapper/cuda/module.h"
#include "wrapper/cuda/state/status.h"

struct CUlinkState_st {
  std::vector<warpscope::cuda::LinkInput> inputs;
  std::vector<std::uint8_t> cubin;
  CUjit_option* options = nullptr;  ///< the program keeps them until the link is complete
  void** values = nullptr;
  unsigned count = 0;
};

namespace warpscope::cuda {
namespace {

/// Where a program wants to read what went wrong, in the options of a module or a link.
class Log {
 public:
  Log(const CUjit_option* options, void** values, unsigned count) {
    if (options == nullptr || values == nullptr) return;
    for (unsigned at = 0; at < count; ++at) {
      if (options[at] == CU_JIT_ERROR_LOG_BUFFER) errors_ = static_cast<char*>(values[at]);
      if (options[at] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        error_bytes_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[at]));
      if (options[at] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) info_bytes_ = &values[at];
      if (options[at] == CU_JIT_INFO_LOG_BUFFER) information_ = static_cast<char*>(values[at]);
    }
  }
  /// Nothing is said of what went well.
  void is_well() const {
    if (information_ != nullptr && info_bytes_ != nullptr && *info_bytes_ != nullptr) *information_ = '\0';
    if (info_bytes_ != nullptr) *info_bytes_ = nullptr;
  }
  void write(const std::string& text) const {
    if (errors_ == nullptr || error_bytes_ == 0) return;
    const std::size_t length = std::min<std::size_t>(text.size(), error_bytes_ - 1);
    std::memcpy(errors_, text.data(), length);
    errors_[length] = '\0';
  }

 private:
  char *errors_ = nullptr, *information_ = nullptr;
  unsigned error_bytes_ = 0;
  void** info_bytes_ = nullptr;
};

/// Runs `work`, which may throw InputError: that is said, and what it makes of the image is `code`.
template <class Work>
CUresult with_image(const Log& log, cudaError_t code, const Work& work) {
  return drive([&] {
    return run([&] {
      try {
        work();
        log.is_well();
      } catch (const InputError& error) {
        complain(error.what());
        note_refusal();
        log.write(error.what());
        throw Failure{code};
      }
    });
  });
}

constexpr auto kBadImage = static_cast<cudaError_t>(CUDA_ERROR_INVALID_IMAGE);
constexpr auto kBadPtx = static_cast<cudaError_t>(CUDA_ERROR_INVALID_PTX);
constexpr auto kNoFile = static_cast<cudaError_t>(CUDA_ERROR_FILE_NOT_FOUND);
constexpr auto kNotFound = static_cast<cudaError_t>(CUDA_ERROR_NOT_FOUND);

CUresult load(CUmodule* module, const void* image, const Log& log) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool is_ptx = is_text({static_cast<const std::uint8_t*>(image), 1});
  return with_image(log, is_ptx ? kBadPtx : kBadImage, [&] {
    *module = reinterpret_cast<CUmodule>(Registry::get().add_image(copy_of_image(image)));
  });
}

/// All of a file; throws Failure where it cannot be read.
std::vector<char> content_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  require(stream.is_open(), kNoFile);
  std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  return bytes;
}

CUresult load_file(CUmodule* module, const char* file, const Log& log) {
  if (module == nullptr || file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<char> bytes;
  const CUresult result = drive([&] { return run([&] { bytes = content_of(file); }); });
  bytes.push_back('\0');  // the end of a text
  return result == CUDA_SUCCESS ? load(module, bytes.data(), log) : result;
}

/// Runs `work` with a module of the program, under the registry's lock.
template <class Work>
CUresult with_module(CUmodule handle, const Work& work) {
  return drive([&] {
    return run([&] {
      Registry& registry = Registry::get();
      const std::lock_guard lock(registry.mutex());
      work(registry.image(reinterpret_cast<void**>(handle)));
    });
  });
}

CUresult add_input(CUlinkState state, CUjitInputType type, std::vector<std::uint8_t> bytes,
                   const char* name) {
  return drive([&] {
    return run([&] {
      CUlinkState_st& link = Handles<CUlinkState_st>::get().check(state);
      while (type == CU_JIT_INPUT_PTX && !bytes.empty() && bytes.back() == '\0') bytes.pop_back();
      link.inputs.push_back(
          {std::move(bytes), name != nullptr ? name : "an input of cuLinkAddData", type == CU_JIT_INPUT_PTX});
    });
  });
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return load_file(module, file, {nullptr, nullptr, 0});
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return load(module, image, {nullptr, nullptr, 0});
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                            void** values) {
  return load(module, image, {options, values, count});
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load(module, image, {nullptr, nullptr, 0});
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return with_module(module, [&](Module& own) {
    require(function != nullptr && name != nullptr);
    const void* const host = Registry::get().function_of(own, name);
    require(host != nullptr, kNotFound);
    *function = static_cast<CUfunction>(const_cast<void*>(host));
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr* pointer, std::size_t* bytes, CUmodule module, const char* name) {
  return with_module(module, [&](Module& own) {
    require(name != nullptr);
    const MachineVariable found = own.machine()->variable(name);
    require(found.address != nullptr, kNotFound);
    if (pointer != nullptr) *pointer = reinterpret_cast<std::uintptr_t>(found.address);
    if (bytes != nullptr) *bytes = found.bytes;
  });
}
CUresult cuModuleUnload(CUmodule module) {
  return with_module(module,
                     [&](Module&) { Registry::get().remove_object(reinterpret_cast<void**>(module)); });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options, void** values,
                           unsigned count, void* /*library_options*/, void** /*library_values*/,
                           unsigned /*library_count*/) {
  return load(library, image, {options, values, count});
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned count, void* /*library_options*/, void** /*library_values*/,
                               unsigned /*library_count*/) {
  return load_file(library, file, {options, values, count});
}
CUresult cuLibraryUnload(CUlibrary library) {
  return cuModuleUnload(library);
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return with_module(library, [&](Module&) {
    require(module != nullptr);
    *module = library;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, std::size_t* bytes, CUlibrary library, const char* name) {
  return cuModuleGetGlobal(pointer, bytes, library, name);
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  const char* name = nullptr;
  const CUresult result = function == nullptr ? CUDA_ERROR_INVALID_VALUE : cuFuncGetName(&name, kernel);
  if (result == CUDA_SUCCESS) *function = kernel;
  return result;
}

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return drive([&] {
    return run([&] {
      *state = Handles<CUlinkState_st>::get().add(
          std::make_unique<CUlinkState_st>(CUlinkState_st{{}, {}, options, values, count}));
    });
  });
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes,
                       const char* name, unsigned /*count*/, CUjit_option* /*options*/, void** /*values*/) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* const first = static_cast<const std::uint8_t*>(data);
  return add_input(state, type, {first, first + bytes}, name);
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned /*count*/,
                       CUjit_option* /*options*/, void** /*values*/) {
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<char> bytes;
  const CUresult result = drive([&] { return run([&] { bytes = content_of(file); }); });
  return result == CUDA_SUCCESS ? add_input(state, type, {bytes.begin(), bytes.end()}, file) : result;
}
CUresult cuLinkComplete(CUlinkState state, void** cubin, std::size_t* bytes) {
  CUlinkState_st* link = nullptr;
  const CUresult known =
      drive([&] { return run([&] { link = &Handles<CUlinkState_st>::get().check(state); }); });
  if (known != CUDA_SUCCESS) return known;
  return with_image({link->options, link->values, link->count}, kBadPtx, [&] {
    const ComputeCapability gpu = compute_capability(Device::gpu());
    link->cubin = linked(link->inputs, "sm_" + std::to_string(gpu.major * 10 + gpu.minor));
    if (cubin != nullptr) *cubin = link->cubin.data();
    if (bytes != nullptr) *bytes = link->cubin.size();
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  return drive([&] { return run([&] { Handles<CUlinkState_st>::get().remove(state); }); });
}
}
