// cuBLASLt's objects for programs of NVIDIA's compiler (cuBLAS Library, "cuBLASLt API Reference", releases 11.8 to 13.0).
#include "wrapper/cuda/releases/lt/objects.h"

#include <array>
#include <cstring>
#include <new>

namespace warpscope::cuda::lt {
namespace {

template <class T>
Member member(T& of) {
  return {&of, sizeof of};
}

Member member_of(Layout& layout, int attribute) {
  switch (attribute) {
    case 0:
      return member(layout.type);
    case 1:
      return member(layout.order);
    case 2:
      return member(layout.rows);
    case 3:
      return member(layout.columns);
    case 4:
      return member(layout.ld);
    case 5:
      return member(layout.batch);
    case 6:
      return member(layout.stride);
    default:
      return {};
  }
}
Member member_of(Matmul& product, int attribute) {
  constexpr int kScaleModes = 31;
  if (attribute >= kScaleModes && attribute < kScaleModes + static_cast<int>(std::size(product.scale_modes)))
    return member(product.scale_modes[attribute - kScaleModes]);
  // Numbers of cublasLtMatmulDescAttributes_t; of those between there is none.
  const std::array members = {member(product.compute),
                              member(product.scale),
                              member(product.pointer_mode),
                              member(product.transa),
                              member(product.transb),
                              member(product.transc),
                              member(product.fill),
                              member(product.epilogue),
                              member(product.bias),
                              Member{},
                              member(product.bias_stride),
                              member(product.aux),
                              member(product.aux_ld),
                              member(product.aux_stride),
                              Member{},
                              member(product.multiprocessors),
                              Member{},
                              member(product.scale_a),
                              member(product.scale_b),
                              member(product.scale_c),
                              member(product.scale_d),
                              member(product.largest),
                              member(product.aux_type),
                              Member{},
                              Member{},
                              member(product.fast),
                              member(product.bias_type)};
  return attribute >= 0 && attribute < static_cast<int>(members.size())
             ? members[static_cast<std::size_t>(attribute)]
             : Member{};
}
/// Others than the workspace's size are taken, and have no effect.
Member member_of(Preference& preference, int attribute) {
  return attribute == 1 ? member(preference.workspace) : Member{};
}
Member member_of(Transform& transform, int attribute) {
  const std::array members = {member(transform.scale), member(transform.pointer_mode),
                              member(transform.transa), member(transform.transb)};
  return attribute >= 0 && attribute < static_cast<int>(members.size())
             ? members[static_cast<std::size_t>(attribute)]
             : Member{};
}

template <class Object>
cublasStatus_t set(Object* object, int attribute, const void* value, std::size_t bytes) {
  if (object == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Member found = member_of(*object, attribute);
  if (found.at == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (found.bytes != bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(found.at, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Object>
cublasStatus_t get(Object* object, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  const Member found = object != nullptr ? member_of(*object, attribute) : Member{};
  if (found.at == nullptr || (bytes == 0 && written == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = found.bytes;
  if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || bytes < found.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, found.at, found.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

/// In the program's memory.
template <class Object>
cublasStatus_t init(void* memory, std::size_t bytes, const Object& as) {
  if (memory == nullptr || bytes < sizeof(Object)) return CUBLAS_STATUS_ALLOC_FAILED;
  new (memory) Object(as);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Object>
cublasStatus_t create(Object** object, const Object& as) {
  if (object == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *object = new Object(as);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Object>
cublasStatus_t destroy(Object* object) {
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

/// What cublasLtHandle_t points to: nothing is asked of it.
struct Context {
  int unused = 0;
};

Layout layout_of(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  Layout layout;
  layout.type = type, layout.rows = rows, layout.columns = columns, layout.ld = ld;
  return layout;
}
Matmul matmul_of(int compute, int scale) {
  Matmul product;
  product.compute = compute, product.scale = scale;
  return product;
}
Transform transform_of(int scale) {
  Transform transform;
  transform.scale = scale;
  return transform;
}

}  // namespace
}  // namespace warpscope::cuda::lt

using namespace warpscope::cuda::lt;

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLASLt gives
extern "C" {

cublasStatus_t cublasLtCreate(Context** handle) {
  return create(handle, Context{});
}
cublasStatus_t cublasLtDestroy(Context* handle) {
  return destroy(handle);
}
std::size_t cublasLtGetCudartVersion() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return static_cast<std::size_t>(version);
}
/// That of the runtime, as cuBLAS writes it since release 12: 130000 for 13.0.
std::size_t cublasLtGetVersion() {
  const std::size_t version = cublasLtGetCudartVersion();
  return version / 1000 * 10000 + version % 1000 / 10 * 100;
}
const char* cublasLtGetStatusName(cublasStatus_t status) {
  return cublasGetStatusName(status);
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
  return cublasGetStatusString(status);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(void* layout, std::size_t bytes, int type,
                                                 std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  return init(layout, bytes, layout_of(type, rows, columns, ld));
}
cublasStatus_t cublasLtMatrixLayoutCreate(Layout** layout, int type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t ld) {
  return create(layout, layout_of(type, rows, columns, ld));
}
cublasStatus_t cublasLtMatrixLayoutDestroy(Layout* layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value,
                                                std::size_t bytes) {
  Layout changed = layout != nullptr ? *layout : Layout{};
  const cublasStatus_t status = set(&changed, attribute, value, bytes);
  if (layout == nullptr || status != CUBLAS_STATUS_SUCCESS) return status;
  if (changed.batch < 1) return CUBLAS_STATUS_INVALID_VALUE;
  if (changed.order < kOrderColumns || changed.order > kOrderColumns32) return CUBLAS_STATUS_NOT_SUPPORTED;
  *layout = changed;
  return status;
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(Layout* layout, int attribute, void* value, std::size_t bytes,
                                                std::size_t* written) {
  return get(layout, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit_internal(void* product, std::size_t bytes, int compute, int scale) {
  return init(product, bytes, matmul_of(compute, scale));
}
cublasStatus_t cublasLtMatmulDescCreate(Matmul** product, int compute, int scale) {
  return create(product, matmul_of(compute, scale));
}
cublasStatus_t cublasLtMatmulDescDestroy(Matmul* product) {
  return destroy(product);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(Matmul* product, int attribute, const void* value,
                                              std::size_t bytes) {
  return set(product, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(Matmul* product, int attribute, void* value, std::size_t bytes,
                                              std::size_t* written) {
  return get(product, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(void* preference, std::size_t bytes) {
  return init(preference, bytes, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceCreate(Preference** preference) {
  return create(preference, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(Preference* preference) {
  return destroy(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* value,
                                                    std::size_t bytes) {
  const cublasStatus_t status = set(preference, attribute, value, bytes);
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? CUBLAS_STATUS_SUCCESS : status;
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(Preference* preference, int attribute, void* value,
                                                    std::size_t bytes, std::size_t* written) {
  return get(preference, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(void* transform, std::size_t bytes, int scale) {
  return init(transform, bytes, transform_of(scale));
}
cublasStatus_t cublasLtMatrixTransformDescCreate(Transform** transform, int scale) {
  return create(transform, transform_of(scale));
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(Transform* transform) {
  return destroy(transform);
}
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(Transform* transform, int attribute, const void* value,
                                                       std::size_t bytes) {
  return set(transform, attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixTransformDescGetAttribute(Transform* transform, int attribute, void* value,
                                                       std::size_t bytes, std::size_t* written) {
  return get(transform, attribute, value, bytes, written);
}
}
// NOLINTEND(readability-identifier-naming)
