#pragma once
// What warpscope-nvcc puts into a program for each of its .cu files: the device side's bitcode and description.
// Written by python/warpscope/nvcc/container.py.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpscope::layer {

/// Views into the program's own image.
struct Container {
  std::string source_name;
  std::vector<std::string> options;          ///< options of the compiler, for the capture
  unsigned architecture = 0;                 ///< __CUDA_ARCH__ / 10
  bool is_relocatable = false;               ///< a part (-rdc=true): its kernels are in a linked container
  std::string_view optimised, instrumented;  ///< bitcode
  std::string_view kernels;                  ///< JSON array of kernel descriptions
  std::string_view signatures;               ///< JSON: parameters, and what of the host's they are
  std::string_view source;
};

/// The bytes of `content` that a container's beginning says it has; 0 if it is none.
std::uint64_t container_size(const void* content);

/// Reads a container of `size` bytes. Throws InputError that says what is wrong: no container, cut off,
/// sections that do not fit.
Container read_container(const void* content, std::uint64_t size);

}  // namespace warpscope::layer
