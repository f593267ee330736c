// NVTX of NVIDIA's headers, which are all of it that a program has: they load a library that NVTX_INJECTION64_PATH names, and call what it gives them.
// trace-kernel names this one; a user's own comes first. Facts: NVTX 3, types and initialisation in its headers
// (Apache License 2.0 with LLVM exceptions).
#include <nvToolsExt.h>

#include <cstddef>
#include <cstdint>

namespace {

using Function = void (*)();
using Table = Function**;  ///< by number of a function: where the program has its address

/// NvtxExportTableCallbacks.
struct Callbacks {
  std::size_t bytes;
  int (*functions)(std::uint32_t module, Table* table, std::uint32_t* size);
};

constexpr std::uint32_t kCallbacks = 1;                  // NVTX_ETID_CALLBACKS
constexpr std::uint32_t kOfThreads = 1, kOfDomains = 5;  // NVTX_CB_MODULE_CORE, _CORE2

struct Entry {
  std::uint32_t number;
  Function function;
};

template <class Signature>
Function as_function(Signature* function) {
  return reinterpret_cast<Function>(function);
}

/// NvtxCallbackIdCore, NvtxCallbackIdCore2. What is in neither has no effect, and a program calls nothing.
const Entry kThreads[] = {{4, as_function(nvtxRangeStartEx)}, {5, as_function(nvtxRangeStartA)},
                          {6, as_function(nvtxRangeStartW)},  {7, as_function(nvtxRangeEnd)},
                          {8, as_function(nvtxRangePushEx)},  {9, as_function(nvtxRangePushA)},
                          {10, as_function(nvtxRangePushW)},  {11, as_function(nvtxRangePop)}};
const Entry kDomains[] = {
    {2, as_function(nvtxDomainRangeStartEx)},     {3, as_function(nvtxDomainRangeEnd)},
    {4, as_function(nvtxDomainRangePushEx)},      {5, as_function(nvtxDomainRangePop)},
    {10, as_function(nvtxDomainRegisterStringA)}, {11, as_function(nvtxDomainRegisterStringW)},
    {12, as_function(nvtxDomainCreateA)},         {13, as_function(nvtxDomainCreateW)},
    {14, as_function(nvtxDomainDestroy)}};

template <std::size_t Count>
void give(const Callbacks& to, std::uint32_t module, const Entry (&entries)[Count]) {
  Table table = nullptr;
  std::uint32_t size = 0;
  if (to.functions(module, &table, &size) == 0 || table == nullptr) return;
  for (const Entry& entry : entries)
    if (entry.number < size && table[entry.number] != nullptr) *table[entry.number] = entry.function;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the name that NVTX's headers look for
/// 1: the program's functions are the runtime's. 0: it has no runtime of ours, so they do nothing.
extern "C" int InitializeInjectionNvtx2(const void* (*tables)(std::uint32_t)) {
  if (warpscopeRangePush == nullptr || tables == nullptr) return 0;
  const auto* const callbacks = static_cast<const Callbacks*>(tables(kCallbacks));
  if (callbacks == nullptr || callbacks->bytes < sizeof(Callbacks)) return 0;
  give(*callbacks, kOfThreads, kThreads);
  give(*callbacks, kOfDomains, kDomains);
  return 1;
}
// NOLINTEND(readability-identifier-naming)
