#pragma once
// What the libraries of CUDA's releases share: each is built once per release, with WARPSCOPE_RELEASE = 11, 12 or 13, and comes in
// front of the runtime (libwarpscope-cudart) in a program that NVIDIA's compiler made. Facts: CUDA Runtime API, "Data Structures" and
// the function's page, of the releases 11.8, 12.9 and 13.0.
#include <dlfcn.h>

#include <type_traits>

#include "wrapper/cuda/library_calls.h"

#ifndef WARPSCOPE_RELEASE
#define WARPSCOPE_RELEASE 13  // for tools that look at one file
#endif

namespace warpscope::cuda::releases {

constexpr int kRelease = WARPSCOPE_RELEASE;

/// The runtime's own function of a name that this library has, too: the next one in the order in which the loader looks. Never null in a
/// program that was linked by warpscope-nvcc.
template <class Function>
Function* core(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace warpscope::cuda::releases

// NOLINTBEGIN(bugprone-macro-parentheses): names and types
/// A function of the runtime that this library has under the same name, with another signature or layout.
#define WARPSCOPE_CORE(function) \
  (warpscope::cuda::releases::core<std::remove_pointer_t<decltype(&(function))>>(#function))
/// The same function under the name that a program calls for streams of each thread. Calls end before they return, whatever the stream.
#define WARPSCOPE_SAME(name, function) decltype(function) name __attribute__((alias(#function)))
// NOLINTEND(bugprone-macro-parentheses)
