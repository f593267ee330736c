#pragma once
// Texture and surface objects of programs whose kernels are NVIDIA's machine code: there a handle is a number, and an instruction has 20 bits of it.
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "machine/execute/base/texture.h"

namespace warpscope::cuda {

class TextureTable {
 public:
  static TextureTable& get();
  /// Returns its handle: the smallest number from 1 on that is free.
  std::uint64_t add(const machine::Texture& texture);
  /// Nothing where there is no such handle.
  void remove(std::uint64_t handle);
  /// That at place i has the handle i + 1; those of removed ones are empty.
  [[nodiscard]] std::vector<machine::Texture> textures() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::optional<machine::Texture>> textures_;
};

}  // namespace warpscope::cuda
