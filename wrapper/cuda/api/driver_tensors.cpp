// Tensor maps (CUDA Driver API, "Tensor Map Object Management"): what the executor of machine code reads.
#include <fmt/format.h>

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
void put(CUtensorMap* to, const TensorMap& map) {
  const bool is_known = map.type != TensorMap::Type::TF32 && map.interleave == 0;
  const std::string wrong = map.wrong();
  if (!wrong.empty() && !is_known) {
    complain(fmt::format("cuTensorMapEncodeTiled: {}", wrong));
    throw Failure{cudaErrorNotSupported};
  }
  require(wrong.empty());
  const auto bytes = map.encode();
  static_assert(sizeof(CUtensorMap) == TensorMap::kBytes);
  std::memcpy(to, bytes.data(), bytes.size());
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
      const auto of_elements = type_of(type);
      require(map != nullptr && of_elements && rank >= 1 && rank <= TensorMap::kMostDimensions);
      require(sizes != nullptr && box != nullptr && steps != nullptr && (rank == 1 || strides != nullptr));
      require(interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B);
      TensorMap made;
      made.address = reinterpret_cast<std::uintptr_t>(address);
      made.type = *of_elements;
      made.dimensions = rank;
      for (unsigned d = 0; d < rank; ++d) {
        made.size[d] = sizes[d];
        made.box[d] = box[d];
        made.step[d] = d == 0 ? 1 : steps[d];  // the innermost one is ignored without interleaving
        if (d > 0) made.stride[d - 1] = strides[d - 1];
      }
      made.interleave = interleave;
      made.swizzle = swizzle;
      made.is_filled_by_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
      put(map, made);
    });
  });
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return drive([&] {
    return run([&] {
      require(map != nullptr);
      TensorMap made = TensorMap::decode(reinterpret_cast<const std::uint8_t*>(map));
      made.address = reinterpret_cast<std::uintptr_t>(address);
      put(map, made);
    });
  });
}
}
