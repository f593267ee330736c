// The driver's streams: their attributes, and values in memory that they write and wait for (CUDA Driver API, "Stream Management", "Stream Memory
// Operations").
#include <cstdint>

#include "wrapper/cuda/releases/driver.h"

namespace warpscope::cuda::releases {
namespace {

/// CUstreamWaitValue_flags, without what may be added to them.
enum Wait : unsigned { AtLeast = 0, Equal = 1, And = 2, Nor = 3 };
constexpr unsigned kWaitMask = 3;

/// Whether the wait is over for the value in memory (CUDA Driver API, CUstreamWaitValue_flags).
template <class Value>
bool holds(Value found, Value wanted, unsigned flags) {
  switch (flags & kWaitMask) {
    case AtLeast:
      return static_cast<std::make_signed_t<Value>>(found - wanted) >= 0;
    case Equal:
      return found == wanted;
    case And:
      return (found & wanted) != 0;
    default:
      return static_cast<Value>(~(found | wanted)) != 0;
  }
}

/// All that was submitted before has been done, so a value that is not there yet would have to come from another thread, while this one stands
/// still: not supported, as in a graph.
template <class Value>
CUresult wait_for(CUstream stream, CUdeviceptr address, Value wanted, unsigned flags) {
  Value found = 0;
  cudaStreamCaptureStatus capture{};
  cudaError_t error = cudaStreamIsCapturing(stream, &capture);
  if (error == cudaSuccess && capture != cudaStreamCaptureStatusNone)
    return as_result(warpscopeNotSupported("cuStreamWaitValue in a graph"));
  if (error == cudaSuccess) error = cudaMemcpy(&found, pointer_of(address), sizeof(found), cudaMemcpyDefault);
  if (error != cudaSuccess || holds(found, wanted, flags)) return as_result(error);
  return as_result(warpscopeNotSupported("cuStreamWaitValue for a value that is not there yet"));
}

CUresult write_word(CUstream stream, CUdeviceptr address, std::uint32_t value) {
  return cuMemsetD32Async(address, value, 1, stream);
}
CUresult write_value(CUstream stream, CUdeviceptr address, std::uint64_t value) {
  constexpr unsigned kBitsOfWord = 32;
  const CUresult result = write_word(stream, address, static_cast<std::uint32_t>(value));
  return result == CUDA_SUCCESS
             ? write_word(stream, address + 4, static_cast<std::uint32_t>(value >> kBitsOfWord))
             : result;
}

/// CUstreamBatchMemOpParams: 48 bytes, of which an operation has some.
struct Operation {
  int type;
  CUdeviceptr address;
  std::uint64_t value;
  unsigned flags;
  CUdeviceptr reserved[2];
};
static_assert(sizeof(Operation) == 48);
enum Type : int { Wait32 = 1, Write32 = 2, FlushRemoteWrites = 3, Wait64 = 4, Write64 = 5, Barrier = 6 };

CUresult run(CUstream stream, const Operation& operation) {
  const auto word = static_cast<std::uint32_t>(operation.value);
  switch (operation.type) {
    case Wait32:
      return wait_for(stream, operation.address, word, operation.flags);
    case Wait64:
      return wait_for(stream, operation.address, operation.value, operation.flags);
    case Write32:
      return write_word(stream, operation.address, word);
    case Write64:
      return write_value(stream, operation.address, operation.value);
    case FlushRemoteWrites:
    case Barrier:
      return CUDA_SUCCESS;  // what was written can be seen
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

template <class Value>
Value* as(void* value) {
  return static_cast<Value*>(value);
}

}  // namespace
}  // namespace warpscope::cuda::releases

using namespace warpscope::cuda::releases;

// NOLINTBEGIN(readability-identifier-naming): the names that CUDA gives
extern "C" {
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return as_result(cudaStreamGetId(stream, id));
}
// Numbers and structures of attributes are those of the runtime.
CUresult cuStreamSetAttribute(CUstream stream, int attribute, const void* value) {
  return as_result(cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                          static_cast<const cudaStreamAttrValue*>(value)));
}
CUresult cuStreamGetAttribute(CUstream stream, int attribute, void* value) {
  return as_result(cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                          as<cudaStreamAttrValue>(value)));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return as_result(cudaStreamCopyAttributes(to, from));
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned flags) {
  return run(stream, {Wait32, address, value, flags, {}});
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, std::uint64_t value, unsigned flags) {
  return run(stream, {Wait64, address, value, flags, {}});
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned flags) {
  return run(stream, {Write32, address, value, flags, {}});
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, std::uint64_t value, unsigned flags) {
  return run(stream, {Write64, address, value, flags, {}});
}
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, const Operation* operations, unsigned flags) {
  constexpr unsigned kMost = 256;
  if (operations == nullptr || count > kMost || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned at = 0; at < count; ++at)
    if (const CUresult result = run(stream, operations[at]); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}
WARPSCOPE_SAME(cuStreamWaitValue32, cuStreamWaitValue32_v2);
WARPSCOPE_SAME(cuStreamWaitValue64, cuStreamWaitValue64_v2);
WARPSCOPE_SAME(cuStreamWriteValue32, cuStreamWriteValue32_v2);
WARPSCOPE_SAME(cuStreamWriteValue64, cuStreamWriteValue64_v2);
WARPSCOPE_SAME(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);
WARPSCOPE_SAME(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2);
WARPSCOPE_SAME(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2);
WARPSCOPE_SAME(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2);
WARPSCOPE_SAME(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2);
WARPSCOPE_SAME(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2);
WARPSCOPE_SAME(cuStreamWaitValue32_v2_ptsz, cuStreamWaitValue32_v2);
WARPSCOPE_SAME(cuStreamWaitValue64_v2_ptsz, cuStreamWaitValue64_v2);
WARPSCOPE_SAME(cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32_v2);
WARPSCOPE_SAME(cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64_v2);
WARPSCOPE_SAME(cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp_v2);
WARPSCOPE_SAME(cuStreamGetId_ptsz, cuStreamGetId);
WARPSCOPE_SAME(cuStreamSetAttribute_ptsz, cuStreamSetAttribute);
WARPSCOPE_SAME(cuStreamGetAttribute_ptsz, cuStreamGetAttribute);
WARPSCOPE_SAME(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes);
}
// NOLINTEND(readability-identifier-naming)
