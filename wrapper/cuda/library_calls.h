#pragma once
// What the libraries next to the runtime (libraries/, releases/) ask of it. They are shared libraries of their own, made with it.
#include <functional>

#include "wrapper/cuda/api.h"

// NOLINTBEGIN(readability-identifier-naming): as other functions that the library exports
extern "C" {

/// Does the work of a library's function: now, or as a host node of the graph that `stream` is captured to. A traced
/// program is told once that `library` is not traced. Returns, and notes for cudaGetLastError(), what went wrong.
cudaError_t warpscopeSubmit(cudaStream_t stream, const char* library, const std::function<void()>& work);

/// One line on standard error: "warpscope: …". Each text once.
void warpscopeComplain(const char* text);

/// Names a function that the runtime does not have, on standard error and once. Returns, and notes for cudaGetLastError(),
/// cudaErrorNotSupported.
cudaError_t warpscopeNotSupported(const char* function);
}
// NOLINTEND(readability-identifier-naming)
