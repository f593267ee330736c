// Tensor maps (CUDA Driver API, "Tensor Map Object Management"): what the executor of machine code reads.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "machine/execute/base/tensor_map.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

using machine::TensorMap;

/// The driver numbers types in another order than tensormap.replace.
std::optional<TensorMap::Type> type_of(CUtensorMapDataType type) {
  using Type = TensorMap::Type;
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return Type::F64;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return Type::BF16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
      return Type::F32Flushed;
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return Type::TF32;
    default:
      if (static_cast<unsigned>(type) > CU_TENSOR_MAP_DATA_TYPE_FLOAT32) return std::nullopt;
      return static_cast<Type>(type);
  }
}

/// Writes the map if copies can use it. One that a GPU could use and we cannot is named.
void put(CUtensorMap* to, const TensorMap& map, const char* function) {
  const std::string wrong = map.wrong();
  if (!wrong.empty() && wrong == map.missing()) {
    complain(fmt::format("{}: {}", function, wrong));
    throw Failure{cudaErrorNotSupported};
  }
  require(wrong.empty());
  const auto bytes = map.encode();
  static_assert(sizeof(CUtensorMap) == TensorMap::kBytes);
  std::memcpy(to, bytes.data(), bytes.size());
}

/// What both kinds of maps have.
struct Common {
  CUtensorMapDataType type;
  unsigned rank;
  void* address;
  const unsigned long *sizes, *strides;
  const unsigned* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

TensorMap made_of(const Common& given) {
  const auto of_elements = type_of(given.type);
  require(of_elements && given.rank >= 1 && given.rank <= TensorMap::kMostDimensions);
  require(given.sizes != nullptr && given.steps != nullptr && (given.rank == 1 || given.strides != nullptr));
  require(given.interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && given.swizzle <= CU_TENSOR_MAP_SWIZZLE_128B);
  TensorMap made;
  made.address = reinterpret_cast<std::uintptr_t>(given.address);
  made.type = *of_elements;
  made.dimensions = given.rank;
  for (unsigned d = 0; d < given.rank; ++d) {
    made.size[d] = given.sizes[d];
    made.step[d] = d == 0 ? 1 : given.steps[d];  // the innermost one is ignored without interleaving
    if (d > 0) made.stride[d - 1] = given.strides[d - 1];
  }
  made.interleave = given.interleave;
  made.swizzle = given.swizzle;
  made.is_filled_by_nan = given.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  return made;
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, unsigned rank, void* address,
                                const unsigned long* sizes, const unsigned long* strides, const unsigned* box,
                                const unsigned* steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion /*promotion*/,
                                CUtensorMapFloatOOBfill fill) {
  return drive([&] {
    return run([&] {
      require(map != nullptr && box != nullptr);
      TensorMap made = made_of({type, rank, address, sizes, strides, steps, interleave, swizzle, fill});
      std::copy_n(box, rank, made.box.begin());
      put(map, made, "cuTensorMapEncodeTiled");
    });
  });
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, unsigned rank, void* address,
                                 const unsigned long* sizes, const unsigned long* strides, const int* lower,
                                 const int* upper, unsigned channels, unsigned pixels, const unsigned* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion /*promotion*/, CUtensorMapFloatOOBfill fill) {
  return drive([&] {
    return run([&] {
      require(map != nullptr && lower != nullptr && upper != nullptr && rank >= 3);
      TensorMap made = made_of({type, rank, address, sizes, strides, steps, interleave, swizzle, fill});
      made.is_im2col = true;
      made.box[0] = channels;
      made.pixels = pixels;
      // The documentation names them D, H, W; programs that ran on GPUs (CUTLASS) give W first, as the other arrays do.
      std::copy_n(lower, rank - 2, made.lower.begin());
      std::copy_n(upper, rank - 2, made.upper.begin());
      put(map, made, "cuTensorMapEncodeIm2col");
    });
  });
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return drive([&] {
    return run([&] {
      require(map != nullptr);
      TensorMap made = TensorMap::decode(reinterpret_cast<const std::uint8_t*>(map));
      made.address = reinterpret_cast<std::uintptr_t>(address);
      put(map, made, "cuTensorMapReplaceAddress");
    });
  });
}
}
