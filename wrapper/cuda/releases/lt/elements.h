#pragma once
// Matrices of cuBLASLt: where their elements are (cuBLAS Library, "cublasLtOrder_t").
#include <cstdint>

#include "wrapper/cuda/libraries/cublas/elements.h"
#include "wrapper/cuda/releases/lt/objects.h"

namespace warpscope::cuda::lt {

using cublas::bytes_of, cublas::load, cublas::store, cublas::kE4M3, cublas::kE5M2;

/// A matrix of a batch.
class View {
 public:
  View(const Layout& layout, const void* memory, std::int64_t number)
      : layout_(layout),
        memory_(static_cast<const char*>(memory) +
                number * layout.stride * static_cast<std::int64_t>(bytes_of(layout.type))) {}
  [[nodiscard]] double get(std::size_t row, std::size_t column) const {
    return load(layout_.type, memory_, index(row, column));
  }
  void set(std::size_t row, std::size_t column, double value) const {
    store(layout_.type, const_cast<char*>(memory_), index(row, column), value);
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t row, std::size_t column) const {
    const auto ld = static_cast<std::size_t>(layout_.ld);
    constexpr std::size_t kColumns = 32;
    switch (layout_.order) {
      case kOrderRows:
        return row * ld + column;
      case kOrderColumns32:
        return column / kColumns * ld + row * kColumns + column % kColumns;
      default:
        return column * ld + row;
    }
  }

  Layout layout_;
  const char* memory_;
};

}  // namespace warpscope::cuda::lt
