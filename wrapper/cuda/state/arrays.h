#pragma once
// Arrays: elements in rows, rows in planes (or layers), each behind the one before.
#include <cstddef>

#include "passes/cuda/include/warpscope/host_types.h"
#include "passes/cuda/include/warpscope/texture_types.h"

struct cudaArray {
  cudaChannelFormatDesc description;
  std::size_t width, height, depth;  // elements; 0 = not a dimension of this array
  unsigned flags;
  std::size_t element_bytes;
  char* data;

  /// The six faces of a cube are layers, too.
  [[nodiscard]] bool is_layered() const { return (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0; }
  [[nodiscard]] std::size_t row_bytes() const { return width * element_bytes; }
  [[nodiscard]] std::size_t rows() const { return height == 0 ? 1 : height; }
  [[nodiscard]] std::size_t planes() const { return depth == 0 ? 1 : depth; }
  /// As cudaMalloc3D() would give it.
  [[nodiscard]] cudaPitchedPtr whole() const { return {data, row_bytes(), row_bytes(), rows()}; }
};
